"""Asking in the console: the answer, the words on their page, and why it was chosen."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from openpyxl import Workbook
from playwright.sync_api import FilePayload, Route, expect

from pulsedocs_cli.__main__ import main as command
from tests.browser.console import NOTE, QUESTION, Window, violations
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report


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
    asked_for: list[str] = []
    person.page.on("request", lambda request: asked_for.append(request.url))
    person.add({"note.txt": "Notes 🛠🛠🛠 of the workshop. ".encode() + NOTE})

    person.ask("How often is the filter of the boiler changed?").locator(".evidence").first.click()

    marked = person.page.locator("#viewer mark")
    marked.wait_for()
    assert marked.text_content() == person.page.locator("#viewer .quote p").text_content()
    person.page.keyboard.press("Escape")
    person.go("documents")
    person.page.locator(".doc button.doc-name").click()
    person.page.locator("#viewer .paper.text").wait_for()
    assert any(re.search(r"/pages/1(\?|$)", url) for url in asked_for)
    assert [url for url in asked_for if "/picture" in url] == []


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
    person = opened(viewport={"width": 360, "height": 740})
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


def test_a_passage_of_a_named_page_is_said_to_be_found_by_it(
    opened: Callable[..., Window],
) -> None:
    """Fails when: it is said to be found by meaning, or to have passed a threshold."""
    person = opened()
    person.add({"report.pdf": report()})

    answer = person.ask("What does page 2 say?")
    answer.get_by_role("button", name="Why this answer?").click()

    first = person.page.locator(".why-body tbody tr").first.text_content() or ""
    assert "Page #1" in first
    assert "not by meaning" in first
    assert person.page.locator(".why-body .gate").count() == 0


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

    expect(page.locator(".panel >> text=So heißt kein Dokument.")).to_be_visible()


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


def test_a_condition_stays_open_under_the_hands_while_the_collections_come(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """It folded up, and what was typed next went elsewhere."""
    tenant.ingest(NOTE, filename="note.txt")
    person = opened(tenant)
    page, held = person.page, list[Route]()
    person.go("documents")
    page.wait_for_selector(".documents")

    page.route("**/collections", lambda route: held.append(route))  # noqa: PLW0108 -- it must be a function
    with page.expect_request("**/collections"):
        person.go("ask")
    page.click("text=By metadata")
    page.fill("#scope-key", "draft")
    for route in held:
        route.continue_()
    page.wait_for_selector("#scope option[value=default]", state="attached")
    page.keyboard.type("ed")

    assert (page.is_visible("#scope-key"), page.input_value("#scope-key")) == (True, "drafted")


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
    """Fails when: codes of the stage are shown."""
    person = opened(locale="de-DE")
    person.add({"note.txt": NOTE})

    answer = person.ask("How much does the filter of the boiler cost?")

    assert "400 hours" in (answer.locator(".nearest").text_content() or "")
    assert answer.locator("strong").text_content() == "Keine sichere Antwort gefunden"
    assert "NO_ANSWER_IN_CONTEXT" not in (answer.text_content() or "")


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
