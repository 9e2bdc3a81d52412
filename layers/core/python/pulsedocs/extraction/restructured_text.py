"""The tree that docutils makes of a reStructuredText file, as text.

Nothing a file says is carried out: no other file is read, no date is put in. Directives and roles
that only Sphinx knows keep their words; docutils would drop the one and complain of the other.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.core import (
    publish_doctree,  # pyright: ignore[reportUnknownVariableType] -- untyped arguments
)
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.utils import unescape

from pulsedocs.errors import FileUnreadable, ResourceExhausted, TooMuchText
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.counting import written
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.scripts import raised
from pulsedocs.extraction.table_cells import LONGEST_CELL, Table
from pulsedocs.model.tables import MOST_COLUMNS, MOST_ROWS

_PARSER = "docutils"
_WITHOUT_TEXT = ("date", "include", "index", "literalinclude", "raw", "toctree")
_LONGEST_LINE = 100_000  # also what a substitution may grow to
_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "line_length_limit": _LONGEST_LINE,
    "raw_enabled": False,
    "report_level": 5,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "warning_stream": False,
}
_NO_TEXT = (
    nodes.comment,
    nodes.decoration,
    nodes.image,
    nodes.meta,
    nodes.pending,
    nodes.raw,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.target,
)
_LISTS = (nodes.bullet_list, nodes.enumerated_list)
_PARAGRAPHS = (
    *_LISTS,
    nodes.Admonition,
    nodes.block_quote,
    nodes.caption,
    nodes.compound,
    nodes.container,
    nodes.definition_list,
    nodes.field_list,
    nodes.legend,
    nodes.line_block,
    nodes.option_list,
    nodes.paragraph,
    nodes.rubric,
    nodes.table,
    nodes.title,
    nodes.topic,
    nodes.sidebar,
    nodes.transition,
)
_LINES = (
    nodes.attribution,
    nodes.citation,
    nodes.definition,
    nodes.field,
    nodes.footnote,
    nodes.line,
    nodes.option_list_item,
    nodes.subtitle,
    nodes.term,
)
_LEADS = (nodes.field_name, nodes.label, nodes.option_group)
_NAMED = (
    nodes.attention,
    nodes.caution,
    nodes.danger,
    nodes.error,
    nodes.hint,
    nodes.important,
    nodes.note,
    nodes.tip,
    nodes.warning,
)
_VERBATIM = (nodes.literal_block, nodes.doctest_block, nodes.math_block)
_COUNTED = {
    "arabic": "decimal",
    "loweralpha": "lowerLetter",
    "lowerroman": "lowerRoman",
    "upperalpha": "upperLetter",
    "upperroman": "upperRoman",
}
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z0-9][\w.:+-]*?)[ \t]?::(?!\S)")
_ROLE = re.compile(r":([A-Za-z0-9][\w.:+-]{0,80}):`")
_ROLE_TARGET = re.compile(r"\s*<[^<>]*>\s*$")


def open_restructured_text(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    text = decoded(body)
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > _LONGEST_LINE:
            raise TooMuchText(
                f"line {number} has {len(line)} characters;"
                f" a line of reStructuredText may have {_LONGEST_LINE}"
            )
    # Teach docutils the names in a file that it would stumble over.
    for name in {found.lower() for found in _DIRECTIVE.findall(text)} - set(en.directives):
        directives.register_directive(name, _Contents)
    for name in _WITHOUT_TEXT:
        directives.register_directive(name, _Nothing)
    for name in {found.lower() for found in _ROLE.findall(text)} - set(en.roles):
        roles.register_local_role(name, _words_of_role)
    try:
        tree = cast("nodes.document", publish_doctree(text, settings_overrides=dict(_SETTINGS)))
    except (MemoryError, RecursionError) as error:
        raise ResourceExhausted("the parts of the file lie too deep in each other") from error
    except Exception as error:
        raise FileUnreadable(f"docutils cannot read the file ({type(error).__name__})") from error
    prose = Prose()
    _Walk(prose).through(tree)
    return ProseFile([prose], parser=_PARSER, budgets=budgets)


class _Contents(Directive):
    """Stands for directives that docutils does not know: what is in them is read."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = defaultdict(
        lambda: directives.unchanged, {"class": directives.unchanged}
    )

    def run(self) -> list[nodes.Node]:
        holder = nodes.container()
        for argument in self.arguments:
            words, _ = self.state.inline_text(argument, self.lineno)
            holder += nodes.paragraph(argument, "", *words)
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [holder]


class _Nothing(_Contents):
    """Stands for directives that name other files, or whose text is not the same every day."""

    def run(self) -> list[nodes.Node]:
        return []


def _words_of_role(name: str, source: str, text: str, *_: object, **__: object) -> tuple[Any, Any]:
    """Return the words of `text <target>`, as docutils wants the answer of a role."""
    del name
    words = unescape(text)
    return [nodes.inline(source, _ROLE_TARGET.sub("", words) or words)], []


class _Walk:
    """Goes through a tree without recursion."""

    def __init__(self, prose: Prose) -> None:
        self._prose = prose
        self._verbatim = 0
        self._depth = 0
        self._lists = 0  # around
        self._places: dict[int, int] = {}  # how many items of a list came
        self._tables: list[Table] = []  # those around
        self._cell: int | None = None  # where the open cell begins that is one line

    def through(self, root: nodes.Node) -> None:
        pending: list[tuple[nodes.Node, bool]] = [(root, False)]
        while pending:
            node, is_done = pending.pop()
            if is_done:
                self._end(node)
            elif isinstance(node, nodes.Text):
                add = self._prose.verbatim if self._verbatim else self._prose.words
                is_raised = isinstance(node.parent, nodes.superscript)
                add(raised(node.astext()) if is_raised else node.astext())
            elif isinstance(node, nodes.footnote_reference | nodes.citation_reference):
                self._prose.words(f"[{node.astext()}]")
            elif isinstance(node, _LEADS):
                words = node.astext()
                if isinstance(node, nodes.label):  # of a footnote
                    words = f"[{words}]"
                elif isinstance(node, nodes.field_name):
                    words = f"{words}:"
                self._prose.lead(words)
            elif not isinstance(node, _NO_TEXT) and not (
                # A table of contents, which says the headings once more.
                isinstance(node, nodes.topic) and "contents" in node["classes"]
            ):
                self._begin(node)
                pending.append((node, True))
                pending += ((child, False) for child in reversed(node.children))

    def _begin(self, node: nodes.Node) -> None:
        if isinstance(node, nodes.section):
            self._depth += 1
        elif _is_heading(node):
            self._prose.begin_heading(max(1, self._depth))
        elif isinstance(node, _PARAGRAPHS + _VERBATIM):
            self._begin_paragraph(node)
        elif isinstance(node, _LINES):
            self._begin_line(node)
        elif isinstance(node, nodes.list_item):
            mark, around = "- ", node.parent
            if isinstance(around, nodes.enumerated_list):
                mark = _counted(around, self._place(node))
            self._prose.begin_item(mark, depth=self._lists - 1)
        elif isinstance(node, nodes.row):
            self._begin_row()
        elif isinstance(node, nodes.entry):
            self._begin_cell(node)

    def _begin_paragraph(self, node: nodes.Node) -> None:
        self._prose.paragraph()
        self._verbatim += isinstance(node, _VERBATIM)
        if isinstance(node, nodes.table):
            self._tables.append(Table())
        self._lists += isinstance(node, _LISTS)
        if isinstance(node, _NAMED):
            self._prose.lead(f"{type(node).__name__.capitalize()}:")

    def _begin_row(self) -> None:
        table = self._tables[-1]
        if table.group:
            self._prose.leave_empty(table.width - 1)
        table.begin_row()
        self._prose.begin_row()

    def _begin_cell(self, node: nodes.entry) -> None:
        table = self._tables[-1]
        self._repeat(table.before_cell())
        self._prose.begin_cell(is_first=not table.column)
        is_line = next(node.findall(_in_lines), None) is None
        if is_line and len(node.astext()) <= LONGEST_CELL:
            self._cell = self._prose.begin_line()

    def _end_cell(self, node: nodes.entry) -> None:
        words = None
        if self._cell is not None:
            words, self._cell = self._prose.end_line(self._cell), None
        self._tables[-1].end_cell(
            words,
            across=min(1 + node.get("morecols", 0), MOST_COLUMNS),
            down=min(1 + node.get("morerows", 0), MOST_ROWS),
        )

    def _repeat(self, cells: Iterator[str]) -> None:
        for words in cells:
            self._prose.begin_cell(is_first=not self._tables[-1].column)
            self._prose.words(words)

    def _begin_line(self, node: nodes.Node) -> None:
        """Begin a line, or an item: a term, behind which its definition goes on."""
        if not isinstance(node, nodes.term | nodes.definition) or not _is_explained(node.parent):
            self._prose.line()
        elif isinstance(node, nodes.term):
            self._prose.begin_item("- ", depth=self._lists)
        else:
            self._prose.go_on(":")

    def _place(self, node: nodes.Element) -> int:
        place = self._places.get(id(node.parent), 0)
        self._places[id(node.parent)] = place + 1
        return place

    def _end(self, node: nodes.Node) -> None:
        if isinstance(node, nodes.section):
            self._depth -= 1
        elif _is_heading(node):
            self._prose.end_heading()
        elif isinstance(node, _PARAGRAPHS + _VERBATIM):
            self._prose.paragraph()
            self._verbatim -= isinstance(node, _VERBATIM)
            if isinstance(node, nodes.table):
                self._tables.pop()
            self._lists -= isinstance(node, _LISTS)
        elif isinstance(node, _LINES):
            self._prose.line()
        elif isinstance(node, nodes.entry):
            self._end_cell(node)
        elif isinstance(node, nodes.list_item | nodes.row | nodes.definition_list_item):
            if isinstance(node, nodes.row):
                self._repeat(self._tables[-1].after_cells())
            self._prose.end_marked()


def _counted(around: nodes.enumerated_list, place: int) -> str:
    """Return what stands before the item of a list that so many come before."""
    number = written(int(around.get("start", 1)) + place, _COUNTED[around["enumtype"]])
    return f"{around['prefix']}{number}{around['suffix']} "


def _in_lines(node: nodes.Node) -> bool:
    return isinstance(node, (*_VERBATIM, nodes.table))


def _is_explained(item: nodes.Element) -> bool:
    """Say whether the definition of a term is one paragraph, which stands behind it."""
    return [type(part) for part in item[-1].children] == [nodes.paragraph]


def _is_heading(node: nodes.Node) -> bool:
    return isinstance(node, nodes.title) and isinstance(node.parent, nodes.section)
