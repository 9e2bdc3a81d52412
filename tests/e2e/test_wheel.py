"""`pip install pulsedocs[client]`, from a wheel into an empty environment, asks a stage."""

import json
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from local.stage import Stage
from tests.e2e.wheel import environment_with

NOTE = "The deposit for the harbour flat is 1,250 euros."
PROGRAM = f"""
import json, sys
from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.client.configuration import Configuration, VectorDatabase
from pulsedocs.errors import CollectionNotFoundError

url, token = sys.argv[1:]
with PulseDocs(url, token, trust_env=False) as docs:
    docs.add_documents([DocumentInput.text({NOTE!r}, name="a.txt")]).raise_for_errors()
    answer = docs.ask("How much is the deposit for the harbour flat?")
    try:
        docs.ask("anything", collection="nowhere")
    except CollectionNotFoundError as error:
        refused = error.code
chosen = Configuration(vector_database=VectorDatabase(url=url, token=token))
print(json.dumps([answer["citations"][0]["source"], refused, chosen.embedding.name]))
"""
SERVERS_OWN = {"boto3", "openai", "psycopg", "pypdfium2", "aws-lambda-powertools", "tiktoken"}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the interpreter of an environment with the wheel and what `client` asks for."""
    return environment_with("client", tmp_path_factory.mktemp("wheel")) / "python"


def test_a_program_needs_nothing_of_the_servers(stage: Stage, python: Path, tmp_path: Path) -> None:
    """T-30."""
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json"], check=True, capture_output=True
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    ran = subprocess.run(
        [python, program, stage.url, stage.token(uuid4())],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )

    names = {each["name"].lower() for each in json.loads(listed.stdout)}
    assert names & SERVERS_OWN == set()
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [
        "a.txt",
        "COLLECTION_NOT_FOUND",
        "openai:text-embedding-3-large@3072",
    ]
