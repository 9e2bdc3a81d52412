"""What the forks of `tests.forked` find imported already: the product, and what its modules import.

Only imports, and tables of letters, of tokens and of the services of AWS. What starts threads stays
out, for no thread outlives a fork: onnxruntime has one from its import on. Handlers stay out too:
each fork imports its own, with the environment of its function. So do the integrations, whose
frameworks are in an environment of their own.
"""

import gc
import importlib
import os
import pkgutil
import sys
from pathlib import Path
from typing import Final
from unittest.mock import patch

import boto3
from botocore.loaders import JSONFileLoader

import pulsedocs
from tests.aws_services import from_memory

_WITH_THREADS: Final = "pulsedocs.adapters.local."
_SERVICES: Final = ("s3", "ssm", "lambda")
"""Of which most functions have a client: each would read for 0.2 s what they are."""
_OF_OTHERS: Final = "pulsedocs.integrations."
_WITHOUT: Final = (f"{_WITH_THREADS}files", f"{_WITH_THREADS}query_cache", f"{_WITH_THREADS}tokens")


def preload() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # noqa: TID251 -- numpy reads it at its import
    for module in pkgutil.walk_packages(pulsedocs.__path__, "pulsedocs."):
        if not module.name.startswith((_WITH_THREADS, _OF_OTHERS)) or module.name in _WITHOUT:
            importlib.import_module(module.name)
    from local.models import ensure_models
    from pulsedocs.adapters.local.tokens import TiktokenCounter
    from pulsedocs.bootstrap.providers import language_reader

    language_reader()  # a table of letters that takes 0.6 s to unpack
    TiktokenCounter(ensure_models())  # 0.3 s; the library keeps what it has read
    patch.object(JSONFileLoader, "load_file", from_memory).start()
    for service in _SERVICES:
        boto3.session.Session("nobody", "s", region_name="eu-west-1").client(service)
    threads = [path.name for path in Path("/proc/self/task").iterdir()]
    if len(threads) > 1:
        sys.exit(f"{len(threads)} threads run: nothing may be forked")
    gc.freeze()  # a collection would touch, and so copy, every page that the forks share


try:
    preload()
except ImportError as error:  # which multiprocessing would pass over, and fork what there is
    sys.exit(f"nothing may be forked: {error}")
