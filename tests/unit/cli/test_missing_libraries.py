"""What a command misses is one line: `pip install 'pulsedocs[cli]'` does not bring everything."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pulsedocs.extraction import PDF, Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs_cli.__main__ import main
from pulsedocs_cli.deployment import looking
from pulsedocs_cli.small_pdf import pdf_of

OF_SERVER_OR_LOCAL = ("reportlab", "pypdf", "pypdfium2", "tiktoken", "psycopg", "moto", "openai")
SENTENCES = (
    "A lamp (the third) burns for 22 hours before it is changed, and its keeper notes the hour.",
    "Its price is 5 £, as the café's: \\ is no separator.",
)


def estimate(monkeypatch: pytest.MonkeyPatch, *, missing: str, of: str) -> Result:
    """Run a command where a library is not installed; `of` is what imports it."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, of, raising=False)
    return CliRunner().invoke(main, ["estimate", __file__])


def test_a_library_that_is_missing_is_named_with_what_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = estimate(monkeypatch, missing="tiktoken", of="pulsedocs.adapters.local.tokens")

    assert result.exit_code == 1
    [line] = result.output.splitlines()
    assert "tiktoken" in line
    assert line.endswith("pip install 'pulsedocs[local]'")


def test_what_windows_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    result = estimate(monkeypatch, missing="fcntl", of="local.models")

    assert (result.exit_code, result.output) == (1, "Error: this command needs Linux or macOS\n")


def test_without_a_checkout_there_is_nothing_to_deploy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(looking, "_CDK_FILE", tmp_path / "cdk.json")

    result = CliRunner().invoke(main, ["deploy-check", "--stage", "dev"])

    assert result.exit_code == 1
    [line] = result.output.splitlines()
    assert "from a checkout" in line


def test_the_smoke_test_needs_nothing_of_a_stages_own() -> None:
    hidden = "; ".join(f"sys.modules[{name!r}] = None" for name in OF_SERVER_OR_LOCAL)
    program = f"import sys; {hidden}; import pulsedocs_cli.smoke"

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")


def test_the_smoke_tests_file_has_a_text_on_each_page() -> None:
    opened = open_file(pdf_of(SENTENCES), content_type=PDF, budgets=Budgets())

    assert [" ".join(page.text.split()) for page in opened.pages()] == list(SENTENCES)
