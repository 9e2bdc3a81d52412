"""Every import contract of pyproject.toml holds, and notices when somebody breaks it."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
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
    def module(self) -> str:
        """Its name, as the report spells it."""
        path = Path(self.file.removeprefix(f"{CORE}/")).with_suffix("")
        return ".".join(path.parts).removesuffix(".__init__")


VIOLATIONS = [
    Violation("inwards", f"{PULSEDOCS}/errors.py", "import pulsedocs.pipeline"),
    Violation("inwards", f"{PULSEDOCS}/model/plant_1.py", "import pulsedocs.ports"),
    Violation("inwards", f"{PULSEDOCS}/ingestion/plant_2.py", "import pulsedocs.adapters.postgres"),
    Violation("inwards", f"{PULSEDOCS}/documents/plant_3.py", "import pulsedocs.questions"),
    Violation("inwards", f"{PULSEDOCS}/ingestion/plant_4.py", "import pulsedocs.batches"),
    Violation("inwards", f"{PULSEDOCS}/adapters/aws/plant_5.py", "import pulsedocs.settings"),
    Violation("inwards", f"{PULSEDOCS}/adapters/aws/plant_6.py", "import pulsedocs.bootstrap"),
    Violation("inwards", f"{PULSEDOCS}/package_without_a_place/__init__.py", ""),
    Violation("programs", "local/plant_7.py", "import evaluation"),
    Violation("programs", "benchmarks/plant_8.py", "import evaluation"),
    Violation("programs", "functions/plant_9.py", "import infra"),
    Violation("production", f"{PULSEDOCS}/edge/plant_10.py", "import local"),
    Violation("production", "functions/chunk/plant_11.py", "import moto"),
    Violation("domain", f"{PULSEDOCS}/ingestion/plant_12.py", "import boto3"),
    Violation("domain", f"{PULSEDOCS}/cleaning/plant_13.py", "from os import environ"),
    Violation("stages", f"{PULSEDOCS}/chunking/plant_14.py", "import pulsedocs.cleaning"),
    Violation(
        "adapters", f"{PULSEDOCS}/adapters/aws/plant_15.py", "import pulsedocs.adapters.memory"
    ),
    Violation("functions", "functions/chunk/plant_16.py", "import functions.claim.handler"),
    Violation("handlers", "functions/chunk/plant_17.py", "import pulsedocs.adapters.postgres"),
    Violation("handlers", "functions/chunk/plant_18.py", "import boto3"),
    Violation("infrastructure", "infra/plant_19.py", "import pulsedocs.ingestion"),
    Violation("infrastructure", "infra/plant_20.py", "import functions.chunk.handler"),
    Violation("sdk-postgres", f"{PULSEDOCS}/ingestion/plant_21.py", "import psycopg.rows"),
    Violation("sdk-postgres", f"{PULSEDOCS}/retrieval/plant_22.py", "from pgvector import Vector"),
    Violation("sdk-aws", f"{PULSEDOCS}/bootstrap/plant_23.py", "import botocore.config"),
    Violation("sdk-http", f"{PULSEDOCS}/adapters/cohere/plant_24.py", "import urllib3"),
    Violation("sdk-web", f"{PULSEDOCS}/ingestion/plant_25.py", "import idna"),
    Violation("sdk-openai", f"{PULSEDOCS}/answering/plant_26.py", "import openai"),
    Violation("sdk-local", f"{PULSEDOCS}/chunking/plant_27.py", "import tokenizers"),
    Violation("sdk-signatures", f"{PULSEDOCS}/questions/plant_28.py", "import cryptography.x509"),
    Violation("sdk-edge", "functions/chunk/plant_29.py", "import jwt"),
    Violation("sdk-extraction", f"{PULSEDOCS}/adapters/sandbox/plant_30.py", "import pypdfium2"),
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


def lint(tree: Path) -> str:
    environment = os.environ | {  # noqa: TID251 -- of the linter, not of PulseDocs
        "PYTHONPATH": str(tree / CORE),
        "COLUMNS": "500",
    }
    return subprocess.run(
        [LINT_IMPORTS, "--no-logo", "--no-cache"],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.fixture(scope="module")
def report(tree: Path) -> str:
    """Return what the linter says of the tree as it is."""
    return lint(tree)


@pytest.fixture(scope="module")
def broken(tree: Path, report: str) -> dict[str, str]:
    """Plant all violations at once; return what the report says of each broken contract.

    A run of the linter for each took 12 s of a processor in all. Nobody imports what is planted, so
    that its name in a contract's section is of its own violation.
    """
    assert "0 broken" in report
    for violation in VIOLATIONS:
        file = tree / violation.file
        file.parent.mkdir(exist_ok=True)
        with file.open("a") as source:
            source.write(f"\n{violation.source}\n")
    told = lint(tree).partition("Broken contracts")[2]
    heads = "|".join(re.escape(contract["name"]) for contract in contracts().values())
    _, *sections = re.split(rf"^({heads})$", told, flags=re.MULTILINE)
    return dict(zip(sections[::2], sections[1::2], strict=True))


def contracts() -> dict[str, dict[str, Any]]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {
        contract["id"]: contract for contract in configuration["tool"]["importlinter"]["contracts"]
    }


def test_the_tree_keeps_every_contract(report: str) -> None:
    assert f"{len(contracts())} kept, 0 broken" in report, report


def test_every_contract_has_a_violation_here() -> None:
    assert {violation.contract for violation in VIOLATIONS} == set(contracts())


@pytest.mark.parametrize(
    "violation", VIOLATIONS, ids=[f"{planted.contract}: {planted.source}" for planted in VIOLATIONS]
)
def test_a_planted_violation_breaks_its_contract(
    broken: dict[str, str], violation: Violation
) -> None:
    said = broken[contracts()[violation.contract]["name"]]

    assert re.search(rf"\b{re.escape(violation.module)}\b", said), said


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
