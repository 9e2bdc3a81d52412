"""The kinds of things that questions ask for, by the words they ask with."""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pulsedocs.answering.asked.abbreviations import spells_out
from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import HOW_MANY, counted_in, without_what_it_has
from pulsedocs.answering.asked.excluded import (
    ASKS_MASS,
    ASKS_SIZE,
    COUNTERPART,
    DENIAL,
    DIMENSION,
    WEEKDAY,
    excluded_by,
    is_denied_otherwise,
)
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.identifiers import names_another_identifier
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.opposites import same_as
from pulsedocs.answering.asked.parts import questions_in
from pulsedocs.answering.asked.people import says_who
from pulsedocs.answering.asked.question_words import WHEN as ASKED_WHEN
from pulsedocs.answering.asked.question_words import WHERE, WHO
from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.asked.things.measures import (
    COLOUR,
    DEGREES,
    LENGTH,
    LOUDNESS,
    MASS,
    NUMBER_OF_OTHER_UNITS,
    NUMBER_OF_UNITS,
    SPEED,
    UNIT,
)
from pulsedocs.answering.asked.things.money import MONEY, PRICE, TIMES_PAY, is_free
from pulsedocs.answering.asked.things.numbers import TELEPHONE, counts, has_number
from pulsedocs.answering.asked.things.places import has_place
from pulsedocs.answering.asked.things.times import (
    NUMBER_OF_TIME,
    SPAN,
    TIME,
    UNIT_OF_TIME,
    WHEN,
    says_how_often,
    without_days,
)
from pulsedocs.answering.languages import as_plain, language_of
from pulsedocs.answering.wording import ITEM_NUMBER
from pulsedocs.model.currencies import CURRENCY_SIGNS

EXPANSION, IDENTIFIER, PERSON = "expansion", "identifier", "person"
UNLISTED: Final = frozenset({DENIAL, EXPANSION, COUNTERPART, DIMENSION, WEEKDAY, IDENTIFIER})
"""Kinds that are told by what they exclude, not by lists of words."""
_BEHIND: Final = (
    r"^\W*(?:(?:and|since|until|till|by|from|to|with|ab|bis|seit|von|an|bei|mit|fur|durch|depuis"
    r"|jusqu['\u2019]a|a|de|a partir de|avec|par|pour|chez|desde|hasta|con|por|para|da|di|per"
    r"|fino a|ate|com|vanaf|tot|sinds) |d['\u2019])?"
)
"""What may stand before a word that asks: by whom, ab wann, d'o\u00f9."""
_STANDS_FOR: Final = re.compile(
    r"\b(?:does|do|is)\s+(?:the\s+(?:abbreviation|acronym|letters|term)\s+)?"
    r"\W?(?P<letters>[^\W\d_]{2,8})\W+(?:stand|short) for\b"
    r"|\bwof\u00fcr steh(?:t|en)\s+(?:die \w+\s+)?\W?(?P<buchstaben>[^\W\d_]{2,8})\b",
    re.IGNORECASE,
)


def missing_kind(question: str, sentence: SentenceInContext) -> str | None:
    """Return the kind of thing that a question asks for and a sentence has none of.

    Its unit may stand in the head of its table, the number itself may not: a machine's name and
    the year of a report count nothing, nor does an item's own number.
    """
    asked = _with_who(as_plain(question), passage=sentence.passage)
    own = ITEM_NUMBER.sub("", sentence.text)
    under_heads = f"{sentence.governing}\n{own}"  # a head's last word is no first name
    is_open = not asks_yes_or_no(asked)
    if is_open and is_denied_otherwise(asked, own, under_heads):
        return DENIAL
    if (short := _STANDS_FOR.search(question)) is not None:
        letters = short["letters"] or short["buchstaben"]
        return None if spells_out(letters, own) else EXPANSION
    around = f"{under_heads} {sentence.page or sentence.passage} {sentence.title}"
    if names_another_identifier(asked, own, under_heads=under_heads, around=around):
        return IDENTIFIER
    excluded = excluded_by(own, asked, governing=sentence.governing, is_open=is_open)
    if excluded is not None:
        return excluded
    for kind, asks, has in _KINDS:
        if asks.search(asked):
            return None if has(asked, own, under_heads) else kind
    return None


def _with_who(asked: str, *, passage: str) -> str:
    """Return a Dutch question with "who" for its "wie", which is "how" in German."""
    is_dutch = "wie" in asked and (language_of(asked) or language_of(passage)) == "nl"
    return _DUTCH_WHO.sub("who", asked) if is_dutch else asked


def costs_nothing(question: str, text: str) -> bool:
    """Say whether a text answers the question for a price: it is free, and has no price beside."""
    asked = as_plain(question)
    return (
        _is_free(text, asked)
        and not _SUM.search(text)
        and any(one.search(asked) for one in (_ASKS_PRICE, _ASKS_PAYMENT))
    )


def lacks_kind(question: str, text: str) -> bool:
    """Say whether a text holds nothing of the kinds that the questions in one ask for.

    Who asks what is not covered may be answered by what is; and no list has all who do something:
    the nurse, the helpdesk.
    """
    alone = SentenceInContext(text, governing="", passage=text)
    kinds = [missing_kind(part, alone) for part in questions_in(question)]
    return all(kind not in {None, DENIAL, PERSON} for kind in kinds)


def _has_money(asked: str, own: str, text: str) -> bool:
    """Three rents do not say how high the rent is, nor does 5 % that are the share of nothing."""
    priced = TIMES_PAY.sub(
        lambda found: "" if as_plain(found["pay"]).rstrip("ns") in asked else found[0], text
    )
    if _ASKS_WHAT_IS_PAID.search(asked):
        priced = _SHARE.sub(" ", priced)
    if is_free(own) and not _SUM.search(own):
        return _is_free(own, asked)
    return (
        is_free(own)
        or PRICE.search(own) is not None
        or (has_number(own) and MONEY.search(priced) is not None)
    )


def _is_free(text: str, asked: str) -> bool:
    """Say whether a text says that what a question asks about costs nothing.

    A pass with which one travels free may have its price.
    """
    if not is_free(text):
        return False
    said, said_of = words_of(text), words_of(_WITH_IT.sub(" ", text))
    held = [term for term in terms_of(asked) if is_said(term, said)]
    return not held or any(is_said(term, said_of) for term in held)


def _has_price_or_measure(asked: str, own: str, text: str) -> bool:
    """How much the rainfall is, is 800 mm; how much the test is, is not ten minutes."""
    return _has_money(asked, own, text) or NUMBER_OF_OTHER_UNITS.search(own) is not None


def _has_number(asked: str, own: str, _text: str) -> bool:
    is_paid = _ASKS_PAYMENT.search(asked) is not None and is_free(own)
    return is_paid or has_number(_without_other_measures(own, asked))


def _counts(asked: str, own: str, _text: str) -> bool:
    return counts(WHEN.sub(" ", _without_other_measures(own, asked)))  # "founded in 1931"


def _without_other_measures(text: str, asked: str) -> str:
    """Return a text without numbers of what is not asked for: of degrees, who counts eggs.

    Nor do minutes say how high something is, nor tonnes, if it is not a load.
    """
    counted = counted_in(asked)
    if not counted:
        own = NUMBER_OF_TIME.sub("", text) if ASKS_SIZE.search(asked) else text
        return _NUMBER_OF_MASS.sub("", own) if _ASKS_HEIGHT.search(asked) else own
    text = without_what_it_has(text, counted[0][0])
    if not UNIT_OF_TIME.fullmatch(counted[0][0]):
        text = _AGE.sub(" ", text)
    if UNIT_OF_TIME.fullmatch(counted[0][0]):
        return NUMBER_OF_OTHER_UNITS.sub("", text)
    counts_units = any(map(UNIT.fullmatch, counted[0]))
    return text if counts_units else NUMBER_OF_UNITS.sub("", text)


def _has_time(asked: str, own: str, text: str) -> bool:
    """Say whether something tells when: a number may, "at nine", unless it is paid or dialled.

    Who asks at what time is told by no day.
    """
    if _ASKS_HOUR.search(asked):
        own, text = without_days(own), without_days(text)
    told = TELEPHONE.sub("", NUMBER_OF_OTHER_UNITS.sub("", own))
    return TIME.search(text) is not None or has_number(told)


def _has_person(asked: str, own: str, text: str) -> bool:
    """Nobody is meant by Saturdays, a freezer, or another word in "er" that is asked about.

    Who the landlord is, no word for landlords says.
    """
    named = WHEN.sub(" ", text)
    if _ASKS_WHO_IS.match(asked):
        words = words_of(asked)
        words = words.union(*map(same_as, words))
        told = _WORD.sub(
            lambda found: "" if is_said(as_plain(found[0]), words) else found[0], named
        )
    else:
        told = _IN_ER.sub(lambda found: "" if as_plain(found[0]) in asked else found[0], named)
    acts = _ASKS_WHO_ACTS.match(asked) is not None and _has_actor(own, asked)
    return acts or says_who(told, language=language_of(asked))


def _has_actor(text: str, asked: str) -> bool:
    """Say whether a text begins with somebody who does something, and whom nobody asked about.

    Who the tenant is, "the rent is due" does not say.
    """
    actor = _ACTOR.match(text)
    if actor is None or _ASKS_WHO_IS_THE.match(asked):
        return False
    return not is_said(as_plain(actor[1]), words_of(asked))


_WITH_IT: Final = re.compile(
    r"\b(?:with|(?:holder|owner)s? of|holding|mit|avec|con|met|com)"
    r"\s(?:an?|the|your|their|our|eine[mr]?|de[mr]|une?|la|el|una|uma)\s"
    r"(?:\w+[\s-]){0,2}\w+",
    re.IGNORECASE,
)
"""What one has: with a valid bus pass."""
_ASKS_WHAT_IS_PAID: Final = re.compile(
    r"\b(?:costs?|prices?|fares?|rents?|kost(?:et|en)|preis|miete|coute(?:nt)?|prix|loyer|cuestan?|precio"
    r"|alquiler|costano?|prezzo|affitto|custam?|preco|prijs|huur)\b"
)
_SHARE: Final = re.compile(
    r"(?:%|\bper ?cent\b|\bprozent\b)(?!\s(?:of|vo[nm]|de[rs]?|du|del\w*|do|da|van)\b)",
    re.IGNORECASE,
)
"""Of nothing that is named: "5 % off"."""
_UNMEASURED: Final = re.compile(r"\b(?:unlimited|limits?|nothing|none|full|entire|whole|half)\b")
_DUTCH_WHO: Final = re.compile(r"^\W*(?:(?:aan|bij|van|met|voor|door|naar)\s)?wie\b")
_ASKS_WHO_ACTS: Final = re.compile(rf"\W*(?:{WHO})\b")
_ASKS_WHO_IS: Final = re.compile(
    rf"\W*(?:(?:{WHO}|wie) (?:is|are|was|were|ist|sind|war|waren|est"
    r"|sont|es|son|e|sono|sao|zijn)|who's)\b"
)
_ASKS_WHO_IS_THE: Final = re.compile(
    rf"{_ASKS_WHO_IS.pattern} (?:the|my|our|your|d(?:er|ie|as)|l[aeo]s?|il|el|gli|o|a|os|as)\b"
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_IN_ER: Final = re.compile(r"\b[^\W\d_]{3,40}er\b", re.IGNORECASE)
_CODE: Final = re.compile(r"\d|\b[A-Z]{2,}\b")
_DIALLED: Final = re.compile(
    r"\d{3}|\d[ /-]\d\d|\b(?:tele(?:f|ph)on\w*|phone|tel|ext(?:ension)?)\b\W{0,3}\d", re.IGNORECASE
)
_ASKS_HEIGHT: Final = re.compile(
    r"\bhow high (?:is|are|was|were)\b(?!.*\b(?:load|payload|weight|mass|limit|capacity|content"
    r"|intake|dos(?:e|age)|emission|consumption|yield|output|production|catch|harvest)s?\b)"
)
_NUMBER_OF_MASS: Final = re.compile(rf"(?:[\w.,]{{1,30}}\s)?{MASS.pattern}", re.IGNORECASE)
_AGE: Final = re.compile(r"\bage(?:d|s of|d? of)?\s+[\w-]+", re.IGNORECASE)
"""Children "from the age of five" are not five."""
_ACTOR: Final = re.compile(
    r"\W*(?:(?:the|an?|d(?:er|ie|as)|eine?|les?|la|une?|el|l[oa]s|il|lo|gli|i)\s|l['\u2019])\s*"
    r"([^\W\d_]{3,})\s+"
    r"(?!(?:is|are|was|were|has|have|had|will|can|may|must|wird|werden|wurden?|ist|sind|est|sont|a"
    r"|ont|es|son|se|\u00e8|sono|viene|vengono)\b)",
    re.IGNORECASE,
)
"""Who acts, before what is done; not what something is done to."""


_Has: TypeAlias = Callable[[str, str, str], bool]
"""Whether a sentence has what a question asks for, given by itself and with what governs it."""


def _matching(pattern: re.Pattern[str]) -> _Has:
    return lambda _asked, _own, text: pattern.search(text) is not None


def _number_of(pattern: re.Pattern[str]) -> _Has:
    return lambda _asked, own, text: has_number(own) and pattern.search(text) is not None


def _lasts_or_measures(_asked: str, own: str, text: str) -> bool:
    """Say whether a text gives a length: 36 months, 25 m, 12 pages or 256 bits, not 10:30."""
    is_measured = has_number(own) and any(one.search(text) for one in (LENGTH, _OF_PARTS))
    return is_measured or SPAN.search(text) is not None


_OF_PARTS: Final = re.compile(
    r"\b(?:pages?|words?|lines?|columns?|letters?|characters?|digits?|chapters?|octets?"
    r"|(?<!\b[Aa] )bits?|\w{0,4}bytes?)\b|\d\s?(?:[kKMG]i?)?B\b"
)
_IS_STORED: Final = (
    "".join(rf"(?<!\b{word} )" for word in ("the", "a", "an", "is", "are", "our", "your"))
    + r"\b(?:kept|stored|retained|saved|cached)\b"
)
"""What goes on for a time, though the thing has a length, too: a key. No "stored key"."""
_NAMES_IT: Final = (
    r"^\W*(?:(?:(?:at|to|under) )?(?:what|which)\b[^,?]{0,60}|wie (?:lautet|ist)\b[^,?]{0,60}"
    r"|(?:(?:an|unter) )?welche[rn]?\b[^,?]{0,60}|(?:a )?quel(?:le)?\b[^,?]{0,60}"
    r"|cual\b[^,?]{0,60}|qual\b[^,?]{0,60}|(?:op |naar )?w(?:at is|elk)\b[^,?]{0,60})?\b"
)
"""How a question begins that asks for what is named behind it, or for nothing else."""

_SUM: Final = re.compile(
    rf"[{CURRENCY_SIGNS}]\s?\d|\d\s?(?:[{CURRENCY_SIGNS}]|euros?\b|dollars?\b|pounds?\b)",
    re.IGNORECASE,
)
_ASKS_PRICE: Final = re.compile(
    r"\bhow much (?:does|do|did|is|are|must|will|should|would)\b.*"
    r"\b(?:costs?|pay|charged?)\b"
    r"|\bhow expensive\b"
    r"|\b(?:cheaper|dearer|more expensive|costs? (?:more|less))\b.*\b(?:or|than)\b"
    r"|\b(?:billiger|gunstiger|teurer|(?:moins|plus) ch(?:er|ere)s?"
    r"|mas (?:car|barat)[oa]s?)\b"
    r"|\bwhat (?:does|do|did|will|would)\b.*\bcost\b"
    r"|\bwhat (?:is|are|was) the (?:(?:total|whole|full|average|monthly|annual|yearly) )?"
    r"(?:price|cost|fee|rent|fare)\b|\bwas kost(?:et|en)\b"
    r"|\bwie ?viel kost(?:et|en)\b|\bwie teuer|\bcombien coute|\bcuanto (?:cuesta|valen?\b)"
    r"|\bquanto (?:cost|cust)a|\bquanto (?:viene|vengono)\b|\b(?:wat|hoeveel) kost(?:en)?\b"
    r"|\bhoe duur\b|\bwas (?:be)?zahl(?:e|en|t|st) (?:ich|du|man|wir)\b"
    r"|\bwelche[mnr]? (?:betrag|preis)\b|\bque(?:l|lle) (?:montant|somme)\b"
    r"|\bwie hoch (?:ist|sind) d\w\w \w*(?:preis|gebuhr|miete|kaution|kosten)"
    r"|\bquel(?:le)? (?:est|etait) l[ea'\u2019] ?"
    r"(?:prix|montant|tarif|cout|loyer)\b"
    r"|\bcual es (?:el|la) (?:precio|importe|coste|tarifa|alquiler)\b"
    r"|\bqual e (?:il |la |l['\u2019])(?:prezzo|importo|costo|tariffa|affitto)\b"
    r"|\bqual e [oa] (?:preco|custo|tarifa|renda|valor)\b"
    r"|\bwat is de \w*(?:prijs|huur|contributie)\b|\bhoe hoog is de \w*(?:prijs|huur|kosten"
    r"|contributie)\b"
)
_ASKS_PAYMENT: Final = re.compile(
    r"\bwie ?viel\b.*\b(?:be)?zahl(?:e[nt]?|t)\b"
    r"|\b(?:combien|cuanto|quanto)\b.*\b(?:pay(?:er|ons|ez)|pa[iy](?:e|es|ent)"
    r"|pag(?:ar?|are|o|as|amos|a[mn]|ano|ate)|paghiamo)\b"
    r"|\bhoeveel\b.*\bbetaa?l(?:t|en)?\b"
)
"""What may be days or shares to pay too: "free" answers it, and so does any number."""
_ASKS_HOUR: Final = re.compile(
    r"\bwhat time\b(?! (?:of|frame|period|span|zone)\b)|\bum wie ?viel uhr"
    r"|\bquelle heure|\ba que hora|\ba che ora|\bhoe laat\b"
)
_KINDS: Final[Sequence[tuple[str, re.Pattern[str], _Has]]] = (
    (
        "colour",
        re.compile(
            r"\b(?:what|which|welche[rsn]?|quelle|que|che|qual|welke|wat)\b.*"
            r"\b(?:colou?rs?|farben?|couleurs?|color[ei]|cor(?:es)?|kleur(?:en)?)\b"
        ),
        _matching(COLOUR),
    ),
    (
        "e-mail address",
        re.compile(
            rf"{_NAMES_IT}(?:e-?mail(?:-| )?add?res\w*|(?<=['\u2019]s )e-?mail(?=\W*$)"
            r"|adresse (?:e-?mail|mail|electronique)|(?:direccion de )?correo electronico"
            r"|indirizzo (?:e-?mail|di posta)"
            r"|endereco de e-?mail)\b"
        ),
        lambda _asked, own, _text: "@" in own,
    ),
    (
        "telephone number",
        re.compile(
            rf"{_NAMES_IT}(?:(?:tele)?phone numbers?|telefonnummern?|rufnummer|numero de telephone"
            r"|(?:numero de )?telefono|numero di telefono|telefoonnummer|numero de telefone)\b"
        ),
        lambda _asked, own, _text: _DIALLED.search(own) is not None,
    ),
    (
        "code",
        re.compile(
            r"^\W*what(?:['\u2019]s| is| was) (?:the|my|our|your)"
            r"(?!.*\b(?:dress|source|byte|building|highway|civil|penal|criminal|colou?r) code\b)"
            r"(?: [\w'\u2019-]+){0,3} (?:code|pin|pin number)(?: (?:of|for|to) [^,?]{1,60})?\W*$"
            r"|^\W*wie (?:lautet|ist) (?:der|die|meine?|unser) (?:[\w-]*code|pin)\b[^,?]{0,60}\W*$"
        ),
        lambda _asked, own, _text: _CODE.search(own) is not None,
    ),
    ("money", _ASKS_PRICE, _has_money),
    (
        "number",
        re.compile(r"\b(?:what|which) (?:sum|amount)\b(?! of time)"),
        lambda _asked, own, _text: has_number(own) or _UNMEASURED.search(own) is not None,
    ),
    (
        "money",
        re.compile(
            r"\bhow much (?:is|are) (?:the|an?)"
            r"(?!.*\b(?:limit|allowance|leave|notice|time)\b)(?: [a-z-]+){1,3}\W*$"
        ),
        _has_price_or_measure,
    ),
    ("mass", ASKS_MASS, _number_of(MASS)),
    (
        "length",
        re.compile(
            r"\bhow (?:tall|wide|deep|far(?! (?:ahead|in advance)))\b|\bwie (?:breit|tief|weit)\b"
            r"|\bhoe (?:breed|diep|ver)\b|\bquanto e (?:profond|larg|alt|lung|fund)[oa]"
            r"|\b(?:quelle|que|che|qual|cual|wat|welke)\b(?: e[st]?)?(?: l?a"
            r"| de)?\s(?:profond(?:eur|ita)"
            r"|profundida(?:d|de)|largeur|larghezza|largura|anchura|diepte|breedte)\b"
        ),
        _number_of(LENGTH),
    ),
    (
        "temperature",
        re.compile(
            r"\b(?:what|which) temperatures?\b|\bhow (?:hot|cold|warm)\b|\bhow many degrees\b"
            r"|\bwelche[rn]? temperatur|\bwie (?:warm|heiss|kalt|viel grad)\b"
            r"|\bquelle temperature|\b(?:que|che|(?:c|q)ual es? l?a) temperatura"
            r"|\bwelke temperatuur|\bhoe (?:warm|heet|koud)\b"
        ),
        _number_of(DEGREES),
    ),
    ("loudness", re.compile(r"\bhow loud\b|\bwie laut\b"), _number_of(LOUDNESS)),
    (
        "speed",
        re.compile(
            r"\bhow fast\b|\b(?:what|which) (?:is the )?speed\b|\bwie schnell (?:darf|fahrt)"
        ),
        lambda _asked, own, text: (  # how fast something has to be done is asked of time
            SPAN.search(text) is not None or (has_number(own) and SPEED.search(text) is not None)
        ),
    ),
    (
        "length",
        re.compile(
            r"\bhow long (?:is|are|was|were)\b"
            rf"(?!.*(?:{_IS_STORED}|\b(?:open|closed|valid|available)\b))"
            r"|\bhow long (?:may|can|must|should|will|do|does)\b.*"
            r"\b(?:be|get|become)(?=\W*$|\W+at (?:least|most)\b)"
            r"|\bhoe lang (?:is|zijn)\b"
        ),
        _lasts_or_measures,
    ),
    (
        "number",
        re.compile(
            r"\bhow often\b|\bwie oft\b|\b(?:ogni|cada|(?:de|em) quanto em) (?:qu|cu)anto\b"
            r"|\bhoe vaak\b"
        ),
        lambda _asked, own, _text: says_how_often(own),
    ),
    (
        "duration",
        re.compile(
            r"\b(?:how long (?:do|does|did|will|would|should|may|can|must)"
            rf"|how long (?:is|are|was|were)\b.*{_IS_STORED}|wie lange"
            r"|combien de temps|(?:cu|qu)anto (?:tiempo|tempo|duran?|durano)|hoe ?lang"
            r"|how many (?:seconds|minutes|hours|days|nights|weeks|months|years))\b"
        ),
        _matching(SPAN),
    ),
    ("number", HOW_MANY, _counts),
    (
        "number",
        re.compile(
            r"\bwhat (?:is|are|was|were) the (?:\w+ ){0,2}?(?:interest rate|percentage|weight"
            r"|length|width|height|depth|diameter|capacity|distance|voltage|wattage)\b"
            r"|\bhow (?:many|much|old|high|heavy|large|big|fast|long)\b"
            r"|\bwie (?:viel(?:e[rnm]?)?(?! uhr)|hoch|alt|gross|schnell|lange)\b|\bcombien\b"
            r"|\bcuant[oa]s?\b|\bquant(?:[oa]s?|[ie])\b"
            r"|\bhoeveel\b|\bhoe (?:hoog|oud|groot|snel|zwaar)\b"
        ),
        _has_number,
    ),
    (
        "time",
        re.compile(
            rf"{_BEHIND}(?:{ASKED_WHEN})\b"
            r"(?![^,?]*,\s*(?:who|what|where|how|which|why|do|does|is|are|can|may|must|should)\b)"
            r"|\b(?:what|which) (?:day|date|month|year|weekday)\b"
            r"|\b(?:which time|what time (?:of|frame|period|span))\b"
            r"|\bque dia|\b(?:que|che|qua(?:le?)?|quel(?:le)?|welke?|welche[nmrs]?)"
            r" (?:mes|mese|mois|maand|monat|giorno|jour|dag|tag|fecha|data|date|datum)\b"
            rf"|{_ASKS_HOUR.pattern}"
        ),
        _has_time,
    ),
    (
        PERSON,
        re.compile(rf"{_BEHIND}(?:{WHO}|whom|whose|we[nm]|wessen)\b"),
        _has_person,
    ),
    (
        "place",
        re.compile(
            rf"{_BEHIND}(?:{WHERE})\b|\b(?:at|to|what|which) (?:what |which )?address\b"
            r"|\b(?:at|in|to) (?:what|which) place\b"
        ),
        lambda _asked, own, _text: has_place(own),
    ),
)
"""Kinds of things that questions ask for, the narrowest first."""
