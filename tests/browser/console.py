"""The console as a person at a browser has it: real Chromium, the distribution's own."""

import base64
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.patience import PATIENCE

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first that is there. The shell is Chromium without what people see around a page: a window
costs it .13 s of a processor, and Chromium .68 s."""
QUESTION: Final = "How many litres does the small pump deliver?"
NOTE: Final = b"The filter of the boiler is changed every 400 hours of operation."
_ON_MAC: Final = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
_QUIET: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    # It would ask its maker's hosts, many at a time; tests ask nobody.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_DROP: Final = """
([files]) => {
  const transfer = new DataTransfer();
  for (const { name, type, body } of files) {
    const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type }));
  }
  for (const kind of ["dragenter", "dragover", "drop"])
    window.dispatchEvent(new DragEvent(kind, { cancelable: true, dataTransfer: transfer }));
}
"""


@contextmanager
def chromium() -> Generator[Browser]:
    """Start the browser that is installed; skip the test where none is."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and Path(_ON_MAC).exists():
        found = _ON_MAC
    if found is None:
        pytest.skip("no Chromium on this machine: `make setup-browser` installs Debian's")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_QUIET)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """One window of one person; it notes what no page of ours may do."""

    page: Page
    url: str
    wrongs: list[str] = field(default_factory=list[str])

    def watch(self) -> None:
        self.page.set_default_timeout(PATIENCE * 1000)
        expect.set_options(timeout=PATIENCE * 1000)
        self.page.on("pageerror", lambda error: self.wrongs.append(str(error)))
        self.page.on("dialog", lambda dialog: self.wrongs.append(f"a dialog: {dialog.message}"))
        self.page.on("request", self._note_stranger)
        self.page.on(
            "console",
            lambda said: (
                self.wrongs.append(said.text) if "Content Security Policy" in said.text else None
            ),
        )

    def _note_stranger(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:")):
            self.wrongs.append(f"a request to {request.url}")

    def sign_in(self, token: str) -> None:
        self.page.goto(f"{self.url}/#token={token}")
        self.page.wait_for_selector("#question")

    def go(self, section: str) -> None:
        self.page.click(f"nav a[data-section={section}]")

    def drop(self, **files: bytes) -> None:
        self.drop_named(files)

    def drop_named(self, files: Mapping[str, bytes]) -> None:
        sent = [
            {"name": name, "type": "", "body": base64.b64encode(body).decode()}
            for name, body in files.items()
        ]
        self.page.evaluate(_DROP, [sent])

    def add(self, files: Mapping[str, bytes]) -> None:
        """Drop files, English ones where that is asked, and wait until each is ready."""
        self.drop_named(files)
        done = rf"^{len(files)} (of|von) {len(files)} "
        ready = f".uploads [role=status]:text-matches('{done}')"
        self.page.wait_for_selector(f"{ready}, dialog #language-of-new")
        if self.page.locator("dialog #language-of-new").is_visible():
            self.page.select_option("#language-of-new", "en")
            self.page.click("dialog .primary")
        self.page.wait_for_selector(ready)

    def ask(self, question: str) -> Locator:
        """Ask and return the answer's card once it is whole."""
        if not self.page.locator("#question").is_visible():
            self.go("ask")
        asked = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        turn = self.page.locator(".turn").nth(asked)
        turn.locator(".answer[aria-busy=false]").wait_for()
        return turn


@contextmanager
def window(browser: Browser, url: str, **options: Any) -> Generator[Window]:
    """Open a window of a person of their own; at its end nothing may have gone wrong in it."""
    chosen: dict[str, Any] = {"locale": "en-GB", **options}
    context: BrowserContext = browser.new_context(**chosen)
    opened = Window(context.new_page(), url)
    opened.watch()
    try:
        yield opened
    finally:
        context.close()
    assert opened.wrongs == []


def violations(page: Page) -> list[str]:
    """Return each rule that is broken with the elements that break it.

    axe-core is evaluated by the test; the page's own policy lets no foreign script in.
    """
    found = cast("list[dict[str, Any]]", Axe().run(page).response["violations"])
    return [f"{rule['id']}: {[node['html'][:120] for node in rule['nodes']]}" for rule in found]
