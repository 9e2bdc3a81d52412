"""Real questions to the project's own samples, with the local models: cited pages and refusals."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import psycopg
import pytest

from local.samples import (
    CONTRADICTION,
    HANDBOOK,
    QUARTERLY_REPORT,
    QUESTIONS,
    REPORT_QUESTIONS,
    Question,
    write_samples,
)
from local.stage import Stage
from tests.e2e.tenant import PDF, TEXT, Json, Tenant

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
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
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


@contextmanager
def holding(stage: Stage, text: str, name: str) -> Generator[Tenant]:
    """Give a tenant of its own that holds one text, Markdown where its file is named so."""
    tenant_id, kind = uuid4(), "text/markdown" if name.endswith(".md") else TEXT
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
        sent = tenant.upload(text.encode(), filename=name, content_type=kind)
        assert tenant.outcome(sent)["outcome"] == "PUBLISHED"
        yield tenant


def ask(reader: Tenant, question: str, **options: object) -> Json:
    return reader.post("/ask", {"question": question} | options)


def words_of(text: str) -> str:
    """Return a text on one line, for quotes that cross line ends."""
    return " ".join(text.split())


def pages_of(reader: Tenant, citations: list[Json]) -> str:
    places = dict.fromkeys((each["document_id"], each["page"]) for each in citations)
    texts = (reader.get(f"/documents/{document}/pages/{page}")["text"] for document, page in places)
    return words_of(" ".join(texts))


def assert_cited(reader: Tenant, answer: Json) -> None:
    assert answer["citations"]
    for citation in answer["citations"]:
        page = reader.get(f"/documents/{citation['document_id']}/pages/{citation['page']}")
        assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
        assert f"[{citation['n']}]" in answer["answer"]


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
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as other:
        said = {other.ingest(text.encode())["document_id"]: text for text in texts}

        answer = ask(other, "How often must the gearbox be inspected?")

        assert_cited(other, answer)
    assert {each["document_id"]: each["quote"] for each in answer["citations"]} == said


def test_of_two_versions_the_newer_is_said_first(stage: Stage) -> None:
    """Also where a model holds the older one's figure for the better answer."""
    versions = {"2016-04-01": "36 euros", "2026-04-01": "41 euros"}
    with Tenant(stage.url, stage.token(other := uuid4()), tenant_id=other) as tenant:
        for date, fee in versions.items():
            for thing in ("a sail", "a canoe", "an oar"):
                text = f"The fee for mending {thing} is {fee} per metre of length."
                tenant.ingest(text.encode(), filename=f"{thing} {date}.txt", content_date=date)
        answers = [
            ask(tenant, f"What is the fee for mending {thing} per metre of length?")["answer"]
            for thing in ("a sail", "a canoe", "an oar")
        ]

    for answer in answers:
        assert 0 <= answer.find("41 euros") < answer.find("36 euros"), answer


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
        "Die Drehbank wiegt achthundert Kilogramm.",
        "Wie viele Kilogramm wiegt die Drehbank?",
        "Welche Farbe hat die Drehbank?",
    ),
)
BOATS: Final = (
    ("Boat", "Seats", "Price a day", "Pier"),
    ("Gull", "2", "31 euros", "north"),
    ("Tern", "4", "52 euros", "south"),
    ("Auk", "6", "70 euros", "north"),
)


@pytest.fixture(scope="module")
def notes(stage: Stage) -> Iterator[Tenant]:
    """Upload a note for each near miss, in the order of the list."""
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
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


@pytest.mark.parametrize("kind", ["md", "html", "txt"])
def test_a_question_that_one_row_answers_is_answered_by_that_row(stage: Stage, kind: str) -> None:
    """T-17: with its own heads, and no other row beside it."""
    head, *rows = BOATS
    body = {
        "md": "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)),
        "html": "<table>"
        + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in BOATS)
        + "</table>",
        "txt": "\n".join(" ".join(row) for row in BOATS),
    }[kind]
    types = {"md": "text/markdown", "html": "text/html", "txt": TEXT}
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
        sent = tenant.upload(body.encode(), filename=f"boats.{kind}", content_type=types[kind])
        assert tenant.outcome(sent)["outcome"] == "PUBLISHED"

        answered = ask(tenant, "What is the price a day of the boat Tern?")

    said = answered["answer"] + "".join(citation["quote"] for citation in answered["citations"])
    assert "52 euros" in answered["answer"]
    assert "Price a day" in said
    assert "Gull" not in said
    assert "Auk" not in said


CAKES: Final = """# Aunt Vesna's Cakes

## Pear Tart

Ingredients:

- 4 pears
- 180 g flour
- 90 g butter

Method:

1. Rub in the butter.
2. Core the pears.
3. Bake it for 35 minutes.

## Storing

The tart keeps for two days in a tin. It is not frozen.
"""


@pytest.fixture(scope="module")
def cakes(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, CAKES, "cakes.md") as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "What are the ingredients of the pear tart?",
            "Ingredients:\n- 4 pears\n- 180 g flour\n- 90 g butter [1].",
        ),
        (
            "How do I make the pear tart?",
            "Method:\n1. Rub in the butter.\n2. Core the pears.\n3. Bake it for 35 minutes [1].",
        ),
        ("How many pears does the tart need?", "- 4 pears [1]."),
        ("How many eggs does the tart need?", None),
        ("How long does the pie keep in the freezer?", None),
    ],
    ids=["list", "procedure", "item", "missing item", "missing thing"],
)
def test_a_list_comes_whole_and_an_item_alone(
    cakes: Tenant, question: str, shown: str | None
) -> None:
    """T-17: under its heading, in order, and verbatim in its citation."""
    answered = ask(cakes, question)

    assert answered["answer"] == (shown or answered["abstained"]["message"])
    if shown:
        assert_cited(cakes, answered)


@pytest.mark.parametrize("text", [".", "- - -", "???", "\u3002\u3002", "\U0001f600", "___"])
def test_a_question_without_words_is_refused_on_every_route(notes: Tenant, text: str) -> None:
    for route in ("/ask", "/chat"):
        assert ask_by(notes, route, text)["abstained"]["reason"] == "EMPTY_QUERY"
    assert notes.post("/search", {"query": text})["abstained"]["reason"] == "EMPTY_QUERY"
    assert "EMPTY_QUERY" in notes.send("POST", "/ask/stream", {"question": text}).text


def ask_by(reader: Tenant, route: str, question: str) -> Json:
    return reader.post(route, {"question": question})


PACKING: Final = """# Packing machine

The landlord of the hall gives six months' notice. The tenant keeps the keys in a safe.

Error E12: the belt is blocked. Remove the box.

Error E17: the film roll is empty. Insert a new roll.
"""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What notice does the landlord of the hall give?", ["six months"]),
        ("What notice does the tenant of the hall give?", []),
        ("What do the errors E12 and E17 mean?", ["belt is blocked", "roll is empty"]),
        ("What do the errors E12 and E19 mean?", []),
    ],
)
def test_each_thing_asked_for_is_found_under_its_own_name(
    stage: Stage, question: str, says: list[str]
) -> None:
    """S0-16, S2-19: the landlord's notice is not the tenant's; two errors are two sentences."""
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
        tenant.ingest(PACKING.encode())

        answered = ask(tenant, question)

    assert (answered["abstained"] is None) == bool(says), answered["answer"]
    assert all(said in answered["answer"] for said in says)


PUMP_COMMAND: Final = """PUMPCTL(1)

NAME
       pumpctl - move water between tanks

OPTIONS
       -v, --valve NUMBER
           Open this valve before the pump starts. Closed valves stay closed.

       -V, --verbose
           Print each step.

       -w, --wait SECONDS
           Let the pump rest for so many seconds
           between two tanks.

Exit Status
===========

0
   The water was moved.

3
   A tank overflowed.

5
   No tank of that name was found.

Checked on 2025-Mar-02 by Ada Berg for the north tank.
Checked on 2025-Apr-07 by Olu Mbeki for the south tank.
"""


@pytest.fixture(scope="module")
def pump(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, PUMP_COMMAND, "pumpctl.txt") as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "says", "not_says"),
    [
        ("Which option lets the pump rest between two tanks?", "--wait SECONDS", "--verbose"),
        ("What does the -V option of pumpctl do?", "Print each step", "Open this valve"),
        ("What does the -v option of pumpctl do?", "Open this valve", "Print each step"),
        ("What does the -Z option of pumpctl do?", "", ""),
        ("What does exit status 3 of pumpctl mean?", "A tank overflowed", "No tank"),
        ("What does exit status 4 of pumpctl mean?", "", ""),
        ("Which tank was checked on 2025-Apr-07?", "south tank", "north tank"),
        ("Which tank was checked on 2025-May-19?", "", ""),
    ],
)
def test_a_definition_is_quoted_with_its_term(
    pump: Tenant, question: str, says: str, not_says: str
) -> None:
    """A manual's line says what it does, and only the line above says of what."""
    answered = ask(pump, question)

    assert (answered["abstained"] is None) == bool(says), answered
    assert says in answered["answer"]
    assert not not_says or not_says not in answered["answer"]
    if says:
        assert_cited(pump, answered)


def test_a_sentence_need_not_name_its_document(stage: Stage) -> None:
    """One that names it and says something else was shown instead."""
    text = (
        "You agree to all terms of this agreement in English.\n\n"
        "The courts of the county of Norland shall rule on any dispute or claim that arises out of"
        " this agreement. Notwithstanding this, you agree that Hollis shall still be allowed to ask"
        " other courts for an urgent ruling in a dispute.\n"
    )
    with holding(stage, text, "hollis.txt") as tenant:
        answered = ask(tenant, "Which courts rule on disputes with Hollis?")

    quotes = [citation["quote"] for citation in answered["citations"]]
    assert quotes[0].startswith("The courts of the county of Norland"), quotes


_OF_QUARRY: Final = (
    ("LARKMOOR_2023.txt", "Larkmoor Quarries", "19.5", "412"),
    ("LARKMOOR_2022.txt", "Larkmoor Quarries", "23.0", "388"),
    ("LARKMOORFERRY_2023.txt", "Larkmoor Ferries", "11.8", "97"),
)
_REPORT: Final = """Annual report

{name} reports on the year. The board of {name} thanks the staff.

Taxes

The effective tax rate was {rate} per cent.

Restructuring

We recognised restructuring charges of {charges} thousand, mostly severance.
"""


def test_a_report_that_says_we_answers_for_the_company_that_it_is_of(stage: Stage) -> None:
    """The file has one word of the name: each sentence was refused for lack of the others."""
    tenant_id = uuid4()
    with Tenant(stage.url, stage.token(tenant_id), tenant_id=tenant_id) as tenant:
        for source, name, rate, charges in _OF_QUARRY:
            text = _REPORT.format(name=name, rate=rate, charges=charges)
            sent = tenant.upload(text.encode(), filename=source, content_type=TEXT)
            assert tenant.outcome(sent)["outcome"] == "PUBLISHED"
        rate = ask(tenant, "What was the effective tax rate of Larkmoor Quarries in 2023?")
        older = ask(tenant, "What was the effective tax rate of Larkmoor Quarries in 2022?")
        charges = ask(tenant, "What restructuring charges did Larkmoor Ferries have in 2023?")
        other = ask(tenant, "What was the effective tax rate of Larkmoor Bakeries in 2023?")

    assert "19.5 per cent" in rate["answer"]
    assert "23.0 per cent" in older["answer"]
    assert "97 thousand" in charges["answer"]
    assert {len(one["citations"]) for one in (rate, older, charges)} == {1}
    assert other["abstained"] is not None


def test_a_command_among_steps_ends_no_list(stage: Stage) -> None:
    text = (
        "# Kiln\n\n## Cool the kiln\n\n"
        "1. Close the valve:\n\n   ```\n   kilnctl close --valve 3\n   ```\n\n"
        "2. Open the flap.\n3. Wait for the green lamp.\n\n"
        "The kiln stands in the yard. It is fired on Mondays.\n"
    )
    with holding(stage, text, "kiln.md") as tenant:
        answered = ask(tenant, "How do I cool the kiln?")

        assert answered["answer"] == (
            "Cool the kiln\n1. Close the valve: kilnctl close --valve 3\n2. Open the flap.\n"
            "3. Wait for the green lamp [1]."
        )
        assert_cited(tenant, answered)


FERRIES = """\
# Lorne Ferries: report of 2031

## Income statement

| Thousands of crowns | 2031 | 2030 |
|---|---|---|
| Turnover | 8,120 | 7,440 |
| Fuel | 1,910 | 1,655 |

## Figures by quarter

| Thousands of crowns | Q1 2031 | Q2 2031 | Q3 2031 | Q4 2031 |
|---|---|---|---|---|
| Turnover | 1,204 | 2,480 | 3,015 | 1,421 |
"""


@pytest.mark.parametrize(
    ("question", "says", "not_says"),
    [
        ("What was the turnover of Lorne Ferries in the third quarter of 2031?", "3,015", "8,120"),
        ("What was the turnover of Lorne Ferries in 2030?", "7,440", "3,015"),
        ("What was the turnover of Lorne Ferries in the third quarter of 2030?", "", ""),
    ],
)
def test_a_row_answers_for_the_quarters_of_its_columns(
    stage: Stage, question: str, says: str, not_says: str
) -> None:
    with holding(stage, FERRIES, "lorne.md") as tenant:
        answered = ask(tenant, question)

    assert (answered["abstained"] is None) is bool(says), answered["answer"]
    assert says in answered["answer"]
    assert not not_says or not_says not in answered["answer"]


def test_who_asks_what_to_do_is_given_the_list(stage: Stage) -> None:
    """The sentence before it says only when; it ends in no colon."""
    text = (
        "# Leaving the club\n\n"
        "This page is for the office, and for days on which a member leaves the club.\n\n"
        "- Collect the keys of the boat house.\n- Close the account at the bar.\n"
        "- Take the name off the list of members.\n\n"
        "The office is open on Mondays.\n"
    )
    with holding(stage, text, "office.md") as tenant:
        answered = ask(tenant, "What should I do when a member leaves the club?")

    for step in ("Collect the keys", "Close the account", "Take the name"):
        assert step in answered["answer"], answered["answer"]
    assert "Mondays" not in answered["answer"]


def test_steps_in_prose_come_in_order_and_he_with_whom_he_is(stage: Stage) -> None:
    text = (
        "# The hall\n\n## Lamps\n\nTo replace a lamp, first switch off the current. Then turn the"
        " old one to the left. Put in the new one.\n\nThe lamps are of glass.\n\n"
        "## Lost keys\n\nTell the caretaker at once. He blocks the key that you lost.\n\n"
        "## Courses\n\nYou book the first course at the desk. The desk is of oak. It opens at"
        " nine.\n"
    )
    with holding(stage, text, "hall.md") as tenant:
        lamp = ask(tenant, "How do I replace a lamp?")["answer"]
        key = ask(tenant, "What happens when I lost my key?")["answer"]
        course = ask(tenant, "How do I book the first course?")["answer"]

    assert "first switch off the current. Then turn the old one to the left. Put in" in lamp, lamp
    assert "glass" not in lamp
    assert key.startswith("Tell the caretaker at once. He blocks the key"), key
    assert "oak" not in course, course


def test_what_one_section_says_is_not_said_of_the_section_before(stage: Stage) -> None:
    """Both stand in one passage of the second page, which begins with the first of them."""
    first_page = "The rules hold for all guests and their visitors. " * 59
    first_page += "They are read to all of them."
    shed = "They stand in the shed, whose door the caretaker opens in the morning. " * 3
    text = (
        f"# House rules\n\n{first_page}\n\n## Bicycles\n\n{shed} It is closed at ten.\n\n"
        "## Dogs\n\nThe fee is 5 euros a night.\n"
    )
    with holding(stage, text, "rules.md") as tenant:
        dogs = ask(tenant, "What is the fee for dogs?")
        bicycles = ask(tenant, "What is the fee for bicycles?")

    assert "5 euros" in dogs["answer"]
    assert "5 euros" not in (bicycles["answer"] or ""), bicycles["answer"]


def test_steps_are_counted_from_their_list_and_a_stated_number_is_quoted(stage: Stage) -> None:
    """A step that has a number in it ("Open both doors") does not say how many there are."""
    text = (
        "# The oven\n\nThe oven has four racks.\n\n## The filter\n\nTo replace the filter:\n"
        "1. Open both doors.\n2. Pull the old one forward.\n3. Push the other one in.\n"
    )
    with holding(stage, text, "oven.md") as tenant:
        steps = ask(tenant, "How many steps are required to replace the filter?")
        racks = ask(tenant, "How many racks does the oven have?")

    for step in ("Open both doors", "Pull the old one forward", "Push the other one in"):
        assert step in steps["answer"], steps["answer"]
    assert steps["note"]["kind"] == "count"
    assert "four racks" in racks["answer"]
    assert racks["note"] is None


def test_a_numbered_section_is_no_step_of_the_list_before_it(stage: Stage) -> None:
    text = (
        "# Rules of the rowing club\n\n## 3. Lending a boat\n\n1. Ask the warden.\n"
        "2. Sign the red book.\n3. Take the oars.\n\n## 4. Bar\n\nThe bar opens at six.\n"
    )
    with holding(stage, text, "rules.md") as tenant:
        answered = ask(tenant, "How do I lend a boat?")

    assert "1. Ask the warden.\n2. Sign the red book.\n3. Take the oars" in answered["answer"]
    assert "Bar" not in answered["answer"]


def test_what_nobody_numbered_is_left_to_be_counted_and_what_is_stated_of_another_is_not(
    stage: Stage,
) -> None:
    text = (
        "# The kiln\n\nData are exchanged with the kiln over the USB socket.\n\n"
        "Plug in the stick. Choose the curve that you want. Wait for the tone.\n\n"
        "The kiln has two doors. The wheel stands beside it.\n"
    )
    with holding(stage, text, "kiln.md") as tenant:
        steps = ask(tenant, "How many steps does the exchange of data over USB have?")
        doors = ask(tenant, "How many doors does the wheel have?")
        grams = ask(tenant, "How many grams does the USB socket of the kiln weigh?")

    assert "over the USB socket" in steps["answer"], steps["abstained"]
    assert steps["note"]["kind"] == "count"
    assert doors["abstained"] is not None, doors["answer"]
    assert grams["abstained"] is not None, grams["answer"]


def test_what_is_counted_and_compared_is_what_was_asked_about(stage: Stage) -> None:
    """The number of a passage is none; a list of courses does not say which one is cheaper."""
    text = (
        "# The lido\n\nThe large pool has eight lanes. The small pool is for children and has a"
        " slide. There are 120 lockers beside the showers. The lido closes at 20:00.\n\n"
        "## Courses\n\nCourses of the summer: aqua gym, diving for beginners, life saving.\n\n"
        "The aqua gym costs 45 euros. Life saving costs 60 euros. Boris and Carla teach on"
        " Sundays.\n\n"
        "In 2023 the lido sold 41,000 tickets and baked 900 waffles. In 2024 it sold 39,500"
        " tickets.\n"
    )
    with holding(stage, text, "lido.md") as tenant:
        showers = ask(tenant, "How many showers are there?")
        courses = ask(tenant, "How many courses are there in the summer?")
        people = ask(tenant, "How many people teach on Sundays?")
        cheaper = ask(tenant, "Which course is cheaper, aqua gym or life saving?")
        cakes = ask(tenant, "How many more cakes were sold in 2023 than in 2024?")
        slides = ask(tenant, "How many slides does the large pool have?")

    assert showers["note"] is not None, showers["answer"]
    assert courses["answer"].startswith("Courses of the summer"), courses["abstained"]
    assert people["answer"].startswith("Boris and Carla"), people["abstained"]
    assert "45 euros" in cheaper["answer"]
    assert "60 euros" in cheaper["answer"], cheaper["answer"]
    assert cheaper["note"]["kind"] == "comparison"
    for refused in (cakes, slides):
        assert refused["abstained"] is not None, refused["answer"]


def test_the_annual_fee_is_the_yearly_one_and_spring_is_no_autumn(stage: Stage) -> None:
    text = (
        "The yearly fee is 30 euros. The big hall holds 200 guests."
        " In autumn the bar closes at ten.\n"
    )
    with holding(stage, text, "club.txt") as tenant:
        annual = ask(tenant, "What is the annual fee?")
        large = ask(tenant, "How many guests does the large hall hold?")
        refused = [
            ask(tenant, question)
            for question in ("What is the monthly fee?", "When does the bar close in spring?")
        ]

    assert "30 euros" in annual["answer"], annual["abstained"]
    assert "200 guests" in large["answer"], large["abstained"]
    assert all(one["abstained"] is not None for one in refused), refused


def test_a_code_is_found_in_a_list_whose_top_says_what_its_codes_are(stage: Stage) -> None:
    text = (
        "# Moorings of the river authority\n\nHarbour name and mooring code\n\n## Lower river\n\n"
        "1. Herring Quay LR01\n2. Tern Quay LR02\n3. The old shipyard LR03\n\n"
        "## Upper river\n\n1. Mill Quay UR01\n2. Salt Quay UR02\n"
    )
    with holding(stage, text, "moorings.md") as tenant:
        known = ask(tenant, "What is the harbour name for the mooring code UR02?")
        unknown = ask(tenant, "What is the harbour name for the mooring code UR07?")

    assert known["answer"].startswith("2. Salt Quay UR02"), known
    assert unknown["abstained"] is not None, unknown["answer"]


BOATYARD: Final = """Working hours. Roles in the office may be worked from home for up to two days a
week once probation has been passed.

The forklift may be driven only by persons whom the yard master has authorised. Wearing parts are
seals, filters and belts.

If the crane cannot be used, the fee is suspended until it can be used again.

Concerns about wrongdoing may be reported in confidence to Sunniva Dahl, a member of the board.
"""


@pytest.fixture(scope="module")
def boatyard(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, BOATYARD, "boatyard.txt") as tenant:
        yield tenant


def assert_says(answered: Json, expected: str | None) -> None:
    if expected is None:
        assert answered["abstained"] is not None, answered["answer"]
    else:
        assert expected in words_of(answered["answer"]), answered["abstained"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days a week can I work from home once I'm through probation?", "two days"),
        ("Who is allowed to drive the forklift truck?", "the yard master has authorised"),
        ("What counts as a wearing part?", "seals, filters and belts"),
        ("What happens to the charge when the crane is out of order?", "the fee is suspended"),
        ("Who should I contact in confidence about wrongdoing in the company?", "Sunniva Dahl"),
        ("Who is allowed to drive the delivery van?", None),
        ("What happens to the fee when the pontoon cannot be used?", None),
        ("How many months of parental leave are there?", None),
    ],
)
def test_people_ask_in_words_of_their_own(
    boatyard: Tenant, question: str, expected: str | None
) -> None:
    """S0-16. Fails when: a word that nobody listed as the same refuses a sure answer."""
    answered = ask(boatyard, question)

    assert_says(answered, expected)


ALLOTMENTS: Final = """Garden rules of the Holm allotments. Members weed the path beside their
plot every second Sunday. Water is turned off from November to March so that the pipes do not burst.

A plot that nobody has dug for a year goes to the next person on the waiting list. Bonfires are lit
on the gravel square only, and never before dusk.

The shed is locked with a code that changes each month; ask Ragna Lind for it. Hens may be kept,
six to a plot, but no cockerels.
"""


@pytest.fixture(scope="module")
def allotments(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, ALLOTMENTS, "allotments.txt") as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How often do I have to tidy the walkway?", "every second Sunday"),
        ("What does Ragna Lind sell?", None),  # "ask Ragna Lind" has her name
        ("When is the water of the pond turned off?", None),
        ("Who weeds the paths of the car park?", None),
        ("Is it fine to light a fire in the morning?", "never before dusk"),  # .13 of relevance
        ("May I keep ducks on my plot?", None),
        ("How often does the code of the gate change?", None),
        ("How many rabbits may be kept?", None),
        ("Where may fireworks be lit?", None),
    ],
)
def test_what_answers_is_told_from_what_shares_its_words(
    allotments: Tenant, question: str, expected: str | None
) -> None:
    """S0-16. Fails when: nobody is asked who was taught to tell an answer from a near miss."""
    answered = ask(allotments, question)

    assert_says(answered, expected)
    if expected is not None:
        trace = allotments.get(f"/traces/{answered['trace_id']}")
        assert 0.4 <= trace["answer"]["checks"]["chance"] <= 1


def test_a_search_finds_what_is_said_in_other_words_too(allotments: Tenant) -> None:
    """Of relevance .13 to the reranker. Fails when: only `/ask` asks who was taught."""
    found = allotments.post("/search", {"query": "Is it fine to light a fire in the morning?"})

    assert found["abstained"] is None
    assert "never before dusk" in found["chunks"][0]["content"]


def test_a_question_that_names_nothing_is_not_answered_by_whatever_is_there(stage: Stage) -> None:
    text = (
        "The deposit for the hall is 200 euros. Quiet hours are from 22:00 to 07:00."
        " Vitamin C tablets are at the desk."
    )
    with holding(stage, text, "rules.txt") as tenant:
        for question in ("the", "When?", "c", "Und?"):
            answered = ask(tenant, question)
            assert answered["abstained"] is not None, (question, answered["answer"])
        assert "200 euros" in ask(tenant, "deposit")["answer"]  # one word can be a question


def test_without_a_model_a_follow_up_is_read_by_its_form(stage: Stage) -> None:
    """A few words after a question named nothing to look for."""
    rules = "Dogs need the written consent of the landlady. Cats may be kept without asking."
    with holding(stage, rules, "pets.txt") as tenant:
        told = {"conversation_id": str(uuid4())}

        tenant.post("/ask", {"question": "Are dogs allowed?"} | told)
        second = tenant.post("/ask", {"question": "And cats?"} | told)
        left = tenant.post("/ask", {"question": "And cats?", "rewrite": False} | told)

    assert second["rewritten_question"] == "Are cats allowed?"
    assert "Cats may be kept without asking" in second["answer"], second["abstained"]
    assert left["rewritten_question"] is None


PRICES: Final = """# Prices

| Article | Unit | Price EUR | Delivery time |
| --- | --- | --- | --- |
| Oak floorboard | m2 | 64.50 | 2 weeks |
| Pine floorboard | m2 | 31.90 | 3 days |
| Bamboo floorboard | m2 | 48.00 | 4 weeks |
| Hard wax oil | can | 79.90 | 3 days |
"""


def test_of_several_that_are_asked_for_every_row_is_shown(stage: Stage) -> None:
    with holding(stage, PRICES, "prices.md") as tenant:
        answer = ask(tenant, "List all floorboards.")

    for row in ("Oak", "Pine", "Bamboo"):
        assert f"{row} floorboard" in answer["answer"], answer["abstained"]
    assert "wax" not in answer["answer"]


def test_one_clause_answers_without_those_beside_it(stage: Stage) -> None:
    """The whole page was quoted, as the list whose items its clauses are."""
    clauses = (
        "Use of the flat\n\n"
        "4. Keys. The tenants receive two keys to the front door and one to the cellar.\n"
        "5. Pets. Cats may be kept without asking. Dogs need the written consent of the landlady.\n"
        "6. Subletting. The tenants may not sublet the flat or single rooms.\n"
    )
    with holding(stage, clauses, "flat.txt") as tenant:
        answer = ask(tenant, "Do dogs need permission?")

    assert "Dogs need the written consent" in answer["answer"], answer["abstained"]
    assert "sublet" not in answer["answer"]
