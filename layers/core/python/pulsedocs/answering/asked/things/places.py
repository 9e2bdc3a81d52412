"""What says where."""

import re
from functools import reduce
from typing import Final

from pulsedocs.answering.asked.things.times import NUMBER_OF_TIME, WHEN
from pulsedocs.answering.languages import language_of
from pulsedocs.model.currencies import CURRENCY_SIGNS

_NAME_AMID: Final = re.compile(r"(?:(?<=[^\W_]\s)|(?<=[^\W_],\s))[A-Z\u00c0-\u00de]")
_NAME_IN_GERMAN: Final = re.compile(r"(?:\b(?:ist|sind)|:)\s[A-Z\u00c4\u00d6\u00dc]")
"""Elsewhere a German capital is that of a noun, which is a place's or a thing's."""
_PLACE: Final = re.compile(
    r"@|\bwww\.|\d|(?<!\S)/\w"
    r"|\b(?:in|into|inside|at|on|onto|behind|beside|under|underneath|beneath|above|below|over|near"
    r"|nearby|next to|opposite|between|among|outside|to|from|through|along|around|across"
    r"|within (?:the|an?|this|our)(?! (?:next|first|last|same|\w*day|week|month|year|time|period))"
    r"|by the|off|up|online|indoors|outdoors|upstairs|downstairs|here|there|home|abroad|everywhere"
    r"|anywhere|nowhere"
    r"|room|hall|floor|shel(?:f|ves)|drawer|cupboard|cabinet|office|desk|counter|street|road|building|gate"
    r"|door|entrance|exit|lobby|garden|yard|kitchen|cellar|attic|roof|address|box"
    r"|\w*(?:raum|zimmer|saal|halle|keller|hof|haus|platz|b\u00fcro|schrank|regal|garten|weg"
    r"|stra(?:\u00df|ss)e|eingang|ausgang|t\u00fcr|stock|etage|geb\u00e4ude)"
    r"|an (?:de[mnr]|eine[mr]?)|ins"
    r"|im|am|auf|aufs|unter|\u00fcber|neben|hinter|vor|zwischen|bei|beim|zu"
    r"|zu[mr]|aus|nach|gegen\u00fcber"
    r"|links|rechts|oben|unten|hier|dort|drau(?:\u00df|ss)en|drinnen"
    r"|\u00e0|aux?|en|dans|sur|sous|derri\u00e8re|devant|chez|pr\u00e8s|c\u00f4t\u00e9|entre|ici|l\u00e0"
    r"|autour|dessous|dessus|en face|gauche|droite|oberhalb|unterhalb|au(?:\u00df|ss)erhalb"
    r"|al|sobre|bajo|(?:de)?tr\u00e1s|tras|junto|cerca|aqu\u00ed|all\u00ed|fuera|dentro|debajo|delante|encima"
    r"|enfrente|alrededor|arriba|abajo|izquierda|derecha|sinistra|destra"
    r"|ne[li]|nell[aeo']|negli|all[aeo']|ai|agli|su[li]?|sull[aeo']|sotto|dietro|davanti|presso|vicino|accanto"
    r"|tra|fra|da[li]?|dall[aeo']|qui|l\u00ec|fuori|sopra|di fronte|intorno|dentro)\b",
    re.IGNORECASE,
)
"""What says where, a place's name among it; "on Fridays" does not, nor does "for ninety days"."""
_PLACE_IN: Final = {
    "pt": re.compile(
        r"\b(?:em|n[oa]s?|numa?s?|aos?|\u00e0s?|junto|perto|atr\u00e1s|debaixo|acima|sob|ali|l\u00e1|casa)\b",
        re.IGNORECASE,
    ),
    "nl": re.compile(
        r"\b(?:op|bij|naast|achter|voor|onder|boven|tegenover|naar|via|aan|langs|binnen|buiten|thuis|tussen"
        r"|daar|beneden)\b",
        re.IGNORECASE,
    ),
}
"""By words that say "no" or "open" elsewhere."""
_NO_PLACE: Final = re.compile(
    r"\b(?:at the (?:end|beginning|start|latest|earliest|moment|same time)"
    r"|at (?:least|most|once|any time)|in (?:advance|writing|cash|total|time)"
    rf"|\w+ (?:euros?|dollars?|pounds?|francs?))\b|[{CURRENCY_SIGNS}]\s?[\d.,]+"
    rf"|[\d.,]+\s?[{CURRENCY_SIGNS}]",
    re.IGNORECASE,
)


def has_place(own: str) -> bool:
    """Say whether a text says where: "at the end", "at least" and "20 pounds" do not."""
    told = reduce(lambda text, one: one.sub(" ", text), (WHEN, _NO_PLACE, NUMBER_OF_TIME), own)
    name = _NAME_IN_GERMAN if language_of(own) == "de" else _NAME_AMID
    in_its_words = _PLACE_IN.get(language_of(own) or "", _PLACE)
    return any(one.search(told) is not None for one in (_PLACE, in_its_words, name))
