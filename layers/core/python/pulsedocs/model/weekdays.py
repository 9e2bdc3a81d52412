"""The days of the week, from Monday on, as texts of seven languages name them."""

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
