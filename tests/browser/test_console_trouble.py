"""What the console does where the stage, the network or the budget lets it down."""

import json
import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Route, expect

from local.stage import Stage
from tests.browser.console import NOTE, Window, window


def test_a_stage_that_wakes_up_is_waited_for_in_words(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({"note.txt": NOTE})
    sleeping = [True]
    problem = {"status": 503, "code": "WARMING", "detail": "paused", "guidance": "wait"}

    def wake(route: Route) -> None:
        if not sleeping:
            route.continue_()
            return
        sleeping.clear()
        route.fulfill(status=503, headers={"Retry-After": "1"}, body=json.dumps(problem))

    person.page.route("**/ask/stream", wake)
    waiting = person.page.locator("#stage:text('waking up')")
    person.go("ask")
    person.page.fill("#question", "How often is the filter of the boiler changed?")
    person.page.press("#question", "Enter")

    waiting.wait_for()
    person.page.wait_for_selector(".marker")
    waiting.wait_for(state="hidden")
    assert "400 hours" in (person.page.locator(".said").text_content() or "")


def test_a_budget_that_is_used_up_is_said_at_once_with_what_to_do(
    opened: Callable[..., Window],
) -> None:
    """Its `Retry-After` is the end of the day."""
    person = opened()
    guidance = "Raise the tenant's budget or wait for the next day, then retry."
    problem = {"status": 429, "code": "BUDGET_EXCEEDED", "detail": "spent", "guidance": guidance}

    def refuse(route: Route) -> None:
        route.fulfill(status=429, headers={"Retry-After": "36000"}, body=json.dumps(problem))

    person.page.route("**/ask/stream", refuse)
    answer = person.ask("How often is the filter of the boiler changed?")

    assert guidance in (answer.locator(".notice.error").text_content() or "")


def test_offline_is_said_and_the_question_can_be_asked_again(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({"note.txt": NOTE})
    person.page.context.set_offline(True)

    person.go("ask")
    person.page.fill("#question", "How often is the filter of the boiler changed?")
    person.page.press("#question", "Enter")
    person.page.wait_for_selector(".turn .notice.error >> text=then try again")
    person.page.context.set_offline(False)
    person.page.locator(".turn .notice.error").get_by_role("button", name="Try again").click()

    person.page.wait_for_selector(".marker")
    assert person.page.locator(".turn").count() == 1, "asked again, not once more"
    assert "400 hours" in (person.page.locator(".said").text_content() or "")


def test_an_upload_goes_on_when_the_network_is_back(opened: Callable[..., Window]) -> None:
    """Fails when: all that waits is given up at once, or what arrived is said not to be added."""
    person = opened()
    page = person.page
    lost = list[str]()

    def lose_once(route: Route) -> None:
        if lost or route.request.method != "GET":
            route.continue_()
            return
        lost.append(route.request.url)
        route.abort()

    page.route(re.compile(r"/documents/[-0-9a-f]{36}$"), lose_once)
    page.context.set_offline(True)
    person.drop_named({f"note-{n}.txt": NOTE + str(n).encode() for n in range(5)})
    page.wait_for_selector("#stage >> text=cannot be reached")
    page.wait_for_timeout(500)
    assert page.locator(".uploads .badge.bad").count() == 0
    page.context.set_offline(False)

    page.wait_for_selector("#stage >> text=Connected again")
    page.wait_for_selector(".uploads [role=status]:text-is('5 of 5 ready')")
    expect(page.locator(".list .doc .badge.good")).to_have_count(5)
    assert len(lost) == 1
    page.wait_for_selector("#stage", state="hidden")


def test_a_file_that_did_not_reach_the_bucket_is_sent_again_on_request(
    opened: Callable[..., Window],
) -> None:
    """Lost twice: with its progress, and as a form that any bucket takes."""
    person = opened()
    lost = list[str]()

    def lose_twice(route: Route) -> None:
        if len(lost) > 1 or not route.request.headers.get("content-type", "").startswith(
            "multipart"
        ):
            route.fallback()
            return
        lost.append(route.request.url)
        route.abort()

    person.page.route("**/*", lose_twice)
    person.drop_named({"note.txt": NOTE})
    person.page.wait_for_selector(".uploads >> text=did not arrive")
    person.page.get_by_role("button", name="Try again: note.txt").click()

    expect(person.page.locator(".uploads [role=status]")).to_have_text("1 of 1 ready")


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param('{"type": "text", "text": "The filter of the boiler"}\n', id="between lines"),
        pytest.param('{"type": "text", "text": "The filter"}\n{"type": "sou', id="within a line"),
    ],
)
def test_an_answer_of_a_stage_that_dies_is_not_taken_for_a_whole_one(
    opened: Callable[..., Window], begun: str
) -> None:
    """Fails when: half an answer stands there without its sources, as if that were all."""
    person = opened()
    person.add({"note.txt": NOTE})
    dying = [True]

    def half(route: Route) -> None:
        if dying:
            dying.clear()
            route.fulfill(status=200, body=begun)
        else:
            route.continue_()

    person.page.route("**/ask/stream", half)
    answer = person.ask("How often is the filter of the boiler changed?")
    said = answer.locator(".notice.error")

    assert "broke off" in (said.text_content() or "")
    assert "The filter" not in (answer.locator(".answer").text_content() or "")
    said.get_by_role("button", name="Try again").click()
    person.page.wait_for_selector(".marker")
    assert "400 hours" in (person.page.locator(".said").text_content() or "")


def throttled(person: Window, bytes_a_second: int) -> None:
    network = person.page.context.new_cdp_session(person.page)
    network.send("Network.enable")
    speed = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_a_second}
    network.send("Network.emulateNetworkConditions", {"offline": False, **speed})


def test_how_much_of_a_file_has_gone_is_shown_and_it_can_be_taken_back(
    opened: Callable[..., Window],
) -> None:
    """Failed when nothing moved until all had gone, and nothing ended it."""
    person = opened()
    page = person.page
    person.go("documents")
    throttled(person, 200_000)

    person.drop(**{"long.txt": NOTE * 30_000})
    bar = page.get_by_role("progressbar", name="Sending: long.txt")
    expect(bar).to_have_attribute("value", re.compile(r"^0\.[1-9]"))
    with page.expect_request(lambda request: request.url.endswith("/cancel")) as told:
        page.locator(".uploads").get_by_role("button", name="Cancel: long.txt").click()

    expect(page.locator(".uploads li")).to_have_count(0)
    answer = told.value.response()
    assert answer is not None
    assert answer.ok


def test_a_file_that_the_bucket_refuses_says_why_and_is_sent_again(
    opened: Callable[..., Window],
) -> None:
    """Failed when its refusal was not read: a minute later the file "did not arrive"."""
    person = opened()
    page = person.page

    def expire(route: Route) -> None:
        answer = route.fetch()
        registered = answer.json()
        registered["upload"]["fields"]["x-amz-signature"] = "0" * 64
        route.fulfill(response=answer, json=registered)

    page.route("**/documents", expire)
    person.go("documents")
    person.drop(**{"note.txt": NOTE})
    expect(page.locator(".uploads li")).to_contain_text(
        re.compile(r"The storage refused the file .*signature")
    )
    page.unroute("**/documents")
    page.get_by_role("button", name="Try again: note.txt").click()

    expect(page.locator(".uploads [role=status]")).to_have_text(re.compile(r"^1 of 1 "))
    expect(page.locator(".uploads li")).not_to_contain_text("refused")


def test_a_file_arrives_in_a_bucket_that_does_not_know_the_page(
    browser: Browser, stage: Stage
) -> None:
    """As one that was deployed without a rule: 127.0.0.1 is in the stage's, localhost is not."""
    with window(browser, stage.url.replace("127.0.0.1", "localhost")) as person:
        refused = list[str]()
        person.page.on("console", lambda said: refused.append(said.text))
        person.sign_in(stage.token(uuid4()))
        person.go("documents")
        person.add({"note.txt": NOTE})

        assert any("CORS policy" in text for text in refused)
        person.wrongs[:] = [each for each in person.wrongs if "http://localhost:" not in each]
