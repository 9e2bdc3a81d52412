"""The documentation says what is there, in the words of the field, and in one form."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.test_repository import ROOT, relative, tracked

PAGES: Final = tracked("README.md", "CONTRIBUTING.md", "docs/*.md")
LIFETIMES: Final = ROOT / "docs/reference/lifetimes.md"
RECORDS: Final = sorted((ROOT / "docs/decisions").glob("0*.md"))
HOUSE_WORDS: Final = {
    r"floods?|flooded": "near-duplicates, many requests",
    r"tried (model|beside)|model that is tried|tries beside": "shadow model",
    r"held": "reserved, compared, under a lease",
    r"voices?": "weight",
    r"standing": "page status",
    r"furniture": "running headers and footers",
    r"is told|are told": "receives",
    r"of one's own": "your own, its own",
    r"stands? for": "represents",
    r"met by": "matched by",
    r"strangers?": "unknown senders, uploaded files",
    r"dearest|dearer": "most expensive",
    r"lawful": "correct",
    r"without a word|without a say": "silently",
}
"""Words that only this project used in their sense, and what the field says."""
PLACES: Final = (
    ROOT,
    ROOT / "layers/core/python",
    ROOT / "layers/core/python/pulsedocs",
    ROOT / "tests",
)
"""Where a path may begin; also beside its page."""
MADE: Final = {
    ".local/endpoint.json": "by make up",
    ".stages/dev.json": "by cdk deploy",
    "build/durations.txt": "by make test",
    "build/flaky.txt": "by make test-all",
    "build/here": "by tests/runtime",
    "tests/released.json": "by make release",
    "corpus.jsonl": "by BEIR",
    "queries.jsonl": "by BEIR",
    "qrels.tsv": "by BEIR",
    "questions.jsonl": "by whoever measures",
    "pdfs/": "by whoever measures",
    "usecases/": "gone, which decision 0043 says",
    "queries/": "gone, which decision 0043 says",
}
"""Paths that are not in git, and who makes them."""
TOPS: Final = "pulsedocs|pulsedocs_cli|functions|infra|local|evaluation|benchmarks|tests"
_FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE: Final = re.compile(r"`([^`\n]+)`")
_SUFFIX: Final = r"\.(?:py|sql|md|toml|json|jsonl|sh|txt|tsv)"
_FILE: Final = re.compile(rf"(?:\.?[\w-]+/)*[\w.-]+{_SUFFIX}")
_FOLDER: Final = re.compile(r"(?:[\w-]+/)+[\w-]*")
_MODULE: Final = re.compile(rf"(?:{TOPS})(?:\.\w+)+")
_IMPLEMENTS: Final = re.compile(r"Implements `(\w+\.[\w.]+)`")
_DEFINED: Final = r"^(?: *(?:def|class) )?{}\b"
_SCOPE: Final = re.compile(r"pulsedocs/(?:read|write|admin)")
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    """Return what people wrote: no code, no names."""
    return _CODE.sub("", _FENCE.sub("", page.read_text("utf-8")))


@pytest.mark.parametrize("word", HOUSE_WORDS)
def test_the_words_of_the_field_are_used(word: str) -> None:
    """Each said something else here than elsewhere."""
    pattern = re.compile(rf"\b(?:{word})\b", re.IGNORECASE)

    found = [
        f"{relative(page)}: {hit[0]}" for page in PAGES for hit in pattern.finditer(prose(page))
    ]

    assert found == [], f"say: {HOUSE_WORDS[word]}"


def named(pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    """Yield each name of a kind with its page; the test behind a file's `::` is another test's."""
    for page in PAGES:
        for code in _CODE.findall(_FENCE.sub("", page.read_text("utf-8"))):
            name = code.partition("::")[0]
            if pattern.fullmatch(name) and name not in MADE:
                yield page, name


def lies_somewhere(page: Path, name: str) -> bool:
    return any((place / name).exists() for place in (page.parent, *PLACES))


def test_every_file_that_is_named_is_there() -> None:
    """A bare name may lie anywhere in git."""
    bare = {path.name for path in tracked()}

    missing = [
        f"{relative(page)}: {name}"
        for page, name in named(_FILE)
        if name not in bare and not lies_somewhere(page, name)
    ]

    assert missing == []


def test_every_folder_that_is_named_is_there() -> None:
    """Prefixes of the bucket, content types and scopes look like folders and are none."""
    prefixes = set(re.findall(r"^\| `(\w+/)` \|", LIFETIMES.read_text("utf-8"), re.MULTILINE))
    folders = {f"{folder.name}/" for path in tracked() for folder in path.parents}

    missing = [
        f"{relative(page)}: {name}"
        for page, name in named(_FOLDER)
        if f"{name.partition('/')[0]}/" not in prefixes
        and name.partition("/")[0] not in {"application", "image", "message", "text"}
        and not _SCOPE.fullmatch(name)
        and name not in folders
        and not lies_somewhere(page, name)
    ]

    assert missing == []


def test_every_module_that_is_named_is_there() -> None:
    missing = [f"{relative(page)}: {name}" for page, name in named(_MODULE) if not is_there(name)]

    assert missing == []


def test_every_port_that_a_class_implements_is_there() -> None:
    missing = [
        f"{relative(file)}: {name}"
        for file in tracked("*.py")
        for name in _IMPLEMENTS.findall(file.read_text("utf-8"))
        if not is_there(name)
    ]

    assert missing == []


def is_there(name: str) -> bool:
    """Say whether a dotted name is a module, or something that a module defines."""
    module, _, last = name.rpartition(".")
    path = module.replace(".", "/")
    files = [place / f"{path}{end}" for place in PLACES for end in (".py", "/__init__.py")]
    texts = [file.read_text("utf-8") for file in files if file.exists()]
    return (
        any((place / name.replace(".", "/")).is_dir() for place in PLACES)
        or any((place / f"{name.replace('.', '/')}.py").exists() for place in PLACES)
        or any(re.search(_DEFINED.format(last), text, re.MULTILINE) for text in texts)
    )


def test_every_link_leads_somewhere() -> None:
    """A heading too, where the link names one."""
    missing = [
        f"{relative(page)}: {link}"
        for page in PAGES
        for link in _LINK.findall(page.read_text("utf-8"))
        if "://" not in link and not leads_somewhere(page, link)
    ]

    assert missing == []


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, heading = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not heading or heading in anchors(target))


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_decisions_are_numbered_from_one_on_and_titled_with_their_numbers() -> None:
    assert [record.name[:4] for record in RECORDS] == [
        f"{number:04}" for number in range(1, len(RECORDS) + 1)
    ]
    assert [
        record.name
        for record in RECORDS
        if not record.read_text("utf-8").startswith(f"# {record.name[:4]}. ")
    ] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_decision_has_four_parts_and_half_a_page(record: Path) -> None:
    text = record.read_text("utf-8")

    parts = ("Context", "Decision", "What it costs", "What would change our mind")
    places = [text.find(f"\n**{part}.**") for part in parts]

    assert -1 not in places, "a part is missing"
    assert places == sorted(places)
    assert len(text.split()) <= 500  # tables and their figures among them


def test_the_first_words_say_what_each_stage_costs_while_nobody_uses_it() -> None:
    """Failed: of prod, whose database never pauses, the front page said nothing."""
    cost = (ROOT / "docs/reference/cost.md").read_text("utf-8")
    first = (ROOT / "README.md").read_text("utf-8").partition("\n## ")[0]
    idle = re.findall(r"an idle month\n.*?\*\*together\*\* \|[ |]*\*\*([\d.]+)", cost, re.DOTALL)

    assert len(idle) == 3
    assert [each for each in idle if f"${each}" not in first] == []
