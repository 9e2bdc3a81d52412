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
    match request.root:
        case wire.PrepareCall() as call:
            prepared = store.prepare(
                call.scope,
                model=call.model,
                method=call.method,
                conversation_id=call.conversation_id,
                subject=call.subject,
                doubtful=call.doubtful,
                pages=call.pages,
            )
            return wire.encode_prepared(prepared)
        case wire.SearchCall(query=query):
            return wire.encode_candidates(store.search(query))
        case wire.PageTextsCall() as call:
            pages = store.page_texts(call.tenant_id, call.pages)
            return wire.encode_texts([pages.get(page) for page in call.pages])
        case wire.CandidateTextsCall() as call:
            texts = store.candidate_texts(call.tenant_id, call.chunks)
            return wire.encode_texts(
                [StoredText(texts[chunk]) if chunk in texts else None for *_, chunk in call.chunks]
            )
        case (
            wire.PlaceCall()
            | wire.CitedWordsCall()
            | wire.PageStatusCall()
            | wire.ProfileCall()
            | wire.PingCall() as call
        ):
            return _look_up(call, store)
        case call:
            return _change(call, store)


def _change(
    call: wire.ReserveCall
    | wire.SettleCall
    | wire.RememberCall
    | wire.RecordCall
    | wire.ForgetCall
    | wire.KeepFeedbackCall
    | wire.WithdrawFeedbackCall,
    store: RetrievalDatabase,
) -> dict[str, Any] | None:
    match call:
        case wire.ReserveCall():
            try:
                store.reserve(call.tenant_id, call.reservation_id, call.amounts)
            except BudgetExceeded as error:
                return wire.encode_refusal(error)
        case wire.SettleCall():
            store.settle(call.tenant_id, call.reservation_id, call.usage, turn=call.turn)
        case wire.RememberCall():
            known = store.remember(
                call.tenant_id,
                call.key,
                request_hash=bytes.fromhex(call.request_hash),
                seconds=call.seconds,
            )
            return wire.encode_remembered(known)
        case wire.RecordCall():
            store.record_response(call.tenant_id, call.key, status=call.status, body=call.body)
        case wire.ForgetCall():
            store.forget(call.tenant_id, call.key)
        case wire.KeepFeedbackCall():
            store.keep_feedback(call.tenant_id, call.feedback)
        case wire.WithdrawFeedbackCall():
            was_there = store.withdraw_feedback(call.tenant_id, call.trace_id, subject=call.subject)
            return {"was_there": was_there}
    return None


def _look_up(
    call: wire.PlaceCall
    | wire.CitedWordsCall
    | wire.PageStatusCall
    | wire.ProfileCall
    | wire.PingCall,
    store: RetrievalDatabase,
) -> dict[str, Any] | list[Any] | None:
    match call:
        case wire.PlaceCall():
            place = store.place(
                call.tenant_id,
                call.document_id,
                call.page,
                start=call.start,
                end=call.end,
                version=call.version,
            )
            return wire.encode_place(place)
        case wire.CitedWordsCall():
            return wire.encode_cited_words(store.cited_words(call.tenant_id, call.marks))
        case wire.PingCall():
            store.ping(call.tenant_id)
            return None
        case wire.PageStatusCall():
            return wire.encode_page_status(store.page_status(call.asked))
        case wire.ProfileCall():
            found = store.defined_profile(call.tenant_id, call.collection, call.name)
            return wire.encode_profile(found)
