"""Each framework, at its current release, asks the same stage: `make test-integrations`."""

import asyncio
import sys
from collections.abc import Iterator
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

pytest.importorskip("mcp", reason="the frameworks are in .venv-integrations")

from haystack import Pipeline
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextResourceContents

from local.stage import Stage
from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.integrations import haystack, langchain, llama_index
from pulsedocs.integrations.mcp_server import server_of

NOTE = "The deposit for the harbour flat is 1,250 euros.\n\nIt is returned within six weeks."
QUESTION = "How much is the deposit for the harbour flat?"


@pytest.fixture(scope="module")
def token(stage: Stage) -> str:
    return stage.token(uuid4())


@pytest.fixture(scope="module")
def docs(stage: Stage, token: str) -> Iterator[PulseDocs]:
    with PulseDocs(stage.url, token, trust_env=False) as client:
        text = DocumentInput.text(NOTE, name="lease.txt", metadata={"user_id": "al"})
        client.add_documents([text]).raise_for_errors()
        yield client


@pytest.fixture(scope="module")
def document_id(docs: PulseDocs) -> UUID:
    return UUID(next(docs.documents())["document_id"])


def test_langchain_retrieves_and_loads(docs: PulseDocs, document_id: UUID) -> None:
    retriever = langchain.PulseDocsRetriever(docs=docs, options={"top_k": 1})

    [found] = retriever.invoke(QUESTION)
    [awaited] = asyncio.run(retriever.ainvoke(QUESTION))
    [page] = langchain.PulseDocsLoader(docs, collection="default").load()

    assert "1,250 euros" in found.page_content
    assert found.metadata["document_id"] == str(document_id)
    assert (found.metadata["source"], found.metadata["pages"]) == ("lease.txt", [1])
    assert awaited.page_content == found.page_content
    assert "six weeks" in page.page_content
    assert (page.metadata["page"], page.metadata["metadata"]["user_id"]) == (1, "al")


def test_llama_index_retrieves(docs: PulseDocs, document_id: UUID) -> None:
    [found] = llama_index.PulseDocsRetriever(docs, filters={"user_id": "al"}).retrieve(QUESTION)

    assert "1,250 euros" in found.text
    assert found.node.metadata["document_id"] == str(document_id)
    assert not llama_index.PulseDocsRetriever(docs, filters={"user_id": "bo"}).retrieve(QUESTION)


def test_haystack_runs_it_in_a_pipeline(docs: PulseDocs, document_id: UUID) -> None:
    pipeline = Pipeline()
    pipeline.add_component("find", haystack.PulseDocsRetriever(docs, top_k=1))

    [found] = pipeline.run({"find": {"query": QUESTION}})["find"]["documents"]

    assert "1,250 euros" in found.content
    assert found.meta["document_id"] == str(document_id)


async def assert_it_answers(client: Any, document_id: UUID) -> None:  # contents are of many kinds
    """Use every tool, and follow a citation to its page."""
    listed_tools = (await client.list_tools()).tools
    tools = {tool.name for tool in listed_tools}
    answer = await client.call_tool("ask", {"question": QUESTION})
    text, *links = answer.content
    read = await client.read_resource(links[0].uri)
    place = {"document_id": str(document_id), "number": 1}
    page = await client.call_tool("page", place)
    found = await client.call_tool("search", {"query": QUESTION, "top_k": 1})
    listed = await client.call_tool("documents", {})
    trace = answer.structured_content["trace_id"]
    why = await client.call_tool(
        "why", {"trace_id": trace, "document_id": str(document_id), "page": 1}
    )
    refused = await client.call_tool("ask", {"question": QUESTION, "collection": "nowhere"})
    missed = await client.call_tool("search", {"query": "Who composed the Dutchman's opera?"})
    unknown = await client.call_tool("search", {"query": QUESTION, "limit": 1, "filters": {}})

    assert tools == {"search", "ask", "documents", "page", "why"}
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed_tools)
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed_tools)
    assert "1,250 euros" in text.text
    assert links[0].name == "lease.txt, page 1"
    [contents] = read.contents
    assert isinstance(contents, TextResourceContents)
    assert links[0].description in contents.text
    assert page.content[0].text == contents.text
    assert "lease.txt" in found.content[0].text
    assert str(document_id) in listed.content[0].text
    assert why.structured_content["stage"] == "cited"
    assert refused.is_error
    assert "COLLECTION_NOT_FOUND" in refused.content[0].text
    assert unknown.is_error
    assert "search has no argument 'filters', 'limit': it takes query, collection, top_k" in (
        unknown.content[0].text
    )
    assert missed.structured_content["passages"] == []
    assert missed.structured_content["abstained"]["reason"] == "BELOW_THRESHOLD"
    assert missed.structured_content["degraded"] == []
    assert missed.structured_content["trace_id"]
    for place, why_not in (
        (f"{document_id}/pages/9", "PAGE_NOT_FOUND: .* has no page 9"),
        (f"{uuid4()}/pages/1", "DOCUMENT_NOT_FOUND"),
        ("lease/pages/1", "no page has this address"),
    ):
        with pytest.raises(MCPError, match=why_not):
            await client.read_resource(f"pulsedocs://documents/{place}")


def test_a_link_has_all_that_is_quoted_of_its_page() -> None:
    """Failed when the last quote of a page took the place of the others."""
    place = {"document_id": "d", "version": 2, "source": "lease.txt", "n": 1}
    words = ((1, "a"), (2, "b"), (1, "c"))
    quotes = [{**place, "page": page, "quote": quote} for page, quote in words]
    said = {"answer": "", "abstained": None, "citations": quotes, "degraded": [], "trace_id": "t"}

    def ask(_question: str, **_options: object) -> dict[str, Any]:
        return said

    docs: Any = SimpleNamespace(ask=ask)

    async def drive() -> list[Any]:
        async with Client(server_of(docs)) as client:
            return list((await client.call_tool("ask", {"question": "?"})).content)

    _, *links = asyncio.run(drive())

    assert [(link.name, link.description) for link in links] == [
        ("lease.txt, page 1", "a\nc"),
        ("lease.txt, page 2", "b"),
    ]


def test_the_official_client_drives_the_server(docs: PulseDocs, document_id: UUID) -> None:
    async def drive() -> None:
        async with Client(server_of(docs)) as client:
            await assert_it_answers(client, document_id)
            assert client.server_info is not None
            assert client.server_info.version == version("pulsedocs")

    asyncio.run(drive())


def test_the_command_serves_on_stdio(stage: Stage, token: str, document_id: UUID) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "pulsedocs_cli", "mcp"],
        env={"PULSEDOCS_URL": stage.url, "PULSEDOCS_TOKEN": token, "NO_PROXY": "127.0.0.1"},
    )

    async def drive() -> None:
        async with Client(command) as client:
            await assert_it_answers(client, document_id)

    asyncio.run(drive())


def test_the_server_answers_over_http(docs: PulseDocs, document_id: UUID) -> None:
    import uvicorn

    from local.http_server import listen

    async def drive() -> None:
        with listen() as listener:
            port = listener.getsockname()[1]
            config = uvicorn.Config(server_of(docs).streamable_http_app(), log_level="error")
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            while not server.started:  # noqa: ASYNC110 -- uvicorn tells it by this alone
                await asyncio.sleep(0.05)
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                await assert_it_answers(client, document_id)
            server.should_exit = True
            await serving

    asyncio.run(drive())
