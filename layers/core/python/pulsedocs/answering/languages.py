"""The small words of some languages: they tell a text's language and nothing of its subject."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from pulsedocs.model.letters import LETTERS

_WORD: Final = re.compile(LETTERS)
_LONE_LETTER: Final = re.compile(
    r"(?:^|(?<=\|))[ \t]*[^\W\d_][ \t]*(?=\||$)"
    r"|(?<![^\W\d_])[b-df-hj-np-tv-xz](?![^\W\d_]|['\u2019])",
    re.IGNORECASE | re.MULTILINE,
)
"""A letter alone in its cell, or a consonant without an apostrophe: a size or a group, no word."""
_ENOUGH: Final = (
    0.2  # of a text's words: prose has a third and more, and a question of one language
)


def words_listed(listed: str) -> frozenset[str]:
    """Return the words of a text as a set: a list of hundreds reads better without quotes."""
    return frozenset(listed.split())


_TRANSCRIBED: Final = str.maketrans(
    {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00df": "ss"}
)
_AFTER_LATIN: Final = "\u0250"


def unaccented(text: str) -> str:
    """Return a text without the marks on its letters, and "ss" for "\u00df": so write the Swiss."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text.replace("\u00df", "ss"))
    return "".join(each for each in letters if not unicodedata.combining(each))


def as_plain(text: str) -> str:
    """Return a text as many type it: in lowercase, without accents."""
    return unaccented(text.lower())


def as_typed(word: str) -> frozenset[str]:
    """Return how a Latin word is typed without its marks: "fr\u00fch" as "fruh" and as "frueh"."""
    if word.isascii() or max(word) >= _AFTER_LATIN:
        return frozenset()
    return frozenset((unaccented(word), word.translate(_TRANSCRIBED)))


def _listed_too_as_typed(listed: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    three = {"tres"}  # in Spanish; without its mark, "tr\u00e8s" is no small word
    return MappingProxyType(
        {
            language: words | (frozenset[str]().union(*map(as_typed, words)) - three)
            for language, words in listed.items()
        }
    )


SMALL_WORDS: Final = _listed_too_as_typed(
    {
        "en": words_listed(
            """a an the this that these those my your our their his her its it he she they we
            you i me us them him who whom whose which what when where why how is are was
            were be been being am do does did done has have had having can could may might
            must shall should will would ought of in on at by for from to with without
            within into onto upon about above after against along among around before behind
            below beneath beside between beyond during except inside near off out over per
            since through throughout till toward towards under until up down via than as
            like and or but nor so if then else because while although though whether both
            either neither not no yes any some each every all many much more most few less
            least several such same other another own too very just only also even ever
            never always there here please again myself yourself himself herself itself
            ourselves yourselves themselves someone somebody anyone anybody everyone everybody
            something anything everything"""
        ),
        "de": words_listed(
            """der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem
            diesen mein meine meinen meinem meiner dein unser unsere unseren ihr ihre ihren
            ihrem sein seine seinen es er sie wir ich du man mir mich uns wer wen wem wessen
            welche welcher welches welchem welchen was wann wo wohin woher warum wieso wie ist
            sind war waren wird werden wurde wurden hat haben hatte kann können könnte darf
            dürfen muss müssen müsste soll sollen sollte mag mögen will wollen bekomme bekommt
            gibt im in am an auf aus bei mit nach von vom vor zu zum zur für über unter um durch
            gegen ohne bis seit während zwischen und oder aber nicht kein keine keinen als wenn
            ob dass auch nur noch schon hier dort so viel viele vielen vieler bitte je pro habe hast
            habt hatten hätte hätten bin bist seid wäre wären würde würden wirst konnte konnten
            könnten musste mussten müssten sollst möchte möchten kannst darfst musst willst dich
            dir euch ihm ihn ihnen sich meines deine deinen deiner deinem euer eure unserem
            unserer jede jeder jedes jeden jedem alle allen alles etwas beim ins woran wofür
            womit worauf wovon dann denn doch also sehr mehr ans aufs durchs fürs ums übers
            vors"""
        ),
        "fr": words_listed(
            """le la les l un une des du de d au aux ce cet cette ces mon ma mes son sa ses notre
            votre nos vos leur leurs qui que quoi quel quelle quels quelles quand où comment
            pourquoi combien est sont sera seront était étaient être a ont avoir dans en sur
            sous t avec sans pour par et ou ne pas plus se s il elle ils elles on nous vous je
            tu y n qu c j puis peux peut peuvent dois doit doivent faut ai as avons avez avait
            avaient aura auront suis sommes êtes soit pouvez pouvons pourrait devez devons
            devrait veux veut voulez lui me te moi toi eux celui celle cela ça là donc mais
            aussi très moins tout toute tous toutes dont car entre vers chez depuis pendant
            avant après selon jusque laquelle lequel duquel auquel à si ont doivent peu comme"""
        ),
        "es": words_listed(
            """el la los las lo un una unos unas al del de en con por para sin sobre entre desde
            hasta que qué quién quien quiénes cuál cuáles cuándo cuando dónde donde cómo como
            cuánto cuánta cuántos cuántas es son fue fueron era está están hay ser estar y o u
            no se su sus me mi te tu le les nos puedo puede pueden podemos tengo tiene tienen
            debo debe deben más muy he has ha hemos han había haya estoy estamos estaba será
            serán podría podrían debería deberían mí ti él ella ellos ellas usted ustedes
            nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas
            pero si sí también ya cada todo toda todos todas durante antes después contra hacia
            según otro otra porque"""
        ),
        "it": words_listed(
            """il lo la i gli le l un uno una a ad ed di da del dello della dei degli delle dal
            dalla nel nella nei al allo alla ai alle con su sul sulla per tra fra che chi cosa quale
            quali quando dove come perché quanto quanta quanti quante è sono era erano ha hanno e o
            non si suo sua ho hai abbiamo avete siamo sarà saranno essere può possiamo possono
            posso puoi devo devi deve dobbiamo devono vorrei mi ti ci vi me te lui lei loro
            questo questa questi queste quello quella quelli quelle ma anche se più meno dopo
            prima durante senza fino verso ogni tutto tutta tutti tutte mio mia tuo tua nostro
            nostra"""
        ),
        "pt": words_listed(
            """o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às com por para
            sem sobre entre desde até que quem qual quais quando onde como quanto quanta quantos
            quantas é são foi era está há ser e ou não se seu sua seus suas tem têm tenho temos
            pode podem posso podemos deve devem devo eu tu ele ela eles elas você vocês nós me
            te lhe isto isso este esta esse essa estes estas mas também já mais menos depois
            antes durante cada todo toda todos todas meu minha nosso nossa"""
        ),
        "nl": words_listed(
            """de het een van in op aan met voor door bij naar uit over onder tussen wie wat waar
            wanneer waarom hoe welke welk hoeveel is zijn was waren wordt worden heeft hebben
            kan kunnen mag moet moeten en of maar niet geen als dat die dit deze er zich ik je u
            wij ze hij zij om te heb had hadden ben bent kun kunt mogen moest wil wilt willen
            zal zullen zou zouden werd mij me jij jou jouw uw ons onze hun hen hem haar mijn ook
            nog wel dan tot na tegen tijdens zonder sinds elk elke alle meer"""
        ),
    }
)
"""Articles, pronouns, prepositions, question words and auxiliaries."""
SMALL_IN_ANY: Final = frozenset[str]().union(*SMALL_WORDS.values())
"""Those of all languages together."""

REFERS_BACK: Final = re.compile(
    r"\b(?:it|its|they|their|theirs|them|this|these|those|he|she|his|her|him|such|both|then"
    r"|(?<!.)that|that(?= (?:is|was|are|were|will|can|may|must|does|means|applies)\b)"
    r"|(?:is|are|does|do|of|for|with|to|about|after|before|in|like) that\b"
    r"|there(?! (?:is|are|was|were|will|must|has|may)\b)"
    r"|otherwise|however|es|er|ihn|ihm|(?-i:sie|ihre[nmrs]?|(?<!.)Sie)|dies\w*|dabei|dazu|davon|daf\u00fcr|dort|dann"
    r"|deren|dessen|beide\w*|il|elle|ils|elles|cela|ceci|celui|celle|leur|lo|\u00e9l|ella|ellos|ellas|esto"
    r"|este|esta|su|sus|esso|essa|questo|questa|suo|sua|ele|ela|isto|hij|ze|dit|deze)\b",
    re.IGNORECASE,
)
"""Words that mean what was spoken of before."""


@lru_cache(maxsize=512)
def language_of(text: str) -> str | None:
    """Return the language whose small words a text has most of; None where that is not clear."""
    words = [word.lower() for word in _WORD.findall(_LONE_LETTER.sub(" ", text))]
    counts = {
        language: sum(word in small for word in words) for language, small in SMALL_WORDS.items()
    }
    best, second = sorted(counts, key=lambda language: -counts[language])[:2]
    is_clear = counts[best] > counts[second] and counts[best] >= _ENOUGH * len(words)
    return best if is_clear else None


def without_small_words(question: str, *, known: str | None) -> str:
    """Return a question without the small words of its language, unless that is the `known` one.

    The index leaves out those of the known language itself. Of another one they would be searched
    for, and be rare where texts are of several languages.
    """
    language = language_of(question)
    if language is None or language == known:
        return question
    small = SMALL_WORDS[language]
    telling = _WORD.sub(lambda found: "" if found[0].lower() in small else found[0], question)
    return telling if re.search(r"\w", telling) else question
