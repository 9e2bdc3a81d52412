"""What a newcomer gives in place of a list of documents is told apart before anything is sent."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.client.deletions import shingles_of_file
from pulsedocs.client.results import result_of
from pulsedocs.errors import PDFEmptyError


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


@pytest.mark.parametrize("size", [0, -1])
def test_batches_of_no_documents_are_refused(size: int) -> None:
    """Fails when: nothing is added, and that is a success."""
    with (
        PulseDocs("http://127.0.0.1:1", "token", patience=0, trust_env=False) as docs,
        pytest.raises(ValueError, match="batch_size"),
    ):
        docs.add_documents([DocumentInput.text("A text.", name="a.txt")], batch_size=size)


def test_a_folder_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    """Fails when: a mistyped folder is a success without documents."""
    with pytest.raises(NotADirectoryError, match="missing"):
        list(DocumentInput.in_folder(tmp_path / "missing"))

    assert list(DocumentInput.in_folder(tmp_path)) == []


def test_files_of_one_name_are_two_documents(tmp_path: Path) -> None:
    """Fails when: one of two `report.txt` becomes a version of the other, and is lost."""
    paths = [tmp_path / year / "report.txt" for year in ("2030", "2031")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("A report.")
    chosen = DocumentInput.file(paths[0], name="port.txt")

    given = DocumentInput.each([*paths, chosen, tmp_path / "2030/../2031/report.txt"])

    names = ["2030/report.txt", "2031/report.txt", "port.txt", "2031/report.txt"]
    assert [one.name for one in given] == names
    assert [one.name for one in DocumentInput.each(paths[:1])] == ["report.txt"]


def test_two_documents_of_one_name_are_refused(tmp_path: Path) -> None:
    """Fails when: both are sent at once, are called published, and either one serves."""
    composed, in_parts = "caf\u00e9.txt", "cafe\u0301.txt"
    (tmp_path / composed).write_text("Purple.")
    (tmp_path / in_parts).write_text("Yellow.")
    one, other = (DocumentInput.text(f"Copy {n}.", name="same.txt") for n in range(2))

    with pytest.raises(ValueError, match=r"'cafe\\u0301\.txt' and 'caf\\xe9\.txt'"):
        DocumentInput.each(DocumentInput.in_folder(tmp_path))
    with pytest.raises(ValueError, match=r"'same\.txt'"):
        DocumentInput.each([one, other])
    assert DocumentInput.each([one, one]) == [one, one], "of equal ones neither is lost"


def test_a_deletion_is_verified_by_the_words_that_the_stage_read(tmp_path: Path) -> None:
    file = tmp_path / "notes.rest"
    file.write_text(
        ".. A comment that nobody reads, of more words than a row of them has.\n\n"
        "The ferry is red and leaves at seven from the northern quay.\n"
    )

    shingles = shingles_of_file(file)

    assert shingles
    assert not any("comment" in each or "nobody" in each for each in shingles)


def test_a_text_is_sent_as_utf8_if_its_type_says_what_it_is_in(tmp_path: Path) -> None:
    path, words = tmp_path / "a.txt", "Цена 5 €"
    stated = "text/plain; charset=windows-1251"
    path.write_bytes(words.encode("cp1251"))

    for document in (
        DocumentInput.file(path, content_type=stated),
        DocumentInput.binary(words.encode("cp1251"), name="a.txt", content_type=stated),
        DocumentInput.binary(words.encode(), name="a.txt", content_type=stated),
    ):
        with document.opened() as body:
            assert body.read() == words.encode()
        assert document.registration()["size"] == len(words.encode())
        assert document.registration()["content_type"] == "text/plain"
    marked = DocumentInput.binary(words.encode("utf-16"), name="a.txt", content_type=stated)
    with marked.opened() as body:
        assert body.read() == words.encode("utf-16"), "a stage reads it by its mark"
    unknown = DocumentInput.file(path, content_type="text/plain; charset=utf-9")
    with unknown.opened() as body:
        assert body.read() == words.encode("cp1251")


@pytest.mark.parametrize(
    ("words", "is_in", "stated", "is_sent_in"),
    [
        ("Цена 5 €", "utf-16", "windows-1251", "utf-16"),
        ("Das kostet 5 €", "utf-8-sig", "windows-1252", "utf-8-sig"),
        ("円の値段", "iso2022_jp", "iso-2022-jp", "utf-8"),
        ("円の値段", "utf-8", "iso-2022-jp", "utf-8"),
    ],
)
def test_a_text_stays_as_it_is_only_if_its_bytes_say_what_it_is_in(
    words: str, is_in: str, stated: str, is_sent_in: str
) -> None:
    """A folder has texts in more than one encoding."""
    text = DocumentInput.binary(
        words.encode(is_in), name="a.txt", content_type=f"text/plain; charset={stated}"
    )

    with text.opened() as body:
        assert body.read() == words.encode(is_sent_in)


def test_an_error_guides_as_the_stage_does() -> None:
    """Fails when: who has a text without words is told by `guidance` to scan it anew."""
    report = {"code": "PDF_EMPTY", "message": "the text has no words", "guidance": "Look at it."}
    status = {"document_id": str(uuid4()), "source": "a.txt", "state": "EXTRACTED"}

    error = result_of("a.txt", status | {"outcome": "EMPTY", "error": report}).error

    assert isinstance(error, PDFEmptyError)
    assert error.guidance == "Look at it."
    assert PDFEmptyError.guidance != error.guidance
