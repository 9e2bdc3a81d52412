"""Follow-ups and what a chat model may say, with the shipped local models and a scripted writer."""

import json
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner

from local.stage import Stage
from pulsedocs.client import DocumentInput, PulseDocs, RequestRefused
from pulsedocs.errors import BudgetExceeded
from pulsedocs.retrieval.profiles import PROFILES
from pulsedocs.retrieval.queries import REWRITING
from pulsedocs.scopes import ADMIN, READ, WRITE
from pulsedocs_cli.__main__ import main
from tests.contract.fake_openai_server import (
    Behaviour,
    Exchange,
    FakeOpenAIServer,
    Request,
    answer,
    failing,
)
from tests.e2e.tenant import Json, Tenant, holding
from tests.patience import PATIENCE
from tests.plugins.stage import stage_that_buys_from

KILN: Final = "The lining of the K-7 kiln is made of firebrick. It is replaced every 90 firings."
LINING: Final = "The lining of the K-7 kiln is made of firebrick"
WRITER, REWRITER = "gpt-4o", "gpt-4o-mini"
FIRST: Final = "What is the lining of the K-7 kiln made of?"
SECOND: Final = "And how often is it replaced?"
ALONE: Final = "How often is the lining of the K-7 kiln replaced?"
_KEEPS: Final = (
    "SELECT FROM pg_locks WHERE NOT granted AND relation = 'pulsedocs.conversation_turn'::regclass"
)


class Writers(FakeOpenAIServer):
    """A model that writes and one that rewrites: what each says, and which of them are down."""

    def __init__(self) -> None:
        super().__init__()
        self.begin_anew()

    def begin_anew(self) -> None:
        self.says = {WRITER: f'{LINING} [1: "{LINING}"].', REWRITER: ALONE}
        self.drafts: list[str] = []  # of the writer, before what it says
        self.down: set[str] = set()
        self.requests.clear()

    def next_behaviour(self) -> Behaviour:
        return self._behave

    def _behave(self, exchange: Exchange) -> None:
        is_down = exchange.request_seen.body["model"] in self.down
        (failing(500, code="down") if is_down else answer)(exchange)

    def reply_to(self, request: Request) -> Json:
        reply = super().reply_to(request)
        model = request.body["model"]
        says = self.drafts.pop(0) if model == WRITER and self.drafts else self.says[model]
        reply["choices"][0]["message"]["content"] = says
        return reply

    def prompts(self, model: str) -> list[str]:
        asked = [request.body for request in self.requests if request.body["model"] == model]
        return [json.dumps(body["messages"], ensure_ascii=False) for body in asked]


@pytest.fixture(scope="module")
def _writers() -> Iterator[Writers]:
    with Writers() as server:
        yield server


@pytest.fixture
def writers(_writers: Writers) -> Writers:
    _writers.begin_anew()
    return _writers


@pytest.fixture(scope="module")
def stage(
    tmp_path_factory: pytest.TempPathFactory, model_directory: Path, _writers: Writers
) -> Iterator[Stage]:
    """Start a stage with the local models of a new user, and models that write and rewrite."""
    settings = {"CHAT_MODEL": f"openai:{WRITER}", "REWRITE_MODEL": f"openai:{REWRITER}"}
    folder = tmp_path_factory.mktemp("conversations")
    with stage_that_buys_from(_writers, folder, models=model_directory, **settings) as running:
        yield running


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Iterator[Tenant]:
    texts = {"kiln.txt": KILN, "shop.txt": "The shop sells glazes on Fridays."}
    with holding(stage, texts) as tenant:
        yield tenant


@contextmanager
def turns_kept_slowly(stage: Stage) -> Generator[None]:
    """Keep whoever writes the next turn waiting for a second."""
    ready, done = threading.Event(), threading.Event()

    def hold() -> None:
        with (
            psycopg.connect(stage.database_url, autocommit=True) as watcher,
            psycopg.connect(stage.database_url) as holder,
        ):
            holder.execute("LOCK TABLE pulsedocs.conversation_turn IN EXCLUSIVE MODE")
            ready.set()
            while not done.is_set() and not watcher.execute(_KEEPS).fetchall():
                time.sleep(0.02)
            time.sleep(1)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("route", ["/ask", "/chat"])
def test_a_follow_up_sent_at_once_sees_the_turn_before(
    route: str, stage: Stage, reader: Tenant, writers: Writers
) -> None:
    """T-27. Failed while a turn was handed over without waiting for it."""
    told = {"conversation_id": str(uuid4())}

    with turns_kept_slowly(stage):
        first = reader.post(route, {"question": FIRST} | told)
        second = reader.post(route, {"question": SECOND} | told)

    assert first["degraded"] == second["degraded"] == []
    assert second["rewritten_question"] == ALONE
    assert FIRST in writers.prompts(WRITER)[-1]
    assert LINING in writers.prompts(WRITER)[-1]


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_follow_ups_are_rewritten_in_every_profile_and_first_questions_in_none(
    profile: str, reader: Tenant, writers: Writers
) -> None:
    """S4-08, T-27. Failed in all profiles but `documentor`, which alone had it."""
    past = [{"role": "user", "content": f"Turn {n:02}: {FIRST} {'clay ' * 40}"} for n in range(12)]
    asked = {"query": SECOND, "profile": profile}

    reader.post("/search", asked)
    reader.post("/search", asked | {"history": past, "rewrite": False})
    assert not writers.prompts(REWRITER)
    reader.post("/search", asked | {"history": past})

    [rewriting] = writers.prompts(REWRITER)
    assert REWRITING.splitlines()[0] in rewriting
    assert "Turn 11" in rewriting
    assert "Turn 01" not in rewriting
    assert len(rewriting) < len(REWRITING) + 2500


def test_a_rewriter_that_fails_leaves_the_question_and_is_named(
    reader: Tenant, writers: Writers
) -> None:
    """S4-08."""
    writers.down = {REWRITER}
    past = [{"role": "user", "content": "Tell me about kilns, please."}]

    answered = reader.post("/ask", {"question": FIRST, "history": past})

    assert answered["rewritten_question"] is None
    assert answered["degraded"] == ["rewriting"]
    assert LINING in answered["answer"]


@pytest.mark.parametrize("before", ["", "_", "9", "(", "[link](", "https&#58;//a&#46;example "])
def test_an_invented_address_reaches_nobody(before: str, reader: Tenant, writers: Writers) -> None:
    """Failed for all that has no word border before the scheme, and for bare hosts."""
    address = f"{before}https://rogue.example/?d=clay_ rogue.example"
    writers.says[WRITER] = f'{LINING} {address}. [1: "{LINING}"]'

    shown = [reader.post(route, {"question": FIRST}) for route in ("/ask", "/chat")]
    streamed = reader.send("POST", "/ask/stream", {"question": FIRST}).text

    for answered in shown:
        assert LINING in answered["answer"]
        assert "example" not in json.dumps(answered)
    assert LINING in streamed
    assert "example" not in streamed


def test_the_generator_is_given_words_and_no_means_and_keeps_nothing(
    reader: Tenant, writers: Writers
) -> None:
    """S0-24: the same prompt each time, no id, no key, no address of the store in it.

    Fails where an earlier answer is left in the prompt, or an object's key is.
    """
    answers = [reader.post("/ask", {"question": FIRST}) for _ in range(3)]

    one, *others = writers.prompts(WRITER)
    assert set(others) == {one}
    for secret in (str(reader.tenant_id), reader.token, "s3://", "amazonaws", "postgres", "127.0"):
        assert secret not in one
    assert all([c["quote"] for c in each["citations"]] == [LINING] for each in answers)


def test_what_was_retrieved_is_the_same_whoever_writes(reader: Tenant, writers: Writers) -> None:
    """S0-24, S1-05: with a writer, without one, and where only passages are asked for.

    Fails where the generator's reply has a part in selection.
    """
    written = reader.post("/ask", {"question": FIRST, "debug": True})
    writers.down = {WRITER}
    extracted = reader.post("/ask", {"question": FIRST, "debug": True})
    found = reader.post("/search", {"query": FIRST, "debug": True})

    assert (written["model"], extracted["model"]) == (f"openai:{WRITER}", "extractive")
    assert extracted["degraded"] == ["generation"]
    assert LINING in extracted["answer"]
    assert _selected(written) == _selected(extracted) == _selected(found) != []
    trace = reader.get(f"/traces/{found['trace_id']}")
    assert reader.post(f"/traces/{found['trace_id']}/replay")["identical"]
    for candidate in trace["candidates"]:
        assert {"reason", "final_score", "freshness_penalty", "legs"} <= set(candidate)


def _selected(answered: Json) -> list[tuple[str, Any, Any]]:
    return [(one["chunk_id"], one["relevance"], one["reason"]) for one in answered["candidates"]]


def structured(text: str, quote: str) -> str:
    sentence = {"text": text, "citations": [{"source": 1, "quote": quote}]}
    return json.dumps({"sentences": [sentence]})


def test_citations_are_forced_by_a_schema_and_asked_for_once_more(
    reader: Tenant, writers: Writers
) -> None:
    writers.drafts = [structured("It is made of tin.", "the lining is made of tin")]
    writers.says[WRITER] = structured(f"{LINING}.", LINING)

    answer = reader.post("/ask", {"question": FIRST})

    formats = [one.body["response_format"]["type"] for one in writers.requests]
    assert formats == ["json_schema", "json_schema"]
    assert answer["answer"] == f"{LINING} [1]."
    assert [one["quote"] for one in answer["citations"]] == [LINING]


@pytest.mark.parametrize(("result", "is_shown"), [("180", True), ("190", False)])
def test_a_calculation_is_shown_only_where_it_is_right(
    reader: Tenant, writers: Writers, *, result: str, is_shown: bool
) -> None:
    text = f"After two linings that is 90 + 90 = {result} firings."
    writers.says[WRITER] = structured(text, "It is replaced every 90 firings")

    answer = reader.post("/ask", {"question": "How many firings do two linings last in total?"})

    assert (answer["abstained"] is None) is is_shown
    assert ("= 180" in answer["answer"]) is is_shown


def test_quoted_words_say_what_is_left_to_read(reader: Tenant, writers: Writers) -> None:
    writers.down = {WRITER}

    answer = reader.post("/ask", {"question": "Is the lining of the K-7 kiln made of firebrick?"})

    assert answer["note"]["kind"] == "yes_no"
    assert LINING in answer["answer"]


def test_of_two_questions_in_one_the_answered_one_is_answered(
    reader: Tenant, writers: Writers
) -> None:
    """A question beside another one does not draw its passage below the gate."""
    writers.down = {WRITER}
    asked = "What is the lining of the K-7 kiln made of, and who won the chess cup of the harbour?"

    answer = reader.post("/ask", {"question": asked})

    assert LINING in answer["answer"]
    assert answer["note"]["kind"] == "part"
    assert "who won the chess cup" in answer["note"]["message"]
    assert reader.post(f"/traces/{answer['trace_id']}/replay")["identical"]


def test_a_question_beyond_the_budget_is_refused_at_once_with_what_to_do(
    stage: Stage, writers: Writers
) -> None:
    """S3-23 By client and command, typed; nothing is bought, and nobody waits for tomorrow."""
    tenant_id = uuid4()
    token = stage.token(tenant_id, scopes=(READ, WRITE, ADMIN))
    with PulseDocs(stage.url, token, trust_env=False) as docs:
        docs.add_documents([DocumentInput.text(KILN, name="kiln.txt")]).raise_for_errors()
        docs.set_budget(tokens=1)
        began = time.monotonic()

        with pytest.raises(BudgetExceeded) as refused:
            docs.ask(FIRST)
        given = ["--url", stage.url, "--token", token]
        told = CliRunner().invoke(main, ["ask", FIRST, *given])
        took = time.monotonic() - began
        bought = writers.prompts(WRITER)
        docs.remove_budget()
        answer = docs.ask(FIRST)

    assert isinstance(refused.value, RequestRefused)
    assert (refused.value.status, refused.value.code) == (429, "BUDGET_EXCEEDED")
    assert "Raise the tenant's budget" in refused.value.guidance
    assert refused.value.retry_after
    assert refused.value.context
    assert (told.exit_code, len(told.stderr.splitlines())) == (1, 1), told.output
    assert "Raise the tenant's budget" in told.stderr
    assert (bought, took < PATIENCE) == ([], True)
    assert LINING in answer["answer"]
