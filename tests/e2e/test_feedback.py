"""What people say of answers: kept once each, shown as questions, and gone with its documents."""

import json
import time
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import pytest
from click.testing import CliRunner

from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import Json, Tenant
from tests.patience import PATIENCE

NOTE: Final = b"The hoist of the mill lifts 800 kilograms. Its rope is greased every second Monday."
LIFTS: Final = "How many kilograms does the hoist of the mill lift?"
ELSEWHERE: Final = "Who composed the opera about the flying Dutchman?"


@pytest.fixture
def person(tenant: Tenant) -> Tenant:
    tenant.ingest(NOTE, filename="mill.txt")
    return tenant


def judge(who: Tenant, answer: Json, question: str = LIFTS, **said: Any) -> Any:
    body = {"question": question, "verdict": "helpful"} | said
    return who.send("PUT", f"/traces/{answer['trace_id']}/feedback", body)


def test_an_answer_that_helped_is_a_question_with_the_place_it_cites(person: Tenant) -> None:
    answer = person.post("/ask", {"question": LIFTS})

    kept = judge(person, answer, reason="as it stands there").json()
    [listed] = person.get("/feedback")["feedback"]

    assert kept["is_question"] is True
    assert (listed["verdict"], listed["reason"]) == ("helpful", "as it stands there")
    [cited] = answer["citations"]
    assert listed["expected"] == [{"source": "mill.txt", "page": 1, "quote": cited["quote"]}]


def test_a_turn_of_an_opened_conversation_is_judged_where_it_was_asked(
    tenant: Tenant, stage: Stage
) -> None:
    """Fails when: who opens it again has to know its collections, or it is of the default one."""
    tenant.ingest(NOTE, filename="mill.txt", collection="mills")
    token = stage.token(tenant.tenant_id)
    with PulseDocs(stage.url, token, trust_env=False) as asked:
        talk = asked.chat(collection="mills")
        talk.ask(LIFTS)

    with PulseDocs(stage.url, token, trust_env=False) as docs:
        [turn] = docs.chat(talk.id).turns()
        kept = docs.give_feedback(turn["trace_id"], question=turn["question"], helpful=True)
        questions = docs.feedback_questions(collection="mills")

    assert kept["is_question"]
    assert [each["question"] for each in questions] == [LIFTS]
    unknown = tenant.send("GET", "/feedback", params={"collection": "default"})
    assert unknown.json()["code"] == "COLLECTION_NOT_FOUND"


def test_a_later_word_of_the_same_person_replaces_the_earlier(person: Tenant, stage: Stage) -> None:
    answer = person.post("/ask", {"question": LIFTS})
    token = stage.token(person.tenant_id, subject="somebody else")

    for _ in range(2):
        assert judge(person, answer, verdict="wrong", reason="too short").is_success
    assert judge(person, answer).is_success
    with Tenant(stage.url, token, tenant_id=person.tenant_id) as colleague:
        assert judge(colleague, answer, verdict="wrong").is_success

    listed = person.get("/feedback")["feedback"]
    said = {each["user_id"]: (each["verdict"], each["reason"]) for each in listed}
    assert len(listed) == 2
    assert said["somebody else"] == ("wrong", "")
    assert sorted(said.values()) == [("helpful", ""), ("wrong", "")]


def test_of_a_wrong_answer_the_right_place_can_be_named(person: Tenant) -> None:
    """Or that there is none; where nobody says, evaluations cannot ask it."""
    other = person.ingest(b"The crane of the mill is painted red.", filename="crane.txt")
    answer, refusal = (person.post("/ask", {"question": text}) for text in (LIFTS, ELSEWHERE))
    place = {"document_id": other["document_id"], "page": 1}

    named = judge(person, answer, verdict="wrong", expected=[place, place]).json()
    [first] = person.get("/feedback")["feedback"]
    nowhere = judge(person, answer, verdict="wrong", expected=[]).json()
    [second] = person.get("/feedback")["feedback"]
    unknown = judge(person, answer, verdict="wrong").json()
    rightly = judge(person, refusal, question=ELSEWHERE).json()

    assert [each["is_question"] for each in (named, nowhere, unknown, rightly)] == [
        *(True, True, False, True)
    ]
    assert first["expected"] == [{"source": "crane.txt", "page": 1, "quote": None}]
    assert second["expected"] == []
    assert {each["question"]: each["expected"] for each in person.get("/feedback")["feedback"]} == {
        LIFTS: None,
        ELSEWHERE: [],
    }


def test_a_question_with_a_typing_error_is_one_to_ask_again(person: Tenant) -> None:
    """Failed when its spelling counted as a follow-up's rewriting."""
    typed = LIFTS.replace("kilograms", "kilogramms")
    answer = person.post("/ask", {"question": typed})
    assert answer["rewritten_question"] is not None

    assert judge(person, answer, question=typed).json()["is_question"] is True


def test_an_answer_that_nobody_can_place_any_more_is_no_question(
    person: Tenant, stage: Stage
) -> None:
    """Failed when the older word came back: the newest one knows no place."""
    older, newer = (person.post("/ask", {"question": LIFTS}) for _ in range(2))
    assert judge(person, older).is_success
    assert judge(person, newer, verdict="wrong").is_success

    with PulseDocs(stage.url, person.token, trust_env=False) as docs:
        assert docs.feedback_questions() == []


def test_feedback_on_an_answer_that_never_was_is_not_taken_back(person: Tenant) -> None:
    gone = person.send("DELETE", f"/traces/{uuid4().hex}/feedback")

    assert (gone.status_code, gone.json()["code"]) == (404, "TRACE_NOT_FOUND")


def test_what_does_not_belong_together_is_refused(
    person: Tenant, new_tenant: Callable[..., Tenant]
) -> None:
    answer = person.post("/ask", {"question": LIFTS})
    search = person.post("/search", {"query": LIFTS})
    stranger = new_tenant()
    theirs = stranger.ingest(NOTE, filename="theirs.txt")["document_id"]
    [mine] = [each["document_id"] for each in person.get("/documents")["documents"]]

    refused = {
        "another question": judge(person, answer, question=f"{LIFTS} "),
        "a search": judge(person, search),
        "places of what helped": judge(person, answer, expected=[]),
        "no verdict": judge(person, answer, verdict="so so"),
        "too long": judge(person, answer, reason="x" * 2001),
        "one collection and several": judge(person, answer, collection="a", collections=["b"]),
        "no such collection": judge(person, answer, collection="ghost"),
        "another tenant's document": judge(
            person, answer, verdict="wrong", expected=[{"document_id": theirs}]
        ),
        "a page behind the last": judge(
            person, answer, verdict="wrong", expected=[{"document_id": mine, "page": 2}]
        ),
        "another tenant's answer": judge(stranger, answer),
    }

    assert {name: response.status_code for name, response in refused.items()} == {
        **dict.fromkeys(refused, 400),
        "no such collection": 404,
        "another tenant's document": 404,
        "a page behind the last": 404,
        "another tenant's answer": 404,
    }
    assert person.get("/feedback") == stranger.get("/feedback") == {"feedback": [], "cursor": None}


def test_it_is_taken_back_and_listed_a_page_at_a_time(person: Tenant) -> None:
    answers = [person.post("/ask", {"question": LIFTS}) for _ in range(3)]
    for answer in answers:
        assert judge(person, answer).is_success
    taken_back = answers.pop()
    path = f"/traces/{taken_back['trace_id']}/feedback"

    withdrawn = [person.send("DELETE", path).json()["was_there"] for _ in range(2)]
    first = person.get("/feedback", limit=1)
    second = person.get("/feedback", limit=1, cursor=first["cursor"])

    assert withdrawn == [True, False]
    pages = [page["feedback"][0]["trace_id"] for page in (first, second)]
    assert pages == [answer["trace_id"] for answer in answers[::-1]]
    assert second["cursor"] is None
    assert person.send("GET", "/feedback", params={"collection": "another"}).status_code == 404
    assert person.send("GET", "/feedback", params={"cursor": "x"}).status_code == 400


def test_it_goes_with_a_document_that_it_is_about_or_quotes(person: Tenant) -> None:
    """I8: the proof, which searches every table for the document's words, finds nothing."""
    kiln = b"The kiln of the pottery burns for eleven hours at nine hundred and eighty degrees."
    document = person.ingest(kiln, filename="kiln.txt")["document_id"]
    asked = "How many hours does the kiln of the pottery burn?"
    about, quoting = (person.post("/ask", {"question": text}) for text in (asked, LIFTS))
    assert judge(person, about, question=asked).is_success
    assert judge(person, quoting, reason=f"Not this: {kiln.decode()}").is_success

    receipt = person.send("DELETE", f"/documents/{document}").json()["receipt_id"]
    deadline = time.monotonic() + PATIENCE
    while (shown := person.get(f"/deletions/{receipt}"))["completed_at"] is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)

    assert shown["verification"]["left"] == 0
    assert person.get("/feedback")["feedback"] == []
    assert judge(person, about, question=asked).status_code == 404


def test_evaluations_ask_what_people_judged(person: Tenant, stage: Stage) -> None:
    """By the command, which shows the figures of the policy that they judged."""
    options = ["--url", stage.url, "--token", person.token]

    def run(*words: str) -> Any:
        return CliRunner(env={"NO_PROXY": "*"}).invoke(main, [*words, *options])

    early = run("evaluate", "--from-feedback")
    with PulseDocs(stage.url, person.token, trust_env=False) as docs:
        answer, refusal = (docs.ask(text) for text in (LIFTS, ELSEWHERE))
    given = [
        run("feedback", "give", answer["trace_id"], LIFTS, "--helpful"),
        run("feedback", "give", refusal["trace_id"], ELSEWHERE, "--wrong", "--stands", "nowhere"),
    ]
    evaluated = run("evaluate", "--from-feedback", "--json")
    listed = run("feedback", "list")
    withdrawn = run("feedback", "withdraw", answer["trace_id"])

    assert (early.exit_code, "no feedback on 'default'" in early.output) == (1, True)
    assert [each.output.strip() for each in given] == ["kept; evaluations can ask it"] * 2
    figures = json.loads(evaluated.stdout)["profiles"]["default"]
    assert figures["questions"] == 2
    assert figures["stages"]["selected"]["recall@5"]["mean"] == 1.0
    assert figures["abstention"]["unanswerable"] == 1
    assert LIFTS in listed.output
    assert withdrawn.output.strip() == "withdrawn"
    assert run("feedback", "give", uuid4().hex, LIFTS, "--wrong", "--stands", "x").exit_code == 2
