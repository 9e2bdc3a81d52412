"""What of a folder is added: what a person would drag in, each under a name of its own."""

from pathlib import Path

import click
import pytest

from pulsedocs_cli.folders import IGNORE_FILE, Folder, documents_at


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("The ferry leaves at nine.")


def test_files_of_one_name_stay_apart_and_hidden_or_ignored_ones_stay_out(tmp_path: Path) -> None:
    write(tmp_path, "a/note.md", "b/note.md", ".git/note.md", "a/.draft.md", "old/note.md")
    write(tmp_path, "logo.svg", "Report.PDF")
    (tmp_path / IGNORE_FILE).write_text("# drafts\nold/\n")
    (tmp_path / "link.md").symlink_to(tmp_path / "a/note.md")

    documents, passed_over = documents_at({tmp_path})

    assert [document.name for document in documents] == ["Report.PDF", "a/note.md", "b/note.md"]
    assert [path.name for path in passed_over] == ["logo.svg"]


def test_a_rule_may_take_back_another(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "keep.md")
    (tmp_path / IGNORE_FILE).write_text("*.md\n!keep.md\n")

    assert [path.name for path in Folder(tmp_path).files()] == ["keep.md"]


def test_a_named_file_is_added_whatever_it_is_called(tmp_path: Path) -> None:
    write(tmp_path, ".hidden", "movie.mp4")

    documents, passed_over = documents_at({tmp_path / ".hidden", tmp_path / "movie.mp4"})

    assert [document.name for document in documents] == [".hidden", "movie.mp4"]
    assert not passed_over


def test_folders_with_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "team.txt")

    documents, _ = documents_at({tmp_path / "north", tmp_path / "south"})

    assert [document.name for document in documents] == ["north/team.txt", "south/team.txt"]


def test_names_that_a_stage_keeps_alike_are_refused_in_a_line(tmp_path: Path) -> None:
    write(tmp_path, "caf\u00e9.txt", "cafe\u0301.txt")

    with pytest.raises(click.UsageError, match="two documents have one name"):
        documents_at({tmp_path})
