"""The console in a real browser: what a person does with it, and what nobody may do to them."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from openpyxl import Workbook
from playwright.sync_api import Browser, Dialog, FilePayload, Page, Route, expect

from local.stage import Stage
from pulsedocs.scopes import READ
from pulsedocs_cli.__main__ import main as command
from tests.browser.console import Window, chromium, window
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report

NARROW: Final = {"width": 360, "height": 740}
QUESTION: Final = "How many litres does the small pump deliver?"
NOTE: Final = b"The filter of the boiler is changed every 400 hours of operation."


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser: Browser, stage: Stage) -> Generator[Callable[..., Window]]:
    """Open windows: each a person of their own, with a tenant nobody has used before."""
    with ExitStack() as windows:

        def open_window(tenant: Tenant | None = None, **options: Any) -> Window:
            found = windows.enter_context(window(browser, stage.url, **options))
            found.sign_in(tenant.token if tenant else stage.token(uuid4()))
            return found

        yield open_window


def test_a_dropped_file_is_followed_until_its_words_are_shown_on_the_page(
    opened: Callable[..., Window],
) -> None:
    """T-28 From a drop to the highlighted citation, without a request to anybody else."""
    person = opened()

    person.add({"report.pdf": report()})
    answer = person.ask(QUESTION)
    answer.locator(".marker").first.click()
    person.page.wait_for_selector("#viewer .box")

    assert "four litres" in (answer.locator(".said").text_content() or "")
    paper, box = (
        person.page.locator(f"#viewer {each}").bounding_box()
        for each in (".paper", ".box >> nth=0")
    )
    assert paper is not None
    assert box is not None
    # The words stand on the third of the lines that begin 700 points above the page's end.
    down = (box["y"] + box["height"] / 2 - paper["y"]) / paper["height"]
    assert down == pytest.approx((792 - 700 + 2 * 16) / 792, abs=0.02)
    drawn = person.page.evaluate("document.querySelector('#viewer img').naturalWidth")
    assert drawn >= 400


def test_an_answer_is_saved_as_a_file_that_can_be_checked_and_read(
    opened: Callable[..., Window], tmp_path: Path
) -> None:
    """Also in the dark, where words on the colour of a marker were too faint."""
    person = opened(color_scheme="dark")
    person.add({"note.txt": NOTE})
    answer = person.ask("How often is the filter of the boiler changed?")

    with person.page.expect_download() as saving:
        answer.get_by_role("button", name="Save proof").click()
    saving.value.save_as(tmp_path / "proof.html")
    (tmp_path / "note.txt").write_bytes(NOTE)

    checked = CliRunner().invoke(
        command, ["verify", str(tmp_path / "proof.html"), str(tmp_path / "note.txt")]
    )
    assert checked.exit_code == 0, checked.output
    assert checked.output.count("yes  ") == 3, checked.output
    # Its own policy lets no program in, also not the one that looks at it: so without that line.
    text = re.sub(r"<meta http-equiv[^>]*>", "", (tmp_path / "proof.html").read_text("utf-8"))
    person.page.route("**/proof.html", lambda route: route.fulfill(body=text))
    person.page.goto(f"{person.url}/proof.html")
    assert violations(person.page) == []
    person.page.emulate_media(media="print")  # which leaves out grounds
    edge = person.page.locator("blockquote").evaluate("e => getComputedStyle(e).borderLeftStyle")
    assert edge == "solid"


def test_a_question_that_the_documents_do_not_answer_is_refused_with_a_reason(
    opened: Callable[..., Window],
) -> None:
    person = opened()
    person.add({"note.txt": NOTE})

    person.ask("How often is the filter of the boiler changed?")
    person.page.wait_for_selector("#viewer mark")
    answer = person.ask("Who composed the opera about the flying Dutchman?")

    assert person.page.locator("#viewer").is_hidden()
    assert "Not in the documents" in (answer.text_content() or "")
    assert answer.locator(".marker").count() == 0


def test_a_text_without_printed_pages_is_shown_with_its_words_marked(
    opened: Callable[..., Window],
) -> None:
    """A letter beyond the basic plane stands before the words: offsets count characters."""
    person = opened()
    person.add({"note.txt": "Notes 🛠🛠🛠 of the workshop. ".encode() + NOTE})

    person.ask("How often is the filter of the boiler changed?").locator(".evidence").first.click()

    marked = person.page.locator("#viewer mark")
    marked.wait_for()
    assert marked.text_content() == person.page.locator("#viewer .quote p").text_content()


def test_an_answer_says_why_and_what_another_threshold_would_change(
    opened: Callable[..., Window],
) -> None:
    person = opened()
    person.add({"report.pdf": report()})

    person.ask(QUESTION).get_by_role("button", name="Why this answer?").click()
    page = person.page
    page.wait_for_selector(".flow tbody tr")
    slider = page.locator("#gate")
    slider.fill("1")
    slider.dispatch_event("change")
    page.wait_for_selector(".why-body [role=status]:text-matches('fewer|refuse')")
    page.fill("#why-page", "5")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Compute it again").click()
    page.wait_for_selector("text=identical")

    assert page.locator(".flow .selected").count() >= 1
    page.wait_for_selector(".panel form + p:not(:empty)")


def test_of_a_passage_is_said_how_it_was_found_and_by_which_threshold_it_was_chosen(
    opened: Callable[..., Window],
) -> None:
    """Fails when: .15 is chosen left of a line at .30, or a leg's time counts twice."""
    person = opened(viewport=NARROW)
    person.add({"report.pdf": report()})

    def three_passages(route: Route) -> None:
        trace = route.fetch().json()
        trace["profile"] |= {"gate": 0.3, "gate_low": 0.1, "gate_scale": "relevance"}
        trace["timings_ms"] = {"prepare": 7, "search": 100, "vector": 60, "keyword": 30}
        first = trace["candidates"][0] | {"legs": {"vector": {"rank": 1, "score": 0.9}}}
        trace["candidates"] = [
            first | {"chunk_index": at, "relevance": relevance, "selected": relevance > 0.1}
            for at, relevance in enumerate((0.9, 0.15, 0.05))
        ]
        route.fulfill(json=trace)

    person.page.route("**/traces/*", three_passages)
    person.ask(QUESTION).get_by_role("button", name="Why this answer?").click()
    person.page.wait_for_selector(".flow tbody tr")

    dialog = person.page.locator("dialog").text_content() or ""
    lines = person.page.locator(".gate").evaluate_all("all => all.map((each) => each.style.left)")
    scrolled = person.page.locator(".flow").evaluate(
        "table => table.parentElement.scrollWidth - table.parentElement.clientWidth"
    )
    assert set(lines) == {"10%"}
    assert " 107 ms" in dialog
    assert [f"passage {n}" in dialog for n in (1, 2, 3)] == [True] * 3
    assert dialog.count("not by words") == 3
    assert scrolled == 0


def test_states_can_be_told_apart_where_the_system_chooses_all_colours(
    opened: Callable[..., Window],
) -> None:
    """Windows' high contrast. Fails when: what a ground alone says is gone with the ground."""
    person = opened(forced_colors="active")
    person.add({"note.txt": NOTE})
    answer = person.ask("How often is the filter of the boiler changed?")
    answer.get_by_role("button", name="Helpful").click()
    answer.locator("button[aria-pressed=true]").wait_for()
    person.page.wait_for_selector("#viewer mark")

    def ground(selector: str) -> str:
        return person.page.locator(selector).first.evaluate(
            "each => getComputedStyle(each).backgroundColor"
        )

    assert ground("nav a[aria-current]") != ground("nav a:not([aria-current])")
    assert ground("button[aria-pressed=true]") != ground("button[aria-pressed=false]")
    assert ground("#viewer mark") != ground("#viewer .paper")
    edge = "each => getComputedStyle(each).borderTopStyle"
    assert answer.locator(".marker").first.evaluate(edge) == "solid"
    person.go("documents")
    assert person.page.locator(".badge").first.evaluate(edge) == "solid"


def test_enlarged_to_four_times_an_answer_is_not_covered(opened: Callable[..., Window]) -> None:
    """WCAG 1.4.10 and 2.4.11, at 320 by 256. Fails when: head and field leave no room between."""
    person = opened(viewport={"width": 320, "height": 256})
    person.add({"note.txt": NOTE})

    answer = person.ask("How often is the filter of the boiler changed?")
    for name in ("Copy", "Save proof", "Why this answer?"):
        answer.get_by_role("button", name=name).click(trial=True, timeout=10_000)

    width = person.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 320


def test_a_printed_answer_is_the_question_the_answer_and_its_sources(
    opened: Callable[..., Window],
) -> None:
    person = opened()
    person.add({"note.txt": NOTE})
    turn = person.ask("How often is the filter of the boiler changed?")

    person.page.emulate_media(media="print")

    for shown in (".asked", ".said", ".evidence-quote"):
        expect(turn.locator(shown).first).to_be_visible()
    for left_out in (".composer", ".top", ".foot", "#viewer"):
        expect(person.page.locator(left_out).first).to_be_hidden()
    color = turn.locator(".asked").evaluate("each => getComputedStyle(each).color")
    assert color == person.page.evaluate("getComputedStyle(document.body).color"), "not on a ground"


def test_arabic_and_hebrew_are_shown_from_right_to_left(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Each by itself: names, questions, answers, quotes and the page."""
    question = "\u0643\u0645 \u0633\u0627\u0639\u0629\u061f"
    hebrew = "\u05de\u05e1\u05e0\u05df \u05d4\u05de\u05e9\u05d0\u05d1\u05d4 400."
    tenant.ingest(hebrew.encode(), filename="\u05de\u05d3\u05e8\u05d9\u05da.txt")
    tenant.ingest(NOTE, filename="note.txt")
    person = opened(tenant)
    page = person.page

    def direction(selector: str) -> list[str]:
        page.wait_for_selector(selector)
        return page.locator(selector).evaluate_all(
            "all => all.map(e => getComputedStyle(e).direction)"
        )

    page.fill("#question", question)
    assert direction("#question") == ["rtl"]
    person.ask(question)
    assert direction(".asked") == ["rtl"]
    person.go("documents")
    assert sorted(direction(".doc-name")) == ["ltr", "rtl"]
    page.click(".doc-name[dir=auto]:not(:text('note'))")
    assert direction("#viewer h2") + direction("#viewer .paper.text") == ["rtl", "rtl"]


def test_why_not_names_any_document_and_says_why_in_words(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: only documents that were considered can be named, and codes answer."""
    tenant.ingest(NOTE, filename="note.txt")
    tenant.ingest(b"The roof is green.", filename="roof.txt", collection="other")
    person = opened(tenant, locale="de-DE")
    page = person.page
    page.select_option("#scope", "default")
    answer = person.ask("How often is the filter of the boiler changed?")

    answer.get_by_role("button", name="Warum diese Antwort?").click()
    page.wait_for_selector("#why-documents option[value='roof.txt']", state="attached")
    page.fill("#why-document", "roof.txt")
    page.get_by_role("button", name="Prüfen", exact=True).click()
    page.wait_for_selector(".panel >> text=Sie war nicht unter dem, was durchsucht wurde.")
    page.fill("#why-document", "nowhere.txt")
    page.get_by_role("button", name="Prüfen", exact=True).click()

    expect(page.locator(".panel >> text=Das Dokument gibt es nicht")).to_be_visible()


def test_what_has_failed_is_told_by_name_and_anew_once_it_runs_again(
    opened: Callable[..., Window], tenant: Tenant, stage: Stage
) -> None:
    """Also to who may only read."""
    error = {"code": "PROVIDER_KEY_REFUSED", "message": "No", "guidance": "Mend it"}
    stopped = [tenant.ingest(NOTE, filename="note.txt") | {"outcome": "PARKED", "error": error}]
    token = stage.token(tenant.tenant_id, scopes=(READ,), subject="reader")
    with Tenant(stage.url, token, tenant_id=tenant.tenant_id) as other:
        reader = opened(other)
    reader.go("operations")
    reader.page.wait_for_selector("text=Nothing has failed.")
    person = opened(tenant)
    page = person.page

    def list_those(route: Route) -> None:
        is_asked = "state=PARKED" in route.request.url
        route.fulfill(json={"documents": stopped if is_asked else [], "cursor": None})

    def run_again(route: Route) -> None:
        stopped.clear()
        route.fulfill(json={"dry_run": False, "requeued": 1, "documents": []})

    page.route(lambda url: urlsplit(url).path == "/documents", list_those)
    page.route("**/operations/redrive", run_again)
    person.go("operations")
    row = page.locator("tr:has-text('note.txt')")
    assert "Waiting. No. Mend it." in (row.text_content() or "")
    page.click("text=Try all again")

    page.wait_for_selector("text=1 document is tried again.")
    page.wait_for_selector("text=Nothing has failed.")


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


def test_a_value_that_says_true_is_found_and_a_chosen_file_with_a_dot_is_added(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: `true` is looked for as text only, or the file vanishes without a word."""
    tenant.ingest(NOTE, filename="note.txt", metadata={"draft": True})
    person = opened(tenant)
    page = person.page

    page.click("text=By metadata")
    page.fill("#scope-key", "draft")
    page.fill("#scope-value", "true")
    answer = person.ask("How often is the filter of the boiler changed?")
    said = answer.locator(".said").text_content() or ""
    person.go("documents")
    hidden = FilePayload(name=".a.txt", mimeType="text/plain", buffer=NOTE + b" Twice.")
    page.set_input_files("#files", files=[hidden])

    assert "400 hours" in said
    page.wait_for_selector(".uploads [role=status]:text-is('1 of 1 ready')")


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


def test_two_profiles_are_compared_on_a_question_and_on_what_people_judged(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """A name that is markup stays letters; the figures are drawn, and said in a table."""
    person = opened(tenant)
    person.add({"<img src=x onerror=alert(1)>.pdf": report(), "note.txt": NOTE})
    answer = tenant.post("/ask", {"question": QUESTION})
    said = {"question": QUESTION, "verdict": "helpful"}
    assert tenant.send("PUT", f"/traces/{answer['trace_id']}/feedback", said).is_success
    page = person.page

    tenant.ingest(NOTE, filename="first.txt", collection="a-first")
    person.go("compare")
    page.fill("#compare-question", QUESTION)
    assert page.locator("#compare-collection").input_value() == "default"
    page.select_option("#profile-B", "fast")
    page.press("#compare-question", "Enter")
    page.wait_for_selector(".found article >> nth=1")
    page.wait_for_selector(".found h3:text('Passages that differ') + *")
    page.check("#set-fast")
    page.click("text=Measure")
    page.wait_for_selector("#compare-many [role=status]:text('2 of 2 profiles measured on 1')")

    heads = page.locator(".found article h3").all_text_contents()
    assert [head for head in heads if " · " in head] == ["A · default", "B · fast"]
    assert page.locator(".chart").count() == 2
    assert page.locator(".report tbody tr").count() == 2
    assert page.locator(".report tbody bdi:text-is('1')").count() >= 2
    assert page.locator("main img").count() == 0
    page.locator(".found .marker").first.click()
    page.wait_for_selector("#viewer .box")


def test_a_collection_is_moved_to_another_model_and_back(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    person = opened(tenant)
    person.add({"note.txt": NOTE})
    assert tenant.send("POST", "/models", {"model": "memory:hashing@128"}).is_success
    page = person.page
    while tenant.get("/models")["models"][0]["state"] == "PROBING":
        page.wait_for_timeout(200)

    person.go("compare")
    page.click("#compare-models >> text=Start")
    page.wait_for_selector("#compare-models :text('memory:hashing@128: 1 of 1 passages')")
    page.click("#compare-models >> text=Promote")
    page.click("dialog >> text=Promote >> nth=-1")
    page.wait_for_selector("#compare-models >> text=Searched by memory:hashing@128")
    assert tenant.get("/collections/default")["model"] == "memory:hashing@128"
    page.click("#compare-models >> text=Roll back to memory:hashing@384")

    page.wait_for_selector("#compare-models >> text=Searched by memory:hashing@384")
    assert tenant.get("/collections/default")["model"] == "memory:hashing@384"


def test_collections_of_two_models_are_asked_one_at_a_time(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """All of them at once were preselected, and every question was an error."""
    assert tenant.send("POST", "/models", {"model": "memory:hashing@128"}).is_success
    other = {"name": "others", "model": "memory:hashing@128"}
    assert tenant.send("POST", "/collections", other).is_success
    person = opened(tenant)
    person.add({"note.txt": NOTE})

    answer = person.ask("How often is the filter of the boiler changed?")

    assert "every 400 hours" in (answer.locator(".said").text_content() or "")
    scope = person.page.locator("#scope")
    assert scope.locator("option").all_text_contents() == ["default", "others"]
    assert scope.input_value() == "default"


def test_what_comes_late_of_the_former_collection_is_not_shown_for_the_chosen_one(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: the button beside one collection's name changes another."""
    for name in ("default", "other"):
        assert tenant.send("POST", "/collections", {"name": name}).is_success
    person = opened(tenant)
    page = person.page
    moving = {
        "from_model": "m-old",
        "to_model": "m-new",
        "active_model": "m-old",
        "coverage": {"m-new": {"embedded": 3, "chunks": 9}},
        "comparison": None,
        "backfill": {"ended_at": None},
    }
    asked = list[str]()

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 2:  # while it is under way, another is chosen
            page.select_option("#compare-collection", "other")
            page.wait_for_selector("#compare-models:not(:has-text('m-new'))")
        route.fulfill(json=moving)

    page.route("**/collections/default/migration", answer)
    person.go("compare")
    page.wait_for_selector("#compare-models >> text=m-old → m-new")
    page.wait_for_selector("#compare-models:not(:has-text('m-new'))")
    page.wait_for_timeout(3000)  # longer than from one asking to the next

    assert len(asked) == 2
    assert "m-new" not in (page.locator("#compare-models").text_content() or "")


def test_of_two_compared_questions_the_later_one_is_answered(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({"note.txt": NOTE})
    page = person.page
    held = list[Route]()

    def hold_the_first(route: Route) -> None:
        is_first = "opera" in (route.request.post_data or "")
        held.append(route) if is_first else route.continue_()

    page.route(f"{person.url}/ask", hold_the_first)
    person.go("compare")
    for question in ("Who composed the opera?", "How often is the filter of the boiler changed?"):
        page.fill("#compare-question", question)
        page.press("#compare-question", "Enter")
    page.wait_for_selector(".found .marker")
    for route in held:
        route.continue_()
    page.wait_for_timeout(2000)

    assert page.locator(".found .marker").count() == 2


def test_all_collections_are_those_with_documents_first_and_are_known_before_a_question(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: the first twenty by name are asked, or, before the list came, the default one."""
    tenant.ingest(NOTE, filename="note.txt", collection="zz-notes")
    for number in range(20):
        made = tenant.send("POST", "/collections", {"name": f"aa-{number:02}"})
        assert made.is_success
    person = opened(tenant)
    page = person.page
    question = "How often is the filter of the boiler changed?"
    listings = list[str]()

    def slowly(route: Route) -> None:
        listings.append(route.request.url)
        page.wait_for_timeout(1000)
        route.abort() if len(listings) == 1 else route.continue_()

    page.route(f"{person.url}/collections", slowly)
    page.reload()
    page.wait_for_selector("#question")
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.get_by_role("button", name="Try again").last.click()
    page.wait_for_selector(".turn .marker")

    assert "400 hours" in (page.locator(".said").text_content() or "")
    assert "400 hours" in (person.ask(question).locator(".said").text_content() or "")
    assert page.locator("#scope option").first.text_content() == "All collections"


def test_more_collections_than_one_question_may_name_are_counted(
    opened: Callable[..., Window],
) -> None:
    person = opened()
    filled = [{"name": f"c-{n}", "model": "one", "documents": 1} for n in range(22)]

    person.page.route(
        f"{person.url}/collections", lambda route: route.fulfill(json={"collections": filled})
    )
    person.page.reload()

    expect(person.page.locator("#scope")).to_contain_text("20 of 22 collections")


def test_a_new_collection_is_made_in_the_language_that_is_chosen(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """The reader's own at first. Fails when: what a German adds is read as English, and says so."""
    person = opened(tenant, locale="de-DE")
    person.go("documents")
    person.page.wait_for_selector("#language-of-texts")
    assert person.page.input_value("#language-of-texts") == "german"
    person.page.select_option("#language-of-texts", "french")

    person.add({"un.txt": NOTE, "deux.txt": NOTE + b" Once a year it is replaced."})
    person.page.wait_for_selector("#language-of-texts", state="hidden")

    assert tenant.get("/collections/default")["language"] == "french"
    person.page.fill("#target", "more")
    person.page.wait_for_selector("#language-of-texts")


def test_who_reads_another_language_is_asked_for_that_of_a_first_file_dropped_anywhere(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: a collection is made English without a word to its reader."""
    person = opened(tenant, locale="de-DE")
    page = person.page
    person.drop(**{"notiz.txt": NOTE})
    page.wait_for_selector("dialog >> text=In welcher Sprache")
    page.click("dialog >> text=Abbrechen")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator(".uploads > *").count() == 0
    person.go("ask")
    page.reload()
    page.wait_for_selector("#question")

    person.drop(**{"notiz.txt": NOTE})
    page.wait_for_selector("#language-of-new")
    assert page.input_value("#language-of-new") == "german"
    page.click("dialog .primary")
    page.wait_for_selector(".uploads [role=status]:text-matches('^1 von 1 ')")
    person.go("ask")
    person.drop(**{"mehr.txt": NOTE + b" And more."})
    page.wait_for_selector(".uploads [role=status]:text-matches('^2 von 2 ')")

    assert tenant.get("/collections/default")["language"] == "german"


def test_a_document_waits_for_a_budget_only_where_it_does(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    template = tenant.ingest(NOTE) | {"outcome": "PARKED"}
    codes = ["PROVIDER_KEY_REFUSED", "BUDGET_EXCEEDED"]
    error = {"message": "It waits", "guidance": "Do this"}
    documents = [template | {"error": error | {"code": code}} for code in codes]
    person = opened(tenant)

    person.page.route(
        lambda url: urlsplit(url).path == "/documents",
        lambda route: route.fulfill(json={"documents": documents, "cursor": None}),
    )
    person.go("documents")
    badges = person.page.locator(".list .badge")

    expect(badges).to_have_text(["Waiting", "Waiting for budget"])


def test_a_file_that_is_sent_again_unchanged_stays_ready(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({"note.txt": NOTE})
    person.page.click("text=Clear list")
    # The list is drawn with the next frame: till then it says that one of one is ready.
    person.page.wait_for_selector(".uploads [role=status]", state="detached")

    person.add({"note.txt": NOTE})

    assert set(person.page.locator(".doc .badge").all_text_contents()) == {"Ready"}
    person.page.get_by_role("button", name="Ask about it: note.txt").wait_for()


def test_an_earlier_version_is_named_with_what_replaced_it_and_its_page_is_opened(
    opened: Callable[..., Window],
) -> None:
    person = opened()
    page = person.page
    person.add({"note.txt": NOTE})
    page.click("text=Clear list")
    person.add({"note.txt": NOTE.replace(b"400", b"500")})

    page.focus(".earlier summary")
    page.keyboard.press("Enter")
    page.wait_for_selector(".earlier li")
    earlier = page.locator(".earlier li").text_content() or ""
    page.get_by_role("button", name="Open, version 1: note.txt").press("Enter")
    page.wait_for_selector("#viewer .paper.text:has-text('every 400 hours')")
    title = page.locator("#viewer .viewer-title").text_content() or ""
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open: note.txt").click()

    page.wait_for_selector("#viewer .paper.text:has-text('every 500 hours')")
    assert "replaced by version 2" in earlier
    assert "version 1" in title


def test_a_citation_of_a_replaced_version_is_shown_with_the_pages_of_its_own(
    opened: Callable[..., Window],
) -> None:
    """Also from Why. Fails when: it says "Page 2 of 1", or opens the page that replaced it."""
    person = opened()
    page = person.page
    person.add({"report.pdf": report()})
    person.ask(QUESTION)
    person.go("documents")
    page.click("text=Clear list")
    person.add({"report.pdf": report(pages=1)})
    person.go("ask")
    page.reload()
    page.click(".talks summary")
    page.get_by_role("button", name=QUESTION, exact=True).click()
    answer = page.locator(".turn")
    where = page.locator("#viewer .where")

    answer.locator(".marker").first.click()
    expect(where).to_have_text("Page 2 of 6 · version 1, not the current one")
    page.wait_for_selector("#viewer .box")
    answer.get_by_role("button", name="Why this answer?").click()
    page.locator(".flow .selected button").first.click()

    expect(where).to_have_text(re.compile(r"^Page \d of 6 · version 1, not the current one$"))
    page.wait_for_selector("#viewer .paper img")


def test_a_marker_of_an_answer_on_the_screen_opens_the_version_that_it_quotes(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Failed when a new version came: words of its own stood marked as the proof."""
    tenant.ingest(NOTE, filename="note.txt")
    person = opened(tenant)
    answer = person.ask("How often is the filter of the boiler changed?")
    tenant.ingest(b"Notice: the anchor of the old ferry was sold to a museum.", filename="note.txt")
    person.page.keyboard.press("Escape")

    answer.locator(".marker").click()

    expect(person.page.locator("#viewer mark")).to_have_text(NOTE.decode())
    expect(person.page.locator("#viewer .where")).to_contain_text("version 1, not the current one")


def test_each_marker_of_one_source_opens_the_words_of_its_own_sentence(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Also of a conversation opened again. Failed when the last words were every marker's."""
    rivers = ("Oker", "Peene", "Queich")
    text = "\n\n".join(
        f"## {river}\n\nSalmon are caught in the river {river} with nets." for river in rivers
    )
    tenant.ingest(text.encode(), filename="rivers.md", content_type="text/markdown")
    person = opened(tenant)
    page, question = person.page, "Where are salmon caught?"
    answer = person.ask(question)

    def opens() -> Iterator[tuple[str, str]]:
        said = (answer.locator(".said").text_content() or "").split(".")
        for at in range(len(rivers)):
            answer.locator(".marker").nth(at).click()
            expect(page.locator("#viewer mark")).to_contain_text(river_in(said[at]))
            yield river_in(said[at]), river_in(page.locator("#viewer mark").text_content() or "")

    def river_in(words: str) -> str:
        return next(river for river in rivers if river in words)

    expect(page.locator("#viewer mark")).to_contain_text("Oker")  # it opened by itself
    at_once = list(opens())
    page.reload()
    page.click(".talks summary")
    page.get_by_role("button", name=question, exact=True).click()
    answer = page.locator(".turn")

    assert at_once == list(opens()) == [(river, river) for river in rivers]


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


def test_a_name_that_turns_around_is_spelt_and_a_refused_file_is_not_sent_again(
    opened: Callable[..., Window],
) -> None:
    """Failed when the first read "xtxt.pdf", and both were offered to be refused once more."""
    person = opened()

    person.drop_named({"x\u202efdp.txt": NOTE, "program.exe": b"MZ"})
    person.page.wait_for_selector(".uploads [role=status]:text-matches('2 not added')")

    names = person.page.locator(".uploads .doc-name").all_text_contents()
    assert set(names) == {"x\\u202efdp.txt", "program.exe"}
    assert person.page.locator(".uploads button:text-is('Try again')").count() == 0


def test_a_page_is_turned_and_closed_by_keyboard(opened: Callable[..., Window]) -> None:
    """Fails when: what was pressed is taken away, and the focus with it."""
    person = opened()
    page = person.page
    person.add({"report.pdf": report()})
    answer = person.ask(QUESTION)
    page.wait_for_selector("#viewer .box")
    page.focus("#question")
    page.keyboard.press("Escape")
    page.wait_for_selector("#viewer", state="hidden")

    answer.locator(".marker").first.press("Enter")
    where = page.locator("#viewer .where")
    expect(where).to_have_text("Page 2 of 6")
    page.get_by_role("button", name="Next page").press("Enter")
    expect(where).to_have_text("Page 3 of 6")
    expect(page.get_by_role("button", name="Next page")).to_be_focused()
    page.keyboard.press("Alt+PageUp")
    expect(where).to_have_text("Page 2 of 6")
    page.keyboard.press("Escape")

    assert page.locator("#viewer").is_hidden()
    expect(answer.locator(".marker").first).to_be_focused()


def test_a_deleted_document_leaves_a_receipt_and_the_list(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({"note.txt": NOTE})

    person.page.click("text=Delete")
    warned = person.page.locator("dialog").text_content() or ""
    person.page.click("dialog >> text=Delete >> nth=-1")
    person.page.wait_for_selector(".receipt dl")

    told = person.page.locator(".receipt dd")
    expect(told.nth(5)).to_have_text("nothing")
    assert "also those that do not cite it" in warned
    assert "passages 1" in (told.nth(4).text_content() or "")
    assert "_" not in (person.page.locator(".receipt").text_content() or "")
    person.page.wait_for_selector("text=No documents yet")


def test_the_list_stays_as_it_is_while_other_files_are_added_and_deleted(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: whoever stands on a button, or has more shown, is thrown out of the list."""
    for number in range(52):
        tenant.ingest(NOTE + str(number).encode(), filename=f"old-{number}.txt")
    person = opened(tenant)
    page = person.page
    person.add({"first.txt": NOTE})
    page.click(".list-foot >> text=Show more")
    rows = page.locator(".list .doc")
    expect(rows).to_have_count(53)
    first = page.get_by_role("button", name="Ask about it: first.txt")
    first.focus()
    page.evaluate("document.querySelector('.uploads [role=status]').isTheSame = true")

    person.drop(**{"second.txt": NOTE + b" Twice."})
    page.wait_for_selector(".uploads [role=status]:text-is('2 of 2 ready')")

    expect(rows).to_have_count(54)
    expect(first).to_be_focused()
    assert page.evaluate("document.querySelector('.uploads [role=status]').isTheSame")
    page.get_by_role("button", name="Delete: second.txt").click()
    page.click("dialog >> text=Delete >> nth=-1")
    page.wait_for_selector(".receipt dl")
    page.keyboard.press("Escape")
    expect(rows).to_have_count(53)
    expect(page.locator(".list ul").first).to_be_focused()


def test_a_file_that_cannot_be_read_says_what_to_do(opened: Callable[..., Window]) -> None:
    person = opened()

    person.drop_named({"picture.psd": b"8BPS" + bytes(50), "broken.pdf": b"%PDF-1.7 and no more"})

    person.page.wait_for_selector(".uploads .badge.bad >> nth=1")
    said = person.page.locator(".uploads").text_content() or ""
    assert "cannot be read; supported are .pdf" in said
    assert "2 not added" in said or "Refused" in said


# ------------------------------------------------------------------------------------ bad days


def test_an_expired_token_asks_to_sign_in_again(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url) as person:
        expired = stage.tokens.token(uuid4(), lifetime_seconds=-3600)
        person.page.goto(f"{stage.url}/#token={expired}")

        alert = person.page.locator("#sign-in-error:not(:empty)")
        alert.wait_for()

        assert alert.text_content() == "Your session has ended. Sign in again."
        person.page.fill("#token", stage.token(uuid4()))
        person.page.click("form button")
        person.page.wait_for_selector("#question")
        assert "token" not in person.page.url


def test_a_question_outlives_its_session_and_who_signed_out_is_left_alone(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: what is followed asks without a token, and wipes what is pasted meanwhile."""
    person = opened(tenant)
    page = person.page
    page.route(
        re.compile(r"/documents/[-0-9a-f]{36}$"),
        lambda route: route.fulfill(json={"outcome": None, "received_at": "now", "state": "READ"}),
    )
    refused = list[str]()
    page.on("response", lambda got: refused.append(got.url) if got.status == 401 else None)
    person.drop(**{"note.txt": NOTE})
    page.wait_for_selector(".uploads [role=status]")
    person.go("ask")
    page.fill("#question", "How often is")

    page.click("text=Sign out")
    page.fill("#token", tenant.token)
    page.wait_for_timeout(2500)  # longer than from one asking to the next
    assert page.input_value("#token") == tenant.token
    page.click("form button")

    expect(page.locator("#question")).to_have_value("How often is")
    assert refused == []


def test_an_answer_that_the_end_of_a_session_kept_says_to_try_again(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    person = opened(tenant)
    person.add({"note.txt": NOTE})
    page = person.page
    ended = [True]

    def end(route: Route) -> None:
        if not ended:
            route.continue_()
            return
        ended.clear()
        route.fulfill(status=401, json={"message": "Unauthorized"})

    page.route("**/ask/stream", end)
    person.go("ask")
    page.fill("#question", "How often is the filter of the boiler changed?")
    page.press("#question", "Enter")
    page.fill("#token", tenant.token)
    page.click("form button")
    page.wait_for_selector(".turn >> text=Your session had ended")
    page.locator(".turn").get_by_role("button", name="Try again").click()

    expect(page.locator(".turn .marker")).to_have_count(1)


def test_what_is_no_token_is_not_sent(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url) as person:
        person.page.goto(f"{stage.url}/")
        person.page.fill("#token", "open sesame")
        person.page.click("form button")

        assert "three parts" in (person.page.locator("#sign-in-error").text_content() or "")


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
    person = opened()
    lost = list[str]()

    def lose_once(route: Route) -> None:
        if lost or not route.request.headers.get("content-type", "").startswith("multipart"):
            route.fallback()
            return
        lost.append(route.request.url)
        route.abort()

    person.page.route("**/*", lose_once)
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


def test_a_new_answer_stands_above_the_field_whole(opened: Callable[..., Window]) -> None:
    """Fails when: showing the cited words beside it scrolls it below the field again."""
    person = opened(viewport={"width": 1280, "height": 700})
    person.add({"note.txt": NOTE})
    person.ask("How often is the filter of the boiler changed?")
    answer = person.ask("How often is the filter of the boiler changed?")
    person.page.wait_for_selector("#viewer mark")

    card, field = (
        each.bounding_box()
        for each in (answer.locator(".answer"), person.page.locator(".composer"))
    )

    assert card is not None
    assert field is not None
    assert card["y"] + card["height"] <= field["y"]


# ---------------------------------------------------------------------- who cannot or may not


def test_what_goes_away_when_it_is_pressed_hands_on_the_focus(
    opened: Callable[..., Window],
) -> None:
    """Fails when: who has no mouse begins again at the head of the page."""
    person = opened()
    page = person.page
    person.go("documents")
    person.add({"note.txt": NOTE})

    page.get_by_role("button", name="Clear list").press("Enter")
    expect(page.get_by_role("button", name="Choose files")).to_be_focused()
    page.get_by_role("button", name="Ask about it: note.txt").press("Enter")
    page.get_by_role("button", name="Search everywhere again").press("Enter")
    expect(page.locator("#scope")).to_be_focused()
    page.locator(".language").focus()
    page.locator(".language").select_option("de")
    expect(page.locator(".language")).to_be_focused()


def test_the_whole_way_works_by_keyboard_alone(opened: Callable[..., Window]) -> None:
    """T-28 Ask, open a citation, read it, and be back where one was."""
    person = opened()
    person.add({"report.pdf": report()})
    page = person.page
    person.go("ask")
    expect(page.locator("#question")).to_be_focused()

    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".marker")
    page.keyboard.press("Shift+Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement.className") == "marker":
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer .box")

    assert page.evaluate("document.activeElement.id") == "viewer"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "marker"
    assert page.locator("#viewer").is_hidden()


def test_each_sentence_is_read_aloud_once_and_a_refusal_as_it_is_shown(
    opened: Callable[..., Window],
) -> None:
    """What a screen reader hears of regions that were there before it was asked."""
    person = opened(locale="de-DE")
    person.add({"note.txt": NOTE})
    person.go("ask")
    person.page.locator(".ask").evaluate(
        """
        (ask) => {
          window.heard = [];
          new MutationObserver((changes) => {
            for (const { addedNodes, target } of changes) {
              const region = (target.nodeType === 1 ? target : target.parentElement)
                ?.closest("[aria-live=polite], [role=status]");
              const added = [...addedNodes].map((node) => node.textContent).join("");
              if (region && added && !region.hidden) window.heard.push(added);
            }
          }).observe(ask, { childList: true, subtree: true });
        }
        """
    )

    person.ask("How often is the filter of the boiler changed?")
    answered = person.page.evaluate("window.heard.splice(0)")
    person.ask("Who composed the opera about the flying Dutchman?")
    refused = person.page.evaluate("window.heard.splice(0)")

    assert len([each for each in answered if "400 hours" in each]) == 1
    assert "enough information" not in "".join(refused)
    assert "Steht nicht in den Dokumenten" in refused[-1]


def test_of_a_table_the_row_is_marked_where_its_page_opens_by_itself(
    opened: Callable[..., Window],
) -> None:
    """Not its head, which is quoted before it."""
    person = opened()
    table = "# Tickets\n\n| Ticket | Price |\n|---|---|\n| Day | 4 euros |\n| Week | 19 euros |\n"
    person.add({"tickets.md": table.encode()})

    answer = person.ask("What does the week ticket cost?")

    assert "19 euros" in (answer.locator(".said").text_content() or "")
    assert "19 euros" in (person.page.locator("#viewer mark").text_content() or "")


def test_the_rows_of_a_table_are_cited_below_their_sheet_with_one_head(
    opened: Callable[..., Window],
) -> None:
    """Fails when: eight cards for four rows, each on "page 1 (printed Prices)"."""
    book, body = Workbook(), BytesIO()
    book.active.title = "Prices"  # pyright: ignore[reportOptionalMemberAccess] -- a new book has a sheet
    for cells in [("Ticket", "Price"), *((f"Ticket {n}", f"{n}0 euros") for n in range(1, 5))]:
        book.active.append(cells)  # pyright: ignore[reportOptionalMemberAccess,reportAttributeAccessIssue] -- as above
    book.properties.title = "Tickets"
    book.save(body)
    person = opened()
    person.add({"prices.xlsx": body.getvalue()})

    answer = person.ask("What are the prices of the tickets?")

    quotes = answer.locator(".evidence").all_text_contents()
    place = answer.locator(".evidence-source").all_text_contents()
    assert place == ["Tickets · prices.xlsx · sheet Prices"]
    assert len(quotes) == len(set(quotes)) > 2


def test_a_refusal_beside_a_near_passage_does_not_say_that_it_is_not_there(
    opened: Callable[..., Window],
) -> None:
    """Fails when: codes of the stage stand in the open, in English."""
    person = opened(locale="de-DE")
    person.add({"note.txt": NOTE})

    answer = person.ask("How much does the filter of the boiler cost?")

    assert "400 hours" in (answer.locator(".nearest").text_content() or "")
    assert answer.locator("strong").text_content() == "Keine sichere Antwort gefunden"
    code = answer.get_by_text("NO_ANSWER_IN_CONTEXT")
    assert code.is_hidden()
    answer.locator("summary").click()
    assert code.is_visible()


def test_a_narrow_screen_scrolls_one_way_only_and_shows_the_page_over_the_answer(
    opened: Callable[..., Window],
) -> None:
    person = opened(viewport=NARROW, locale="de-DE", color_scheme="dark")
    person.add({"a-name-that-is-long-and-has-no-space-anywhere-in-it-at-all.pdf": report()})
    widths = [scroll_width(person.page)]

    person.ask(QUESTION)
    widths.append(scroll_width(person.page))
    composer = person.page.locator(".composer").bounding_box() or {}
    person.page.locator(".marker").first.click()
    person.page.wait_for_selector("#viewer .box")
    widths.append(scroll_width(person.page))
    person.page.keyboard.press("Escape")
    person.go("compare")
    person.page.wait_for_selector("#compare-question")
    widths.append(scroll_width(person.page))
    person.go("operations")
    person.page.wait_for_selector("table")
    widths.append(scroll_width(person.page))

    assert widths == [NARROW["width"]] * 5
    assert composer["height"] < NARROW["height"] / 6, "with one line below the field"


def test_back_closes_the_page_that_lies_over_everything(opened: Callable[..., Window]) -> None:
    """Fails when: it leaves the console, and the conversation on the screen with it."""
    person = opened(viewport=NARROW)
    person.add({"report.pdf": report()})
    answer = person.ask(QUESTION)
    page, marker = person.page, answer.locator(".marker").first
    entries = page.evaluate("history.length")

    for leave in (page.go_back, lambda: page.keyboard.press("Escape")):
        marker.click()
        page.wait_for_selector("#viewer .box")
        leave()
        page.wait_for_selector("#viewer", state="hidden")
        expect(marker).to_be_focused()

    assert page.locator(".turn").count() == 1
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.locator("#documents-title")).to_be_visible()


def scroll_width(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth")


def test_two_tenants_in_two_windows_never_meet(
    opened: Callable[..., Window], new_tenant: Callable[..., Tenant]
) -> None:
    """T-28 Nor in two tabs of one window: the token is the tab's own."""
    one, other = opened(), opened()
    one.add({"only-mine.txt": NOTE})
    tab = Window(one.page.context.new_page(), one.url)
    tab.watch()
    tab.sign_in(new_tenant().token)

    for stranger in (other, tab):
        stranger.go("documents")
        stranger.page.wait_for_selector("text=No documents yet")
        assert "only-mine" not in stranger.page.content()
    one.go("ask")
    assert one.ask("How often is the filter of the boiler changed?").locator(".marker").count()
    assert tab.wrongs == []


def test_who_signs_in_after_another_in_the_same_window_finds_nothing_of_theirs(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Fails when: the conversation or the uploads of the first stay on the page."""
    person = opened()
    person.add({"note.txt": NOTE})
    person.ask("How often is the filter of the boiler changed?")

    person.page.click("text=Sign out")
    person.page.fill("#token", tenant.token)
    person.page.click("form button")
    person.page.wait_for_selector(".welcome >> text=nothing to ask yet")

    assert person.page.locator(".turn").count() == 0
    person.go("documents")
    person.page.wait_for_selector("text=No documents yet")
    assert person.page.locator(".uploads > *").count() == 0


def test_a_long_name_hides_no_column_of_why(opened: Callable[..., Window]) -> None:
    person = opened()
    person.add({f"{'long-name-' * 20}.txt": NOTE})

    person.ask("How often is the filter of the boiler changed?").get_by_role(
        "button", name="Why this answer?"
    ).click()
    person.page.wait_for_selector(".flow tbody tr")

    table, dialog = (person.page.locator(each).bounding_box() for each in (".flow", "dialog"))
    assert table is not None
    assert dialog is not None
    assert table["x"] + table["width"] <= dialog["x"] + dialog["width"]


def test_errors_dates_and_counts_are_said_as_the_reader_says_them(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """In German also what the stage says in English; a British day stands before its month."""
    tenant.ingest(NOTE, filename="note.txt")
    reader = opened(tenant, locale="de-DE")
    reader.go("documents")
    reader.drop_named({"empty.txt": b"", "broken.pdf": b"%PDF-1.7\nnothing follows"})
    reader.page.wait_for_selector(".uploads >> text=0 von 2 bereit · 2 nicht hinzugefügt")
    told = reader.page.locator(".uploads").text_content() or ""
    assert "Die Datei ist leer." in told
    assert "Die Datei ist beschädigt." in told

    british = opened(tenant, locale="en-GB")
    british.go("documents")
    facts = british.page.locator(".doc:has-text('note.txt') .muted").text_content() or ""
    assert "1 passage " in facts
    assert re.search(r"· \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d$", facts), facts


def test_names_and_texts_are_shown_and_never_run(opened: Callable[..., Window]) -> None:
    """T-28 A file's name, its words and a question that are markup."""
    person = opened()
    markup = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    name = "<svg onload=confirm(3)>.txt"  # no word of the question, which would be put without it

    person.add({name: f"The valve {markup} opens at 9 bar.".encode()})
    answer = person.ask(f"At what pressure does the valve open? {markup}")

    assert markup in (answer.locator(".asked").text_content() or "")
    assert person.page.locator("main img, main script, main b").count() == 0
    answer.locator(".evidence").first.click()
    person.page.locator("#viewer mark").wait_for()
    assert name in (person.page.locator("#viewer h2").text_content() or "")
    assert person.page.locator("#viewer img, #viewer script").count() == 0


def test_a_list_of_ten_thousand_is_read_a_page_at_a_time(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    template = tenant.ingest(NOTE)
    person = opened(tenant)
    asked: list[str] = []

    def many(route: Route) -> None:
        asked.append(route.request.url)
        cursor = f"page-{len(asked)}" if len(asked) < 200 else None
        documents = [
            template | {"title": f"Document {len(asked)}-{number}"} for number in range(50)
        ]
        route.fulfill(json={"documents": documents, "cursor": cursor})

    person.page.route(lambda url: urlsplit(url).path == "/documents", many)
    person.go("documents")
    person.page.wait_for_selector("text=Document 1-0")
    person.page.click("text=Show more")
    person.page.wait_for_selector("text=Document 2-49")

    assert len(asked) == 2
    assert person.page.locator(".list .doc").count() == 100


# ------------------------------------------------------------------------------------- for everyone


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_breaks_a_rule_of_accessibility(
    browser: Browser, stage: Stage, opened: Callable[..., Window], scheme: str
) -> None:
    """axe-core over every section, in both schemes: names, roles, order and contrast."""
    with window(browser, stage.url, color_scheme=scheme) as visitor:
        visitor.page.goto(f"{stage.url}/")
        visitor.page.wait_for_selector("#token")
        found = {"sign-in": violations(visitor.page)}
    person = opened(color_scheme=scheme, reduced_motion="reduce")
    person.page.click(".talks summary")
    person.page.wait_for_selector(".talks .muted")
    found["nothing yet"] = violations(person.page)
    person.add({"report.pdf": report()})
    person.drop_named({"empty.txt": b""})
    person.page.wait_for_selector(".uploads .badge.bad")
    found["documents"] = violations(person.page)
    person.ask(QUESTION)
    person.page.wait_for_selector("#viewer .box")
    found["answer"] = violations(person.page)
    person.page.click("text=Wrong")
    person.page.wait_for_selector(".judge textarea")
    found["feedback"] = violations(person.page)
    person.page.click("text=Why this answer?")
    person.page.wait_for_selector(".flow")
    found["why"] = violations(person.page)
    person.page.keyboard.press("Escape")
    person.go("compare")
    person.page.fill("#compare-question", QUESTION)
    person.page.press("#compare-question", "Enter")
    person.page.wait_for_selector(".found article >> nth=1")
    lines = {"question": QUESTION, "expected": [{"source": "report.pdf"}]}
    person.page.fill("#set-lines", json.dumps(lines))
    person.page.click("text=Measure")
    person.page.wait_for_selector(".report .chart")
    found["compare"] = violations(person.page)
    person.go("operations")
    person.page.wait_for_selector("table")
    found["operations"] = violations(person.page)

    assert {part: rules for part, rules in found.items() if rules} == {}


def violations(page: Page) -> list[str]:
    """Return each rule that is broken with the elements that break it.

    axe-core is evaluated by the test; the page's own policy lets no foreign script in.
    """
    found = cast("list[dict[str, Any]]", Axe().run(page).response["violations"])
    return [f"{rule['id']}: {[node['html'][:120] for node in rule['nodes']]}" for rule in found]


def test_the_language_is_the_browsers_until_another_is_chosen(
    opened: Callable[..., Window],
) -> None:
    person = opened(locale="de-DE")
    person.page.wait_for_selector("nav >> text=Dokumente")
    assert person.page.evaluate("document.documentElement.lang") == "de"

    person.page.select_option("select.language", "en")

    person.page.wait_for_selector("nav >> text=Documents")
    assert person.page.evaluate("document.documentElement.lang") == "en"


def test_a_pool_signs_people_in_by_a_code_and_the_proof_of_who_asked(
    browser: Browser, stage: Stage
) -> None:
    """PKCE: the page sends a digest with the person, and what it is of with the code."""
    pool = "https://pool.example"
    sent: dict[str, dict[str, list[str]]] = {}

    def at_the_pool(route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.path == "/oauth2/authorize":
            sent["authorize"] = parse_qs(address.query)
            [state] = sent["authorize"]["state"]
            back = f"{stage.url}/?code=the-code&state={state}"
            route.fulfill(status=302, headers={"Location": back})
            return
        sent["token"] = parse_qs(route.request.post_data or "")
        given = {"access_token": stage.token(uuid4()), "refresh_token": "again"}
        route.fulfill(json=given, headers={"Access-Control-Allow-Origin": "*"})

    context = browser.new_context(bypass_csp=True, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(30000)
    configuration = {"sign_in_page": pool, "client_id": "the-client"}
    page.route("**/console/config.json", lambda route: route.fulfill(json=configuration))
    page.route(f"{pool}/**", at_the_pool)
    page.goto(stage.url)
    page.click("text=Sign in with your account")
    page.wait_for_selector("#question")
    url = page.url
    context.close()

    [challenge] = sent["authorize"]["code_challenge"]
    [verifier] = sent["token"]["code_verifier"]
    digest = hashlib.sha256(verifier.encode()).digest()
    assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == challenge
    assert sent["token"]["code"] == ["the-code"]
    assert sent["token"]["redirect_uri"] == sent["authorize"]["redirect_uri"] == [f"{stage.url}/"]
    assert "code=" not in url


def test_a_code_that_nobody_here_asked_for_signs_nobody_in(browser: Browser, stage: Stage) -> None:
    with window(browser, stage.url) as person:
        person.page.goto(f"{stage.url}/?code=somebody-elses&state=forged")

        alert = person.page.locator("#sign-in-error:not(:empty)")
        alert.wait_for()

        assert person.page.evaluate("sessionStorage.length") == 0


def test_a_link_with_a_token_signs_nobody_in_where_there_is_a_sign_in_page(
    browser: Browser, stage: Stage
) -> None:
    """What its reader added would be the sender's."""
    configuration = {"sign_in_page": "https://pool.example", "client_id": "the-client"}
    with window(browser, stage.url) as person:
        person.page.route("**/config.json", lambda route: route.fulfill(json=configuration))
        person.page.goto(f"{stage.url}/#token={stage.token(uuid4())}")

        person.page.wait_for_selector("text=Sign in with your account")

        assert person.page.evaluate("sessionStorage.length") == 0
        assert "token" not in person.page.url


def test_a_link_of_another_person_replaces_a_session_only_if_asked_to(
    browser: Browser, stage: Stage
) -> None:
    """An address that the stage prints again is of the same person, and asks nothing."""
    other = uuid4()
    mine, theirs = stage.token(uuid4()), stage.token(other)
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept() if len(asked) > 1 else dialog.dismiss()

    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.on("dialog", answer)
    found: list[str] = []
    for token in (mine, mine, theirs, theirs):
        page.goto("about:blank")
        page.goto(f"{stage.url}/#token={token}")
        page.wait_for_selector("#question")
        found.append(page.evaluate("sessionStorage.getItem('pulsedocs.token')"))
    context.close()

    assert found == [mine, mine, mine, theirs]
    assert len(asked) == 2
    assert "what you add will be theirs" in asked[0]
    assert str(other)[:8] in asked[0], "all local tenants have one user"
