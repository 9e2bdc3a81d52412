"""What is in git stays short, explained, and free of addresses that only one machine knows."""

import ast
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("uv", "runtime", "local", "dev", "models", "competitors", "integrations")

# Assembled here, so that this file does not name what it forbids.
REGISTRIES = [
    ".".join(labels)
    for labels in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("huggingface", "co"),
    )
]
# Lambda mounts layers at /opt; `certificates` is a folder of one of them.
MACHINE_PATH = re.compile(
    r"(?<![\w.}<])/(?:work|root|opt/(?!certificates/)\w+|home/\w+|Users/\w+)/"
)
VAGUE_NAMES = {"utils", "util", "helpers", "common", "base", "manager", "misc", "data", "info"}
SUPPRESSION = re.compile(
    r"""\#\s*(?:ruff:\s*)?noqa\b(?::\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)?   # ruff
      | \#\s*(?:pyright|type):\s*(?:ignore|basic|off)\b(?:\[[\w,\s]+\])?  # basedpyright
      | \#\s*fmt:\s*(?:off|skip)                                          # the formatter
      | \#\s*pragma:\s*no\s*cover
    """,
    re.VERBOSE,
)
REASON = re.compile(r"[A-Za-z]{3}")


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],  # noqa: S607 -- the git that checked this out
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    """Read bytes that are not UTF-8, such as those of a sample, as if they were Latin-1."""
    return path.read_bytes().decode("latin-1")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def requirements_of(name: str) -> dict[str, str]:
    """Map each requirement of a lock, with its marker, to the lines that follow it."""
    lock = (ROOT / f"requirements/{name}.txt").read_text()
    found = re.findall(r"^([a-z0-9][^\\\n]*?) \\\n((?:[ ]{4}.*\n)*)", lock, re.MULTILINE)
    return dict(found)


def pins_of(name: str) -> set[str]:
    return {requirement.partition(" ;")[0] for requirement in requirements_of(name)}


def direct(name: str) -> set[str]:
    lines = (ROOT / f"requirements/{name}.in").read_text().splitlines()
    return {line.split(" ")[0] for line in lines if line[:1].isalpha()}


def direct_names(name: str) -> set[str]:
    return {asked.split("==")[0] for asked in direct(name)}


def test_no_file_names_the_host_of_a_registry() -> None:
    named = [
        (relative(path), host) for path in tracked() for host in REGISTRIES if host in text_of(path)
    ]

    assert named == []


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    named = {relative(path): MACHINE_PATH.findall(text_of(path)) for path in tracked()}

    assert {name: paths for name, paths in named.items() if paths} == {}


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_requirement_is_exact_and_hashed(name: str) -> None:
    requirements = requirements_of(name)

    assert requirements
    assert [line for line in requirements if "==" not in line] == []
    assert [line for line, rest in requirements.items() if "--hash=sha256:" not in rest] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_no_address(name: str) -> None:
    lock = (ROOT / f"requirements/{name}.txt").read_text()

    assert re.findall(r"^.*(?:://|--index|--find-links).*$", lock, re.MULTILINE) == []


@pytest.mark.parametrize(("smaller", "larger"), [("runtime", "local"), ("local", "dev")])
def test_what_runs_is_what_is_tested(smaller: str, larger: str) -> None:
    assert pins_of(smaller) <= pins_of(larger)


@pytest.mark.parametrize("name", LOCKS)
def test_every_direct_dependency_says_why_it_is_here(name: str) -> None:
    lines = (ROOT / f"requirements/{name}.in").read_text().splitlines()
    explained = lines[0].startswith("# ")

    unexplained = [line for line in lines if line[:1].isalpha() and " # " not in line]

    assert explained
    assert unexplained == [] or name == "uv"


def test_the_wheel_asks_for_what_the_runtime_lock_holds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert set(project["optional-dependencies"]["server"]) == direct_names("runtime")


def test_the_extra_for_a_stage_on_a_machine_is_what_its_lock_is_made_from() -> None:
    """Without what builds the editable install, and with pip, which fetches the models."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: set(asked) for name, asked in project["optional-dependencies"].items()}

    needed = (direct("local") | direct("ocr")) - {"hatchling"}

    assert extras["local"] - {"pulsedocs[cli,server]", "pip"} == needed - extras["cli"]


def test_the_local_environment_holds_neither_cdk_nor_test_tools() -> None:
    packages = {line.split("==")[0] for line in requirements_of("local")}

    assert (
        packages & {"aws-cdk-lib", "cdk-nag", "pytest", "hypothesis", "ruff", "basedpyright"}
        == set()
    )


def test_every_suppression_has_a_reason_on_its_line() -> None:
    unexplained = [
        f"{relative(path)}:{line}"
        for path in tracked("*.py")
        if SUPPRESSION.search(text_of(path))  # most have none: cutting into tokens is slow
        for line, comment in comments_of(path)
        if SUPPRESSION.search(comment) and not REASON.search(SUPPRESSION.sub("", comment))
    ]

    assert unexplained == []


def comments_of(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def test_functions_are_short() -> None:
    lengths = [
        length for path in tracked("layers/*.py", "functions/*.py") for length in lengths_of(path)
    ]

    assert median(lengths) < 10
    assert quantiles(lengths, n=10)[-1] < 34


def lengths_of(path: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = [
        relative(path) for path in tracked("*.py") if {path.stem, path.parent.name} & VAGUE_NAMES
    ]

    assert vague == []
