"""Weekdays and months, as texts of seven languages name them."""

from typing import Final

WEEKDAYS: Final = (
    "mondays?|montag\\w*|lundis?|lunes|luned\u00ec|segundas?-feiras?|maandag\\w*",
    "tues?days?|dienstag\\w*|mardis?|martes|marted\u00ec|ter\u00e7as?-feiras?|dinsdag\\w*",
    "wednesdays?|mittwoch\\w*|mercredis?|mi\u00e9rcoles|mercoled\u00ec|quartas?-feiras?|woensdag\\w*",
    "thurs?days?|donnerstag\\w*|jeudis?|jueves|gioved\u00ec|quintas?-feiras?|donderdag\\w*",
    "fridays?|freitag\\w*|vendredis?|viernes|venerd\u00ec|sextas?-feiras?|vrijdag\\w*",
    "saturdays?|(?:samstag|sonnabend|zaterdag)\\w*|samedis?|s\u00e1bados?|sabato",
    "sundays?|sonntag\\w*|dimanches?|domingos?|domenic\\w+|zondag\\w*",
)
"""From Monday on."""
_MONTHS: Final = """
    jan january januar janv janvier j\u00e4nner enero gennaio feb february februar f\u00e9vr
    f\u00e9vrier febrero febbraio mar march m\u00e4rz mars marzo apr april avril abril aprile
    mai mayo maggio jun june juni juin junio giugno jul july juli juillet julio luglio aug august
    ao\u00fbt agosto sep sept september septembre septiembre settembre oct october okt oktober
    octobre octubre ottobre nov november novembre noviembre dec december dez dezember
    d\u00e9cembre diciembre dicembre janeiro fevereiro mar\u00e7o maio junho julho setembro outubro
    novembro dezembro januari februari maart mei augustus"""
MONTHS: Final = frozenset(_MONTHS.split())
