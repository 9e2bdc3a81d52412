"""Documents in the console: their list, their versions, their pages, their end."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Route, expect

from local.stage import Stage
from pulsedocs.scopes import READ
from tests.browser.console import NOTE, QUESTION, Window
from tests.e2e.tenant import Tenant
from tests.e2e.test_highlight import report


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


def test_a_name_that_turns_around_is_spelt_and_a_refused_file_is_not_sent_again(
    opened: Callable[..., Window],
) -> None:
    """Failed when the first read "xtxt.pdf", and both were offered to be refused once more."""
    person = opened()

    person.drop_named({"x\u202efdp.txt": NOTE, "pro\u200bgram.exe": b"MZ"})
    person.page.wait_for_selector(".uploads [role=status]:text-matches('2 not added')")

    names = person.page.locator(".uploads .doc-name").all_text_contents()
    assert set(names) == {"x\\u202efdp.txt", "pro\\u200bgram.exe"}
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


def test_a_warning_is_shown_whole(opened: Callable[..., Window], tenant: Tenant) -> None:
    warning = f"not read: {', '.join(f'annex {number}.docx' for number in range(20))}"
    document = tenant.ingest(NOTE) | {"warnings": [warning]}
    person = opened(tenant)

    person.page.route(
        lambda url: urlsplit(url).path == "/documents",
        lambda route: route.fulfill(json={"documents": [document], "cursor": None}),
    )
    person.go("documents")

    expect(person.page.get_by_text(f"N{warning[1:]}.", exact=True)).to_be_visible()


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
    assert "A file with the extension '.psd'" in said
    assert "cannot be read; supported are .pdf" in said
    assert "2 not added" in said
    assert person.page.locator(".uploads .badge").all_text_contents() == ["Refused"] * 2


def test_a_new_version_has_the_day_on_which_it_came_and_its_warnings_are_sentences(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Failed: a contract that was replaced today had the day of the one before."""
    days = {"created_at": "2024-03-05T10:00:00Z", "received_at": "2026-02-03T10:00:00Z"}
    replaced = tenant.ingest(NOTE) | days | {"version": 2, "warnings": ["page 1: lost"]}
    person = opened(tenant)
    person.page.route(
        lambda url: urlsplit(url).path == "/documents",
        lambda route: route.fulfill(json={"documents": [replaced], "cursor": None}),
    )

    person.go("documents")

    expect(person.page.locator(".list .doc .muted")).to_contain_text("version 2 · 3 Feb 2026")
    expect(person.page.locator(".list .doc .warn")).to_have_text("Page 1: lost.")


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


def test_on_a_phone_the_name_of_the_collection_is_beside_its_field(
    opened: Callable[..., Window],
) -> None:
    person = opened(viewport={"width": 390, "height": 844})
    person.go("documents")
    name = person.page.get_by_text("Add to collection").bounding_box()
    field = person.page.locator("#target").bounding_box()

    assert name is not None
    assert field is not None
    assert field["y"] < name["y"] + name["height"] / 2 < field["y"] + field["height"]


def test_on_a_phone_a_table_that_goes_on_shows_that_it_does(
    opened: Callable[..., Window],
) -> None:
    """Fails when: a table is cut at the edge, and nobody sees that it scrolls."""
    person = opened(viewport={"width": 390, "height": 844})
    person.add({"a.txt": NOTE})
    person.go("operations")
    table = person.page.locator(".scroll").first
    table.wait_for()

    def strip(left: int) -> bytes:
        """Draw the end of the table's head, without what stands in it."""
        table.evaluate("(each, left) => (each.scrollLeft = left)", left)
        table.evaluate("each => (each.style.color = 'transparent')")
        box = table.bounding_box()
        assert box is not None
        clip = {"x": box["x"] + box["width"] - 4, "y": box["y"] + 1, "width": 4, "height": 3}
        return person.page.screenshot(clip=clip)  # pyright: ignore[reportArgumentType] -- a box

    assert table.evaluate("each => each.scrollWidth > each.clientWidth")
    assert strip(0) != strip(10_000)


def test_a_document_is_found_by_a_part_of_its_name(
    opened: Callable[..., Window], tenant: Tenant
) -> None:
    """Failed: only who typed the whole name, letter by letter, found anything."""
    tenant.ingest(NOTE, filename="Boiler/2025.txt")
    tenant.ingest(NOTE + b" Once.", filename="pump.txt")
    person = opened(tenant)
    person.go("documents")
    person.page.fill("#filter-name", "boil")
    person.page.click("text=Apply")

    expect(person.page.locator(".list .doc-name")).to_have_text(["Boiler/2025.txt"])


def test_what_a_list_was_narrowed_to_is_kept_by_a_reload_and_by_the_way_back(
    opened: Callable[..., Window],
) -> None:
    """Failed when both showed every document again. The address holds no word of it."""
    person = opened()
    page = person.page
    person.add({"boiler.txt": NOTE, "pump.txt": NOTE + b" It stands in hall two."})
    names = page.locator(".list .doc-name")
    page.fill("#filter-name", "boil")
    page.select_option("#filter-state", "PUBLISHED")
    page.select_option("#filter-collection", "default")
    expect(names).to_have_text(["boiler.txt"])

    page.reload()
    expect(names).to_have_text(["boiler.txt"])
    fields = ["#filter-name", "#filter-state", "#filter-collection"]
    kept = [page.locator(field).input_value() for field in fields]
    person.go("ask")
    page.go_back()
    expect(names).to_have_text(["boiler.txt"])
    page.click("text=Clear")

    expect(names).to_have_count(2)
    assert kept == ["boil", "PUBLISHED", "default"]
    assert "boil" not in page.url
