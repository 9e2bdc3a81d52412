"""A whole stage for the time of a program: for scripts and tests."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pulsedocs.client.service import PulseDocs
from pulsedocs.errors import ConfigurationError

if TYPE_CHECKING:  # it loads pydantic, which is of no use without one
    from pulsedocs.client.configuration import Configuration


@contextmanager
def local(
    configuration: "Configuration | None" = None, *, directory: Path | None = None
) -> Generator[PulseDocs]:
    """Start a stage in this process and its children, give its client, and stop it at the end.

    Without a configuration it has the shipped models, which need no key. With a directory its
    database is there the next time. Starting takes some seconds, and the models are fetched once
    a machine. Raises ConfigurationError for a configuration with an address, and where the local
    runtime is not installed.
    """
    if configuration is not None and not configuration.is_of_this_machine:
        raise ConfigurationError("the configuration names a stage: PulseDocs.configured connects")
    find_runtime()
    try:
        # By name: what is deployed must not depend on the local runtime.
        stages: Any = import_module("local.stage")
        models: Any = import_module("local.models")
    except ImportError as error:
        raise ConfigurationError(
            f"the local runtime is not installed ({error}): pip install 'pulsedocs[local]'"
        ) from error
    settings = {} if configuration is None else configuration.settings
    with TemporaryDirectory(prefix="pulsedocs-") as folder:
        stage = stages.Stage(
            directory or Path(folder),
            model_directory=models.ensure_models(),
            durable=directory is not None,
            settings=settings,
        )
        with (
            stage,
            PulseDocs(
                stage.url, stage.token(), configuration=configuration, trust_env=False
            ) as docs,
        ):
            if configuration is not None:
                docs.prepare(configuration)
            yield docs


def find_runtime() -> None:
    """Let the local runtime be imported, which a wheel has in a folder beside this package.

    At the end of the path: a program's own module `local` or `infra` stays what it was.
    """
    folder = str(Path(__file__).parents[2] / "pulsedocs_stage")
    if Path(folder).is_dir() and folder not in sys.path:
        sys.path.append(folder)
