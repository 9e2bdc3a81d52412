"""Every cell of the fault matrix names a test that exists, or says why there can be none."""

import pytest

from tests.faults import STAGES, cells, is_reason, main, missing
from tests.integration.faults.strikes import points_in_the_source, visited_by
from tests.integration.faults.texts import SEMANTIC, TEXT, TWO_SUBJECTS
from tests.integration.faults.world import World

_INGESTION = ("claim.", "extract.", "store.", "clean.", "chunk.", "embed.", "publish.", "fail.")
_CELLS_OF_4_1 = 100  # crosses in the seven columns of ingestion; a new one belongs in the matrix


def test_the_matrix_has_a_cell_for_every_cross() -> None:
    listed = list(cells())

    assert {stage for _, stage, _ in listed} == set(STAGES)
    assert len({(kind, stage) for kind, stage, _ in listed}) == len(listed)
    assert len(listed) == _CELLS_OF_4_1


@pytest.mark.parametrize(("kind", "stage", "covered_by"), list(cells()))
def test_a_cell_is_covered_or_says_why_not(kind: str, stage: str, covered_by: str) -> None:
    if is_reason(covered_by):
        assert len(covered_by) > 20, (kind, stage)
    else:
        assert missing(covered_by) is None


def test_the_matrix_can_be_printed() -> None:
    assert main() == 0


def test_every_point_of_ingestion_is_visited(world: World) -> None:
    """A point that no history reaches is a point that nothing breaks."""
    worlds = [world, world.anew(), world.anew()]
    events = [
        worlds[0].upload(TEXT),
        worlds[1].upload(TWO_SUBJECTS, chunking=SEMANTIC),
        worlds[2].upload(b"%PDF-1.7 and nothing", content_type="application/pdf"),
    ]
    visited: set[str] = set()
    for each, event in zip(worlds, events, strict=True):
        visited |= set(visited_by(lambda each=each, event=event: each.pipeline.deliver(event)))

    unvisited = [
        pattern.pattern
        for pattern in points_in_the_source()
        if pattern.pattern.startswith(_INGESTION)
        and not any(pattern.fullmatch(point) for point in visited)
    ]
    assert unvisited == []
