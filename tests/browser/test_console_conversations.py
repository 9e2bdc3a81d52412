"""Conversations in the console, and what is said of their answers."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Route, expect

from local.stage import Stage
from tests.browser.console import NOTE, QUESTION, Window
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report


def test_questions_are_narrowed_by_metadata_and_a_conversation_is_deleted(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    for year, hours in ((2024, 400), (2025, 500)):
        text = f"The filter of the boiler is changed every {hours} hours of operation."
        tenant.ingest(text.encode(), filename=f"{year}.txt", metadata={"year": year})
    person, asked = opened(tenant), list[dict[str, Any]]()
    page = person.page
    page.on(
        "request",
        lambda sent: asked.append(sent.post_data_json or {}) if "/ask/" in sent.url else None,
    )
    question = "How often is the filter of the boiler changed?"

    page.click("text=By metadata")
    page.fill("#scope-key", "year")
    page.fill("#scope-value", "2025")
    narrowed = person.ask(question).locator(".said").text_content() or ""
    page.click(".metadata summary")
    badge = page.locator(".metadata summary .badge").text_content()
    page.click(".metadata summary")
    page.fill("#scope-value", "1999")
    nowhere = person.ask(question).text_content() or ""
    path = f"/conversations/{asked[0]['conversation_id']}"
    kept = len(tenant.get(path)["turns"])
    page.click(".talks summary")
    page.click(".talk >> text=Delete")
    page.click("dialog >> text=Delete >> nth=-1")
    page.wait_for_selector(".turn", state="detached")

    assert ("500 hours" in narrowed, "400" in narrowed) == (True, False)
    assert "No sure answer" in nowhere
    assert badge == "year = 2025"
    assert kept >= 1
    assert tenant.send("GET", path).status_code == 404


def test_a_page_that_is_loaded_anew_shows_what_it_showed_and_its_address_no_word_of_it(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Failed: question, answer, page and what was chosen were gone, and nothing could be linked."""
    document = tenant.ingest(NOTE, filename="note.txt")
    person = opened(tenant)
    page = person.page
    said = person.ask("How often is the filter of the boiler changed?").locator(".said")
    answer = said.text_content() or ""
    address = page.url
    person.go("documents")
    page.click("text=Ask about it")
    page.fill("#question", "half a thought")
    page.reload()

    expect(page.locator(".turn .said")).to_have_text(answer)
    expect(page.locator("#viewer mark")).to_have_text(NOTE.decode())
    expect(page.locator(".chip-text")).to_have_text("Only in note.txt")
    assert page.input_value("#question") == "half a thought"
    assert page.url == address
    assert re.fullmatch(rf"{person.url}/#ask/[0-9a-f-]{{36}}", address)
    assert str(document["document_id"]) not in address


def test_what_is_typed_stays_where_it_is_typed_when_the_collections_come(
    opened: Callable[..., Window],
) -> None:
    """Failed: the fields closed, and the rest of the key went to the list of collections."""
    person = opened()
    page, held = person.page, list[Route]()
    page.route("**/collections", lambda route: held.append(route))  # noqa: PLW0108 -- no builtin
    page.reload()
    page.click("text=By metadata")
    page.type("#scope-key", "ye")

    held[0].continue_()
    page.wait_for_selector("text=There is nothing to ask yet")
    page.keyboard.type("ar")

    expect(page.locator("#scope-key")).to_be_focused()
    expect(page.locator("#scope-key")).to_have_value("year")


def test_a_conversation_is_found_again_opened_continued_and_deleted(
    opened: Callable[..., Window], tenant: Tenant, stage: Stage
) -> None:
    """In another window, by keyboard; markup in a question stays letters, a colleague has none."""
    markup = "<img src=x onerror=alert(1)>"
    question = f"Who composed the opera about the flying Dutchman? {markup}"
    before = opened(tenant)
    before.add({"report.pdf": report(), "note.txt": NOTE})
    for asked in (question, "How often is the filter of the boiler changed?", QUESTION):
        before.ask(asked)
    person = opened(tenant)
    page = person.page

    page.focus(".talks summary")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=question, exact=True).press("Enter")
    page.wait_for_selector(".turn >> nth=2")
    cards = page.locator(".turn")
    assert cards.locator(".asked").all_text_contents()[0] == question
    assert "No sure answer" in (cards.nth(0).text_content() or "")
    assert "400 hours" in (cards.nth(1).text_content() or "")
    cards.nth(2).locator(".marker").first.press("Enter")
    page.wait_for_selector("#viewer .box")
    cards.nth(2).get_by_role("button", name="Why this answer?").click()
    page.wait_for_selector(".flow tbody tr")
    page.keyboard.press("Escape")
    with page.expect_download():
        cards.nth(2).get_by_role("button", name="Save proof").click()
    cards.nth(2).get_by_role("button", name="Helpful").press("Enter")
    cards.nth(2).get_by_text("evaluations will ask this").wait_for()
    [judged] = tenant.get("/feedback")["feedback"]
    person.ask("How often is the filter of the boiler changed?")
    [listed] = tenant.get("/conversations")["conversations"]
    page.click(".talks summary")
    token = stage.token(tenant.tenant_id, subject="a colleague")
    with Tenant(stage.url, token, tenant_id=tenant.tenant_id) as other:
        colleague = opened(other)
    colleague.page.click(".talks summary")
    colleague.page.wait_for_selector(".talks >> text=None yet")
    page.get_by_role("button", name=f"Delete conversation: {question}").click()
    assert markup in (page.locator("dialog").text_content() or "")
    page.click("dialog >> text=Delete >> nth=-1")
    page.wait_for_selector(".turn", state="detached")

    assert (judged["question"], judged["verdict"]) == (QUESTION, "helpful")
    assert listed["turns"] == 4
    assert tenant.get("/conversations")["conversations"] == []
    assert page.locator("main img, main script").count() == 0
    page.wait_for_selector(".talks >> text=None yet")


def test_a_conversation_of_which_no_more_is_kept_says_so(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: who opens a long one looks for its first questions in vain."""
    before = opened(tenant)
    before.add({"note.txt": NOTE})
    before.ask(QUESTION)
    person = opened(tenant)

    def long(route: Route) -> None:
        kept = route.fetch()
        found = kept.json()
        route.fulfill(response=kept, json=found | {"turns": found["turns"] * 50})

    person.page.route("**/conversations/*", long)
    person.page.click(".talks summary")
    person.page.get_by_role("button", name=QUESTION, exact=True).click()

    assert person.page.wait_for_selector("text=the last 50 questions are kept")


def test_feedback_is_pressed_explained_and_taken_back(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """By keyboard; what is written in it stays letters, and it becomes a question."""
    person = opened(tenant)
    person.add({"note.txt": NOTE})
    question = "How often is the filter of the boiler changed?"
    answer = person.ask(question)
    person.page.wait_for_selector("#viewer mark")
    markup = "<img src=x onerror=alert(1)>"

    answer.get_by_role("button", name="Wrong").press("Enter")
    person.page.wait_for_selector(".judge textarea:focus")
    person.page.keyboard.type(markup)
    person.page.keyboard.press("Tab")
    person.page.keyboard.press("End")
    person.page.keyboard.press("Tab")
    person.page.keyboard.press("Enter")
    answer.get_by_text("evaluations will ask this").wait_for()
    [kept] = tenant.get("/feedback")["feedback"]

    pressed = answer.locator("[aria-pressed=true]")
    assert pressed.text_content() == "Wrong"
    assert (kept["verdict"], kept["reason"], kept["question"]) == ("wrong", markup, question)
    assert kept["expected"] == [{"source": "note.txt", "page": 1, "quote": None}]
    answer.get_by_role("button", name="Helpful").click()
    answer.get_by_role("button", name="Take back").click()
    answer.get_by_text("Taken back.").wait_for()
    assert tenant.get("/feedback")["feedback"] == []
    assert pressed.count() == 0


def test_what_was_said_of_an_answer_is_read_again_and_not_erased_by_a_press(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Of a conversation that is opened again, and once the other word took its place."""
    person = opened(tenant)
    page = person.page
    person.add({"note.txt": NOTE})
    question = "How often is the filter of the boiler changed?"
    answer = person.ask(question)
    page.wait_for_selector("#viewer mark")
    answer.get_by_role("button", name="Wrong").click()
    answer.locator(".judge textarea").fill("It is 500.")
    answer.locator(".judge select").select_option("here")
    answer.get_by_role("button", name="Save", exact=True).click()
    answer.locator(".judge").wait_for(state="hidden")
    before = tenant.get("/feedback")["feedback"]

    answer.get_by_role("button", name="Helpful").click()
    answer.locator("[aria-pressed=true] >> text=Helpful").wait_for()
    answer.get_by_role("button", name="Wrong").click()
    answer.locator("[aria-pressed=true] >> text=Wrong").wait_for()
    again = tenant.get("/feedback")["feedback"]
    page.reload()
    page.click(".talks summary")
    page.get_by_role("button", name=question, exact=True).click()
    pressed = answer.locator("[aria-pressed=true]").text_content()
    answer.get_by_role("button", name="Wrong").click()
    read = answer.locator(".judge textarea").input_value()
    answer.get_by_role("button", name="Save", exact=True).click()
    answer.get_by_text("evaluations will ask this").wait_for()

    def kept(found: list[dict[str, Any]]) -> list[list[Any]]:
        return [[each["verdict"], each["reason"], each["expected"]] for each in found]

    assert (pressed, read) == ("Wrong", "It is 500.")
    expected = [["wrong", "It is 500.", [{"source": "note.txt", "page": 1, "quote": None}]]]
    assert kept(before) == kept(again) == kept(tenant.get("/feedback")["feedback"]) == expected


def test_an_answer_is_written_on_while_other_sections_are_shown(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Failed when whoever looked elsewhere, or chose a language, came back to "Stopped"."""
    tenant.ingest(NOTE, filename="note.txt")
    person, held = opened(tenant), list[Route]()
    page = person.page

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/ask/stream", hold)

    def ask() -> None:
        with page.expect_request("**/ask/stream"):
            page.fill("#question", "How often is the filter of the boiler changed?")
            page.press("#question", "Enter")

    ask()
    page.select_option("select.language", "de")
    person.go("documents")
    held[0].continue_()
    person.go("ask")
    answer = page.locator(".turn")
    expect(answer.locator(".said")).to_contain_text("every 400 hours")
    expect(answer.locator(".marker")).to_have_count(1)
    ask()
    person.go("documents")
    person.go("ask")
    page.get_by_role("button", name="Anhalten").click()

    expect(answer.nth(1)).to_contain_text("Angehalten")
    expect(page.get_by_role("button", name="Fragen", exact=True)).to_be_visible()
