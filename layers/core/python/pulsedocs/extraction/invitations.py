"""Says what the calendar of a message invites to (iCalendar, RFC 5545): what, when and where."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

_FOLDED: Final = re.compile(r"\r?\n[ \t]")
_LINE: Final = re.compile(r"([A-Za-z-]{1,40})((?:;[^:;\"]{1,80}(?:\"[^\"]{0,500}\")?)*):(.*)")
_ZONE: Final = re.compile(r";TZID=\"?([^\";:]{1,80})", re.IGNORECASE)
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ESCAPED: Final = re.compile(r"\\(.)")
_SHOWN: Final = {"DTSTART": "begins", "DTEND": "ends", "LOCATION": "place:"}
_MOST: Final = 50  # events of one message; a feed of a year is no invitation


def events_of(calendar: str) -> Iterator[str]:
    """Yield a line of HTML for each event, which a citation shows whole; no time that is odd."""
    within: list[str] = []
    found: dict[str, str] = {}
    is_cancelled, count = False, 0
    for line in _FOLDED.sub("", calendar).splitlines():
        stated = _LINE.fullmatch(line)
        if stated is None or count == _MOST:
            continue
        name, parameters, value = stated[1].upper(), stated[2], stated[3].strip()
        if name == "BEGIN":
            within.append(value.upper())
        elif name == "END" and within:
            if within.pop() == "VEVENT" and found:
                yield _line(found, is_cancelled=is_cancelled)
                found, count = {}, count + 1
        elif name == "METHOD":
            is_cancelled = value.upper() == "CANCEL"
        elif within[-1:] == ["VEVENT"] and value:  # not of a time zone, nor of an alarm in it
            found[name] = _shown_time(value, parameters) if name.startswith("DT") else value


def _line(found: Mapping[str, str], *, is_cancelled: bool) -> str:
    is_off = is_cancelled or found.get("STATUS", "").upper() == "CANCELLED"
    parts = [f"{'Cancelled event' if is_off else 'Event'}: {found.get('SUMMARY', '')}"]
    parts += [f"{label} {found[name]}" for name, label in _SHOWN.items() if found.get(name)]
    return f"<p>{escape(_ESCAPED.sub(_unescaped, '; '.join(parts)))}</p>"


def _unescaped(found: re.Match[str]) -> str:
    return " " if found[1] in "nN" else found[1]


def _shown_time(value: str, parameters: str) -> str:
    """Return a time as the other formats say it, with the zone that it is of.

    >>> _shown_time("20260219T140000", ";TZID=Europe/Berlin"), _shown_time("20260219", "")
    ('2026-02-19 14:00 (Europe/Berlin)', '2026-02-19')
    """
    time = _TIME.fullmatch(value)
    if time is None:
        return ""
    year, month, day, hour, minute, utc = time.groups()
    zone = _ZONE.search(parameters)
    of_zone = " UTC" if utc else f" ({zone[1]})" if zone else ""
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{of_zone}" if hour else "")
