"""What the styles of a web page say: by `style` attributes and the file's own `<style>` sheets.

Asked is what they hide, strike or number.

Only as much of CSS is understood as that needs: the later rule wins, whatever its specificity, and
of media queries only those for every screen count. Sheets in other files are not read. What they
paint is unknown, so a text is then judged by its colour only where the file says both colours.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from typing import Final, NamedTuple, TypeAlias

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from pulsedocs.extraction.colour_names import COLOURS, Colour

Declarations: TypeAlias = dict[str, str]


class Paint(NamedTuple):
    """How a text is set: what it inherits, so that what is in an element may be set otherwise.

    A colour is None where nobody can tell.
    """

    colour: Colour | None
    ground: Colour | None
    size: float = 16.0  # pixels, a browser's default
    opacity: float = 1.0


_MOST_RULES: Final = 5_000  # that may hide, and as many others
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_RULE: Final = re.compile(r"(?<![^{};])([^{};]++)\{([^{}]*)\}")
_EVERY_SCREEN: Final = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)\s*\{", re.IGNORECASE)
_OTHER_BLOCK: Final = re.compile(r"(?<![^{};])\s*+@[^{};]*+\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\}")
_CAN_HIDE: Final = re.compile(
    r"display|visibility|opacity|font|left|right|top|bottom|inset|margin|indent|clip|height|width"
    r"|transform|scale|filter|color|background",
    re.IGNORECASE,
)
_CAN_MARK: Final = re.compile(r"decoration|list-style|counter", re.IGNORECASE)
_KIND: Final = "list-style-type"
_MEANT: Final = {"text-decoration": "text-decoration-line", "list-style": _KIND}
# From the first digit of a run and to its last: each other way to part 400 digits took 0.8 s.
_DECIMAL: Final = r"(?:(?<!\d)\d++(?:\.\d*+)?|\.\d++)"
_LENGTH: Final = re.compile(rf"(-?{_DECIMAL})(px|pt|r?em|ex|ch|%|v[wh]|in|cm|mm)?(?![\w.])")
_FONT_SIZE: Final = re.compile(rf"(?:^|\s)({_DECIMAL}(?:px|pt|r?em|%)|0)(?=\s|/|$)")
_TOKEN: Final = re.compile(r"[^\s(]{1,100}(?:\([^)]{0,200}\))?")
# A browser's defaults; one percent of a window or a block is taken for 10 pixels.
_PIXELS: Final = {
    "": 1.0,
    "px": 1.0,
    "pt": 1.33,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "%": 10.0,
    "vw": 10.0,
    "vh": 10.0,
    "in": 96.0,
    "cm": 38.0,
    "mm": 3.8,
}
# A move by less than the whole of a block or a window centres; by the whole, it hides.
_MOVES: Final = {**_PIXELS, "%": 4.0, "vw": 4.0, "vh": 4.0}
_SIDES: Final = ("top", "right", "bottom", "left")
_OF_SHORTHAND: Final = ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
"""Which of one to four values is that of each side."""
_FAR_AWAY: Final = -400.0  # pixels
_FAR_BELOW: Final = 5_000.0
_UNREADABLE: Final = 2.0  # pixels
_FAINT: Final = 0.06  # of full opacity, or of full size
_CHANNELS: Final = (3, 4)
_CHANNELS_BY: Final = frozenset({"rgb", "rgba", "hsl", "hsla"})
_FUNCTION: Final = re.compile(r"([\w-]*)\(")
_MOST: Final = (
    1e6  # of any number; some hundred digits are infinite, and less infinite is no number
)
_ALIKE: Final = 45  # of 765, between a text and its ground
_WHITE: Final = (255, 255, 255)
DEFAULT_PAINT: Final = Paint((0, 0, 0), _WHITE)
UNKNOWN_PAINT: Final = Paint(None, None)
_ON_GROUND: Final = frozenset({"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"})
_ATTRIBUTES: Final = (
    ("bgcolor", _ON_GROUND, "background-color"),
    ("background", _ON_GROUND, "background-image"),
    ("text", frozenset({"body"}), "color"),
    ("color", frozenset({"font"}), "color"),
)
_SIX_DIGITS: Final = re.compile(r"[0-9a-f]{6}")


def declarations_of(style: str) -> Declarations:
    """Return the last value of each property, as small letters; an important one stays.

    Of a shorthand for what strikes or numbers, the value stands under that property.
    """
    found: Declarations = {}
    important: set[str] = set()
    for part in _ESCAPE.sub(_unescaped, _COMMENT.sub("", style)).lower().split(";"):
        name, _, value = part.partition(":")
        value, mark, _ = value.partition("!")
        name = _MEANT.get(name.strip(), name.strip())
        if mark or name not in important:
            found[name] = value.strip()
        if mark:
            important.add(name)
    return found


def attribute_declarations(tag: str | None, attributes: Mapping[str, str | None]) -> Declarations:
    """Return what attributes of old HTML say of colours; mails are still painted with them."""
    found: Declarations = {}
    for name, tags, style in _ATTRIBUTES:
        value = (attributes.get(name) or "").strip().lower() if tag in tags else ""
        if value:
            found[style] = f"#{value}" if _SIX_DIGITS.fullmatch(value) else value
    return found


def sheet_declarations(parsed: LexborHTMLParser) -> dict[int, Declarations]:
    """Return what sheets say of elements that could hide, strike or number them, by their ids."""
    declared: dict[int, Declarations] = {}
    counts: Counter[re.Pattern[str]] = Counter()
    for sheet in parsed.css("style"):
        text = _COMMENT.sub("", sheet.text(deep=True))
        # Rules for every screen come out of their blocks; the closing braces do no harm.
        text = _OTHER_BLOCK.sub("", _EVERY_SCREEN.sub("", text))
        for rule in _RULE.finditer(text):
            said = _ESCAPE.sub(_unescaped, rule[2])
            asked = next((each for each in (_CAN_HIDE, _CAN_MARK) if each.search(said)), None)
            if asked is None or counts[asked] == _MOST_RULES:
                continue
            counts[asked] += 1
            found = declarations_of(rule[2])
            try:
                nodes = parsed.css(rule[1].strip())
            except SelectolaxError:  # a state or a part that an element has in a browser only
                continue
            for node in nodes:
                before = declared.setdefault(node.mem_id, {})
                before.update(found | _kept_number(before, found))
    return declared


def _kept_number(before: Declarations, found: Declarations) -> Declarations:
    """Return how a list is counted that one rule counts and a later one does not.

    Only specificity decides which it is; a number too many does less harm than one too few.
    """
    kind = before.get(_KIND)
    return {_KIND: kind} if kind and "none" in found.get(_KIND, "").split() else {}


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code <= sys.maxunicode else "\ufffd"


def has_other_sheets(parsed: LexborHTMLParser) -> bool:
    return parsed.css_first("link[rel~=stylesheet]") is not None or any(
        "@import" in sheet.text(deep=True) for sheet in parsed.css("style")
    )


def hides(found: Mapping[str, str]) -> bool:
    """Say whether an element with these declarations is not shown, nor what is in it."""
    get = found.get
    return (
        get("display") == "none"
        or get("visibility") in {"hidden", "collapse"}
        or _is_faint(get("opacity", ""))
        or _is_far_away(found)
        or _is_cut_away(found)
        or _is_shrunk(f"{get('transform', '')} scale({get('scale', '1')})")
        or re.search(r"opacity\(\s*0*\.?0*%?\s*\)", get("filter", "")) is not None
    )


def strikes(found: Mapping[str, str]) -> bool:
    return "line-through" in found.get("text-decoration-line", "")


def paint_of(found: Mapping[str, str], around: Paint) -> Paint:
    """Return how the text of an element is set."""
    ground, colour, opacity = around.ground, around.colour, around.opacity
    background = found.get("background-color", found.get("background", ""))
    if found.get("background-image", "none") != "none" or _is_beyond(background):
        ground = None
    elif painted := _colour(background):
        ground = _mixed(*painted, ground)
    stated = found.get("-webkit-text-fill-color", found.get("color", ""))
    if chosen := _colour(stated):
        colour, opacity = chosen
    elif _is_beyond(stated):
        colour = None
    is_cut_out = "text" in found.get("background-clip", found.get("-webkit-background-clip", ""))
    if is_cut_out and opacity < _FAINT:  # letters that show the background are of its colour
        ground, colour, opacity = around.ground, ground, 1.0
    return Paint(colour, ground, _size(found, around.size), opacity)


def is_unseen(paint: Paint) -> bool:
    if paint.opacity < _FAINT or paint.size < _UNREADABLE:
        return True
    if paint.colour is None or paint.ground is None:
        return False
    return sum(abs(a - b) for a, b in zip(paint.colour, paint.ground, strict=True)) < _ALIKE


def _colour(value: str) -> tuple[Colour, float] | None:
    """Return a colour with its opacity, None for what is none of those known here."""
    if not _CHANNELS_BY.issuperset(_FUNCTION.findall(value)):
        return None
    if "transparent" in value:
        return (0, 0, 0), 0.0
    if match := re.search(r"#([0-9a-f]{3,8})\b", value):
        short = len(match[1]) < len("rrggbb")
        digits = "".join(each * 2 for each in match[1]) if short else match[1]
        red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
        return (red, green, blue), int(digits[6:8] or "ff", 16) / 255
    if match := re.search(r"(rgb|hsl)a?\(([^)]*)", value):
        parts = re.findall(rf"({_DECIMAL})(%?)", match[2])
        if len(parts) not in _CHANNELS:
            return None
        first, second, third, opacity = (
            _number(number) / (100 if percent else whole)
            for (number, percent), whole in zip(
                [*parts, ("1", "")][:4],
                (255, 255, 255, 1) if match[1] == "rgb" else (360, 100, 100, 1),
                strict=True,
            )
        )
        channels = first, min(1.0, second), min(1.0, third)
        if match[1] == "hsl":
            channels = hls_to_rgb(channels[0], channels[2], channels[1])
        red, green, blue = (min(255, round(each * 255)) for each in channels)
        return (red, green, blue), opacity
    word = next((word for word in re.findall(r"[a-z]+", value) if word in COLOURS), None)
    return (COLOURS[word], 1.0) if word else None


def _is_beyond(value: str) -> bool:
    """Say whether a colour is one that only a browser works out, such as `var(--brand)`."""
    return "(" in value and _colour(value) is None


def _mixed(colour: Colour, opacity: float, ground: Colour | None) -> Colour | None:
    """Return the ground that a colour makes on top of another."""
    if opacity >= 1 or ground is None:
        return colour if opacity >= 1 else None
    red, green, blue = (
        round(opacity * over + (1 - opacity) * under)
        for over, under in zip(colour, ground, strict=True)
    )
    return red, green, blue


def _lengths(value: str, pixels: Mapping[str, float] = _PIXELS) -> list[float]:
    return [_number(number) * pixels[unit or ""] for number, unit in _LENGTH.findall(value)]


def _number(stated: str) -> float:
    return max(-_MOST, min(float(stated), _MOST))


def _is_faint(opacity: str) -> bool:
    match = _LENGTH.match(opacity)
    return match is not None and float(match[1]) / (100 if match[2] == "%" else 1) <= _FAINT


def _size(found: Mapping[str, str], around: float) -> float:
    """Return the size of letters in pixels; what is none of the sizes known here is a usual one."""
    stated = found.get("font-size")
    if stated is None and "font" in found:
        shorthand = _FONT_SIZE.search(found["font"])
        stated = shorthand[1] if shorthand else found["font"]
    if stated in {None, "inherit", "unset", "smaller", "larger"}:
        return around
    match = _LENGTH.fullmatch(stated or "")
    if match is None:
        return DEFAULT_PAINT.size
    unit = match[2] or ""
    relative = {"em": around, "%": around / 100, "ex": around / 2, "ch": around / 2}
    return min(_number(match[1]) * relative.get(unit, _PIXELS[unit]), _MOST)


def _is_far_away(found: Mapping[str, str]) -> bool:
    moved = re.findall(r"translate(?:3d|[xyz])?\(([^)]*)", found.get("transform", ""))
    if any(abs(length) >= -_FAR_AWAY for value in moved for length in _lengths(value, _MOVES)):
        return True
    is_placed = found.get("position") in {"absolute", "fixed", "relative", "sticky"}
    insets = _sides(found, "inset", _SIDES) if is_placed else (0.0,) * 4
    margins, paddings = (
        _sides(found, name, [f"{name}-{side}" for side in _SIDES]) for name in ("margin", "padding")
    )
    top, right, bottom, left = map(sum, zip(insets, margins, paddings, strict=True))
    left += min([0.0, *_lengths(found.get("text-indent", ""), _MOVES)])
    if min(top, right, left, bottom if is_placed else 0.0) <= _FAR_AWAY:
        return True
    # What is placed far away stays there unless all of the way is taken back.
    placed = zip(insets, (top, right, bottom, left), strict=True)
    if any(inset <= _FAR_AWAY and total < 0 for inset, total in placed):
        return True
    return max(insets[0], insets[3], top, left) >= _FAR_BELOW


def _sides(found: Mapping[str, str], shorthand: str, names: Sequence[str]) -> list[float]:
    """Return how far something is from the top, the right, the bottom and the left."""
    values = _TOKEN.findall(found.get(shorthand, ""))[:4] or [""]
    return [
        _distance(found.get(name, values[index]))
        for name, index in zip(names, _OF_SHORTHAND[len(values) - 1], strict=True)
    ]


def _distance(value: str) -> float:
    """Return a length in pixels, the nearer one; of a sum the least of its parts."""
    both = zip(_lengths(value), _lengths(value, _MOVES), strict=True)
    return min((min(each, key=abs) for each in both), default=0.0)


def _is_cut_away(found: Mapping[str, str]) -> bool:
    clip = found.get("clip", "")
    if clip.startswith("rect") and max(map(abs, _lengths(clip)), default=1e9) <= _UNREADABLE:
        return True
    path = found.get("clip-path", found.get("-webkit-clip-path", ""))
    if path.startswith("inset") and re.match(r"inset\(\s*(?:[5-9]\d|\d{3,})(?:\.\d+)?%", path):
        return True
    if re.match(r"(?:circle|ellipse)\(\s*0|polygon\((?:[\s,]*+0\w*+)+[\s,]*\)", path):
        return True
    if not re.match(r"hidden|clip|auto|scroll", found.get("overflow", found.get("overflow-y", ""))):
        return False
    sizes = [found.get(name, "") for name in ("height", "width", "max-height", "max-width")]
    return any(lengths and lengths[0] < _UNREADABLE for lengths in map(_lengths, sizes))


def _is_shrunk(transform: str) -> bool:
    scales = re.findall(rf"scale[xy]?\(\s*({_DECIMAL})(?:\s*,\s*({_DECIMAL}))?", transform)
    return any(float(each) < _FAINT for pair in scales for each in pair if each)
