"""The database side of a question, as another function calls it."""

from typing import Any

from pydantic import RootModel

from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.retrieval import StoredText
from pulsedocs.questions.ports import RetrievalDatabase
from pulsedocs.retrieval import wire


class RetrievalCall(RootModel[wire.Call]):
    """One of the calls that `pulsedocs.retrieval.wire` defines."""


def answer_retrieval_call(
    request: RetrievalCall, *, store: RetrievalDatabase
) -> dict[str, Any] | list[Any] | None:
    """Do what is asked and return it as JSON that fits into an invocation's payload."""
    call = request.root
    return call.answers.dump_python(_answer(call, store), mode="json")


def _answer(call: wire.Call, store: RetrievalDatabase) -> object:  # noqa: C901, PLR0911, PLR0912 -- a case for each call
    match call:
        case wire.PrepareCall():
            return store.prepare(call)
        case wire.ReserveCall():
            try:
                return store.reserve(call.tenant_id, call.reservation_id, call.amounts)
            except BudgetExceeded as error:
                return wire.Refused(error.message, error.context)
        case wire.SearchCall():
            return wire.fitting(store.search(call.query))
        case wire.SettleCall():
            return store.settle(call.tenant_id, call.reservation_id, call.usage, turn=call.turn)
        case wire.PageTextsCall():
            pages = store.page_texts(call.tenant_id, call.pages)
            return wire.first_texts([pages.get(page) for page in call.pages])
        case wire.CandidateTextsCall():
            texts = store.candidate_texts(call.tenant_id, call.chunks)
            return wire.first_texts(
                [StoredText(texts[chunk]) if chunk in texts else None for *_, chunk in call.chunks]
            )
        case wire.PageStatusCall():
            return store.page_status(call.asked)
        case wire.ProfileCall():
            return store.defined_profile(call.tenant_id, call.collection, call.name)
        case wire.PlaceCall():
            return store.place(call)
        case wire.CitedWordsCall():
            return store.cited_words(call.tenant_id, call.marks)
        case wire.KeepFeedbackCall():
            return store.keep_feedback(call.tenant_id, call.feedback)
        case wire.WithdrawFeedbackCall():
            was_there = store.withdraw_feedback(call.tenant_id, call.trace_id, subject=call.subject)
            return {"was_there": was_there}
        case wire.PingCall():
            return store.ping(call.tenant_id)
        case wire.RememberCall():
            return store.remember(
                call.tenant_id,
                call.key,
                request_hash=bytes.fromhex(call.request_hash),
                seconds=call.seconds,
            )
        case wire.RecordCall():
            return store.record_response(
                call.tenant_id, call.key, status=call.status, body=call.body
            )
        case wire.ForgetCall():
            return store.forget(call.tenant_id, call.key)
