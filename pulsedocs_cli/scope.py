"""What a question is asked of: collections, documents, and what a filter leaves of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

import click

from pulsedocs.client import PulseDocs
from pulsedocs.client.options import QuestionOptions
from pulsedocs_cli.parameters import filtered


@dataclass(frozen=True, slots=True)
class Scope:
    collections: Sequence[str]
    documents: Sequence[UUID]
    filters: Mapping[str, Any] | None

    def on(self, stage: PulseDocs) -> QuestionOptions:
        """Return the fields of the contract; documents are asked where they are.

        Raises DocumentNotFound, RequestRefused.
        """
        collections = self.collections or _collections_of(stage, self.documents) or ["default"]
        options = QuestionOptions(collections=collections, filters=self.filters)
        return options | QuestionOptions(document_ids=self.documents) if self.documents else options


def in_scope(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command its `scope`, by options."""

    @click.option(
        "--collection",
        "collections",
        multiple=True,
        help="May be repeated, where they have one model. Else `default`, or a --document's own.",
    )
    @click.option(
        "--document",
        "documents",
        type=click.UUID,
        multiple=True,
        help="Only this one; may be repeated.",
    )
    @filtered
    @wraps(command)
    def scoped(
        *,
        collections: tuple[str, ...],
        documents: tuple[UUID, ...],
        filters: Mapping[str, Any] | None,
        **others: Any,  # noqa: ANN401 -- what click has parsed
    ) -> None:
        command(scope=Scope(collections, documents, filters), **others)

    return scoped


def _collections_of(stage: PulseDocs, documents: Sequence[UUID]) -> list[str]:
    return sorted({stage.status(each)["collection"] for each in documents})
