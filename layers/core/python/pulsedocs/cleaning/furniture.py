"""Finds running headers and footers: lines that come back at the edge of page after page.

What is lost here is never found or cited, what stays is only noise: in doubt a line stays. Of a
line with words the first one stays always, so that no words are lost altogether.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from pulsedocs.cleaning.characters import stripped
from pulsedocs.cleaning.draft import PageDraft
from pulsedocs.model.pages import Page

_FEWEST_PAGES: Final = 3
_SHARE_OF_PAGES: Final = 0.1  # a chapter's header is on the chapter's pages only
_DEEPEST: Final = 4  # lines; what repeats further into the page is content, such as a form
_LONGEST: Final = 200  # characters; a longer line is text
_SHORT_PAGE: Final = (
    1_000  # characters; on slides, poems and receipts a line that comes back is text
)
_LIKE_A_FORM: Final = 0.5  # of a page's lines are on other pages too
_FEWEST_PARTS: Final = 3  # of a foot beside its number: "Lesson 7" and "Order No. 7" are titles
_COMES_BACK: Final = 2  # pages
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_DIGIT: Final = re.compile(r"\d")

_PAGE_WORDS: Final = (
    r"pg|page|pages|seite|seiten|blatt|sheet|folio|blz|pagina|p\u00e1gina|p\u00e1g|pag"
    r"|side|sida|sivu|str|strana|strona|stran|sayfa|halaman|trang|oldal"
    r"|\u0441\u0442\u0440|\u0441\u0442\u0440\u0430\u043d\u0438\u0446\u0430|\u7b2c"
    r"|\u0635\u0641\u062d\u0629|\u0635\u0641\u062d\u0647|\u05e2\u05de\u05d5\u05d3"
    r"|\u03c3\u03b5\u03bb\u03af\u03b4\u03b1|\u03c3\u03b5\u03bb|\u092a\u0943\u0937\u094d\u0920|\ud398\uc774\uc9c0"
)
_NUMBER: Final = r"([^\W_]{1,12}(?:[-.][^\W_]{1,6})?)"
_OF: Final = (
    r"(?:\s*(?:/|\||of|out of|von|de|di|du|sur|av|af|van|z|iz|\u0438\u0437)"
    r"\s*(?:\d{1,4}|[ivxlc]{1,7}))"
)
_ENDS: Final = "[-\u2010-\u2015~\u00b7\u2022*=<>\\[\\]()| ]"
_SAYS_PAGE: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "Page 7 of 90", "S. 7", alone or at an end of the line
        rf"(?<!\w)(?:(?:{_PAGE_WORDS})[.:]?\s*|(?:p|pp|s|f)\.\s*){_NUMBER}{_OF}?{_ENDS}*$",
        rf"^{_ENDS}*(?:(?:{_PAGE_WORDS})[.:]?\s*|(?:p|pp|s|f)\.\s*){_NUMBER}{_OF}?(?=\W|$)",
        # "- 7 -", "7 / 90", and in scripts that count pages with a word behind
        rf"^[-\u2010-\u2015~]\s?{_NUMBER}\s?[-\u2010-\u2015~]$",
        rf"^{_ENDS}*{_NUMBER}{_OF}{_ENDS}*$",
        r"(\d{1,4})\s*(?:\u9875|\u9801|\u30da\u30fc\u30b8|\ucabd|\ud398\uc774\uc9c0)(?:$|(?=\W))",
    )
)
_MAY_BE_PAGE: Final = (
    re.compile(rf"^{_NUMBER}$"),
    re.compile(rf"^{_NUMBER}\s*[|\u00b7\u2022]|^{_NUMBER}\s+[\u2013\u2014]\s"),
    re.compile(rf"[|\u00b7\u2022]\s*{_NUMBER}$|\s[\u2013\u2014]\s+{_NUMBER}$"),
)
_BETWEEN: Final = " |\u00b7\u2022\u2013\u2014-"  # a running title and its number
_BEHIND_TITLE: Final = re.compile(r"(?<=\s)(\d{1,4})\s?/\s?(\d{1,4})$")


@dataclass(frozen=True, slots=True)
class Furniture:
    """A page without its running lines, and those lines."""

    draft: PageDraft
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Edge:
    """The outermost lines of one page, the outermost first; `forms` are those it may come back in.

    A line is `bare` if it says nothing but which page this is.
    """

    lines: list[str]
    forms: list[frozenset[str]] = field(default_factory=list[frozenset[str]])
    bare: list[bool] = field(default_factory=list[bool])
    removed: int = 0

    def keys(self) -> frozenset[str]:
        return self.forms[self.removed] if self.removed < len(self.forms) else frozenset()


@dataclass(frozen=True, slots=True)
class _Title:
    """A line beside a number: the `at`-th from the edge of a page, without the number."""

    page: int
    at: int
    form: str
    is_in_front: bool


def without_furniture(drafts: Sequence[PageDraft], pages: Sequence[Page]) -> list[Furniture]:
    """Return the pages without their running headers and footers.

    A line is a page number if it is the page's own, by label or place, in the form of one: "7",
    "Page 7 of 90", "Handbook | 7". Numbers of invoices and of parts run on with the pages too.
    Behind two words "7 / 90" is the page's if 83 pages follow; "Day 7 / 90" is a title.
    Other lines have to be equal on enough pages that are full of text; feet but for that number,
    and heads where it is sure that the number counts pages (`_running_titles`).
    """
    at_least = max(
        _FEWEST_PAGES, math.ceil(sum(bool(each.text) for each in drafts) * _SHARE_OF_PAGES)
    )
    counts = Counter(line for draft in drafts for line in set(draft.text.split("\n")))
    repeated = frozenset(line for line, count in counts.items() if count >= at_least and line)
    from_one = frozenset(
        f"{words}\x05" for line in counts for words, _, _ in _beside_number(line, "1".__eq__)
    )
    left = list(drafts)
    lost: list[tuple[str, ...]] = [()] * len(left)
    for is_top in (True, False):
        edges = [
            _edge(draft, page, repeated, last=len(pages), is_top=is_top)
            if page.is_sheet
            else _Edge([])
            for draft, page in zip(left, pages, strict=True)
        ]
        titles = _running_titles(edges, pages, from_one, at_least=at_least)
        _peel(edges, titles, at_least=at_least)
        for index, count in enumerate(_surplus(edges)):
            lines = edges[index].lines[:count]
            length, size = sum(len(line) + 1 for line in lines), len(left[index].text)
            if 0 < length < size:  # a page keeps something
                start, end = (length, size) if is_top else (0, size - length)
                left[index] = stripped(left[index].cut(start, end))
                lost[index] += tuple(lines)
    return [Furniture(stripped(draft), lines) for draft, lines in zip(left, lost, strict=True)]


def _edge(
    draft: PageDraft, page: Page, repeated: frozenset[str], *, last: int, is_top: bool
) -> _Edge:
    deep = _DEEPEST + 1  # one more than may go: an edge that repeats to its end is content
    outer = draft.text.split("\n", deep) if is_top else draft.text.rsplit("\n", deep)[::-1]
    outer = outer[:deep]
    lines = draft.text.split("\n") if any(line in repeated for line in outer) else []
    shared = sum(line in repeated for line in lines)
    is_long = len(draft.text) >= _SHORT_PAGE and shared <= _LIKE_A_FORM * len(lines)
    edge = _Edge(outer)
    for line in outer:
        numbered = list(_numbered(line, page, last))
        is_equal = is_long and line in repeated and _may_run(line, page)
        forms = [form for form, _ in numbered] + ([line] if is_equal else [])
        if is_long and not is_top:
            forms += [f"{foot}\x03" for foot in _foot(line, page)]
        edge.forms.append(frozenset(forms))
        edge.bare.append(any(is_bare for _, is_bare in numbered))
    return edge


def _foot(line: str, page: Page) -> Iterator[str]:
    """Yield what a foot says beside the page's own number; "Lesson 7" is no foot."""
    if len(line.split()) > _FEWEST_PARTS:
        for words, _, _ in _beside_number(line, {str(page.number), page.label}.__contains__):
            yield words


def _beside_number(line: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, str, bool]]:
    """Yield the words beside a line's last or first part, that number, and if it stands in front.

    No bar need stand between. A left page may have in front what a right one has at its end.
    """
    if len(line) > _LONGEST:
        return
    if len(parts := line.split()) > 1:
        if is_wanted(parts[-1]):
            yield " ".join(parts[:-1]).rstrip(_BETWEEN), parts[-1], False
        if is_wanted(parts[0]):
            yield " ".join(parts[1:]).lstrip(_BETWEEN), parts[0], True


def _may_run(line: str, page: Page) -> bool:
    """Say whether a line can be a header: it has a word, is no heading here and no field's name."""
    if len(line) > _LONGEST or line.endswith(":") or _WORD.search(line) is None:
        return False
    return not any(line in heading.title for heading in page.headings)


def _numbered(line: str, page: Page, last: int) -> Iterator[tuple[str, bool]]:
    """Yield what a line is without the page's number, and whether that leaves nothing to read.

    A number that is said to be the page's may run ahead of the place, as in an offprint; another
    may only lag behind it by the pages in front.
    """
    own = {str(page.number), page.label or ""}
    if not line or len(line) > _LONGEST or not (_DIGIT.search(line) or own & set(line.split())):
        return
    for patterns, is_said in ((_SAYS_PAGE, True), (_MAY_BE_PAGE, False)):
        for match in filter(None, (pattern.search(line) for pattern in patterns)):
            number = next(filter(None, match.groups()))
            rest = f"{line[: match.start()]}\x00{line[match.end() :]}"
            is_bare = _WORD.search(rest) is None
            if number in own:
                yield f"{rest}\x01", is_bare
            if number.isdecimal() and number == str(int(number)):
                ahead = int(number) - page.number
                if ahead <= 0 or is_said:
                    yield f"{rest}\x02{ahead}", is_bare
    if match := _BEHIND_TITLE.search(line):
        title, number, total = line[: match.start()], int(match[1]), int(match[2])
        if len(title.split()) > 1 and total - number == last - page.number:
            yield f"{title}\x04{total}", _WORD.search(title) is None


def _running_titles(
    edges: Sequence[_Edge], pages: Sequence[Page], from_one: AbstractSet[str], *, at_least: int
) -> frozenset[str]:
    """Add to the edges' forms the titles that stand beside the page's number, and return them.

    Enough pages have titles that come back, beside a number as far ahead of the page's place:
    "12 Chapter 3. Locks", "Weirs | 13". A chapter may be shorter than enough pages.
    """
    found: dict[int, list[_Title]] = {}
    for index, (edge, page) in enumerate(zip(edges, pages, strict=True)):
        for at, line in enumerate(edge.lines):
            for words, number, is_in_front in _beside_number(line, str.isdecimal):
                if _may_run(line, page):
                    title = _Title(index, at, f"{words}\x05", is_in_front)
                    found.setdefault(int(number) - page.number, []).append(title)
    running: set[str] = set()
    for ahead, titles in found.items():
        for title in _counting_pages(titles, from_one, is_ahead=ahead > 0, at_least=at_least):
            edges[title.page].forms[title.at] |= {title.form}
            running.add(title.form)
    return frozenset(running)


def _counting_pages(
    titles: Sequence[_Title], from_one: AbstractSet[str], *, is_ahead: bool, at_least: int
) -> Sequence[_Title]:
    """Return the titles that come back, or none if their numbers may count something else.

    Lessons count up with their pages too, but from 1, and invoices from anywhere; both have the
    number always at the same end of the line. "Lesson 3" is a title though no line says "Lesson 1".
    """
    pages = Counter(form for form, _ in {(title.form, title.page) for title in titles})
    titles = [title for title in titles if pages[title.form] >= _COMES_BACK]
    sides = Counter(title.is_in_front for title in titles)
    if min(sides[True], sides[False]) < _COMES_BACK:
        sure = {form for form in pages if len(form.split()) >= _FEWEST_PARTS} - from_one
        titles = [each for each in titles if each.form in sure and not is_ahead]
    return titles if len({title.page for title in titles}) >= at_least else []


def _peel(edges: Sequence[_Edge], titles: AbstractSet[str], *, at_least: int) -> None:
    """Take off the outermost lines, layer by layer, while they are titles or on enough pages."""
    keys = [edge.keys() for edge in edges]
    for _ in range(_DEEPEST + 1):
        counts = Counter(key for page_keys in keys for key in page_keys)
        shared = {key for key, count in counts.items() if count >= at_least} | titles
        running = [index for index, own in enumerate(keys) if not shared.isdisjoint(own)]
        for index in running:
            edges[index].removed += 1
            keys[index] = edges[index].keys()
        if not running:
            break
    for edge in edges:
        if edge.removed > _DEEPEST:
            edge.removed = 0


def _surplus(edges: Sequence[_Edge]) -> Iterator[int]:
    """Yield how many of its running lines each page loses: those whose words another page keeps."""
    kept: set[str] = set()
    for edge in edges:
        count = 0
        for index in range(edge.removed):
            if count == index and (edge.bare[index] or not kept.isdisjoint(edge.forms[index])):
                count += 1
            kept |= edge.forms[index]
        yield count
