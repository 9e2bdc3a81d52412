"""What a newcomer gives in place of a list of documents is told apart before anything is sent."""

from pathlib import Path
from typing import Any

import pytest

from pulsedocs.client import DocumentInput, PulseDocs


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["lease.pdf"], "may be a path or a text"),
        ([b"%PDF"], "may be a path or a text"),
        ("lease.pdf", "as a list"),
        (Path("lease.pdf"), "as a list"),
        (DocumentInput.text("A text.", name="a.txt"), "as a list"),
    ],
)
def test_what_is_no_list_of_documents_is_said_to_be_none(given: Any, told: str) -> None:
    """Fails when: a str is read letter by letter, or is an AttributeError."""
    with (
        PulseDocs("http://127.0.0.1:1", "token", patience=0, trust_env=False) as docs,
        pytest.raises(TypeError, match=told),
    ):
        docs.add_documents(given)


def test_a_folder_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    """Fails when: a mistyped folder is a success without documents."""
    with pytest.raises(NotADirectoryError, match="missing"):
        list(DocumentInput.in_folder(tmp_path / "missing"))

    assert list(DocumentInput.in_folder(tmp_path)) == []
