"""No look for garbage while tests are collected.

What is collected is kept to the end: 900,000 objects, through which fifteen looks went in 3 s of
each test process, and later ones would again.
"""

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
