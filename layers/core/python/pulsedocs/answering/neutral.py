"""A model's words made harmless: whatever they contain is shown as text and loads nothing."""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from pulsedocs.answering.languages import words_listed
from pulsedocs.answering.wording import normalise

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])[^<>]*>")
_OPEN_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_PLACEHOLDER: Final = re.compile(
    r"<([a-z][a-z0-9]*(?:[-_ ][a-z0-9]+)*|[^\s<>@]+@[^\s<>@]+|https?://[^\s<>]+)>", re.IGNORECASE
)
_ELEMENTS: Final = words_listed(
    """a abbr address article aside audio b base blockquote body br button canvas caption center
    code col dd del details div dl dt em embed fieldset figure font footer form frame frameset
    h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map
    mark marquee math meta nav noscript object ol option p param plaintext pre q s samp script
    section select small source span strike strong style sub summary sup svg table tbody td template
    textarea tfoot th thead title tr tt u ul var video xmp"""
)
"""Of HTML: what else stands in angle brackets is an address, or for a reader to fill in."""
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()]*)\)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});")
_EMPTY = re.compile(r"\(\s*\)")
AS_MARKER: Final = re.compile(r"\[([1-9][0-9]*)\]")
BEFORE_TARGET: Final = re.compile(r"\](?=[(:\[])")
"""A bracket that with what follows it would be a link."""
_JOINERS: Final = frozenset("\u200c\u200d")  # Persian and Indic scripts spell with them
_LAYOUT: Final = frozenset("\n\t")

_REST: Final = r"[^\s\ue000\ue001]*"  # up to white space or to the place of a marker
_SCHEMES: Final = (
    "data|javascript|vbscript|mailto|tel|sms|file|blob|xmpp|magnet|skype|facetime|intent|geo|sip"
)
_DOT: Final = r"(?:\.|\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?)"
_LABEL: Final = r"[\w-]{1,63}"
_ADDRESS: Final = re.compile(
    # Whatever stands before a scheme: no word border is asked for, "9https://" is one, too. The
    # bounds keep a long run of letters from taking its square in time.
    rf"[a-z][a-z0-9+.-]{{0,30}}\s?:\s?[/\\]\s?[/\\]{_REST}"
    rf"|(?<![^\W\d_])(?:{_SCHEMES}):(?=\S){_REST}"
    rf"|www\s?{_DOT}{_REST}"
    rf"|(?:[\w.+-]{{1,64}}@)?(?:{_LABEL}{_DOT}){{1,10}}"
    rf"(?:(?:[a-z]{{2,63}}|xn--[a-z0-9-]{{1,59}})(?![\w-])(?:[:/?#]{_REST})?"
    rf"|[^\W\d_]{{2,63}}/{_REST})"
)
"""An address in text as `normalise` leaves it, with "." for every stop that a browser takes."""
_WIDE_DOT: Final = re.compile("(?<=[a-z0-9])[\u3002\uff61](?=[a-z0-9])")
_ESCAPE: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_GLUED: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_AFTER_ADDRESS: Final = ".,;:!?)\"'"
_BEFORE_HOST: Final = re.compile(r"^(?:[a-z0-9+.-]+:)?/*(?:www\.)?")
_AFTER_HOST: Final = re.compile(r"[/?#].*")


def without_controls(text: str) -> str:
    """Drop terminal escapes, control, bidirectional, private-use and surrogate characters."""
    return "".join(
        character
        for character in _ANSI.sub("", text)
        if character in _LAYOUT
        or character in _JOINERS
        or unicodedata.category(character) not in {"Cc", "Cf", "Co", "Cs", "Cn"}
    )


def as_quoted(text: str) -> str:
    """Return a document's words for an answer: as they stand, but for HTML, images and links.

    Of brackets only those change that would pass for a marker, `[2]`, or lead to an address.
    """
    plain = _without_elements(without_controls(text), is_known_address=lambda _address: True)
    return BEFORE_TARGET.sub("] ", AS_MARKER.sub(r"(\1)", plain))


def without_markup(text: str, *, is_known_address: Callable[[str], bool]) -> str:
    """Drop HTML, images, links, and every address that the passages do not contain themselves.

    `is_known_address` is asked with an address as `addresses_in` gives it. Brackets become
    parentheses at the end, so nothing left can be read as a link or as a marker; true markers are
    taken out before and put back after.
    """
    plain = _without_elements(text, is_known_address=is_known_address)
    return _EMPTY.sub("", plain.replace("[", "(").replace("]", ")"))


def _without_elements(text: str, *, is_known_address: Callable[[str], bool]) -> str:
    # Characters take the place of HTML's names for them, as whoever shows the text would see them.
    while (
        plain := _ENTITY.sub(lambda entity: without_controls(html.unescape(entity[0])), text)
    ) != text:
        text = plain
    for pattern in (_IMAGE, _LINK):
        text = pattern.sub(r"\1", text)
    text = _PLACEHOLDER.sub(_kept_open, text)
    while (stripped := _TAG.sub("", text)) != text:
        text = stripped
    text = _OPEN_TAG.sub("\u2039", text)  # looks alike and opens no tag
    # What is left closes up, and may be an address then: "htt" + address + "ps://...".
    while unknown := [
        (start, end) for start, end, address in _addresses(text) if not is_known_address(address)
    ]:
        for start, end in reversed(unknown):
            text = text[:start] + text[end:]
    return text


def _kept_open(found: re.Match[str]) -> str:
    """Return `<uuid>` or `<a@b.org>` in brackets that look alike; an element as it is."""
    words = found[1]
    return found[0] if words.lower() in _ELEMENTS else f"\u2039{words}\u203a"


def addresses_in(text: str) -> frozenset[str]:
    """Return the addresses of a text, without scheme, and their hosts; case does not count."""
    found = {address for _, _, address in _addresses(text)}
    return frozenset(found | {_AFTER_HOST.sub("", address) for address in found})


def _addresses(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and the comparable form of each address, with what is glued before it."""
    plain = normalise(text)
    skeleton = _WIDE_DOT.sub(".", plain.text)
    escapes = {match.start() for match in _ESCAPE.finditer(skeleton)}
    places = [place for place in range(len(skeleton)) if place not in escapes]
    skeleton = "".join(skeleton[place] for place in places)
    for match in _ADDRESS.finditer(skeleton):
        address = match.group().rstrip(_AFTER_ADDRESS)
        start = match.start()
        last = places[start + len(address) - 1]
        while start and skeleton[start - 1] in _GLUED:
            start -= 1
        comparable = _BEFORE_HOST.sub("", address).rstrip("/")
        yield plain.origins[places[start]], plain.origins[last] + 1, comparable
