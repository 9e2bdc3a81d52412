"""Every command that the documentation shows exists, and takes what is written behind it."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import botocore.session
import click
import pytest
from botocore import xform_name

from infra.config import CDK_COMMAND, OPTION_NAMES, STAGES, TITLE, options_from
from pulsedocs_cli.__main__ import main
from tests.architecture.test_repository import tracked
from tests.guides import blocks

ROOT = Path(__file__).parents[2]
PAGES = [path for path in tracked("*.md") if path.name != "CHANGELOG.md"]
_FENCE = re.compile(r"^```(?:sh|bash)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:make|npx|npm|aws|pulsedocs) [^`\n]+)`")
_PROMPT = re.compile(r"^(?:\.venv(?:-dev)?/bin/)?(make|npx|npm|aws|pulsedocs)\s")
_PLACEHOLDER = re.compile(r"<[\w-]+>")
_CDK = {"bootstrap": False, "deploy": True, "destroy": True, "diff": True, "gc": False}
"""The commands of CDK that are shown, and whether each names stacks. All run the app first."""
_CDK_FLAGS = {"--all", "-c", "--exclusively", "--unstable=gc", "--outputs-file", "--no-rollback"}
_AWS_GLOBAL = {
    *("--query", "--output", "--region", "--profile", "--cli-binary-format"),
    *("--cli-read-timeout", "--zip-file"),
}


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command with the page that shows it, as a shell would split it."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = _INLINE.findall(text)
        for block in _FENCE.findall(text):
            shown += [
                line for line in block.replace("\\\n", " ").splitlines() if _PROMPT.match(line)
            ]
        for command in shown:
            bare = _PLACEHOLDER.sub("dev", re.sub(r"\$\((.*?)\)", "computed", command))
            if "…" not in bare and not re.search(r"[|]", bare):
                yield page.relative_to(ROOT).as_posix(), shlex.split(bare, comments=True)


def shown(program: str) -> list[Any]:
    return [
        pytest.param(words[1:], id=f"{page}: {' '.join(words)[:80]}")
        for page, words in commands()
        if Path(words[0]).name == program
    ]


@cache
def targets() -> frozenset[str]:
    found = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return frozenset(found)


@pytest.mark.parametrize("words", shown("make"))
def test_make_has_the_target(words: list[str]) -> None:
    variables = re.findall(r"\b[A-Z]{3,}\b", (ROOT / "Makefile").read_text())

    for word in words:
        name, is_variable, _ = word.partition("=")
        assert name in (variables if is_variable else targets()), words


@pytest.mark.parametrize(
    ("words", "passed_on"),
    [
        (("token",), ["token"]),
        (("token", "TENANT=a b", "ADMIN=1"), ["token", "--tenant", "a b", "--admin"]),
        (("ask",), ["ask"]),
        (("ask", "QUESTION=Who pays? $$x"), ["ask", "Who pays? $x"]),
    ],
)
def test_make_passes_on_what_it_was_given(
    words: tuple[str, ...], passed_on: list[str], tmp_path: Path
) -> None:
    """Fails when: what was left out arrives as an empty argument."""
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    python = binaries / "python"
    python.write_text('#!/bin/sh\nshift 2\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    (binaries.parent / ".installed").touch()

    ran = subprocess.run(
        [
            *("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL"),  # of `make test` itself
            *("make", "--no-print-directory", "--old-file=.venv/.installed", *words),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.splitlines() == passed_on


@pytest.mark.parametrize("words", shown("pulsedocs"))
def test_pulsedocs_takes_the_command(words: list[str], tmp_path: Path) -> None:
    """Parsed by the command itself; a file or an id in capitals is given one."""
    name, *rest = words
    if name.startswith("-"):
        assert words == ["--help"]
        return
    if words == ["COMMAND", "--help"]:  # any of them
        return
    command = main.get_command(click.Context(main), name)
    assert command is not None, name
    if rest:  # else it is spoken of, not shown
        command.make_context(name, list(_filled(rest, tmp_path)))


def _filled(words: list[str], folder: Path) -> Iterator[str]:
    a_file = folder / "a.md"
    a_file.touch()
    for word in words:
        if word == "FILE" or word.endswith((".md", ".pdf", ".html")):
            yield str(a_file)
        elif word.endswith("/"):
            yield str(folder)
        elif word == "N":
            yield "1"
        else:
            yield str(UUID(int=1)) if re.fullmatch(r"[A-Z_]+", word) else word


@pytest.mark.parametrize("words", shown("npx"))
def test_cdk_is_told_a_stage_and_known_options(words: list[str]) -> None:
    assert words[0] == "cdk"
    command, rest = words[1], words[2:]
    pairs = list(pairwise(rest))
    context = dict(pair.split("=", 1) for flag, pair in pairs if flag == "-c")
    stacks = {f"{TITLE}-{stage}-{part}" for stage in STAGES for part in ("Data", "Service")}
    behind = [("", rest[0]), *pairs] if rest else []
    valued = {"-c", "--outputs-file"}
    others = {word for before, word in behind if before not in valued} - _CDK_FLAGS

    assert context.pop("stage") in set(STAGES)
    assert _CDK[command] == ("--all" in rest or bool(others))
    assert set(context) <= OPTION_NAMES
    assert others <= stacks
    options_from(context, region="eu-west-1")  # refuses what a deployment would


@pytest.mark.parametrize("words", shown("npm"))
def test_the_command_of_cdk_is_the_pinned_one(words: list[str]) -> None:
    assert words == ["install", f"aws-cdk@{CDK_COMMAND}"]


@pytest.mark.parametrize("words", shown("aws"))
def test_aws_has_the_operation_and_its_options(words: list[str]) -> None:
    """Read from the descriptions that the command itself is made of."""
    service, operation, *rest = words
    if service == "s3":
        pytest.skip("the s3 commands are made by hand and not described")
    model = botocore.session.get_session().get_service_model({"s3api": "s3"}.get(service, service))
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(operations[operation]).input_shape
    assert shape is not None
    takes = {f"--{xform_name(name, '-')}" for name in shape.members} | _AWS_GLOBAL
    takes |= {
        f"--{'no-' if negated else ''}{xform_name(name, '-')}"
        for name, member in shape.members.items()
        if member.type_name == "boolean"
        for negated in (False, True)
    }

    assert {word for word in rest if word.startswith("--")} <= takes


def test_a_block_of_commands_is_said_to_be_one() -> None:
    """Else tests/e2e/test_guides.py takes it for what a program prints, and does not run it."""
    unsaid = [
        block.id
        for block in blocks("", "text")
        if any(map(_PROMPT.match, block.text.splitlines())) or "curl " in block.text
    ]

    assert unsaid == []


def test_commands_are_found_at_all() -> None:
    programs = [Path(words[0]).name for _, words in commands()]

    found = {name: programs.count(name) for name in ("make", "npx", "aws", "pulsedocs", "npm")}
    assert all(found.values()), found
    assert sum(found.values()) > 50, found
