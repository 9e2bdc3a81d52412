"""Whatever is sent, by the OpenAPI document or against it, the answer is one that it describes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from local.stage import Stage
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.e2e.tenant import CONTRACT, PDF, Tenant
from tests.unit.extraction.odd_files import pdf_of

_CONFIGURATION: Final = Path(__file__).with_name("schemathesis.toml")
_TOP: Final = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "options",
    [
        ("--phases", "fuzzing", "--max-examples", "5"),
        ("--phases", "coverage", "--mode", "positive"),
    ],
    ids=["drawn", "at the bounds"],
)
def test_every_answer_is_one_that_the_contract_describes(
    stage: Stage, options: tuple[str, ...]
) -> None:
    """No 5xx; status, content type and body as declared; what does not fit is refused.

    In a process of its own: as a plug-in of pytest, schemathesis changes hypothesis for all tests.
    """
    tenant_id = uuid4()
    token = stage.token(tenant_id, scopes=(READ, WRITE, ADMIN))
    with Tenant(stage.url, token, tenant_id=tenant_id) as tenant:
        tenant.ingest(
            pdf_of("The pump delivers 12 litres a minute.", "The filter lasts 300 hours."),
            filename="pump.pdf",
            content_type=PDF,
        )
        tenant.ingest(b"The tank holds 900 litres.", filename="tank.txt", collection="other")
        tenant.post("/ask", {"question": "How much does the tank hold?", "collection": "other"})

    said = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(_CONFIGURATION)),
            *("run", str(CONTRACT), "--url", stage.url, *options),
            *("--header", f"Authorization: Bearer {token}"),
        ],
        cwd=_TOP,
        env=os.environ  # noqa: TID251 -- a program of its own finds what this one does
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 0, said.stdout + said.stderr
