"""Whether a sentence is about what was asked, and holds the kind of thing that was asked for.

A score says that words are alike: "How much is the deposit for the pool?" is answered, with .97, by
the deposit for the hall. What such a question does not share with the sentence is the pool. So each
word that carries the question's meaning has to be met: by the sentence or by what governs it, as it
is, inflected, misspelt, or by another word for the same. And who asks for a price, a date or a
colour is not answered by a sentence without one.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, pairwise
from statistics import fmean
from typing import Final, TypeAlias

from pulsedocs.answering.languages import REFERS_BACK, SMALL_WORDS, language_of, words_listed
from pulsedocs.answering.parts import one_by_one
from pulsedocs.answering.wording import folded, is_negated
from pulsedocs.model.years import with_plain_years, years_in

Nearest: TypeAlias = Callable[[str, Sequence[str]], float]
"""The greatest cosine of a word with one of some others; 0 where there are none."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-.&'\u2019][^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['\u2019]s$")
_ELIDED: Final = re.compile(r"^(?:l|d|n|s|j|c|m|t|(?:jus|lors|puis)?qu|dell|nell|all|un)['\u2019]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_FIGURES: Final = re.compile(r"\d+")
_COMPARED: Final = re.compile(
    r"\([^()]*\)|\b(?:than|compared|versus|vs|against|from \W?\d[\d.,]*(?: \w+){0,3} in)\b"
    r"[^.;]{0,60}?(?:19|20)\d\d",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th|\.)")
_ITEM_NUMBER: Final = re.compile(r"^\s*\d{1,3}[.)]\s")
_MISSPELT: Final = 0.8  # of difflib's ratio: "servises" is "services"
_FEWEST_LETTERS: Final = 4  # shorter words are not held to be misspelt: "cat" is no "car"
_SAME_LANGUAGE: Final = 1 / 3  # of the question's words, where small words do not tell
_STEM: Final = 6  # letters that inflected and derived forms of a word share
_SHORTEST_STEM: Final = 3  # letters: without its ending, "his" is no "hi"
_DOUBLED: Final = frozenset("bdgmnprtz")  # before an ending: "stopped"; "fill" is no "file"
_LONGEST_ENDING: Final = (
    5  # letters behind them: "deliveries"; not the "gebühr" of "Aufnahmegebühr"
)
_LONGEST_OTHER_ENDING: Final = 7  # where both have one: "classification", "classified"
_SHORTEST_HEAD: Final = 5  # letters: a "Jahresbeitrag" is a "Beitrag"
_FEWEST_FOR_LOSS: Final = (
    3  # terms; of two, a synonym and a loss would leave nothing as it was asked
)
_FEWEST_ASKING: Final = 3  # words of a question: "Who is chair"
_FEW_TERMS: Final = 6
"""A question of so many words that carry its meaning, or fewer, has to find all of them."""
_TERMS_PER_LOSS: Final = 3
"""A longer one may miss one of so many: it says more of what it knows than of what it asks.

It also names where to look, and finds its words in the whole passage.
"""

# What names the form of an answer, not its subject, or says too little to be looked for.
_FORM: Final = words_listed(
    """answer answered answers write written please integer float format decimal string list listed
    lists listing include included includes contain contains contained shown shows provided
    presented proposed required set come comes title topic table tables figure figures chart
    charts graph diagram image images picture pictures cover body paper report study article
    manual guide book area part parts example examples description descriptions corresponding
    associated different respective respectively percentage percentages percent ratio share sum
    gap average highest lowest largest smallest most least top first second third last next
    entire overall whole tell explain describe give given gives show say says mean means meant
    mentioned stated according document documents file page pages text section type types kind
    kinds sort sorts name names number amount amounts total exact exactly specific main certain
    typical process procedure procedures step steps role roles purpose way ways thing things
    difference differences implication implications impact effect affect affects reason reasons
    condition conditions situation situations responsibility responsibilities limitation
    limitations exception exceptions expectation expectations outlined detailed considering
    regarding concerning information details detail benefits provision handle handled manage
    managed address involved ensure related relate happen happens happened get gets got take
    takes took taken need needs needed want make makes made use uses used using let lets put
    keep keeps find do doing called currently usually often long far much many old tall high
    deep big large wide fast heavy time times cost costs price prices fee fees charge colour
    color colours colors date dates month year years day days week hour hours age size unit open
    opens start starts begin begins end ends sagen erkl\u00e4ren nennen hei\u00dft bedeutet
    dokument seite art arten zahl anzahl nummer gr\u00f6\u00dfe h\u00f6he l\u00e4nge breite gewicht
    dauer zeit kosten kostet preis farbe datum tag tage monat jahr
    jahre uhrzeit uhr hoch lang lange oft alt gro\u00df weit tief schwer betr\u00e4gt liegt
    steht genau laut halten brauchen braucht ben\u00f6tigen ben\u00f6tigt bed\u00fcrfen bedarf
    machen macht mache gemacht tun tue geben gibt zeigen zeigt cuesta cuestan
    precio fecha d\u00eda hora
    co\u00fbte prix montant co\u00fbt tarif betrag importe coste importo costo couleur heure ora
    costa colore prezzo combien
    jour jours heures an ans mois semaine giorno giorni anno mese a\u00f1o mes semana
    fit fits accommodate accommodates
    pedir hacer tener obtener poner pongo mettre mets mettere metto stellen stelle legen lege
    h\u00e4ufig fr\u00e9quence frecuencia frequenza expensive teuer"""
)
_LONG_ENOUGH: Final = 8  # letters: of shorter words another is often one letter away
_ONE_LETTER: Final = 0.9  # of difflib's ratio, for such words
_LONG_FORM: Final = sorted(word for word in _FORM if len(word) >= _LONG_ENOUGH)
_NUMERALS: Final = words_listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety hundred thousand million billion half quarter third dozen once twice double triple
    single both none no each every daily weekly monthly yearly annually hourly always never
    unlimited free several pair first second fourth fifth sixth null ein eins zwei drei vier
    f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf zwanzig drei\u00dfig vierzig
    f\u00fcnfzig sechzig siebzig achtzig neunzig hundert tausend halb einmal zweimal
    t\u00e4glich w\u00f6chentlich monatlich j\u00e4hrlich immer nie kostenlos keine un deux
    trois quatre cinq six sept huit neuf dix onze douze vingt trente quarante cinquante cent
    mille demi gratuit uno dos tres cuatro cinco seis siete ocho nueve diez doce quince veinte
    treinta cuarenta cincuenta cien ciento doscientos mil gratis due tre quattro cinque sei
    sette otto nove dieci venti trenta cento mille"""
)
_NUMERALS_IN: Final = frozenset({"en", "de", "fr", "es", "it"})
_GERMAN_NUMBER: Final = re.compile(r"(?:hundert|tausend|und(?:zwanzig|drei\u00dfig|[a-z]+zig))")
_MONEY: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5\u20b9]|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|franken|chf|yen|rupees?"
    r"|kron\w+|nok|sek|dkk|cents?|free|gratis|kostenlos|kostenfrei|gratuit\w*|charge|percent"
    r"|per cent|prozent|nothing|z\u0142oty|pln|pesos?|yuan|rmb|bucks"
    r"|crowns?|korun\w*|shillings?|roubles?|rubles?|rand|lira|dinars?|dirhams?|riyals?|shekels?|forints?|baht|ringgit|reais|aud|cad|nzd|sgd"
    r"|hkd|inr|cny|jpy|zar|thb|krw|mxn|brl|huf|czk|aed)\b|%"
    r"|\bcosts?\s[\d.,]+\s(?:thousand|million|billion|bn)\b",  # whatever the report counts in
    re.IGNORECASE,
)
_MASS: Final = re.compile(
    r"\b\d*(?:kg|g|mg|lbs?|oz|kilos?|kilo?gramm?s?|gramm?s?|tons?|tonnes?|tonnen?|pounds?|ounces?"
    r"|stone|cwt|kilogramos|kilogrammes)\b",
    re.IGNORECASE,
)
_PRESSURE: Final = re.compile(
    r"\b\d*(?:[hkm]?pa|m?bar|(?:kilo|mega)?pascals?|psi|atm|atmospheres?)\b", re.IGNORECASE
)
_LENGTH: Final = re.compile(
    r"\b\d*(?:mm|cm|m|km|ft|in|mi|met(?:er|re)s?|\w*met(?:er|re)n?s?|feet|foot|inch(?:es)?|miles?"
    r"|yards?|fathoms?|stor(?:e?ys?|ies)|floors?|metros?|m\u00e8tres?|metri)\b",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:jan|feb|mar[sz]|m\u00e4rz|apr|mai|may|jun|jul|aug|sep|oct|okt|nov|de[cz])\w*"
    r"|\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?\b|\b(?:montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonnabend|sonntag)s?\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|mitternacht|midi|minuit|mediod\u00eda|medianoche|mezzogiorno|mezzanotte"
    r"|lunes|martes|mi\u00e9rcoles|jueves|viernes|s\u00e1bado|domingo|luned\u00ec|marted\u00ec"
    r"|mercoled\u00ec|gioved\u00ec|venerd\u00ec)s?\b|\b(?:noon|midnight|morning|afternoon|evening|night"
    r"|daily|weekly|monthly|annual\w*|yearly|holidays?|weekends?|weekdays?|today|tomorrow|yesterday"
    r"|immediately|always|never|before|after|until|till|during|while|when|whenever|once|upon|within"
    r"|soon|spring|summer|autumn|fall|winter|season|century|year|month|week|day|hour|minute|time|easter"
    r"|christmas|end|beginning|start|every|each|o'clock|uhr|morgen\w*|mittag\w*|abend\w*|nacht\w*"
    r"|t\u00e4glich|w\u00f6chentlich|monatlich|j\u00e4hrlich|fr\u00fchling|fr\u00fchjahr|sommer|herbst"
    r"|jahr\w*|monat\w*|woche\w*|tag\w*|stunde\w*|vor|nach|bis|w\u00e4hrend|wenn|sobald|sofort|ende"
    r"|anfang|ab|seit|matin|midi|soir|nuit|ann\u00e9e|mois|semaine|jour\w*|heures?|avant|apr\u00e8s"
    r"|ma\u00f1ana|tarde|noche|a\u00f1o|mes|semana|d\u00edas?|horas?|antes|despu\u00e9s|mattina|sera"
    r"|notte|anno|mese|settimana|giorn\w*|or[ae]|prima|dopo|siete|ocho|nueve|dix|onze|sei|sette)\b",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(
    r"(?:\b|\d)(?:h|hrs?|mins?|secs?|seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?"
    r"|quarters?|years?|decades?|until|till|through|forever|permanent\w*|always|indefinite\w*|lifetime"
    r"|since|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|bis|dauer\w*|heures?|jours?"
    r"|semaines?|mois|ans?|ann\u00e9es?|segundos?|minutos?|horas?|d\u00edas?|semanas?|mes(?:es)?"
    r"|a\u00f1os?|hasta|secondi|minuti|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|fino)\b",
    re.IGNORECASE,
)
_COLOUR: Final = re.compile(
    r"\b(?:red|green|blue|yellow|black|white|gr[ae]y|brown|orange|purple|violet|pink|silver\w*|gold\w*"
    r"|beige|turquoise|crimson|scarlet|colou?r\w*|rot\w*|gr\u00fcn\w*|blau\w*|gelb\w*|schwarz\w*"
    r"|wei\u00df\w*|grau\w*|braun\w*|lila|rosa|t\u00fcrkis|farb\w*|rouges?|verte?s?|bleue?s?|jaunes?"
    r"|noire?s?|blanc\w*|grise?s?|bruns?|roj[oa]s?|verdes?|azul\w*|amarill[oa]s?|negr[oa]s?|gris\w*"
    r"|ross[oaie]|verd[ei]|blu|giall[oaie]|ner[oaie]|bianc\w*)\b",
    re.IGNORECASE,
)
_PEOPLE: Final = re.compile(
    r"\b(?:staff|office|department|team|committee|people|person\w*|members?|company|firm|owner|landlord"
    r"|tenants?|parents?|guests?|employees?|board|council|authority|agency|family|nobody|no one"
    r"|anyone|everyone|everybody|only|children|child|adults?|men|women|man|woman|users?|clients?|customers?"
    r"|patients?|students?|pupils?|\w{3,}(?:ers|ors|ists|ians|men|ants|ents|ees)"
    r"|\w{4,}(?:or|ist|ian|man|woman|ant|ent|ee)|he|she|they|we|you|i)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(r"\b\w{3,}er\b", re.IGNORECASE)
_DEGREES: Final = re.compile(
    r"\u00b0|\b(?:degrees?|grad|degr\u00e9s?|grados?|gradi|celsius|fahrenheit|kelvin)\b",
    re.IGNORECASE,
)
_SPEED: Final = re.compile(
    r"\b\d*\s?(?:km/h|kph|mph|m/s|rpm|knots?|knoten|kn|mbit|gbit|mbps|gbps|kilomet\w+|miles?|hz|[gm]hz"
    r"|revolutions?|umdrehungen|per (?:second|minute|hour)|an hour|a minute|a second)\b",
    re.IGNORECASE,
)


_ASKS_WHAT_NOT: Final = re.compile(
    r"^\W*(?:what|which|who|when|where|was|wer|welche[rsnm]?|wann|wo|qui|que|quand)\b.*"
    r"(?:\bnot\b|n't\b|\bnicht\b|\bpas\b)"
)
"""Who asks what is not covered is not answered by what is."""

_COUNTED: Final = re.compile(
    r"\b(?:how many|wie ?viele|combien d[e'\u2019]|cu\u00e1nt[oa]s|quant[ie])\s*"
    r"([^\W\d_]{3,})",
    re.IGNORECASE,
)
"""What is counted has no other word for it: to an embedder eggs are much like pears."""

_CLOSED: Final = re.compile(
    r"^\W*(?:(?:if|when|and|und|et|y)\b[^,]*,\s*)?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may"
    r"|might|must|shall|should|will|would|ist|sind|war|waren|darf|d\u00fcrfen|kann|k\u00f6nnen|muss|m\u00fcssen|soll"
    r"|sollen|hat|haben|gibt|wird|werden|wurde|wurden|est|sont|a-t|ont|peut|peuvent|puis|doit|faut|es|son|est\u00e1"
    r"|est\u00e1n|puede|pueden|puedo|hay|tiene|debe|\u00e8|sono|pu\u00f2|posso|si|c'\u00e8|ha)\b",
    re.IGNORECASE,
)

_QUOTED: Final = re.compile(r"[\"\u201c\u201d\u201e\u00ab].*?[\"\u201c\u201d\u00bb]")

_A_THING: Final = (
    r"(?:the|an?|my|our|your|der|die|das|de[mns]|eine?[mnrs]?|le|la|les|une?|el|los|las|una|il|lo|gli)"
    r"\s+([^\W\d_]{3,})"
)
_THE_THING: Final = re.compile(rf"\b{_A_THING}", re.IGNORECASE)
"""What a question names with an article: the thing that is asked about."""
_OF_THE_THING: Final = re.compile(
    rf"\b(?=([^\W\d_]{{3,}})\s+[^\W\d_]{{1,4}}\s+{_A_THING})", re.IGNORECASE
)
"""And what of it: the deposit for the pool."""

_UNITS: Final = (
    (
        re.compile(
            r"(?:kilo|milli)?gram(?:me?|m)?[ens]*|tons?|tonnes?|pounds?|kilos?"
            r"|weigh(?:s|t|ts)?|wiegt|wiegen|gewicht|poids|p\u00e8se|peso|pesa"
        ),
        _MASS,
    ),
    (re.compile(r"(?:kilo|centi|milli)?met(?:er|re)[sn]?|feet|foot|inch(?:es)?|miles?"), _LENGTH),
    (re.compile(r"pressures?|druck|pression|presi\u00f3n|pressione"), _PRESSURE),
    (re.compile(r"euros?|dollars?|pounds?|money|geld|geb\u00fchr"), _MONEY),
    (
        re.compile(
            r"degrees?|grad|degr\u00e9s|grados|temperatur\w*|temp\u00e9rature|hot|cold|warm|hei\u00df|kalt"
        ),
        re.compile(r"\u00b0|\d\s?[CFK]\b|\b(?:degrees?|grad|grados)\b", re.IGNORECASE),
    ),
    (re.compile(r"speed|geschwindigkeit|vitesse|velocidad"), _SPEED),
    (
        re.compile(r"hours?|minutes?|seconds?|stunden?|minuten?|sekunden?"),
        re.compile(r"\d\s?(?:h|hrs?|mins?|min|s|secs?|sek|std)\b|\d:\d\d"),
    ),
    (re.compile(r"lit(?:er|re)s?"), re.compile(r"\d\s?(?:l|ml|dl|cl)\b", re.IGNORECASE)),
    (
        re.compile(r"persons?|people|personen|leute"),
        re.compile(r"\bpersons?\b|\bpeople\b|\bpersonen\b|\bseats?\b", re.IGNORECASE),
    ),
)
"""Words for units and for what is measured in them, and how a sentence may give them."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What other words say the same: `same` is the least cosine of two such, "pets" and "dog".

    `across` is the least mean, over a question's words, of the cosine of each with the nearest word
    of an answer in another language; None where nobody measured it.
    """

    nearest: Nearest
    same: float
    across: float | None = None

    def is_same(self, word: str, others: Sequence[str]) -> bool:
        return self.nearest(word, others) >= self.same

    def is_about(self, asked: Sequence[str], said: Sequence[str], *, question: str) -> bool:
        """Say whether words of another language say, taken together, what was asked about.

        What stands side by side in a question may be one word elsewhere: a "rain coat" is an
        "impermeable", and neither half comes near it.
        """
        if self.across is None or not asked:
            return True
        near = [self.nearest(word, said) for word in asked]
        folded = question.lower()
        for index, (first, second) in enumerate(pairwise(asked)):
            if f"{first} {second}" in folded:
                both = self.nearest(f"{first} {second}", said)
                near[index : index + 2] = (max(each, both) for each in near[index : index + 2])
        return fmean(near) >= self.across


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """What of a question a sentence does not meet; `kind` is what it was to hold and does not.

    `alike` words are met by others that mean the same: the question is put in its own words, and
    one more of them may be missing, as long as another one stands there as it was asked. `own` is
    the share of the question's words that the sentence says itself, or says "it" for. `predicates`
    are unmet words that name nothing: they say something of what is asked about.
    """

    terms: int
    unmet: tuple[str, ...] = ()
    alike: frozenset[str] = frozenset()
    kind: str | None = None
    own: float = 0.0
    predicates: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    """Unmet words that its page says, and that the question does not name as a thing."""
    allows_loss: bool = True
    """Whether a word may be missing beside one that is said in another way: a judge would know."""

    @property
    def loose(self) -> tuple[str, ...]:
        """Return the words that the sentence does not say as they are asked."""
        return (*self.unmet, *sorted(self.alike))

    @property
    def is_long(self) -> bool:
        return self.terms > _FEW_TERMS

    @property
    def is_nearly_met(self) -> bool:
        """Say whether all that it leaves out, and little, stands elsewhere on its page."""
        is_little = len(self.unmet) <= max(1, self.terms // _TERMS_PER_LOSS) < self.terms - 1
        return self.kind is None and is_little and self.elsewhere.issuperset(self.unmet)

    @property
    def is_met(self) -> bool:
        if any(map(_YEAR.fullmatch, self.unmet)):
            return False
        by_length = self.terms // _TERMS_PER_LOSS if self.is_long else 0
        as_asked = self.terms - len(self.unmet) - len(self.alike)
        may_lose = self.allows_loss and self.terms >= _FEWEST_FOR_LOSS and as_asked
        by_synonym = min(1, len(self.alike)) if may_lose else 0
        return self.kind is None and len(self.unmet) <= max(by_length, by_synonym)


@dataclass(frozen=True, slots=True)
class SentenceInContext:
    """A sentence under what governs it, and with the rest of its passage.

    `is_named_row` is a row of a table that the question names by its label: what its figures are
    may be said anywhere in the passage. `is_foreign`: its words cannot be compared with the
    question's, whatever the small words look like. `referred` are the sentences that its "it"
    refers to. `title`, with the file's name, says what is spoken of; its figures answer nothing.
    `page` is all that stands on its page.
    """

    text: str
    governing: str
    passage: str
    title: str = ""
    referred: str = ""
    page: str = ""
    is_named_row: bool = False
    is_foreign: bool = False


def judged(
    question: str, sentence: SentenceInContext, *, likeness: Likeness | None
) -> QuestionMatch:
    """Return how a sentence meets the part of a question that it meets best."""
    matches = [
        _part_judged(part, sentence, likeness=likeness)
        for part in _parts(with_plain_years(question))
    ]
    return min(matches, key=lambda match: (not match.is_met, len(match.unmet)))


_ASKS: Final = (
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|can|does|do|wer|was|wann|wo|warum|wie"
    r"|welche[rsmn]?|ist|sind|kann|darf|qui|que|quand|o\u00f9|comment|combien|qu\u00e9|cu\u00e1ndo"
    r"|d\u00f3nde|cu\u00e1nto|qui\u00e9n|c\u00f3mo)"
)
_ASKING: Final = re.compile(rf"\b{_ASKS}\b|\?\s*$", re.IGNORECASE)
_ELLIPTIC: Final = re.compile(
    r"\W*(?:what|how|which|was|wie|welche\w*|quoi|qu\u00e9|che|cosa)\s+"
    r"(?:for|about|of|with|in|on|at|f\u00fcr|mit|bei|pour|para|per)\b",
    re.IGNORECASE,
)
_NEXT_PART: Final = re.compile(
    rf"\?\s+|[,;]?\s+(?:and|und|et|y|e|or|oder)\s+(?={_ASKS}\b)|;\s+", re.IGNORECASE
)


def _parts(question: str) -> list[str]:
    """Return the questions in one; a part without words of its own is none."""
    parts = [part for part in _NEXT_PART.split(question) if part and any(_terms(part))]
    asking = [part for part in parts if _ASKING.search(part)]
    return asking or parts or [question]


def asked_apart(question: str) -> list[str]:
    """Return the questions in one that can be asked alone, each; none where that cannot be done.

    "When is the rent due, and how is it paid?" is one matter, and "what for the sauna" is no
    question without the one before.
    """
    parts = _parts(question)
    refers = any(REFERS_BACK.search(part) or _ELLIPTIC.match(part) for part in parts)
    if len(parts) == 1 or refers or min(map(len, map(_WORD.findall, parts))) < _FEWEST_ASKING:
        return []
    return parts


def _part_judged(
    question: str, sentence: SentenceInContext, *, likeness: Likeness | None
) -> QuestionMatch:
    terms = list(dict.fromkeys(_terms(question)))
    governed = f"{sentence.title} {sentence.governing} {sentence.text}"
    is_narrow = len(terms) <= _FEW_TERMS and not sentence.is_named_row
    below = f"{sentence.governing} {sentence.text}"
    below_title = _said(below if is_narrow else f"{below} {sentence.passage}")
    said = below_title | _said(sentence.title)
    missing = [term for term in terms if not _is_said(term, said)]
    displaced = {
        term
        for term in terms
        if term not in missing
        and not _is_said(term, below_title)
        and _has_another(term, question, sentence.text)
    }
    if language_of(question) == "de":
        missing = [term for term in missing if not _is_said_in_german(term, said)]
    if not _is_same_language(question, sentence, said):
        return _across_languages(question, terms, [*missing, *displaced], sentence, likeness)
    unmet = [term for term in missing if not _is_spelled(term, sentence, said)]
    exact = _names(question)
    counted = {word.lower() for word in _COUNTED.findall(question)}
    telling = list(dict.fromkeys(_telling(question)))
    itself = _said(f"{sentence.referred} {sentence.text}")
    # A page that speaks of the tenant, too, does not mean the tenant where it says "landlord".
    named = {word.lower() for word in _THE_THING.findall(question)}
    on_page = _said(sentence.page)
    other = named & on_page
    # Who asks for revenue and profit means two things by them.
    joined = telling if is_narrow and one_by_one(question) else ()
    own_names = {name for each in joined for name in _inflected(each)}
    alike = {
        term
        for term in unmet
        if likeness is not None
        and term.isalpha()
        and term not in exact | counted | other
        and likeness.is_same(term, _others(term, governed, own_names))
    }
    things = exact | counted | named | {w.lower() for w in _WORD.findall(question) if w.istitle()}
    return QuestionMatch(
        terms=len(terms),
        unmet=tuple(term for term in terms if term in displaced or term in {*unmet} - alike),
        elsewhere=frozenset(
            term
            for term in unmet
            if term.isalpha() and term not in things and _is_said(term, on_page)
        ),
        alike=frozenset[str]() if exact & set(unmet) else frozenset(alike),
        predicates=frozenset(term for term in unmet if term.isalpha() and term not in things),
        kind=_missing_kind(question, sentence),
        own=sum(_is_said(word, itself) for word in telling) / max(1, len(telling)),
    )


def _across_languages(
    question: str,
    terms: Sequence[str],
    missing: Sequence[str],
    sentence: SentenceInContext,
    likeness: Likeness | None,
) -> QuestionMatch:
    """Compare what can be compared between languages: figures, the kind asked for, the meaning.

    A question's words are told apart from small ones where those are listed, an answer's from each
    other where there are spaces between them.
    """
    exact = [term for term in missing if any(map(str.isdigit, term))]
    if language_of(question) is None or not _is_latin(sentence.text):
        return QuestionMatch(len(exact), _of_others(exact, sentence))
    governed = f"{sentence.title} {sentence.governing} {sentence.text}"
    if likeness is not None and not likeness.is_about(
        [term for term in terms if term.isalpha()], _content(governed), question=question
    ):
        return QuestionMatch(len(terms), tuple(terms))
    kind = _missing_kind(question, sentence)
    is_told = language_of(f"{sentence.text} {sentence.passage}") in _NUMERALS_IN
    return QuestionMatch(
        len(exact),
        _of_others(exact, sentence),
        kind=kind if is_told and kind != "person" else None,  # nobody listed their roles
    )


def _others(term: str, text: str, own_names: Container[str]) -> list[str]:
    """Return the words of a text that could stand for a term: not what the question names too."""
    return [w for w in _content(text) if w not in own_names and not _is_compound(term, w)]


def _terms(question: str) -> Iterator[str]:
    """Yield the words that carry a question's meaning, in small letters."""
    return (word for word in _telling(question) if not _is_of_form(word))


@lru_cache(maxsize=512)
def _is_of_form(word: str) -> bool:
    """Say whether a word names the form of an answer; a long one may be misspelt: "metioned"."""
    if word in _FORM:
        return True
    is_long = len(word) >= _LONG_ENOUGH and word.isalpha()
    return is_long and bool(get_close_matches(word, _LONG_FORM, n=1, cutoff=_ONE_LETTER))


def _telling(question: str) -> Iterator[str]:
    """Yield all words but the small ones and ordinal numbers."""
    language = language_of(question)
    small = SMALL_WORDS[language] if language else frozenset(chain(*SMALL_WORDS.values()))
    for match in _WORD.finditer(question):
        word = _ELIDED.sub("", _POSSESSIVE.sub("", match.group().lower()))
        is_long = len(word) > 1 or word.isdigit()
        is_small = word in small or small.issuperset(word.split("-"))  # "sont-ils"
        if is_long and not is_small and not _ORDINAL.fullmatch(word):
            yield word


@lru_cache(maxsize=512)
def _said(text: str) -> frozenset[str]:
    """Return a text's words, their parts and the years in them."""
    words = [word.lower() for word in _WORD.findall(text)]
    return frozenset(
        (*words, *years_in(text), *(part for word in words for part in _PART.findall(word)))
    )


def _is_said(term: str, said: frozenset[str]) -> bool:
    """Say whether a word is there, inflected or in other parts; of one with figures, all of it."""
    if term in said:
        return True
    parts = _PART.findall(term)
    if any(map(str.isdigit, term)):
        joined = "".join(parts)
        return joined in said or all(part in said for part in parts)
    return all(
        part in said or _inflected(part) & said or any(_agree(part, word) for word in said)
        for part in parts
    )


def _agree(one: str, other: str) -> bool:
    """Say whether two words are forms of one: they begin alike and differ in their endings only.

    The six letters that "Aufnahme" and "Aufnahmegebühr" share say nothing of the fee.
    """
    one, other = folded(one), folded(other)
    if len(one) < _STEM or len(other) < _STEM or one[:_STEM] != other[:_STEM]:
        return False
    pairs = enumerate(zip(one, other, strict=False))
    shortest = min(len(one), len(other))
    alike = next((n for n, (own, its) in pairs if own != its), shortest)
    limit = _LONGEST_ENDING if alike == shortest else _LONGEST_OTHER_ENDING
    return max(len(one), len(other)) - alike <= limit


def _is_compound(one: str, other: str) -> bool:
    """Say whether one word is the beginning of the other: an embedder takes them for the same."""
    shorter, longer = sorted((one, other), key=len)
    is_longer = len(longer) - len(shorter) > _LONGEST_ENDING
    return is_longer and longer.startswith(shorter[:_SHORTEST_HEAD])


_GERMAN_FORM: Final = re.compile(
    r"^(?:ge|(?P<before>ab|an|auf|aus|ein|vor|zu|mit|nach|um)(?:ge|zu)(?=\w{4}))?"
    r"(?P<stem>\w{3,}?)(?:e?t?e[nrmst]?|e?te?[nst]?|st|s|n)?$"
)


def _german_stem(word: str) -> str:
    """Return a German word without what inflection puts around it: "gezahlt", "zahlen"."""
    form = _GERMAN_FORM.match(word)
    return f"{form['before'] or ''}{form['stem']}" if form else word


def _is_said_in_german(term: str, said: frozenset[str]) -> bool:
    """Say whether a word is there inflected as German does it, as the head of a compound, or apart.

    A "Wasserschaden" is a "Schaden durch Wasser", and a "Telefonnummer" what "Telefon" names.
    """
    stem = _german_stem(term)
    stems_said = {_german_stem(word) for word in said if len(word) >= _FEWEST_LETTERS}
    if len(stem) >= _FEWEST_LETTERS and stem in stems_said:
        return True
    if len(stem) >= _SHORTEST_HEAD and any(
        len(word) > len(term) and word.endswith(term) for word in said
    ):
        return True
    halves = ((term[:at], term[at:]) for at in range(_FEWEST_LETTERS, len(term) - 3))
    return any(
        _german_stem(first) in stems_said and (last in _FORM or _german_stem(last) in stems_said)
        for first, last in halves
    )


@lru_cache(maxsize=512)
def _inflected(word: str) -> frozenset[str]:
    """Return short words as they are inflected in English: "vans", "carries", "stopped"."""
    stems = {word, word.removesuffix("e")}
    for end in ("s", "es", "ed", "d", "ing"):
        stems |= {word.removesuffix(end), word.removesuffix(end).removesuffix("e")}
    stems = {stem for stem in stems if stem == word or len(stem) >= _SHORTEST_STEM}
    forms = {
        stem + end for stem in stems for end in ("", "s", "es", "ed", "d", "ing", "n", "en", "e")
    }
    forms |= {word + word[-1] + end for end in ("es", "ed", "ing") if word[-1] in _DOUBLED}
    forms |= {
        stem[:-1] + end
        for stem in stems - {word}
        for end in ("", "s")
        if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] in _DOUBLED
    }
    if word.endswith("y"):
        forms |= {word[:-1] + "ies", word[:-1] + "ied"}
    if word.endswith(("ies", "ied")):
        forms |= {word[:-3] + end for end in ("y", "ies", "ied")}
    return frozenset(form for form in forms if len(form) > 1)


def says_more(question: str, text: str) -> bool:
    """Say whether a text has any word that an open question has not: its own title has none.

    Who asks "is it", "may I", or where words stand that he quotes, may get them as the answer. A
    small word counts: "you must" is an answer to "how".
    """
    if _CLOSED.search(question):
        return True
    asked = _said(_QUOTED.sub(" ", question))
    words = _WORD.findall(_ITEM_NUMBER.sub("", text))
    return any(not _is_said(word.lower(), asked) for word in words)


def _is_same_language(question: str, sentence: SentenceInContext, said: frozenset[str]) -> bool:
    """Say whether words can be compared: across languages they differ and mean the same.

    Nor can they in a language whose small words are not known: "how many" is a word like others.
    """
    if sentence.is_foreign:
        return False
    asked, answered = language_of(question), language_of(f"{sentence.text} {sentence.passage}")
    if asked == answered or None not in {asked, answered}:
        return asked == answered is not None
    if asked is not None and _is_latin(sentence.text):
        return True  # too short to tell: what is known to be of another language is foreign
    words = list(_telling(question))
    return sum(_is_said(word, said) for word in words) >= _SAME_LANGUAGE * len(words)


def _is_latin(text: str) -> bool:
    return all(letter < "\u0250" for letter in text if letter.isalpha())


def _names(question: str) -> frozenset[str]:
    """Return words with a capital within a question, unless its language capitalises all nouns."""
    if language_of(question) == "de" or question.isupper():
        return frozenset()
    _, *others = _WORD.findall(question) or [""]
    return frozenset(word.lower() for word in others if word.istitle())


def _has_another(term: str, question: str, text: str) -> bool:
    """Say whether a text without a term of its title names another in its place.

    Another year, a code of the same shape, or the deposit for the hall instead of the pool's. A
    year that it compares with is none: "5 per cent more than in 2022", "(2022: 760)".
    """
    if _YEAR.fullmatch(term):
        return bool(years_in(_COMPARED.sub(" ", text)))
    if any(map(str.isdigit, term)):
        return not term.isdigit() and _has_shape(term, _said(text))
    heads = {head for head, thing in _OF_THE_THING.findall(question.lower()) if thing == term}
    return any(head in heads for head, _ in _OF_THE_THING.findall(text.lower()))


def _has_shape(term: str, words: Iterable[str]) -> bool:
    """Say whether one of some words has other figures in the same places."""
    shape = _FIGURES.sub("#", term)
    return any(_FIGURES.sub("#", word) == shape for word in words)


def _is_spelled(term: str, sentence: SentenceInContext, said: frozenset[str]) -> bool:
    """Say whether a word is there misspelt, a unit abbreviated, a figure in its passage."""
    unit = next((short for unit, short in _UNITS if unit.fullmatch(term)), None)
    if unit is not None and unit.search(sentence.text):
        return True
    if any(map(str.isdigit, term)):
        return not _of_others([term], sentence)
    long = [word for word in said if len(word) >= _FEWEST_LETTERS]
    is_long = len(term) >= _FEWEST_LETTERS and term.isalpha()  # an "e-bike" is no misspelt bike
    plain = folded(term)
    return is_long and bool(get_close_matches(plain, long, n=1, cutoff=_MISSPELT))


def _of_others(exact: Sequence[str], sentence: SentenceInContext) -> tuple[str, ...]:
    """Return years and codes that a sentence lacks while it has another, or its passage lacks."""
    passage = _said(f"{sentence.passage} {sentence.title} {sentence.governing}")
    own = _said(sentence.text)
    lost: list[str] = []
    for term in exact:
        is_year = _YEAR.fullmatch(term) is not None
        is_plain = term.isdigit() and not is_year
        if (not is_plain and _has_shape(term, own)) or not _is_said(term, passage):
            lost.append(term)
    return tuple(lost)


@lru_cache(maxsize=512)
def _content(text: str) -> tuple[str, ...]:
    """Return the words of a text that another word could mean, each once."""
    small = SMALL_WORDS.get(language_of(text) or "", frozenset[str]())
    words = (word.lower() for word in _PART.findall(text))
    return tuple(
        dict.fromkeys(
            word for word in words if len(word) >= _FEWEST_LETTERS - 1 and word not in small
        )
    )


def _missing_kind(question: str, sentence: SentenceInContext) -> str | None:
    """Return the kind of thing that a question asks for and a sentence has none of.

    Its unit may stand in the head of its table, the number itself may not: a machine's name and
    the year of a report count nothing, nor does an item's own number.
    """
    asked = question.lower()
    own = _ITEM_NUMBER.sub("", sentence.text)
    under_heads = f"{sentence.governing} {own}"
    if _ASKS_WHAT_NOT.search(asked) and not is_negated(under_heads):
        return "denial"
    for kind, asks, has in _KINDS:
        if asks.search(asked):
            return None if has(own, under_heads) else kind
    return None


def _has_number(text: str) -> bool:
    """Say whether a text has a number, in figures or in words; the 7 of a code "E7" is none."""
    return any(
        word[0].isdigit()
        or any(
            part in _NUMERALS or _GERMAN_NUMBER.search(part) for part in _PART.findall(word.lower())
        )
        for word in _WORD.findall(text)
    )


def _has_person(_own: str, text: str) -> bool:
    within = re.findall(r"(?<=[^\W_],\s|[^\W_.?!:]{2}\s)[A-Z\u00c0-\u00de]\w+", text)
    first = re.match(r"\W*(?:[A-Z]\w+\s+){1,3}[A-Z]\w+", text)
    return bool(within or first or _PEOPLE.search(text) or _ROLE.search(text))


_Has: TypeAlias = Callable[[str, str], bool]
"""Whether a sentence has it, given by itself and with what governs it."""


def _matching(pattern: re.Pattern[str]) -> _Has:
    return lambda _own, text: pattern.search(text) is not None


def _number_of(pattern: re.Pattern[str]) -> _Has:
    return lambda own, text: _has_number(own) and pattern.search(text) is not None


_KINDS: Final[Sequence[tuple[str, re.Pattern[str], _Has]]] = (
    (
        "colour",
        re.compile(
            r"\b(?:what|which|welche[rsn]?|quelle|qu\u00e9|che)\b.*"
            r"\b(?:colou?rs?|farben?|couleurs?|color|colore)\b"
        ),
        _matching(_COLOUR),
    ),
    (
        "money",
        re.compile(
            r"\bhow much (?:does|do|did|is|are|must|will|should|would)\b.*"
            r"\b(?:costs?|pay|charged?)\b"
            r"|\bhow expensive|\bwhat (?:does|do|did|will|would)\b.*\bcost\b"
            r"|\bwhat (?:is|are|was) the (?:price|cost|fee|rent|fare)\b|\bwas kostet"
            r"|\bwie ?viel kostet|\bwie teuer|\bcombien co\u00fbte|\bcu\u00e1nto cuesta"
            r"|\bquanto costa"
            r"|\bwie hoch (?:ist|sind) d\w\w \w*(?:preis|geb\u00fchr|miete|kaution|kosten)"
            r"|\bquel(?:le)? (?:est|\u00e9tait) l[ea'\u2019] ?"
            r"(?:prix|montant|tarif|co\u00fbt|loyer)\b"
            r"|\bcu\u00e1l es (?:el|la) (?:precio|importe|coste|tarifa|alquiler)\b"
            r"|\bqual \u00e8 (?:il |la |l['\u2019])(?:prezzo|importo|costo|tariffa|affitto)\b"
        ),
        _number_of(_MONEY),
    ),
    (
        "mass",
        re.compile(
            r"\bhow (?:much|many)\b.*\bweighs?\b|\bhow heavy\b|\bwie viel wiegt|\bwie schwer ist"
            r"|\bcombien p\u00e8se|\bcu\u00e1nto pesa"
        ),
        _number_of(_MASS),
    ),
    (
        "length",
        re.compile(r"\bhow (?:tall|wide|deep|far)\b|\bwie (?:breit|tief|weit)\b"),
        _number_of(_LENGTH),
    ),
    (
        "temperature",
        re.compile(
            r"\b(?:what|which) temperatures?\b|\bhow (?:hot|cold|warm)\b|\bhow many degrees\b"
            r"|\bwelche[rn]? temperatur|\bwie (?:warm|hei\u00df|kalt|viel grad)\b"
            r"|\bquelle temp\u00e9rature|\bqu\u00e9 temperatura|\bche temperatura"
        ),
        _number_of(_DEGREES),
    ),
    (
        "speed",
        re.compile(
            r"\bhow fast\b|\b(?:what|which) (?:is the )?speed\b|\bwie schnell (?:darf|f\u00e4hrt)"
        ),
        _number_of(_SPEED),
    ),
    (
        "duration",
        re.compile(
            r"\b(?:how long (?:do|does|did|will|may|can|must)|wie lange|combien de temps)\b"
        ),
        _matching(_SPAN),
    ),
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|old|high|heavy|large|big|fast|often|long)\b"
            r"|\bwie (?:viele?|hoch|alt|gro\u00df|schnell|oft|lange)\b|\bcombien\b"
            r"|\bcu\u00e1nt[oa]s?\b|\bquant[oaie]\b"
        ),
        lambda own, _text: _has_number(own),
    ),
    (
        "time",
        re.compile(
            r"^\W*(?:and |since |until |till |by |from )?when\b"
            r"|\b(?:what|which) (?:time|day|date|month|year|weekday)\b"
            r"|^\W*(?:ab |bis |seit )?wann\b|\bum wie ?viel uhr|^\W*quand\b|\bquelle heure"
            r"|^\W*cu\u00e1ndo\b|\bqu\u00e9 d\u00eda|\ba qu\u00e9 hora|\ba che ora"
        ),
        lambda own, text: _TIME.search(text) is not None or _has_number(own),  # "at nine"
    ),
    (
        "person",
        re.compile(r"^\W*(?:by |to |from |with )?who(?:m|se)?\b"),
        _has_person,
    ),
)
"""Kinds of things that questions ask for, the narrowest first."""
