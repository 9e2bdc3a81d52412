"""Every import contract of pyproject.toml holds, and notices when somebody breaks it."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
CORE = "layers/core/python"
PULSEDOCS = f"{CORE}/pulsedocs"
LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"


class Violation(NamedTuple):
    contract: str
    file: str
    source: str

    @property
    def culprit(self) -> str:
        """The last part of the module's name, as the report spells it."""
        file = Path(self.file)
        return file.parent.name if file.stem == "__init__" else file.stem


VIOLATIONS = [
    Violation("inwards", f"{PULSEDOCS}/errors.py", "import pulsedocs.pipeline"),
    Violation("inwards", f"{PULSEDOCS}/model/planted.py", "import pulsedocs.ports"),
    Violation("inwards", f"{PULSEDOCS}/ingestion/planted.py", "import pulsedocs.adapters.postgres"),
    Violation("inwards", f"{PULSEDOCS}/documents/planted.py", "import pulsedocs.questions"),
    Violation("inwards", f"{PULSEDOCS}/ingestion/planted.py", "import pulsedocs.batches"),
    Violation("inwards", f"{PULSEDOCS}/adapters/aws/planted.py", "import pulsedocs.settings"),
    Violation("inwards", f"{PULSEDOCS}/adapters/aws/planted.py", "import pulsedocs.bootstrap"),
    Violation("inwards", f"{PULSEDOCS}/package_without_a_place/__init__.py", ""),
    Violation("programs", "local/planted.py", "import evaluation"),
    Violation("programs", "benchmarks/planted.py", "import evaluation"),
    Violation("programs", "functions/planted.py", "import infra"),
    Violation("production", f"{PULSEDOCS}/edge/planted.py", "import local"),
    Violation("production", "functions/chunk/planted.py", "import moto"),
    Violation("domain", f"{PULSEDOCS}/ingestion/planted.py", "import boto3"),
    Violation("domain", f"{PULSEDOCS}/cleaning/planted.py", "from os import environ"),
    Violation("stages", f"{PULSEDOCS}/chunking/planted.py", "import pulsedocs.cleaning"),
    Violation(
        "adapters", f"{PULSEDOCS}/adapters/aws/planted.py", "import pulsedocs.adapters.memory"
    ),
    Violation("functions", "functions/chunk/planted.py", "import functions.claim.handler"),
    Violation("handlers", "functions/chunk/planted.py", "import pulsedocs.adapters.postgres"),
    Violation("handlers", "functions/chunk/planted.py", "import boto3"),
    Violation("infrastructure", "infra/planted.py", "import pulsedocs.ingestion"),
    Violation("infrastructure", "infra/planted.py", "import functions.chunk.handler"),
    Violation("sdk-postgres", f"{PULSEDOCS}/ingestion/planted.py", "import psycopg.rows"),
    Violation("sdk-postgres", f"{PULSEDOCS}/retrieval/planted.py", "from pgvector import Vector"),
    Violation("sdk-aws", f"{PULSEDOCS}/bootstrap/planted.py", "import botocore.config"),
    Violation("sdk-http", f"{PULSEDOCS}/adapters/cohere/planted.py", "import urllib3"),
    Violation("sdk-web", f"{PULSEDOCS}/ingestion/planted.py", "import idna"),
    Violation("sdk-openai", f"{PULSEDOCS}/answering/planted.py", "import openai"),
    Violation("sdk-local", f"{PULSEDOCS}/chunking/planted.py", "import tokenizers"),
    Violation("sdk-signatures", f"{PULSEDOCS}/questions/planted.py", "import cryptography.x509"),
    Violation("sdk-edge", "functions/chunk/planted.py", "import jwt"),
    Violation("sdk-extraction", f"{PULSEDOCS}/adapters/sandbox/planted.py", "import pypdfium2"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the code and its contracts to where a violation does no harm."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for package in (CORE, "functions", "infra", "local", "evaluation", "benchmarks"):
        shutil.copytree(
            ROOT / package,
            copy / package,
            ignore=lambda folder, names: [
                name for name in names if Path(folder, name).is_file() and not name.endswith(".py")
            ],
        )
    return copy


def lint(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {  # noqa: TID251 -- of the linter, not of PulseDocs
        "PYTHONPATH": str(tree / CORE),
        "COLUMNS": "500",
    }
    return subprocess.run(
        [LINT_IMPORTS, "--no-logo", "--no-cache", *options],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def planted(violation: Violation, tree: Path) -> Generator[None]:
    file = tree / violation.file
    original = file.read_text() if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{original or ''}\n{violation.source}\n")
    yield
    if original is None:
        file.unlink()
    else:
        file.write_text(original)


def contracts() -> dict[str, dict[str, Any]]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {
        contract["id"]: contract for contract in configuration["tool"]["importlinter"]["contracts"]
    }


def test_the_tree_keeps_every_contract(tree: Path) -> None:
    report = lint(tree)

    assert f"{len(contracts())} kept, 0 broken" in report.stdout, report.stdout


def test_every_contract_has_a_violation_here() -> None:
    assert {violation.contract for violation in VIOLATIONS} == set(contracts())


@pytest.mark.parametrize(
    "violation", VIOLATIONS, ids=[f"{planted.contract}: {planted.source}" for planted in VIOLATIONS]
)
def test_a_planted_violation_breaks_its_contract(tree: Path, violation: Violation) -> None:
    with planted(violation, tree):
        report = lint(tree, "--contract", violation.contract)

    assert report.returncode == 1
    assert f"{contracts()[violation.contract]['name']} BROKEN" in report.stdout, report.stdout
    assert violation.culprit in report.stdout


def test_of_a_flow_an_adapter_imports_its_ports_only() -> None:
    flows = {
        "ingestion",
        "questions",
        "documents",
        "deletion",
        "embedding_models",
        "batches",
        "upkeep",
    }
    imported = {
        node.module
        for file in (ROOT / PULSEDOCS / "adapters").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
    }

    beyond = [name for name in imported if name.split(".")[1:2] and name.split(".")[1] in flows]

    assert [name for name in beyond if not name.endswith(".ports")] == []
