"""What the guide to the frameworks shows runs as it stands there, where the frameworks are."""

from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip("mcp", reason="the frameworks are in .venv-integrations")

from local.stage import Stage
from pulsedocs.client import PulseDocs
from tests.guides import ROOT, Desk, blocks, lease


def test_the_blocks_of_the_guide_are_one_program(stage: Stage, tmp_path: Path) -> None:
    token, page = stage.token(uuid4()), ROOT / "docs/guides/integrations.md"
    shown = [each.text for each in blocks("python") if each.page == page]
    with PulseDocs(stage.url, token, trust_env=False) as docs:
        file = lease(tmp_path / "lease.pdf")
        docs.add_documents([file], collection="leases").raise_for_errors()
    desk = Desk(tmp_path / "desk", url=stage.url, token=token, variables={"NO_PROXY": "127.0.0.1"})
    looked_at = "assert pages[0].page_content and nodes[0].node.text"

    ran = desk.run_python("\n".join([*shown, looked_at]), url=stage.url, token=token)

    assert ran.returncode == 0, ran.stderr[-3000:]
    assert len(shown) == 3
