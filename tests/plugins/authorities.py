"""No test process reads whom the machine trusts: nothing outside of it is spoken to.

Each client of HTTP reads those 140 certificates, in 20 ms of a processor, also where it speaks to
a stage without TLS. A test of TLS names a file of its own.
"""

import ssl
from collections.abc import Iterator
from typing import Any, Final

import certifi
import pytest

_PATHS: Final = ssl.get_default_verify_paths()
_OF_THE_MACHINE: Final = {certifi.where(), _PATHS.cafile, _PATHS.openssl_cafile} - {None}


@pytest.fixture(scope="session", autouse=True)
def trust_in_named_files_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        read = ssl.SSLContext.load_verify_locations

        def read_named(
            context: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None
        ) -> None:
            if cafile not in _OF_THE_MACHINE:
                read(context, cafile, capath, cadata)

        patch.setattr(ssl.SSLContext, "load_verify_locations", read_named)
        yield
