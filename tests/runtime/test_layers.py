"""The layers that the tests run are those of Lambda, but for the processor; built twice, equal."""

from pathlib import Path
from typing import Final

import pytest

from infra import layers
from infra.layers import (
    BUILT,
    MAX_BYTES,
    MAX_RECOGNITION_BYTES,
    Layers,
    build_dependencies,
    digest_of,
    size_of,
)
from pulsedocs.errors import ConfigurationError
from tests.runtime.conftest import PLATFORM
from tests.runtime.interface import Installed

GENERATED: Final = {"python/pypdfium2_raw/bindings.py"}
"""Written from the headers of C for each platform's wheel."""


def pure(folder: Path) -> dict[str, bytes]:
    """Return the sources of a layer and what is read beside them, without what is compiled.

    A package's metadata name the wheel that it came in, and so the processor.
    """
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in {".so", ".pyc"}
        and not any(part.endswith((".dist-info", ".libs")) for part in path.parts)
    }


def test_two_builds_of_the_dependencies_are_equal_byte_by_byte(
    installed: Installed, tmp_path: Path
) -> None:
    again = tmp_path / "elsewhere" / "dependencies"
    build_dependencies(again, platform=PLATFORM)

    assert digest_of(again) == digest_of(installed.layers.dependencies)


def test_they_are_small_enough(installed: Installed) -> None:
    built = installed.layers
    assert size_of(built.core) + size_of(built.dependencies) < MAX_BYTES
    assert built.recognition is not None
    assert size_of(built.recognition) < MAX_RECOGNITION_BYTES


def test_their_sources_are_those_of_lambdas_layer(installed: Installed) -> None:
    theirs = BUILT.dependencies  # whoever edits the product need not build its layer again
    try:
        layers.built_layers(Layers(theirs, theirs, theirs))
    except ConfigurationError as error:
        pytest.skip(error.message)

    here, there = pure(installed.layers.dependencies), pure(theirs)
    differing = {name for name in here.keys() | there.keys() if here.get(name) != there.get(name)}
    assert len(here) > 3_000
    assert differing <= GENERATED
