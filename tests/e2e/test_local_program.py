"""A program that starts a stage for itself, in a process of its own, as people run it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pulsedocs.client.configuration import Configuration, VectorDatabase
from pulsedocs.client.local import local
from pulsedocs.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json
import pulsedocs
from pulsedocs.client import DocumentInput
from pulsedocs.client.configuration import *

chosen = Configuration(
    vector_database=VectorDatabase(collection="leases"),
    embedding=Embedding(provider="memory", model="hashing", dimensions=384),
    reranking=Reranking(provider=None),
    language_model=LanguageModel(provider=None),
    retrieval=Retrieval(profile="fast", top_k=3),
)
if __name__ == "__main__":
    with pulsedocs.local(chosen) as docs:
        text = DocumentInput.text("The deposit is 1,250 euros.", name="a.txt")
        [status] = docs.add_documents([text]).raise_for_errors().documents.values()
        answer = docs.ask("How much is the deposit?")
    print(json.dumps([status["collection"], answer["citations"][0]["quote"]]))
"""


def test_a_program_starts_a_stage_asks_it_and_leaves_nothing(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    ran = subprocess.run(
        [sys.executable, program], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == ["leases", "The deposit is 1,250 euros."]


def test_a_stage_at_an_address_is_not_started() -> None:
    place = VectorDatabase(url="https://example.org", token="t")  # noqa: S106 -- none

    with pytest.raises(ConfigurationError, match="configured"):
        local(Configuration(vector_database=place)).__enter__()


def test_without_the_runtime_it_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "local.stage", None)

    with pytest.raises(ConfigurationError, match=r"pulsedocs\[local\]"):
        local().__enter__()
