"""A document of 3,000 pages passes within every limit of the platform."""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest
from reportlab.pdfgen.canvas import Canvas

from infra.functions import FUNCTIONS
from local.stage import Stage
from local.workers import Observed
from tests.e2e.tenant import PDF, Json, Tenant

PAGES: Final = 3_000
STATE_BYTES: Final = 256 * 1024
INVOCATION_BYTES: Final = 6 * 1024 * 1024
HISTORY_EVENTS: Final = 25_000
MINUTES_15: Final = 900
CHAPTER: Final = 100
_FILLER_LINES: Final = 12


@dataclass(frozen=True)
class Passage:
    """What one large document did on its way."""

    tenant: Tenant
    status: Json
    invocations: Sequence[Observed]
    history: Sequence[dict[str, Any]]

    def of(self, function: str) -> list[Observed]:
        return [item for item in self.invocations if item.function == function]


def sentence(page: int) -> str:
    """Name a locker that stands on this page alone; 1 and 10 are also numbers of all entries."""
    return f"Station {page} keeps its spare gauge in locker L{page * 7 + 3:05} behind door {page}."


def long_pdf(pages: int) -> bytes:
    """Return a PDF with a sentence of its own on each page, a running header and an outline."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pageCompression=1)
    for page in range(1, pages + 1):
        if page % CHAPTER == 1:
            canvas.bookmarkPage(f"chapter-{page}")
            canvas.addOutlineEntry(f"Chapter {page // CHAPTER + 1}", f"chapter-{page}")
            canvas.drawString(72, 700, f"Chapter {page // CHAPTER + 1}")
        canvas.drawString(72, 760, "Manual of the stations")
        canvas.drawString(72, 680, sentence(page))
        for line in range(_FILLER_LINES):
            canvas.drawString(
                72, 660 - 14 * line, f"Entry {line} of {page}: {page * line} checked."
            )
        canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.fixture(scope="module")
def passage(stage: Stage) -> Iterator[Passage]:
    with (
        Tenant(stage.url, stage.token(), tenant_id=stage.tenant_id, patience_seconds=600) as tenant,
        stage.pool.observing() as invocations,
    ):
        status = tenant.ingest(long_pdf(PAGES), filename="stations.pdf", content_type=PDF)
        yield Passage(tenant, status, invocations, history_of_the_run(stage))


def history_of_the_run(stage: Stage) -> list[dict[str, Any]]:
    states = stage.aws.client("stepfunctions")
    [execution] = states.list_executions(stateMachineArn=stage.machine_arn)["executions"]
    pages = states.get_paginator("get_execution_history")
    found = pages.paginate(executionArn=execution["executionArn"], includeExecutionData=True)
    return [event for page in found for event in page["events"]]


def data_in(events: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield every input and output that a state had, with its size in bytes."""
    for event in events:
        for name, details in event.items():
            if name.endswith("EventDetails"):
                for side in ("input", "output"):
                    if side in details:
                        text = details[side]
                        yield f"{details.get('name', event['type'])}.{side}", len(text.encode())


def most_at_once(invocations: Sequence[Observed]) -> int:
    """Return how many invocations were under way together, at the busiest moment."""
    changes = [(item.started, 1) for item in invocations]
    changes += [(item.ended, -1) for item in invocations]
    running = most = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most


def test_three_thousand_pages_are_published(passage: Passage) -> None:
    """P-02: each page exactly once."""
    assert passage.status["outcome"] == "PUBLISHED"
    assert passage.status["pages"]["total"] == passage.status["pages"]["text"] == PAGES


@pytest.mark.parametrize("page", [1, 500, 501, 2_999, 3_000])
def test_a_text_is_found_on_its_page(passage: Passage, page: int) -> None:
    """The ends of the ranges, and the last pages."""
    found = passage.tenant.post("/search", {"query": sentence(page)})["chunks"]

    holding = [chunk for chunk in found if sentence(page) in chunk["content"]]
    assert [page in chunk["pages"] for chunk in holding]
    assert all(page in chunk["pages"] for chunk in holding)


def test_no_state_holds_more_than_the_platform_allows(passage: Passage) -> None:
    """P-02: payload < 256 KB for a 3,000-page document."""
    sizes = sorted(data_in(passage.history), key=lambda item: item[1])

    assert len(sizes) > 20
    assert sizes[-1][1] < STATE_BYTES
    assert len(passage.history) < HISTORY_EVENTS


def test_no_state_holds_a_word_of_the_document(passage: Passage) -> None:
    assert "spare gauge" not in json.dumps(passage.history, default=str)


def test_no_invocation_exceeds_the_platforms_size_or_time(passage: Passage) -> None:
    sizes = [max(item.request_bytes, item.response_bytes) for item in passage.invocations]

    assert max(sizes) < INVOCATION_BYTES
    assert max(item.seconds for item in passage.invocations) < MINUTES_15


@pytest.mark.parametrize(
    "name", ["claim", "extract", "store", "clean", "chunk", "embed", "publish"]
)
def test_a_function_stays_within_its_time_and_memory(passage: Passage, name: str) -> None:
    spec, observed = FUNCTIONS[name], passage.of(name)
    peaks = [item.peak_memory_mb for item in observed if item.peak_memory_mb is not None]
    longest = max(item.seconds for item in observed)

    assert longest < spec.timeout_seconds
    assert max(peaks, default=0) < spec.memory_mb


def test_ranges_are_read_side_by_side_and_bounded(passage: Passage) -> None:
    """Opened once, six ranges of 500 pages, gathered once."""
    assert len(passage.of("extract")) == 8
    assert 2 <= most_at_once(passage.of("extract")) <= 5


def test_batches_are_embedded_side_by_side_and_bounded(passage: Passage) -> None:
    """No more than four calls are under way, however many batches wait."""
    assert len(passage.of("embed")) > 8
    assert 2 <= most_at_once(passage.of("embed")) <= 4
