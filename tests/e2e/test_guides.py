"""What the README and the guides show runs as it stands there, against a stage.

`make` and `pip` are not run: what they do is tested where they are. The blocks for LangChain,
LlamaIndex and Haystack run where these are, in tests/integrations.
"""

import json
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from uuid import uuid4

import pytest

from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.contract.fake_openai_server import FakeOpenAIServer
from tests.guides import PAGES, PROGRAM, ROOT, Block, Desk, blocks, lease
from tests.plugins.stage import FAST_MODELS, stage_that_buys_from

_IN_ANOTHER_ENVIRONMENT = "docs/guides/integrations.md"
_CHECKED_ALONE = "docs/guides/plugins.md"
"""tests/contract/test_plugins.py runs its Python as one module."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, model_directory: Path) -> Iterator[Stage]:
    """Give a stage that also has the models of OpenAI, which a configuration names."""
    folder = tmp_path_factory.mktemp("stage")
    with (
        FakeOpenAIServer() as provider,
        stage_that_buys_from(provider, folder, models=model_directory, **FAST_MODELS) as running,
    ):
        yield running


@pytest.fixture
def token(stage: Stage) -> str:
    return stage.token(uuid4(), scopes=(READ, WRITE, ADMIN))


@pytest.fixture
def document_id(stage: Stage, token: str, tmp_path: Path) -> str:
    """Return the id of the lease, which two collections hold."""
    with PulseDocs(stage.url, token, trust_env=False) as docs:
        file = lease(tmp_path / "lease.pdf")
        docs.add_documents([file], collection="leases").raise_for_errors()
        return str(next(iter(docs.add_documents([file]).raise_for_errors().documents)))


@pytest.fixture
def desk(stage: Stage, token: str, document_id: str, tmp_path: Path) -> Desk:
    assert document_id
    variables = {"ENDPOINT": stage.url, "ACCESS_TOKEN": token, "OPERATOR_TOKEN": token}
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk(folder, url=stage.url, token=token, variables=variables)


def shown(*languages: str, needs_aws: bool = False) -> list[Block]:
    return [each for each in blocks(*languages) if each.needs_aws == needs_aws]


def one_by_one(found: list[Block]) -> list[object]:
    return [pytest.param(each, id=each.id) for each in found]


def programs() -> Iterator[object]:
    """Yield each page's Python as one program, and each whole program by itself."""
    for page, of_page in groupby(shown("python"), lambda each: each.page):
        name = page.relative_to(ROOT).as_posix()
        if name in {_IN_ANOTHER_ENVIRONMENT, _CHECKED_ALONE}:
            continue
        found = list(of_page)
        parts = [each for each in found if PROGRAM not in each.text]
        yield pytest.param("\n".join(each.text for each in parts), id=name)
        for each in found:
            if PROGRAM in each.text:
                yield pytest.param(each.text, id=each.id)


@pytest.mark.parametrize("block", one_by_one(shown("sh")))
def test_a_block_of_the_shell_runs(block: Block, desk: Desk, document_id: str) -> None:
    ran = desk.run_shell(block, document_id=document_id)

    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"


@pytest.mark.parametrize("block", one_by_one(shown("sh", needs_aws=True)))
def test_a_block_that_needs_an_account_is_one_that_a_shell_can_read(block: Block) -> None:
    read = subprocess.run(
        ["/bin/bash", "-n", "-c", block.text], check=False, capture_output=True, text=True
    )

    assert read.returncode == 0, read.stderr
    assert read.stderr == ""


@pytest.mark.parametrize("text", list(programs()))
def test_a_program_runs(text: str, desk: Desk, stage: Stage, token: str) -> None:
    ran = desk.run_python(text, url=stage.url, token=token)

    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stderr == ""


@pytest.mark.parametrize("block", one_by_one(shown("json")))
def test_a_body_is_taken(block: Block, stage: Stage, token: str) -> None:
    """The only ones are of `POST /operations/redrive`."""
    body = json.loads(block.text)

    with PulseDocs(stage.url, token, trust_env=False) as docs:
        assert docs.redrive(**body)["documents"] == []


@pytest.mark.parametrize("block", one_by_one(shown("toml")))
def test_a_table_can_be_read(block: Block) -> None:
    assert tomllib.loads(block.text)


def test_pages_have_blocks_at_all() -> None:
    found = [each.language for each in blocks("sh", "python", "json", "toml")]

    assert len({each.page for each in blocks("sh", "python")}) >= len(PAGES) - 4
    assert found.count("sh") >= 15
    assert found.count("python") >= 8
