"""What says how heavy, long, warm, loud or fast, and of what colour."""

import re
from typing import Final

from pulsedocs.answering.asked.things.money import CENTS, MONEY
from pulsedocs.answering.asked.things.numbers import WORD_BEFORE, has_number
from pulsedocs.answering.asked.things.times import TIMES
from pulsedocs.model.currencies import CURRENCY_SIGNS

MASS: Final = re.compile(
    r"\b\d*(?:kg|g|mg|lbs?|oz|kilos?|kilo?gramm?s?|gramm?s?|tons?|tonnes?|tonnen?|pounds?|ounces?"
    r"|stone|cwt|kilogramos|kilogrammes)\b",
    re.IGNORECASE,
)
_PRESSURE: Final = re.compile(
    r"\b\d*(?:[hkm]?pa|m?bar|(?:kilo|mega)?pascals?|psi|atm|atmospheres?)\b", re.IGNORECASE
)
_AREA: Final = re.compile(
    r"(?<![\d.,])\d[\d.,]*+\s?(?:(?:square|sq\.?)\s\w+|[ckm]?m\u00b2|quadrat\w+)", re.IGNORECASE
)
_OF_NO_AREA: Final = (
    r"(?<!\bsquare )(?<!\bcubic )(?<!\bsq )(?<!\bsq\. )"
    r"(?!\d*+(?:quadrat|kubik|[ckm]?m[\u00b2\u00b3]))"
)
LENGTH: Final = re.compile(
    r"\d\s?(?:m|in|mi)\b|\((?:m|in|mi)\)"  # "in winter" is no length
    rf"|\b{_OF_NO_AREA}\d*+(?:mm|cm|km|ft|\w*met(?:er|re)n?s?|feet|foot|inch(?:es)?|miles?"
    r"|yards?|fathoms?|stor(?:e?ys?|ies)|floors?|metros?|m\u00e8tres?|metr[oi])\b",
    re.IGNORECASE,
)
_OTHER_UNITS: Final = (
    rf"euros?|dollars?|pounds?|francs?|franken|crowns?|{CENTS}|[{CURRENCY_SIGNS}]|%|per ?cent"
    r"|prozent|times?"
    r"|kg|\w{0,20}gramm?e?s?|ton(?:ne)?s?|tonnen|[cmk]?m|\w{0,20}met(?:er|re)n?s?|miles?|feet|inch(?:es)?"
    r"|degrees?|grad|degr[e\u00e9]s?|grados?|gradi|graus?|graden|\w{0,20}lit(?:er|re)s?|litr[io]s?"
    r"|metr[io]s?|mal|fois|veces|volte|vezes|keer"
)
_UNITS: Final = f"{TIMES}|{_OTHER_UNITS}"
UNIT: Final = re.compile(_UNITS)
NUMBER_OF_UNITS: Final = re.compile(rf"{WORD_BEFORE}(?:{_UNITS})(?!\w)", re.IGNORECASE)
"""A number with its unit: 35 degrees count no eggs."""
NUMBER_OF_OTHER_UNITS: Final = re.compile(rf"{WORD_BEFORE}(?:{_OTHER_UNITS})(?!\w)", re.IGNORECASE)
"""15 euros an hour count no hours."""
_DIMENSIONS: Final = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        r"tall|high|height|hoch|hohe[rnms]?|h\u00f6he",
        r"wide|width|broad|breadth|breite?[rnms]?",
        r"deep|depth|tiefe?[rnms]?",
        r"long|length|lange?[rnms]?|l\u00e4nge",
        r"thick|thickness|dicke?[rnms]?",
        r"far|distance|away|weit|entfernt|entfernung",
    )
)
_ASKS_DIMENSION: Final = re.compile(
    r"\bhow\s+(?!long (?:do|does|did|will|may|can|must|should|has|have)\b)(\w+)"
    r"|\bwie\s+(?!lange\b)(\w+)",
    re.IGNORECASE,
)
"""How long something takes is no dimension."""
COLOUR: Final = re.compile(
    r"\b(?:red|green|blue|yellow|black|white|gr[ae]y|brown|orange|purple|violet|pink|silver\w*|gold\w*"
    r"|beige|khaki|teal|cream|maroon|turquoise|crimson|scarlet|colou?r\w*|rot(?:e[nrms]?)?|gr\u00fcn\w*|blau\w*|gelb\w*|schwarz\w*"
    r"|wei(?:\u00df|ss)\w*|grau\w*|braun\w*|anthrazit\w*|lila|rosa|t\u00fcrkis|farb\w*|rouges?|verte?s?|bleue?s?|jaunes?"
    r"|noire?s?|blanc\w*|bruns?|roj[oa]s?|verdes?|azul\w*|granates?|amarill[oa]s?|negr[oa]s?|gris\w*"
    r"|marr[o\u00f3]n|naranjas?|morad[oa]s?|ross[oaie]|verd[ei]|blu|giall[oaie]|ner[oaie]|bianc\w*|grigi[oae]|azzurr[oaie]"
    r"|arancion[ei]|vermelh[oa]s?|amarel[oa]s?|pret[oa]s?|branc[oa]s?|cinzent[oa]s?|castanh[oa]s?|laranja|rox[oa]s?"
    r"|rood|rode|groene?|blauwe?|geel|gele|zwarte?|wit(?:te)?|grij(?:s|ze)|bruine?|oranje|paarse?)\b",
    re.IGNORECASE,
)
DEGREES: Final = re.compile(
    r"\u00b0|\d\s?(?-i:[CFK])\b"
    r"|\b(?:degrees?|grad|degr\u00e9s?|grados?|gradi|graus?|graden|celsius|fahrenheit|kelvin)\b",
    re.IGNORECASE,
)
LOUDNESS: Final = re.compile(r"\bdb\b|\b(?:decibels?|dezibel|phons?)\b", re.IGNORECASE)
SPEED: Final = re.compile(
    r"\b\d*\s?(?:km/h|kph|mph|m/s|rpm|knots?|knoten|kn|mbit|gbit|mbps|gbps|kilomet\w+|miles?|hz|[gm]hz"
    r"|revolutions?|umdrehungen|per (?:second|minute|hour)|an hour|a minute|a second)\b",
    re.IGNORECASE,
)
_METRES: Final = r"(?:kil[o\u00f3]|cent[i\u00ed]|mill?[i\u00ed])?m[e\u00e8]t(?:er|re|ro|ri)[sn]?"
UNITS: Final = (
    (
        re.compile(
            r"(?:kilo|milli)?gram(?:me?|m)?[ens]*|tons?|tonnes?|pounds?|kilos?"
            r"|weigh(?:s|t|ts)?|wiegt|wiegen|gewicht|poids|p\u00e8se|peso|pesa"
        ),
        MASS,
    ),
    (re.compile(rf"{_METRES}|feet|foot|inch(?:es)?|miles?"), LENGTH),
    (re.compile(r"pressures?|druck|pression|presi\u00f3n|pressione"), _PRESSURE),
    (re.compile(r"euros?|dollars?|pounds?|money|geld|geb\u00fchr"), MONEY),
    (
        re.compile(
            r"degrees?|grad|degr\u00e9s|grados|temperatu+r\w*|temp\u00e9rature|hot|cold|warm|hei(?:\u00df|ss)|kalt"
        ),
        DEGREES,
    ),
    (re.compile(r"speed|geschwindigkeit|vitesse|velocidad"), SPEED),
    (
        re.compile(r"hours?|minutes?|(?:milli)?seconds?|stunden?|minuten?|(?:milli)?sekunden?"),
        re.compile(r"\d\s?(?:h|hrs?|mins?|m?s|secs?|sek|std)\b|\d:\d\d"),
    ),
    (re.compile(r"lit(?:er|re)s?"), re.compile(r"\d\s?(?:l|ml|dl|cl)\b", re.IGNORECASE)),
    # Whose letters have their size, unlike a room's: "45 W", "30 mA", "500 GB".
    (
        re.compile(
            r"(?:kilo|mega|milli)?watts?(?:-?hours?|stunden?)?|power|leistung\w*|puissance|potencia|potenza"
        ),
        re.compile(r"\d\s?[kMm]?Wh?\b"),
    ),
    (
        re.compile(r"(?:kilo|milli)?volts?|voltage|spannung|tension|tensi\u00f3n|tensione"),
        re.compile(r"\d\s?[km]?V\b"),
    ),
    (re.compile(r"(?:milli)?amp(?:[e\u00e8]re)?s?"), re.compile(r"\d\s?m?A\b")),
    (re.compile(r"(?:kilo|mega|giga)?hertz|frequency|frequenz"), re.compile(r"\d\s?[kMG]?Hz\b")),
    (re.compile(r"(?:kilo|mega|giga|tera)?bytes?"), re.compile(r"\d\s?(?:[KkMGT]i?)?B\b")),
    (
        re.compile(
            rf"square|quadrat\w*|carr\u00e9s|cuadrados|quadr(?:ad)?[oi]s?|vierkante|{_METRES}"
        ),
        re.compile(r"\d\s?(?:[ck]?m[\u00b22]\b|sq\.?\s?(?:m|ft)\b|sqm\b|qm\b)"),
    ),
    (
        re.compile(rf"cubic|kubik\w*|cubes|c\u00fabicos|cubi|volumes?n?|{_METRES}"),
        re.compile(r"\d\s?(?:[cd]?m[\u00b33]\b|cbm\b|ccm\b)"),
    ),
    (
        re.compile(r"persons?|people|personen|leute"),
        re.compile(r"\bpersons?\b|\bpeople\b|\bpersonen\b|\bseats?\b", re.IGNORECASE),
    ),
)
"""Words for units and for what is measured in them, and how a sentence may give them."""


def measures_otherwise(question: str, text: str) -> bool:
    """Say whether a text gives another dimension than is asked for: how wide, not how long.

    Nor do square metres alone say how high something is.
    """
    asked = _ASKS_DIMENSION.search(question)
    wanted = [each for each in _DIMENSIONS if asked and each.fullmatch(asked[1] or asked[2])]
    if wanted and LENGTH.search(text) is None:
        return _AREA.search(text) is not None and not has_number(_AREA.sub(" ", text))
    given = [each for each in _DIMENSIONS if each.search(text)]
    return bool(wanted and given) and wanted[0] not in given
