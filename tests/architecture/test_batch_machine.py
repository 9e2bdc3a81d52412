"""The state machine of batches holds the ingestion of one document, and bounds how many run."""

from typing import Any

from infra.machines import DOCUMENTS, batch_machine, ingest_machine

State = dict[str, Any]
INGEST: dict[str, State] = ingest_machine()["States"]
MACHINE = batch_machine(max_concurrency=7)
MAP: State = MACHINE["States"][DOCUMENTS]
CHILD: dict[str, State] = MAP["ItemProcessor"]["States"]


def without(state: State, *keys: str) -> State:
    return {key: value for key, value in state.items() if key not in keys}


def test_a_child_has_the_states_of_the_ingestion_and_three_of_its_own() -> None:
    assert set(CHILD) == set(INGEST) | {"Place", "IsPlaced", "Refuse"}
    for name, state in INGEST.items():
        if state["Type"] not in {"Succeed", "Fail"} and name not in {"Claim", "FailClaim"}:
            assert CHILD[name] == state, name


def test_a_childs_run_is_held_by_the_batchs_execution() -> None:
    """P-02: its end frees what its children had in hand."""
    for name in ("Claim", "FailClaim"):
        payload = CHILD[name]["Parameters"]["Payload"]
        assert (payload["event.$"], payload["execution.$"]) == ("$", "$.holder")
    assert without(CHILD["Claim"], "Parameters") == without(INGEST["Claim"], "Parameters")


def test_the_reason_of_a_failed_claim_reaches_the_object_of_the_batch() -> None:
    """S3-04: such a claim may leave no rows that would say it."""
    own = ("Parameters", "OutputPath", "ResultPath", "Next")
    state = CHILD["FailClaim"]

    assert without(state, *own) == without(INGEST["FailClaim"], *own)
    assert (state["ResultPath"], state["OutputPath"]) == (None, "$")  # as the claim was given it
    assert state["Next"] == "Refuse"


def test_a_document_that_fails_is_no_failure_of_the_batch() -> None:
    assert INGEST["Failed"]["Type"] == "Fail"
    assert not [name for name, state in CHILD.items() if state["Type"] == "Fail"]
    assert MAP["ToleratedFailurePercentage"] == 100


def test_what_children_give_is_not_kept_in_the_state() -> None:
    """2,000 outputs together would be above 256 KB."""
    last = [state for state in CHILD.values() if state.get("End")]

    assert len(last) == 5
    assert all(state.get("Result") == {} or state["OutputPath"] is None for state in last)
    assert not [name for name, state in CHILD.items() if state["Type"] == "Succeed"]
    assert MAP["ResultPath"] is None


def test_the_number_of_documents_in_flight_is_bounded() -> None:
    assert MAP["MaxConcurrency"] == 7
    assert MAP["ItemProcessor"]["ProcessorConfig"] == {
        "Mode": "DISTRIBUTED",
        "ExecutionType": "STANDARD",
    }


def test_no_state_of_a_batch_has_the_name_of_another() -> None:
    assert not set(MACHINE["States"]) & set(CHILD)
