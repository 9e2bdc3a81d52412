"""What stands over a sentence: the title, the headings, the head of its table, what "it" means."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import dropwhile, pairwise, takewhile
from typing import Final

from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.languages import REFERS_BACK, SMALL_IN_ANY
from pulsedocs.answering.passages import Block, PageText, Words, spans_of
from pulsedocs.answering.sentences import (
    is_ended,
    is_entry,
    is_item,
    is_label,
    is_labelled,
    is_options,
    is_row,
)
from pulsedocs.answering.tables import Row
from pulsedocs.answering.wording import ITEM_NUMBER, is_negated
from pulsedocs.model.lists import items_around

_LONGEST_HEADING: Final = 100  # characters
_LONGEST_LABEL: Final = 3  # words: "Water pump.", before what a paragraph says of it
_REACH: Final = 40  # sentences up the page in which a heading is looked for
_BACK: Final = 2  # sentences: what "it" means stands in the one before, or before that
_MOST_ITEMS: Final = 20
_MOST_BETWEEN_STEPS: Final = 8  # lines of a command, and of what it prints
_TAB: Final = 8  # columns
_LONGEST_INDENTED: Final = 500  # characters of a line, whose spaces before it are counted
_LONGEST_LIST: Final = 2000  # characters, about two thirds of a page
_LONGEST_LINES: Final = 600  # characters of lines and what leads to them: as a sentence
_NUMBERED: Final = re.compile(r"^\d{1,2}(?:\.\d{1,2})*[.)]?\s+(?=[^\W\d])")
_LEADER: Final = re.compile(r"(?:[.\u00b7\u2026]\s?){4}")
_ENTRY: Final = re.compile(  # from the first dot on: from each, 100,000 took two minutes
    r"(?<![.\u00b7\u2026])(?<![.\u00b7\u2026]\s)(?:[.\u00b7\u2026]\s?){4,}\s*(\d{1,4})\b"
)
_FEWEST_ENTRIES: Final = 3
_INDEXED: Final = re.compile(
    r"^[^\W\d][^\d\n]{1,60}, \d{1,4}(?:(?:, |[-\u2013])\d{1,4})*$", re.MULTILINE
)
_FEWEST_INDEXED: Final = 5
_ANNOUNCES: Final = re.compile(
    r"\b(?:(?P<below>the following|as follows|folgende[nrsm]?|wie folgt|suivante?s?|ci-dessous"
    r"|siguientes?|seguenti|seguintes?|volgende)|these(?=(?: [\w-]+){0,2}\W*$))\b",
    re.IGNORECASE,
)
"""What points to the list below: "You need the following.", "in these steps"."""
_COMMAND: Final = re.compile(r"(?:[$>%#] )?(?:[A-Z_]+=\S* )*[a-z~./@$][\w./@:+-]*\s+\S")
"""How lines for a shell begin: "make layers", "$ ./run --all", "STAGE=dev make up"."""

_BARE_NOUN: Final = re.compile(
    r"\b(?:the|der|die|das|de[mns]|le|la|les|el|los|las|il|lo|gli)\s+([^\W\d_]{4,})\b"
    r"(?!\s+(?:of|for|in|at|on|to|from|with|de[rsmn]?|du|d'|f\u00fcr|von|vom|im|am|zum|zur|pour|para|di|del\w*|per)\b)",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(
    r"the|an?|der|die|das|eine?|les?|la|une?|el|l[ao]s|il|lo|gli|i|os?|as?|uma?|de|het|een"
)
_GOES_ON: Final = re.compile(
    r"(?:;|\b(?:and|but|und|aber|et|mais|y|e|pero|ma|mas|en|maar))\s+(?!then\b|dann\b)"
)
"""Before a clause about the subject of the clause that it is joined to: "; her captain"."""


def in_context(
    words: Words, row: Row | None, *, question: str, is_foreign: bool = False
) -> SentenceInContext:
    """Return a sentence as it stands: under its headings, in its passage."""
    block = words.block
    of_table = row.heading if row else ""
    asked, other_days = row.on_days_of(question) if row else (None, "")
    return SentenceInContext(
        text=(asked and asked.spoken) or words.text,
        other_days=other_days,
        governing="\n".join(
            (
                *(_NUMBERED.sub("", above) for above in (*words.section, *_above(words, row))),
                of_table,
            )
        ),
        passage=block.text,
        title=_called(block, question),
        referred="" if row else " ".join(_referred(words)),  # "IT" in a cell means nothing before
        page=words.page.text,
        is_named_row=row is not None and row.is_named_in(question),
        is_foreign=is_foreign,
    )


def _called(block: Block, question: str) -> str:
    """Return what a document is called, and two words of a question that its name joins.

    A file of American Express is AMERICANEXPRESS_2022.
    """
    words = [word.casefold() for word in PART.findall(block.called)]
    asked = PART.findall(question)
    return " ".join(
        (
            block.called,
            *(
                f"{one} {other}"
                for one, other in pairwise(asked)
                if f"{one}{other}".casefold() in words
            ),
        )
    )


def is_heading(words: Words) -> bool:
    """Say whether words are a heading where they stand: a question above its answer, too."""
    at = _place(words)
    return at < len(spans_of(words.page)) and _headings(words.page)[at]


def without_section_number(words: Words) -> str:
    """Return words, a heading of the file without its number: "2.7 Voltage" gives no voltage."""
    is_of_file = any(heading.start == words.start for heading in words.page.headings)
    return _NUMBERED.sub("", words.text) if is_of_file else words.text


def is_in_contents(words: Words) -> bool:
    """Say whether words are a line of contents or of an index: it names what stands elsewhere.

    In a list of prices the figures behind the dots do not rise from line to line.
    """
    if _INDEXED.fullmatch(words.text):
        return _is_index(words.page.text)
    # Leaders with spaces, ". . . .", end a sentence at the first dot.
    if not _LEADER.search(words.page.text, words.start, words.end + len(" . . .")):
        return False
    pages = [int(found[1]) for found in _ENTRY.finditer(words.page.text)]
    return len(pages) >= _FEWEST_ENTRIES and pages == sorted(pages) and pages[0] < pages[-1]


@lru_cache(maxsize=64)  # pages: each line of an index asks again
def _is_index(text: str) -> bool:
    """Say whether a page has lines of an index, in the order of the alphabet: "Gate, 4, 9"."""
    lines = [line.casefold() for line in _INDEXED.findall(text)]
    return len(lines) >= _FEWEST_INDEXED and lines == sorted(lines)


def read_after(words: Words) -> str:
    """Return what has to be read before words to understand them.

    A question, a list's lead-in, or the heading that a term stands under: "Exit status", over "3".
    """
    headings, texts, at = _headings(words.page), _texts(words.page), _place(words)
    if at < len(texts) and texts[at] != words.text and _explained_at(words.page, at) is not None:
        over = _over(words.page, words.start, _headings_above(words.page, at))
        return texts[over[0]] if over else ""
    if is_item(words.text):
        lead = _lead(words)
        if lead is None:
            return ""
        above = next((n for n in range(lead - 1, -1, -1) if headings[n]), None)
        return " ".join(texts[n] for n in (above, lead) if n is not None)
    heading = next((n for n in range(at - 1, -1, -1) if headings[n]), None)
    return texts[heading] if heading is not None and texts[heading].endswith("?") else ""


def lead_of(words: Words, *, is_any: bool = False) -> Words | None:
    """Return the clause that an item of a list ends; None where a heading or a label is over it.

    Of "Do not put in the machine:" and below it "copper" the second alone says the contrary, also
    where a clause that denies is as short as a label: "You may not:". Where it `is_any`, a heading
    or a label is one too.
    """
    lead = _lead(words) if is_item(words.text) else None
    if lead is None:
        return None
    above = _texts(words.page)[lead]
    is_title = _headings(words.page)[lead] or is_label(above)
    if is_title and not (is_any or is_negated(above)):
        return None
    span = spans_of(words.page)[lead]
    return replace(words, start=span.start, end=span.end)


def _lead(words: Words) -> int | None:
    """Return what leads into the list that an item is of: the sentence above its first item.

    Or the one before that, if it says of the list that it follows: "You need the following parts.
    These numbers are no limits."
    """
    texts, at = _texts(words.page), _place(words)
    lead = next((n for n in range(at - 1, -1, -1) if not is_item(texts[n])), None)
    if lead and not texts[lead].endswith(":") and _tells_of_below(words.page, lead - 1):
        return lead - 1
    return lead if lead is not None and _leads(texts[lead]) else None


def _tells_of_below(page: PageText, at: int) -> bool:
    """Say whether a sentence with another behind it in its paragraph announces what follows."""
    text, spans = _texts(page)[at], spans_of(page)
    is_apart = "\n\n" in page.text[spans[at].end : spans[at + 1].start]
    if is_apart or _headings(page)[at] or is_item(text) or not announces(text):
        return False
    return any(found["below"] for found in _ANNOUNCES.finditer(text))


def _leads(text: str) -> bool:
    return text.endswith(":") or announces(text)


def announces(text: str) -> bool:
    """Say whether a sentence points to a list below it, and says little without: "these steps"."""
    return is_ended(text) and _ANNOUNCES.search(text) is not None


def with_one_before(words: Words) -> Words | None:
    """Return words with the sentence before them in their paragraph."""
    page, at = words.page, _place(words)
    spans = spans_of(page)
    if not at or _headings(page)[at - 1] or is_item(words.text):
        return None
    before = spans[at - 1]
    if "\n\n" in page.text[before.end : words.start]:
        return None
    return replace(words, start=before.start)


def next_to(words: Words) -> Words | None:
    """Return the sentence after one in its paragraph, or below a heading."""
    page, at = words.page, _place(words)
    spans, headings = spans_of(page), _headings(page)
    if at + 1 >= len(spans) or headings[at + 1] or is_item(_texts(page)[at + 1]):
        return None
    following = spans[at + 1]
    if not headings[at] and "\n\n" in page.text[words.end : following.start]:
        return None
    return replace(words, start=following.start, end=following.end)


def with_its_term(words: Words) -> Words:
    """Return the first sentence of a definition with the terms above it, and others as they are.

    "-v, --verbose", and below it "Say more.": it does not name what it explains. Nor does a value
    below its label, "Affiliation:".
    """
    page, at = words.page, _place(words)
    first = at
    while first and not is_item(words.text) and _explained_at(page, first - 1) == at:
        first -= 1
    if is_label(_texts(page)[first]) and not is_ended(words.text):
        return words  # the label leads to lines, of which this is one
    return words if first == at else replace(words, start=spans_of(page)[first].start)


def list_under(words: Words, *, leads: bool = False) -> tuple[Words, Words] | None:
    """Return what leads into a list, beginning with some words, and the list with its lead.

    None where none follows, or a long one. Where a paragraph stands between a heading and its
    numbered steps, both lead into it, and the list is the steps alone. A heading leads into a list,
    what ends in a colon, and what announces one; any sentence before one where the caller knows
    that it `leads`. An item leads into those that are indented deeper: "(1) Without consent:", over
    "a) hamsters".
    """
    page, texts, at = words.page, _texts(words.page), _place(words)
    spans, headings = spans_of(page), _headings(page)
    is_lead = at < len(spans) and (leads or _leads(texts[at]) or headings[at])
    is_clause = is_lead and is_item(words.text) and not headings[at]
    if not is_lead or (is_clause and not texts[at].endswith(":")):
        return None
    first = at + 1
    if headings[at] and not texts[at].endswith(":"):
        below = range(first, len(spans))
        ends = next((n for n in below if headings[n] or is_item(texts[n])), first)
        if ends > first and not headings[ends] and _item_number(texts[ends]) == 1:
            first = ends
    last, items = first - 1, 0
    for following in range(first, len(spans)):
        goes_on = "\n" not in page.text[spans[following - 1].end : spans[following].start]
        goes_on = goes_on or following in _between_steps(page)
        if is_clause and not _is_deeper(page, spans[following].start, words.start):
            break
        if headings[following] or not (is_item(texts[following]) or (items and goes_on)):
            break
        last, items = following, items + is_item(texts[following])
    start = words.start if first == at + 1 else spans[first].start
    end = spans[last].end
    if items < len("ab") or items > _MOST_ITEMS or end - start > _LONGEST_LIST:
        return None
    lead = replace(words, end=spans[first - 1].end)
    return lead, replace(words, start=start, end=end)


def lines_under(words: Words, *, commands: bool) -> Words | None:
    """Return what leads to lines of another kind with those lines: a command, an address.

    They end at a blank line, a heading of the file, a sentence, an item and a labelled line. None
    for what leads to anything else. What ends in a colon leads to any, and to `commands` whatever
    stands over them.
    """
    page, texts, at = words.page, _texts(words.page), _place(words)
    spans = spans_of(page)
    if at >= len(spans) or is_row(texts[at]):
        return None
    if not (texts[at].endswith(":") or (commands and _is_over_command(page, at))):
        return None
    of_file = {heading.start for heading in page.headings}
    last = at
    for following in range(at + 1, len(spans)):
        is_apart = "\n\n" in page.text[spans[following - 1].end : spans[following].start]
        text = texts[following]
        is_apart = (is_apart and last > at) or spans[following].start in of_file
        if is_apart or not _is_line(text):
            break
        last = following
    end = spans[last].end
    if last == at or end - words.start > _LONGEST_LINES:
        return None
    return replace(words, end=end)


def _is_over_command(page: PageText, at: int) -> bool:
    """Say whether a heading or a sentence stands over lines for a shell."""
    texts, spans = _texts(page), spans_of(page)
    if at + 1 >= len(texts) or not (_headings(page)[at] or is_ended(texts[at])):
        return False
    below = texts[at + 1]
    begins_line = "\n" in page.text[spans[at].end : spans[at + 1].start]
    is_command = _COMMAND.match(below) is not None and _COMMAND.match(texts[at]) is None
    return begins_line and is_command and _is_line(below)


def over_command(words: Words) -> bool:
    """Say whether the lines that some words lead to are for a shell, by the first of them."""
    _, *below = (line.strip() for line in words.text.splitlines() if line.strip())
    return bool(below) and _COMMAND.match(below[0]) is not None


def _is_line(text: str) -> bool:
    """Say whether a line is no sentence, lead, item, label or row; "pip install ." is one."""
    is_sentence = (is_ended(text) and not text.endswith(" .")) or text.endswith(":")
    return not (is_sentence or is_item(text) or is_labelled(text) or is_row(text))


def _above(words: Words, row: Row | None) -> list[str]:
    """Return the headings, what leads into a list, and the sentences that "it" refers to."""
    page, at = words.page, _place(words)
    texts = _texts(page)
    found = [texts[n] for n in _over(page, words.start, _headings_above(page, at))]
    if title := own_title(words):
        found.append(title)
    before = texts[max(0, at - _REACH) : at][::-1]
    if is_item(words.text):
        found += [text for text in before if not is_item(text)][:1]
        found += [page.text[slice(*item)] for item in items_around(page.text, words.start)]
    if row is not None:  # what is said before a table, behind another one, is said of its rows
        up = dropwhile(is_row, before)
        return found + [*takewhile(lambda text: not is_row(text), up)][:_BACK]
    return [*found, *_labels(page, at), *_referred(words)]


def own_title(words: Words) -> str:
    """Return the title that a text has over its words, and that a plain file states nowhere else.

    It is the first line of the first page, where that is a heading and no label; "" elsewhere.
    """
    page = words.page
    if page.number > 1 or not _place(words) or not _headings(page)[0]:
        return ""
    first = _texts(page)[0]
    return "" if is_label(first) else first


def _headings_above(page: PageText, at: int) -> list[int]:
    headings = _headings(page)
    return [n for n in range(at - 1, max(-1, at - 1 - _REACH), -1) if headings[n]]


def _over(page: PageText, start: int, above: Sequence[int]) -> list[int]:
    """Return the headings that a text stands under, the nearest first.

    A term with its definition indented below it is none of what is indented less, and nothing
    stands under two options of a command, or two labels with their values.
    """
    spans, outer, others = spans_of(page), list[int](), list[int]()
    line = page.text[start : start + _LONGEST_HEADING].partition("\n")[0]
    told, labels = line if _is_term(line) else "", list[int]()
    at = start
    for n in above:
        text = _texts(page)[n]
        has_value = is_label(text) and not _headings(page)[n + 1]
        if told and (is_options(text) or has_value):
            labels += [n] if has_value else []
            continue
        told = told or (text if _is_term(text) else "")
        explained = _explained_at(page, n)
        if explained is not None and _is_deeper(page, spans[explained].start, at):
            continue
        others.append(n)
        if _is_deeper(page, at, spans[n].start):
            outer.append(n)
            at = spans[n].start
    if outer:
        return outer
    leads = len(list(takewhile(lambda n: _texts(page)[n].endswith(":"), others)))
    # "Ingredients:" stands under the name of a dish
    return others[: leads + 1] + _first_value(page, told, labels)


def _first_value(page: PageText, told: str, labels: Sequence[int]) -> list[int]:
    """Return the first value of the form that a label is in, and its label: whom that is about.

    Of `labels` above it, the nearest first, the form has those up to one that comes again: the next
    person's form is another.
    """
    texts = _texts(page)
    if not labels or told.strip() == texts[labels[-1]]:
        return []
    seen, own = {told.strip()}, list[int]()
    for n in labels:
        if texts[n] in seen:
            break
        seen.add(texts[n])
        own.append(n)
    return [own[-1] + 1, own[-1]] if own and not is_ended(texts[own[-1] + 1]) else []


def _is_term(text: str) -> bool:
    """Say whether a line says of what the lines below it speak: options, or a label."""
    return is_options(text) or is_label(text)


def _explained_at(page: PageText, term: int) -> int | None:
    """Return the sentence that is indented on the line below a term; None for other headings.

    "-v" and "--verbose" on lines of their own are explained together.
    """
    called = _texts(page)[term]
    if not _headings(page)[term] or (called[0].isalpha() and called.isupper()):  # a section's own
        return None
    return _explained(page)[term]


@lru_cache(maxsize=64)  # pages: each line of a table of 400 asked all those below
def _explained(page: PageText) -> tuple[int | None, ...]:
    """Return for each sentence the one indented below it, or below the headings that follow it.

    What an option does stands below it, though the page has lost its indentation or parts them,
    and so does what a label is of.
    """
    spans, headings, texts = spans_of(page), _headings(page), _texts(page)
    found: list[int | None] = [None] * len(spans)
    for above, below in reversed(list(pairwise(range(len(spans))))):
        is_term = _is_term(texts[above])
        if page.text[spans[above].end : spans[below].start].count("\n") not in {1, 1 + is_term}:
            continue
        if _is_deeper(page, spans[below].start, spans[above].start) or (
            is_term and not headings[below]
        ):
            found[above] = below
        elif headings[below] and not _is_deeper(page, spans[above].start, spans[below].start):
            is_alike = is_options(texts[above]) or not _is_term(texts[below])
            found[above] = found[below] if is_alike else None
    return tuple(found)


def _is_deeper(page: PageText, one: int, other: int) -> bool:
    """Say whether the line of one place of a page is indented more than that of another."""
    return _indentation(page, one) > _indentation(page, other)


def _indentation(page: PageText, place: int) -> int:
    """Return the columns before the line that a place of a page stands on."""
    start = page.text.rfind("\n", 0, place) + 1
    line = page.text[start : start + _LONGEST_INDENTED].partition("\n")[0].expandtabs(_TAB)
    return len(line) - len(line.lstrip())


def _referred(words: Words) -> list[str]:
    """Return the sentences before that an "it" refers to, or "the tank" to a "water tank"."""
    at = _place(words)
    found: list[str] = []
    before = _texts(words.page)[max(0, at - _BACK) : at][::-1]
    for following, text in pairwise([words.text, *before]):
        if not (_refers_back(following) or _takes_up(following, text)):
            break
        found.append(text)
    return found


def _refers_back(text: str) -> bool:
    """Say whether a sentence means by "it" what was spoken of before, not a subject of its own."""
    of_its_own = {
        goes_on.end() for goes_on in _GOES_ON.finditer(text) if _begins_with_subject(text)
    }
    return any(found.start() not in of_its_own for found in REFERS_BACK.finditer(text))


def _begins_with_subject(text: str) -> bool:
    """Say whether it begins with an article or a word that tells something: no "If", no "In"."""
    first = PART.search(text)
    word = first[0].casefold() if first else ""
    return word not in SMALL_IN_ANY or _ARTICLE.fullmatch(word) is not None


def _takes_up(following: str, text: str) -> bool:
    """Say whether a sentence speaks of a thing by a noun alone that the one before has."""
    nouns = [noun.casefold() for noun in _BARE_NOUN.findall(following)]
    said = PART.findall(text)
    # The Tank is a Wassertank; the table, in small letters, is no vegetable.
    return any(
        word.casefold() == noun or (word[0].isupper() and word.casefold().endswith(noun))
        for noun in nouns
        for word in said
    )


def _labels(page: PageText, at: int) -> list[str]:
    """Return the few words, each with a stop, that a paragraph begins with and is about, if any.

    "Article 4. Late return. Each hour ..." begins with two.
    """
    spans, texts = spans_of(page), _texts(page)
    headings = {heading.start for heading in page.headings}
    first = min(at, len(spans) - 1)
    while first and not (first < at and (is_item(texts[first]) or spans[first].start in headings)):
        if "\n\n" in page.text[spans[first - 1].end : spans[first].start]:
            break
        first -= 1
    return list(takewhile(_is_short, texts[first:at]))


def _is_short(text: str) -> bool:
    return not is_label(text) and len(_NUMBERED.sub("", text).split()) <= _LONGEST_LABEL


def _place(words: Words) -> int:
    spans = spans_of(words.page)
    return next((n for n, span in enumerate(spans) if span.start >= words.start), len(spans))


@lru_cache(maxsize=64)  # pages: each sentence that is looked at asks again
def _headings(page: PageText) -> tuple[bool, ...]:
    """Return for each sentence of a page whether it is a heading.

    A number before it makes it an item only where the number before or after stands next to it, and
    no heading of the file stands there: section 5 goes on with no list of four.
    """
    spans, texts, between = spans_of(page), _texts(page), _between_steps(page)
    of_file = {heading.start for heading in page.headings}
    listed = [n for n in range(len(spans)) if n not in between]
    numbers = (None, *(_item_number(texts[n]) for n in listed), None)
    is_next = {
        n: number is None or number - 1 == above or number + 1 == below
        for n, above, number, below in zip(listed, numbers, numbers[1:], numbers[2:], strict=False)
    }
    found: list[bool] = []
    for at, (span, text) in enumerate(zip(spans, texts, strict=True)):
        is_open = not is_ended(text) or text.endswith("?")
        begins_line = "\n" in page.text[max(0, span.start - 1) : span.start] or not span.start
        ends_line = page.text[span.end : span.end + 1] in {"", "\n"}
        is_of_list = is_item(text) and span.start not in of_file and is_next.get(at, True)
        found.append(
            len(text) <= _LONGEST_HEADING
            and is_open
            and at not in between
            and ((begins_line and ends_line) or not text.endswith("?"))
            and not is_of_list
            and not is_row(text)
            and not (is_entry(text) and any(map(is_entry, _beside(texts, at))))
            and not (_is_below_term(page, at) and not _is_term(text))
            and any(map(str.isalnum, text))  # a line that is drawn under a heading is none
        )
    return tuple(found)


def _beside(texts: Sequence[str], at: int) -> Sequence[str]:
    return (*texts[max(0, at - 1) : at], *texts[at + 1 : at + 2])


def _is_below_term(page: PageText, at: int) -> bool:
    """Say whether a line says what the options on the line above do, or is the value of a label."""
    if not at or not _is_term(above := _texts(page)[at - 1]):
        return False
    between = page.text[spans_of(page)[at - 1].end : spans_of(page)[at].start]
    is_of_file = any(heading.start == spans_of(page)[at].start for heading in page.headings)
    return not is_of_file and (is_label(above) or "\n\n" not in between)


@lru_cache(maxsize=64)
def _between_steps(page: PageText) -> frozenset[int]:
    """Return the lines of another kind that a numbered step leads to, before the next step.

    "1. Stop it:", below it the command, and "2. Start it." are one list.
    """
    texts = _texts(page)
    found: set[int] = set()
    for at, text in enumerate(texts):
        number = _item_number(text)
        if number is None or not text.endswith(":"):
            continue
        below = range(at + 1, min(len(texts), at + 2 + _MOST_BETWEEN_STEPS))
        following = next((n for n in below if is_item(texts[n])), at)
        if _item_number(texts[following]) == number + 1:
            found.update(range(at + 1, following))
    return frozenset(found)


def _item_number(text: str) -> int | None:
    match = ITEM_NUMBER.match(text)
    return int(match[1]) if match and match[1] else None


@lru_cache(maxsize=64)
def _texts(page: PageText) -> tuple[str, ...]:
    return tuple(page.text[span.start : span.end] for span in spans_of(page))
