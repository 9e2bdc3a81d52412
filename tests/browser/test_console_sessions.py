"""Who is signed in to the console, and what they see of others: nothing."""

import base64
import hashlib
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from playwright.sync_api import Browser, Dialog, Route, expect

from local.stage import Stage
from tests.browser.console import NOTE, Window, window
from tests.e2e.tenant import Tenant


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
