"""Every embedder gives each text one usable vector, in order, the same on every run."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pulsedocs.adapters.local.embedder import LocalEmbedder
from pulsedocs.adapters.local.multilingual import MultilingualEmbedder
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.openai.calls import OpenAICalls
from pulsedocs.adapters.openai.embedder import OpenAIEmbedder
from pulsedocs.calls.limits import EMBEDDING, CallLimits
from pulsedocs.embedding import parse_model_name, relevance_map, validate_vectors
from pulsedocs.errors import (
    ConfigurationError,
    ProviderMalformed,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    TimedOut,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Embedder
from tests.contract.fake_openai_server import (
    FakeOpenAIServer,
    Json,
    as_base64,
    changed,
    failing,
    silent,
)
from tests.contract.provider_faults import FAULTS, PRIVATE, Fault, expect_error
from tests.patience import HELD_UP, PATIENCE

TEXTS = (
    "The bicycle allowance pays 300 euros a year for tyres, brakes and repairs.",
    "Visitors sign the register at the main gate and wear a helmet on the site.",
    "Revenue of the northern region rose by four per cent in the third quarter.",
)
ODD_TEXTS = (
    *("", " \n\t", "\x00", "lone \ud83d surrogate", "naïve café 中文 🙂"),
    *("word " * 10_000, "x" * 50_000, "<|endoftext|> [SEP]"),
)


def soon() -> Deadline:
    return Deadline.after(PATIENCE)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


class EmbedderContract:
    """What every `ports.providers.Embedder` promises; a plug-in's test gives the fixture."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_the_model_name_says_the_dimensions(self, embedder: Embedder) -> None:
        """S3-03: the name that rows and settings use is the adapter's own."""
        assert parse_model_name(embedder.model).dimensions == embedder.dimensions

    def test_each_text_gets_a_vector_that_can_be_stored(self, embedder: Embedder) -> None:
        """I6: dimensions, finite, length 0.5 to 1.5."""
        batch = embedder.embed_passages(TEXTS, deadline=soon())

        validate_vectors(batch.vectors, expected_count=3, dimensions=embedder.dimensions)
        assert batch.refused == ()
        assert batch.input_tokens >= 3

    def test_a_vector_does_not_depend_on_its_batch(self, embedder: Embedder) -> None:
        together = embedder.embed_passages(TEXTS, deadline=soon()).vectors
        alone = [embedder.embed_passages([text], deadline=soon()).vectors[0] for text in TEXTS]

        assert all(cosine(a, b) > 0.9999 for a, b in zip(together, alone, strict=True))

    def test_the_same_texts_give_the_same_bits(self, embedder: Embedder) -> None:
        first = embedder.embed_passages(TEXTS, deadline=soon())

        assert embedder.embed_passages(TEXTS, deadline=soon()) == first

    def test_a_question_is_nearest_to_the_text_that_answers_it(self, embedder: Embedder) -> None:
        question = embedder.embed_query("How much does the bicycle allowance pay?", deadline=soon())
        answer, *others = embedder.embed_passages(TEXTS, deadline=soon()).vectors

        assert all(cosine(question, answer) > cosine(question, other) for other in others)

    def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([], deadline=soon()).vectors == ()

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:12]))
    def test_an_odd_text_gets_a_vector_or_is_refused(self, embedder: Embedder, text: str) -> None:
        batch = embedder.embed_passages([TEXTS[0], text], deadline=soon())

        accepted = [v for i, v in enumerate(batch.vectors) if i not in batch.refused]
        assert len(batch.vectors) == 2
        validate_vectors(
            accepted, expected_count=2 - len(batch.refused), dimensions=embedder.dimensions
        )

    def test_a_batch_of_96_comes_back_in_order(self, embedder: Embedder) -> None:
        """S2-05: the default batch."""
        texts = [f"{number} boxes" for number in range(96)]

        batch = embedder.embed_passages(texts, deadline=soon())

        last = embedder.embed_passages(texts[-1:], deadline=soon())
        assert len(batch.vectors) == 96
        assert cosine(batch.vectors[-1], last.vectors[0]) > 0.9999

    def test_a_passed_deadline_stops_it(self, embedder: Embedder) -> None:
        with pytest.raises(TimedOut):
            embedder.embed_passages(TEXTS, deadline=Deadline.after(0))
        with pytest.raises(TimedOut):
            embedder.embed_query("late", deadline=Deadline.after(0))

    def test_its_relevance_rises_with_the_cosine(self, embedder: Embedder) -> None:
        """S3-18: relevance is from 0 to 1."""
        relevance = relevance_map(embedder.model)
        values = [relevance(step / 10) for step in range(-10, 11)]

        assert all(lower <= higher for lower, higher in pairwise(values))
        assert 0 <= values[0] < values[-1] <= 1


class TestHashingEmbedder(EmbedderContract):
    @pytest.fixture(params=[384, 64])
    def embedder(self, request: pytest.FixtureRequest) -> Embedder:
        return HashingEmbedder(dimensions=request.param)


@pytest.fixture(scope="module")
def multilingual_embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


class TestMultilingualEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, multilingual_embedder: MultilingualEmbedder) -> Embedder:
        return multilingual_embedder


@pytest.fixture(scope="module")
def local_embedder(model_directory: Path) -> LocalEmbedder:
    return LocalEmbedder(model_directory)


class TestLocalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, local_embedder: LocalEmbedder) -> Embedder:
        return local_embedder

    def test_a_vector_is_the_same_to_the_bit_in_any_batch(self, embedder: Embedder) -> None:
        together = embedder.embed_passages(TEXTS, deadline=soon()).vectors
        alone = [embedder.embed_passages([text], deadline=soon()).vectors[0] for text in TEXTS]

        assert list(together) == alone

    def test_words_beyond_the_512th_token_count_as_those_before(self, embedder: Embedder) -> None:
        """A longer text is read in windows; it had the vector of its first 512 tokens."""
        start = "tyre " * 600

        batch = embedder.embed_passages([start, start + TEXTS[2]], deadline=soon())
        asked = embedder.embed_query(TEXTS[2], deadline=soon())

        without, within = (cosine(asked, vector or ()) for vector in batch.vectors)
        assert within > without
        assert batch.input_tokens > 2 * 600

    def test_a_question_is_prefixed_and_a_passage_is_not(self, embedder: Embedder) -> None:
        prefix = "Represent this sentence for searching relevant passages: "

        batch = embedder.embed_passages([prefix + TEXTS[0]], deadline=soon())

        assert embedder.embed_query(TEXTS[0], deadline=soon()) == batch.vectors[0]

    def test_paraphrases_without_a_common_word_are_near(self, embedder: Embedder) -> None:
        question = embedder.embed_query("Does my employer fund cycling costs?", deadline=soon())
        answer, *others = embedder.embed_passages(TEXTS, deadline=soon()).vectors

        assert cosine(question, answer) > max(cosine(question, other) for other in others) + 0.1

    def test_a_deadline_stops_a_batch_between_two_texts(self, embedder: Embedder) -> None:
        began = time.monotonic()

        with pytest.raises(TimedOut):
            embedder.embed_passages(["word " * 500] * 300, deadline=Deadline.after(0.2))

        assert time.monotonic() - began < HELD_UP  # all 300 would take more than 30 s

    def test_other_bytes_than_the_pinned_ones_are_not_loaded(
        self, model_directory: Path, tmp_path: Path
    ) -> None:
        model = tmp_path / "bge-small-en-v1.5"
        model.mkdir()
        tokenizer = (model_directory / "bge-small-en-v1.5/tokenizer.json").read_bytes()
        (model / "tokenizer.json").write_bytes(tokenizer)
        (model / "model.onnx").write_bytes(b"not a model")

        with pytest.raises(ConfigurationError, match=r"bge-small-en-v1\.5/model\.onnx"):
            LocalEmbedder(tmp_path)


KEY = "sk-secret-of-the-test"


def openai_embedder(server: FakeOpenAIServer, limits: CallLimits = EMBEDDING) -> OpenAIEmbedder:
    embedder = OpenAIEmbedder(
        parse_model_name("openai:text-embedding-3-small@256"),
        OpenAICalls(limits, api_key=KEY, base_url=server.base_url),
    )
    server.clients.callback(embedder.close)
    return embedder


class TestOpenAIEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, openai_server: FakeOpenAIServer) -> Embedder:
        return openai_embedder(openai_server)


class TestOpenAIEmbedderReadingFloats(EmbedderContract):
    @pytest.fixture
    def embedder(self, openai_server: FakeOpenAIServer) -> Embedder:
        openai_server.writes_floats = True
        return openai_embedder(openai_server)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_becomes_its_error(
    openai_server: FakeOpenAIServer, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """K09-K12, I13: one typed error, at most two requests, in time, without key or text."""
    embedder = openai_embedder(openai_server)

    expect_error(
        fault,
        lambda deadline: embedder.embed_passages([PRIVATE], deadline=deadline),
        server=openai_server,
        caplog=caplog,
        key=KEY,
    )


def swap(reply: Json) -> None:
    reply["data"].reverse()


def repeat_index(reply: Json) -> None:
    reply["data"][1]["index"] = 0


def drop_last(reply: Json) -> None:
    del reply["data"][-1]


def add_one(reply: Json) -> None:
    reply["data"].append({**reply["data"][0], "index": 3})


def vector(*values: float) -> Callable[[Json], object]:
    return lambda reply: reply["data"][1].update(embedding=list(values))


def packed(text: str) -> Callable[[Json], object]:
    return lambda reply: reply["data"][1].update(embedding=text)


MALFORMED: dict[str, Callable[[Json], Any]] = {
    "fewer": drop_last,
    "more": add_one,
    "none": lambda reply: reply.update(data=[]),
    "permuted": swap,
    "duplicate-index": repeat_index,
    "no-index": lambda reply: reply["data"][1].pop("index"),
    "other-dimensions": vector(*[0.1] * 255),
    "zero": vector(*[0.0] * 256),
    "nan": vector(*[math.nan] * 256),
    "one-infinity": vector(math.inf, *[0.1] * 255),
    "overflowing": vector(*[1e308] * 256),
    "packed-nan": packed(as_base64((math.nan,) * 256)),
    "packed-short": packed(as_base64((0.5,) * 255)),
    "packed-torn": packed(as_base64((0.5,) * 256)[:-4]),
    "not-base64": packed("&&&&" * 300),
    "null-vector": lambda reply: reply["data"][1].update(embedding=None),
    "words-for-numbers": lambda reply: reply["data"][1].update(embedding=["a"] * 256),
    "negative-usage": lambda reply: reply.update(usage={"prompt_tokens": -5}),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_vectors_that_cannot_be_trusted_are_refused(
    openai_server: FakeOpenAIServer, name: str
) -> None:
    """K11: a malformed answer is never stored."""
    openai_server.script(changed(MALFORMED[name]))

    with pytest.raises(ProviderMalformed):
        openai_embedder(openai_server).embed_passages(TEXTS, deadline=soon())


def test_a_429_is_waited_out_when_the_deadline_allows(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(failing(429, headers={"Retry-After": "0.3"}))
    began = time.monotonic()

    batch = openai_embedder(openai_server).embed_passages(TEXTS, deadline=Deadline.after(10))

    assert len(batch.vectors) == 3
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("0.5", 0.5), ("-3", 0), ("nan", None), ("soon", None)],
)
def test_a_429_carries_the_delay_the_provider_asks_for(
    openai_server: FakeOpenAIServer, header: str, seconds: float | None
) -> None:
    openai_server.script(*[failing(429, headers={"Retry-After": header})] * 2)

    with pytest.raises(ProviderThrottled) as caught:
        openai_embedder(openai_server).embed_passages(TEXTS, deadline=Deadline.after(0.2))

    assert caught.value.retry_after_seconds == seconds
    assert len(openai_server.requests) == 1


def test_a_429_may_name_a_date(openai_server: FakeOpenAIServer) -> None:
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 1000))
    openai_server.script(failing(429, headers={"Retry-After": date}))

    with pytest.raises(ProviderThrottled) as caught:
        openai_embedder(openai_server).embed_passages(TEXTS, deadline=soon())

    assert 900 < (caught.value.retry_after_seconds or 0) <= 1000


def test_one_failure_of_the_server_is_tried_again(openai_server: FakeOpenAIServer) -> None:
    openai_server.script(failing(502))

    batch = openai_embedder(openai_server).embed_passages(TEXTS, deadline=soon())

    assert len(batch.vectors) == 3
    assert len(openai_server.requests) == 2


def test_the_adapters_own_timeout_counts_when_it_is_shorter(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script(silent, silent)
    began = time.monotonic()

    with pytest.raises(ProviderUnavailable):
        openai_embedder(openai_server, replace(EMBEDDING, seconds=0.2)).embed_query(
            "q", deadline=soon()
        )

    assert time.monotonic() - began < HELD_UP


def test_nobody_listening_is_unavailable(openai_server: FakeOpenAIServer) -> None:
    embedder = openai_embedder(openai_server)
    openai_server.shutdown()
    openai_server.server_close()

    with pytest.raises(ProviderUnavailable):
        embedder.embed_query("q", deadline=soon())


@pytest.mark.parametrize("bad", [{0}, {3}, {7}, {0, 7}, {2, 3, 4}, set(range(8)), {5}])
def test_refused_texts_are_found_and_the_others_keep_their_vectors(
    openai_server: FakeOpenAIServer, bad: set[int]
) -> None:
    """K07: one poisoned text costs that text."""
    openai_server.refused_word = "poison"
    texts = [f"{'poison' if i in bad else 'bread'} {i}" for i in range(8)]

    batch = openai_embedder(openai_server).embed_passages(texts, deadline=soon())

    assert set(batch.refused) == bad
    assert [i for i, found in enumerate(batch.vectors) if not found] == sorted(bad)


def test_one_refused_text_among_96_costs_few_calls(openai_server: FakeOpenAIServer) -> None:
    openai_server.refused_word = "poison"
    texts = ["poison" if number == 50 else f"bread {number}" for number in range(96)]

    openai_embedder(openai_server).embed_passages(texts, deadline=soon())

    assert len(openai_server.requests) <= 2 + 2 * 7  # batch, probe, two halves on each level


def test_a_provider_that_refuses_everything_blames_no_text(
    openai_server: FakeOpenAIServer,
) -> None:
    """Wrong dimensions for a model are a 400 for every text; no chunk may be marked for it."""
    openai_server.script(failing(400), failing(400))

    with pytest.raises(ProviderRefused):
        openai_embedder(openai_server).embed_passages(TEXTS, deadline=soon())

    assert len(openai_server.requests) == 2


def test_a_refused_question_is_an_error(openai_server: FakeOpenAIServer) -> None:
    openai_server.refused_word = "poison"

    with pytest.raises(ProviderRefused):
        openai_embedder(openai_server).embed_query("poison", deadline=soon())


def test_missing_usage_is_estimated_so_that_no_call_is_free(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script(changed(lambda reply: reply.pop("usage")))

    batch = openai_embedder(openai_server).embed_passages(["word " * 100], deadline=soon())

    assert 50 < batch.input_tokens < 200


def test_the_request_names_model_dimensions_and_key(openai_server: FakeOpenAIServer) -> None:
    openai_embedder(openai_server).embed_passages(["hello"], deadline=soon())

    [request] = openai_server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "text-embedding-3-small",
        "input": ["hello"],
        "dimensions": 256,
        "encoding_format": "base64",
    }


def test_the_environment_redirects_nothing(
    openai_server: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = "http://127.0.0.1:9"
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_BASE_URL"):
        monkeypatch.setenv(variable, nowhere)
    monkeypatch.setenv("OPENAI_ORG_ID", "someone-else")

    batch = openai_embedder(openai_server).embed_passages(TEXTS, deadline=soon())

    assert len(batch.vectors) == 3
    assert "someone-else" not in json.dumps(dict(openai_server.requests[0].headers))
