"""The console by keyboard, by screen reader, on a narrow screen and in two languages."""

import json
import re
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from local.stage import Stage
from tests.browser.console import NOTE, QUESTION, Window, violations, window
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report

NARROW: Final = {"width": 360, "height": 740}


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


def test_the_narrowest_phone_has_room_for_its_answer(opened: Callable[..., Window]) -> None:
    """Also a page that is enlarged to four times. Failed: its head took three lines of it."""
    person = opened(viewport={"width": 320, "height": 640})
    person.add({"report.pdf": report()})
    page, answer = person.page, person.ask(QUESTION)

    head = page.locator(".top").bounding_box() or {}
    lower = [
        (page.locator(part).bounding_box() or {})["y"] for part in (".metadata", ".composer .push")
    ]
    clipped = page.evaluate(
        "(() => { const { scrollHeight, clientHeight } = document.getElementById('question');"
        " return scrollHeight - clientHeight; })()"
    )
    answer.get_by_role("button", name="Why this answer?").click()
    page.wait_for_selector(".flow")
    title, cross = (
        page.locator(f"dialog {part}").first.bounding_box() or {} for part in ("h2", ".push")
    )

    assert head["height"] < 100
    assert abs(lower[0] - lower[1]) < 20, "new conversation stands beside, not below"
    assert clipped <= 0
    assert cross["y"] < title["y"] + title["height"]
    assert scroll_width(page) == 320
    page.keyboard.press("Escape")
    page.select_option("select.language", "de")
    page.wait_for_selector("nav >> text=Dokumente")
    assert page.evaluate("document.querySelector('nav').scrollWidth") <= 320 - 2 * 12


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


def test_errors_dates_and_counts_are_said_as_the_reader_says_them(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """In German also what the stage says in English; a British day stands before its month."""
    tenant.ingest(NOTE, filename="note.txt")
    tenant.ingest(b"<p>The valve opens at 9 bar.</p><p><s>8 bar</s></p>", filename="valve.html")
    reader = opened(tenant, locale="de-DE")
    reader.go("documents")
    lacking = reader.page.locator(".doc:has-text('valve.html') .troubles")
    expect(lacking).to_have_text("Seite 1: nicht gelesen: durchgestrichener Text.")
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


def test_the_language_is_the_browsers_until_another_is_chosen(
    opened: Callable[..., Window],
) -> None:
    person = opened(locale="de-DE")
    person.page.wait_for_selector("nav >> text=Dokumente")
    assert person.page.evaluate("document.documentElement.lang") == "de"

    person.page.select_option("select.language", "en")

    person.page.wait_for_selector("nav >> text=Documents")
    assert person.page.evaluate("document.documentElement.lang") == "en"


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
    # Of the list: questions have a badge too, which was found and gone before it was looked at.
    badge = person.page.locator(".documents .badge").first
    expect(badge).to_have_css("border-top-style", "solid")


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


def test_where_the_focus_goes_it_can_be_seen(opened: Callable[..., Window]) -> None:
    """Fails when: by keyboard one stands behind the head or the field, which stay in place."""
    person = opened(viewport={"width": 1000, "height": 560})
    person.add({"report.pdf": report()})
    page = person.page
    person.ask(QUESTION)
    page.keyboard.press("Escape")

    for _ in range(16):
        page.keyboard.press("Shift+Tab")
        hidden = page.evaluate(
            """
            () => {
              const at = document.activeElement;
              const { x, y, width, height } = at.getBoundingClientRect();
              const top = document.elementFromPoint(x + width / 2, y + height / 2);
              return at === top || at.contains(top) ? "" : at.textContent;
            }
            """
        )
        assert hidden == ""


def test_the_current_section_is_told_below_the_mouse_too(opened: Callable[..., Window]) -> None:
    """Fails when: it looks like any other until the mouse has left what was just clicked."""
    person = opened()
    look = "link => getComputedStyle(link).backgroundColor"
    current = person.page.locator("nav a[aria-current]")
    before = current.evaluate(look)

    current.hover()

    assert current.evaluate(look) == before
