"""Real questions to the project's own samples, with the local models: cited pages and refusals."""

from collections.abc import Callable, Iterator
from typing import Final
from uuid import uuid4

import psycopg
import pytest

from local.samples import (
    HANDBOOK,
    QUARTERLY_REPORT,
    QUESTIONS,
    Question,
    write_samples,
)
from local.stage import Stage
from tests.e2e.answers import ask, assert_cited, pages_of, words_of
from tests.e2e.tenant import PDF, TEXT, Tenant
from tests.unit.test_samples import CONTRADICTION, REPORT_QUESTIONS

NO_INFORMATION: Final = "The provided documents do not contain this information."
NOT_INDEXED: Final = "This document has not been indexed for the selected retrieval model."
IN_A_TABLE: Final = REPORT_QUESTIONS[1]
ABSURD: Final = (
    "Who won the football world cup in 1998?",
    "What is the recipe for a chocolate cake?",
    "Which planet has the most moons?",
)


@pytest.fixture(scope="module")
def reader(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def library(reader: Tenant, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Ingest every sample; return the ids by file name."""
    paths = write_samples(tmp_path_factory.mktemp("samples"))
    uploaded = {
        path.name: reader.upload(
            path.read_bytes(),
            filename=path.name,
            content_type=PDF if path.suffix == ".pdf" else TEXT,
        )
        for path in paths
    }
    for name, document_id in uploaded.items():
        assert reader.outcome(document_id)["outcome"] == "PUBLISHED", name
    return uploaded


@pytest.mark.parametrize(
    "question",
    [each for each in (*QUESTIONS, *REPORT_QUESTIONS) if each.answerable and each != IN_A_TABLE],
    ids=lambda question: question.question,
)
def test_a_question_is_answered_from_its_pages(
    reader: Tenant, library: dict[str, str], question: Question
) -> None:
    """S2-19: asked of all documents; cited are the right file, page and words."""
    answer = ask(reader, question.question)

    assert answer["abstained"] is None
    assert_cited(reader, answer)
    own = [each for each in answer["citations"] if each["source"] == question.source]
    assert own
    assert {each["document_id"] for each in own} == {library[question.source]}
    assert {each["page"] for each in own} >= set(question.pages)
    assert question.says[0] in words_of(" ".join(each["quote"] for each in own))
    assert all(said in pages_of(reader, own) for said in question.says)


def test_a_question_is_answered_from_a_table(reader: Tenant, library: dict[str, str]) -> None:
    """S2-19: with the row's label and figures, and what the columns are called."""
    answer = ask(reader, IN_A_TABLE.question)

    assert_cited(reader, answer)
    quotes = [each["quote"] for each in answer["citations"]]
    assert quotes == ["Region | Q3 2025 | Q3 2024 | Change", "Asia | 43.6 | 33.3 | +31 %"]
    assert {each["document_id"] for each in answer["citations"]} == {library[IN_A_TABLE.source]}
    assert answer["answer"] == ("Region: Asia, Q3 2025: 43.6, Q3 2024: 33.3, Change: +31 % [1].")


def test_the_row_of_a_table_is_found(reader: Tenant, library: dict[str, str]) -> None:
    """S2-19: the passage with the figure is among those selected, with its page."""
    found = reader.post("/search", {"query": IN_A_TABLE.question})

    [passage] = [chunk for chunk in found["chunks"] if "Asia | 43.6 | 33.3" in chunk["content"]]
    assert passage["document_id"] == library[IN_A_TABLE.source]
    assert IN_A_TABLE.pages[0] in passage["pages"]


def test_what_the_handbook_does_not_say_is_refused(reader: Tenant, library: dict[str, str]) -> None:
    """S0-16: near the subject of a manual for employees, and still not in it."""
    [question] = [each for each in QUESTIONS if not each.answerable]

    answer = ask(reader, question.question, document_ids=[library[HANDBOOK]])

    # A page of the handbook is a drawing, on which words were looked for: nothing is missing.
    assert answer["answer"] == answer["abstained"]["message"] == NO_INFORMATION
    assert answer["coverage"] == []
    assert answer["abstained"]["reason"] == "BELOW_THRESHOLD"
    assert answer["abstained"]["detail"]
    assert answer["citations"] == answer["sources"] == []
    assert answer["usage"]["output_tokens"] == 0


@pytest.mark.parametrize("question", ABSURD)
def test_an_absurd_question_is_refused(
    reader: Tenant, library: dict[str, str], question: str
) -> None:
    """S0-16: over all that can be read; the trace shows that candidates were looked at."""
    readable = [library[name] for name in library if name != HANDBOOK]
    answer = ask(reader, question, document_ids=readable)
    trace = reader.get(f"/traces/{answer['trace_id']}")

    assert answer["answer"] == NO_INFORMATION
    assert answer["abstained"]["reason"] == "BELOW_THRESHOLD"
    assert trace["candidates"]
    assert not any(candidate["selected"] for candidate in trace["candidates"])
    assert all(candidate["reason"] for candidate in trace["candidates"])


def test_documents_that_contradict_each_other_are_both_shown(
    reader: Tenant, library: dict[str, str]
) -> None:
    """The conflict can be seen in what was retrieved."""
    asked = CONTRADICTION
    found = reader.post("/search", {"query": asked.question})

    texts: dict[str, str] = {}
    for chunk in found["chunks"]:
        texts[chunk["document_id"]] = texts.get(chunk["document_id"], "") + chunk["content"]
    assert asked.older_says in words_of(texts[library[asked.older]])
    assert asked.newer_says in words_of(texts[library[asked.newer]])


def test_an_answer_quotes_both_sides_of_a_contradiction(
    reader: Tenant, library: dict[str, str]
) -> None:
    """The older manual and the newer memo, each under its own number."""
    asked = CONTRADICTION
    answer = ask(reader, asked.question)

    assert_cited(reader, answer)
    quoted = {(each["document_id"], words_of(each["quote"])) for each in answer["citations"]}
    assert (library[asked.older], asked.older_says) in quoted
    assert (library[asked.newer], asked.newer_says) in quoted
    assert len({each["n"] for each in answer["citations"]}) >= 2


def test_two_versions_that_differ_in_a_figure_are_both_quoted(stage: Stage) -> None:
    """Whichever comes first: one of them alone would pass for the truth."""
    texts = [f"The gearbox must be inspected every {hours} hours of use." for hours in (400, 500)]
    with Tenant.new(stage) as other:
        said = {other.ingest(text.encode())["document_id"]: text for text in texts}

        answer = ask(other, "How often must the gearbox be inspected?")

        assert_cited(other, answer)
    assert {each["document_id"]: each["quote"] for each in answer["citations"]} == said


@pytest.mark.parametrize(
    ("said", "asked", "fees"),
    [
        (
            "The fee for mending {} is {} per metre of length.",
            "What is the fee for mending {} per metre of length?",
            ("36 euros", "41 euros", "47 euros"),
        ),
        # Without a currency only the model that was taught finds a price in it.
        (
            "Hire of {} costs {} for members.",
            "What does hire of {} cost for members?",
            ("4.20", "5.50", "6.80"),
        ),
    ],
    ids=["by words", "by a model"],
)
def test_of_versions_the_newest_in_force_is_said_first(
    stage: Stage, said: str, asked: str, fees: tuple[str, str, str]
) -> None:
    """Also where a model holds the older one's figure for the better answer."""
    versions = dict(zip(("2016-04-01", "2026-04-01", "2096-04-01"), fees, strict=True))
    with Tenant(stage.url, stage.token(other := uuid4()), tenant_id=other) as tenant:
        for date, fee in versions.items():
            for thing in ("a sail", "a canoe", "an oar"):
                text = said.format(thing, fee)
                tenant.ingest(text.encode(), filename=f"{thing} {date}.txt", content_date=date)
        answers = [
            ask(tenant, asked.format(thing))["answer"] for thing in ("a sail", "a canoe", "an oar")
        ]

    for answer in answers:
        others = [answer.find(fee) for fee in (fees[0], fees[2]) if fee in answer]
        assert others, answer
        assert 0 <= answer.find(fees[1]) < min(others), answer


def test_a_doubtful_answer_is_one_sentence(reader: Tenant, library: dict[str, str]) -> None:
    """Temperatures there are, and no coolant: a near miss, which no score tells from a match.

    Several sentences of which none is likely would look like an answer.
    """
    del library
    answer = ask(reader, "At which temperature is the coolant drained?")

    assert len(answer["citations"]) <= 1


def test_the_strict_profile_uses_no_model_but_the_embedder(
    reader: Tenant, library: dict[str, str]
) -> None:
    """S0-25: and says the same at every repetition."""
    del library
    answers = [ask(reader, QUESTIONS[0].question, profile="strict") for _ in range(2)]
    traces = [reader.get(f"/traces/{answer['trace_id']}") for answer in answers]

    assert traces[0]["models"]["reranker"] is None
    assert traces[0]["profile"]["exact"] is True
    assert all(candidate["rerank"] is None for candidate in traces[0]["candidates"])
    assert traces[0]["candidates"] == traces[1]["candidates"]
    assert answers[0]["answer"] == answers[1]["answer"]


def test_the_plain_profile_orders_by_similarity(reader: Tenant, library: dict[str, str]) -> None:
    """S1-03: no policy stage; every chunk names its source."""
    found = reader.post("/search", {"query": QUESTIONS[0].question, "profile": "v0.5"})
    scores = [chunk["vector_score"] for chunk in found["chunks"]]

    assert len(scores) == 10
    assert scores == sorted(scores, reverse=True)
    assert {chunk["document_id"] for chunk in found["chunks"]} <= set(library.values())
    assert all(chunk["source"] for chunk in found["chunks"])


def test_the_documentor_profile_takes_five_above_its_threshold(
    reader: Tenant, library: dict[str, str]
) -> None:
    """S4-07: five at most, and none below 0.3."""
    found = reader.post("/search", {"query": QUESTIONS[1].question, "profile": "documentor"})
    above = reader.post(
        "/search",
        {"query": QUESTIONS[0].question, "profile": "documentor", "score_threshold": 0.95},
    )

    assert 1 <= len(found["chunks"]) <= 5
    assert found["chunks"][0]["document_id"] == library[HANDBOOK]
    assert all(chunk["vector_score"] >= 0.3 for chunk in found["chunks"])
    assert above["chunks"] == []
    assert above["abstained"]["reason"] == "BELOW_THRESHOLD"


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_question_is_answered_with_nothing(
    reader: Tenant, library: dict[str, str], text: str
) -> None:
    """S2-16: empty lists and the sentence of its own."""
    del library
    found = reader.post("/search", {"query": text})
    answer = ask(reader, text)

    assert found["chunks"] == found["sources"] == answer["citations"] == answer["sources"] == []
    assert found["abstained"]["reason"] == answer["abstained"]["reason"] == "EMPTY_QUERY"
    assert answer["answer"] == "I don't have enough information."


def test_a_model_that_indexed_nothing_is_told_apart(
    stage: Stage, reader: Tenant, library: dict[str, str]
) -> None:
    """S1-01: another sentence than that of an absent answer, and nothing is generated."""
    model = "memory:hashing@384"
    with psycopg.connect(stage.database_url) as admin:  # no route registers a model yet
        admin.execute("SELECT pulsedocs.ensure_embedding_model(%s)", [model])
        admin.execute(
            "INSERT INTO pulsedocs.embedding_model (tenant_id, model) VALUES (%s, %s)",
            [reader.tenant_id, model],
        )

    answer = ask(reader, QUESTIONS[0].question, model=model)
    found = reader.post("/search", {"query": QUESTIONS[0].question, "model": model})

    assert answer["answer"] == NOT_INDEXED
    assert answer["abstained"]["reason"] == "NOT_INDEXED_FOR_MODEL"
    assert found["chunks"] == []
    assert found["abstained"]["message"] == NOT_INDEXED
    assert ask(reader, QUESTIONS[0].question)["citations"]
    assert reader.status(library[QUARTERLY_REPORT])["embeddings"].keys() != {model}


def test_a_model_that_nobody_registered_has_indexed_nothing(reader: Tenant) -> None:
    """S1-01: said with what to do. Failed when it was 404, as if the route were not there."""
    model = "memory:unknown@384"

    answer = ask(reader, QUESTIONS[0].question, model=model)
    found = reader.post("/search", {"query": QUESTIONS[0].question, "model": model})

    assert answer["answer"] == found["abstained"]["message"] == NOT_INDEXED
    assert answer["abstained"]["reason"] == "NOT_INDEXED_FOR_MODEL"
    assert model in answer["abstained"]["detail"]
    assert "Register the model first" in answer["abstained"]["detail"]


NEAR_MISSES: Final = (
    (
        "The regatta starts on 14 June.",
        "When does the regatta start?",
        "When does the regatta dinner start?",
    ),
    (
        "The towpath is three metres wide.",
        "How wide is the towpath?",
        "How long is the towpath?",
    ),
    (
        "Left luggage is kept for ten days.",
        "For how many days is left luggage kept?",
        "At which address is left luggage kept?",
    ),
    (
        "The boat shed asks for a deposit of 80 euros.",
        "What deposit does the boat shed ask for?",
        "What deposit does the ballroom ask for?",
    ),
    (
        "The air compressor holds nine bar.",
        "How many bar does the air compressor hold?",
        "What colour is the air compressor?",
    ),
    (
        "Volunteers park behind the creamery.",
        "Where do volunteers park?",
        "How much does it cost volunteers to park for a day?",
    ),
    (
        "The brass band practises on Mondays in the barn.",
        "When does the brass band practise?",
        "When does the theatre group practise?",
    ),
    (
        "The leaflet is printed in two hundred copies.",
        "In how many copies is the leaflet printed?",
        "Who edits the leaflet?",
    ),
    (
        "The windmill was built in 1874 and has four storeys.",
        "When was the windmill built?",
        "When was the waterworks built?",
    ),
    (
        "Der Gasthof verlangt eine Anzahlung von sechzig Euro.",
        "Welche Anzahlung verlangt der Gasthof?",
        "Welche Anzahlung verlangt der Reitstall?",
    ),
    (
        "The croquet lawn is rolled by the firm Halm.",
        "Who rolls the croquet lawn?",
        "Who prunes the roses?",
    ),
    (
        "The hoist lifts three tonnes.",
        "How many tonnes does the hoist lift?",
        "How high is the hoist?",
    ),
    (
        "The ferryman keeps two donkeys.",
        "How many donkeys does the ferryman keep?",
        "What are the names of the ferryman's donkeys?",
    ),
    (
        "The lost parrot was found in Cobble Street.",
        "Where was the lost parrot found?",
        "Who found the lost parrot?",
    ),
    (
        "The smithy is insured with Corvina.",
        "With whom is the smithy insured?",
        "For what sum is the smithy insured?",
    ),
    (
        "Three stewards are on duty at weekends.",
        "How many stewards are on duty at weekends?",
        "How many stewards are on duty on weekdays?",
    ),
    (
        "Archery courses are for pupils from the age of nine.",
        "From what age are archery courses?",
        "How many pupils are in an archery course?",
    ),
    ("The dune is thirty metres high.", "How high is the dune?", "How far is it to the dune?"),
    (
        "The chairlift is closed in strong wind.",
        "When is the chairlift closed?",
        "How long is the ride on the chairlift?",
    ),
    (
        "Die Drehbank wiegt achthundert Kilogramm.",
        "Wie viele Kilogramm wiegt die Drehbank?",
        "Welche Farbe hat die Drehbank?",
    ),
)


@pytest.fixture(scope="module")
def notes(stage: Stage) -> Iterator[Tenant]:
    """Upload a note for each near miss, in the order of the list."""
    with Tenant.new(stage) as tenant:
        texts = [text for text, *_ in NEAR_MISSES]
        sent = [
            tenant.upload(text.encode(), filename=f"note {n}.txt", content_type=TEXT)
            for n, text in enumerate(texts)
        ]
        for document_id in sent:
            assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
        yield tenant


@pytest.mark.parametrize(("text", "question", "near_miss"), NEAR_MISSES)
def test_a_near_miss_is_refused_with_what_came_nearest(
    notes: Tenant, text: str, question: str, near_miss: str
) -> None:
    """S0-16, T-25: each was answered with a true citation of something else."""
    answered, refused = ask(notes, question), ask(notes, near_miss)

    assert answered["abstained"] is None, answered["abstained"]
    assert [citation["quote"] for citation in answered["citations"]] == [text]
    assert refused["citations"] == []
    assert refused["abstained"]["reason"] in {"NO_ANSWER_IN_CONTEXT", "BELOW_THRESHOLD"}
    nearest = refused["abstained"]["nearest"]
    if refused["abstained"]["reason"] == "NO_ANSWER_IN_CONTEXT":
        page = notes.get(f"/documents/{nearest['document_id']}/pages/{nearest['page']}")["text"]
        assert page[nearest["start"] : nearest["end"]] == nearest["quote"]
    trace = notes.get(f"/traces/{refused['trace_id']}")
    assert trace["answer"]["detail"] == refused["abstained"]["detail"]


@pytest.mark.parametrize("text", [".", "- - -", "???", "\u3002\u3002", "\U0001f600", "___"])
def test_a_question_without_words_is_refused_on_every_route(notes: Tenant, text: str) -> None:
    for route in ("/ask", "/chat"):
        answer = notes.post(route, {"question": text})
        assert answer["abstained"]["reason"] == "EMPTY_QUERY"
    assert notes.post("/search", {"query": text})["abstained"]["reason"] == "EMPTY_QUERY"
    assert "EMPTY_QUERY" in notes.send("POST", "/ask/stream", {"question": text}).text


def test_a_sentence_that_goes_on_with_a_name_below_a_wide_abstract_answers(
    new_tenant: Callable[..., Tenant],
) -> None:
    """Its columns are narrower than its first lines: "a clock of the make" seemed to end there."""
    paper = (
        "Winding of four harbour clocks\n\n"
        "Four harbour clocks were wound by hand for a year, and nobody who lived there was told of"
        " it.\nThe keepers were told to write down each hour by\nthe light of the pier.\n"
        "Each of the clocks was wound by somebody who had\nwound one before. Clocks of the make\n"
        "Ravensworth were hung in the tower on 4 March.\nThey were taken down on 7 June."
    )
    reader = new_tenant()
    reader.ingest(paper.encode(), filename="clocks.txt")
    answer = ask(reader, "Which make of clocks was hung in the tower?")

    assert "Clocks of the make Ravensworth were hung" in words_of(str(answer["answer"]))


def test_who_asks_for_several_gets_the_list_also_under_a_name_of_two_words(
    new_tenant: Callable[..., Tenant],
) -> None:
    plan = (
        "# Project Heron\n\n## Aims\n\n- Trams run every ten minutes\n- Tickets by phone\n\n"
        "## Risks\n\n- Card readers: one supplier only\n- Staff training needs 3 days per person\n"
        "- Works council must agree before the pilot\n\n"
        "## Money\n\n- Budget: 2.4 million euros\n- Reserve: 10 %\n"
    )
    reader = new_tenant()
    reader.ingest(plan.encode(), filename="heron.md")
    answer = str(ask(reader, "What are the risks of Project Heron?")["answer"])
    one = ask(reader, "How big is the budget of Project Heron?")

    assert all(risk in answer for risk in ("Card readers", "Staff training", "Works council"))
    assert one["answer"] == "Budget: 2.4 million euros [1]."
