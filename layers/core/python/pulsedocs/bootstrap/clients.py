"""What others do for a function: functions of the stage, the sandbox, and servers on the web."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pulsedocs.bootstrap import aws, once, required, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pulsedocs.adapters.aws.invocations import LambdaFunction
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore
    from pulsedocs.extraction import Budgets
    from pulsedocs.ingestion.ports import PageExtractor, WebFetcher
    from pulsedocs.ingestion.recognise_range import Recognition
    from pulsedocs.model.deadline import Deadline
    from pulsedocs.questions.pictures_read import PictureBoxes
    from pulsedocs.questions.ports import BoxFinder, BoxReader


def retrieval_client(deadline: Deadline) -> LambdaRetrievalStore:
    """Return the database side for one request: it is each of the ports that a question needs."""
    from pulsedocs.adapters.aws.retrieval_client import LambdaRetrievalStore

    return LambdaRetrievalStore(_retrieve_function(), deadline=deadline)


@once
def _retrieve_function() -> LambdaFunction:
    from pulsedocs.adapters.aws.retrieval_client import retrieve_function

    return retrieve_function(required("RETRIEVE_FUNCTION", settings().retrieve_function), **aws())


def box_finder(deadline: Deadline) -> BoxFinder:
    from pulsedocs.adapters.aws.box_client import LambdaBoxFinder

    return LambdaBoxFinder(_boxes_function(), deadline=deadline)


@once
def _boxes_function() -> LambdaFunction:
    from pulsedocs.adapters.aws.box_client import boxes_function

    return boxes_function(required("BOXES_FUNCTION", settings().boxes_function), **aws())


@once
def page_extractor() -> PageExtractor:
    from pulsedocs.adapters.sandbox import SandboxedExtractor

    return SandboxedExtractor(_budgets(), deadline_seconds=settings().extract_seconds)


def _budgets() -> Budgets:
    from pulsedocs.extraction import Budgets

    chosen = settings()
    return Budgets(
        max_bytes=chosen.max_upload_bytes,
        max_pages=chosen.max_pages,
        comments=chosen.read_comments,
        changes=chosen.tracked_changes == "accepted",
    )


def recognition(languages: Sequence[str] | None, *, language: str | None) -> Recognition:
    """Return what reads pages that are pictures, and all others as they are.

    In these languages, else in those of the stage, that of the collection first. A page of small
    print takes 3 CPU-seconds; a photograph, looked at from four sides, 12.
    """
    from pulsedocs.adapters.sandbox import SandboxedExtractor
    from pulsedocs.extraction.recognition import engine_of, has_data
    from pulsedocs.ingestion.recognise_range import Recognition
    from pulsedocs.model.pages import likeliest_first

    chosen = settings()
    of_stage = likeliest_first(chosen.ocr_languages, language=language, has_data=has_data)
    wanted = of_stage if languages is None else languages
    budgets = replace(_budgets(), page_cpu_seconds=40, average_page_cpu_seconds=20)
    drawing = replace(budgets, drawings=True)
    half = chosen.extract_seconds / 2  # drawing comes first, and takes a fraction
    if wanted and chosen.ocr_engine == "textract":
        from pulsedocs.ingestion.pictures_read import PicturesRead

        plain = SandboxedExtractor(budgets, deadline_seconds=half)
        return Recognition(
            chosen.ocr_engine,
            SandboxedExtractor(drawing, deadline_seconds=half),
            PicturesRead(plain, _picture_boxes()),
        )
    return Recognition(
        engine_of(wanted),
        SandboxedExtractor(drawing, deadline_seconds=half),
        SandboxedExtractor(budgets, deadline_seconds=half, languages=wanted),
    )


def box_reader() -> BoxReader:
    return _picture_boxes() if settings().ocr_engine == "textract" else _sandboxed_boxes()


@once
def _picture_boxes() -> PictureBoxes:
    from pulsedocs.adapters.aws.textract import Textract
    from pulsedocs.questions.pictures_read import PictureBoxes

    return PictureBoxes(_sandboxed_boxes(), Textract(**aws()))


@once
def _sandboxed_boxes() -> BoxReader:
    from pulsedocs.adapters.sandbox import SandboxedBoxReader

    return SandboxedBoxReader(_budgets(), languages=settings().ocr_languages)


@once
def web_fetcher() -> WebFetcher:
    from pulsedocs.adapters.web import GuardedFetcher

    chosen = settings()
    return GuardedFetcher(
        schemes=chosen.url_schemes, max_bytes=chosen.max_url_bytes, seconds=chosen.url_seconds
    )
