"""A proof is checked by whichever version is at hand: what that cannot tell is no refutation."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pulsedocs.adapters.ed25519 import Ed25519Signer
from pulsedocs.model.proofs import Proof
from pulsedocs.questions.proof_file import signed_file
from pulsedocs.retrieval.selection import select
from pulsedocs.retrieval.trace import Record, Trace, canonical, parse_trace, trace_of
from pulsedocs_cli.__main__ import main
from tests.unit.retrieval.passages import evidence, passage, profile

SIGNER = Ed25519Signer(b"a secret of thirty-two characters")


def verified(folder: Path, change: Callable[[Trace], Any]) -> Result:
    """Check an answer of one passage of two, in whose trace something was recorded otherwise."""
    found, policy = evidence(passage(1), passage(2)), profile(top_k=1)
    details: dict[str, Any] = {"answer": {"citations": []}, "models": {"embedding": None}}
    record = Record(
        "t1", datetime(2026, 1, 1, tzinfo=UTC), policy, found, select(found, policy), details
    )
    trace = parse_trace(canonical(trace_of(record)))
    change(trace)
    file = folder / "answer.html"
    proof = Proof("2026-11-23T03:00:00+00:00", "Why?", "It rains.", None, (), trace)
    file.write_bytes(signed_file(proof, signer=SIGNER))
    return CliRunner().invoke(main, ["verify", str(file)])


def chosen_otherwise(trace: Trace) -> None:
    """Turn what was selected and what was not, as other rules would."""
    trace["candidates"].reverse()


def by_a_value_of_a_passage(trace: Trace) -> None:
    chosen_otherwise(trace)
    trace["candidates"][0]["weight_of_a_later_rule"] = 1.0


def by_a_value_of_the_profile(trace: Trace) -> None:
    chosen_otherwise(trace)
    trace["profile"]["a_later_rule"] = True


def by_an_ordering(trace: Trace) -> None:
    trace["profile"]["ordering"] = "a_later_one"


@pytest.mark.parametrize(
    "later", [by_a_value_of_a_passage, by_a_value_of_the_profile, by_an_ordering]
)
def test_a_proof_of_a_later_stage_is_not_called_untrue(
    later: Callable[[Trace], None], tmp_path: Path
) -> None:
    """Failed when `verify` of a week before said NO to a proof that nobody had touched."""
    result = verified(tmp_path, later)

    assert result.exit_code == 0, result.output
    assert "NO " not in result.output
    assert " ?   which" in result.output
    assert "the version of `pulsedocs` that the stage has" in result.output


def test_what_rules_of_this_version_do_not_select_is_refuted(tmp_path: Path) -> None:
    result = verified(tmp_path, chosen_otherwise)

    assert result.exit_code == 1
    assert "NO   the trace selects others of its 2 passages" in result.output


def test_a_trace_that_names_a_passage_twice_is_refuted(tmp_path: Path) -> None:
    """Fails when: `verify` ends there, and says nothing of the words."""
    result = verified(tmp_path, lambda trace: trace["candidates"].append(trace["candidates"][0]))

    assert "NO   the trace selects others of its 3 passages" in result.output


def test_one_passage_is_no_passages(tmp_path: Path) -> None:
    result = verified(tmp_path, lambda trace: trace["candidates"].pop())

    assert "yes  its rules select these of 1 passage when" in result.output


def test_what_a_later_version_recorded_beside_the_same_choice_changes_nothing(
    tmp_path: Path,
) -> None:
    result = verified(tmp_path, lambda trace: trace["profile"].update(a_later_rule=True))

    assert "yes  its rules select these of 2 passages" in result.output
