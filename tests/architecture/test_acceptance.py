"""`make acceptance` runs what it names, and fails where it did not."""

import pytest

from tests import acceptance


def test_each_claim_is_by_a_test_that_is_collected() -> None:
    """A contract's own class is none: pytest ran nothing for its sake, and nothing had failed."""
    nodes = [node for listed in acceptance.claims().values() for node in listed]
    classes = {node.split("::")[1] for node in nodes if node.count("::") == 2}

    assert "TestCrossEncoder" in classes
    assert all(name.startswith("Test") for name in classes)


def test_what_did_not_run_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_node_ids: list[str]) -> dict[str, str]:
        return {}

    monkeypatch.setattr(acceptance, "outcomes", nothing)
    monkeypatch.setattr("sys.argv", ["acceptance"])

    assert acceptance.main() == 1
