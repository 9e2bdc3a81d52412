"""The operations of a stage, for programs that block: the same methods, without `await`."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack
from uuid import UUID

from pulsedocs.client.operations import AsyncConversation, Operations, address_of
from pulsedocs.client.options import QuestionOptions
from pulsedocs.client.refusals import Json
from pulsedocs.client.results import Answer
from pulsedocs.client.transport import PATIENCE_SECONDS, BlockingWire, Token, driven, each_driven

if TYPE_CHECKING:
    from pulsedocs.client.configuration import Configuration

P = ParamSpec("P")
T = TypeVar("T")


def _of_stage(
    operation: Callable[Concatenate[Operations, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[PulseDocs, P], T]":
    @wraps(operation)
    def blocking(self: "PulseDocs", *args: P.args, **kwargs: P.kwargs) -> T:
        return driven(operation(self.operations, *args, **kwargs))

    return blocking


def _each_of_stage(
    operation: Callable[Concatenate[Operations, P], AsyncGenerator[T]],
) -> "Callable[Concatenate[PulseDocs, P], Iterator[T]]":
    @wraps(operation)
    def blocking(self: "PulseDocs", *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return each_driven(operation(self.operations, *args, **kwargs))

    return blocking


class Conversation:
    """Questions that know those before them; the stage keeps the turns under `id`."""

    def __init__(self, conversation: AsyncConversation) -> None:
        self._conversation = conversation

    @property
    def id(self) -> UUID:
        return self._conversation.id

    def ask(self, question: str, **options: Unpack[QuestionOptions]) -> Answer:
        return driven(self._conversation.ask(question, **options))

    def stream(self, question: str, **options: Unpack[QuestionOptions]) -> Iterator[Json]:
        return each_driven(self._conversation.stream(question, **options))

    def turns(self) -> list[Json]:
        return driven(self._conversation.turns())

    def delete(self) -> None:
        driven(self._conversation.delete())


class PulseDocs:
    """One tenant's view of a stage; safe to share between threads.

    Each method is one of `Operations`, which says what it does.
    """

    def __init__(
        self,
        url: str,
        token: Token,
        *,
        configuration: "Configuration | None" = None,
        patience: float = PATIENCE_SECONDS,
        trust_env: bool = True,
    ) -> None:
        wire = BlockingWire(url, token, patience=patience, trust_env=trust_env)
        self.operations = Operations(wire, configuration)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        driven(self.operations.wire.close())

    def chat(
        self, conversation: UUID | None = None, **options: Unpack[QuestionOptions]
    ) -> Conversation:
        """Begin a conversation, or go on with one."""
        return Conversation(AsyncConversation(self.operations, conversation, options))

    @classmethod
    def configured(cls, configuration: "Configuration", *, trust_env: bool = True) -> Self:
        """Connect to the stage of a configuration, once it answers and has the collection."""
        url, token = address_of(configuration)
        docs = cls(url, token, configuration=configuration, trust_env=trust_env)
        try:
            docs.prepare(configuration)
        except BaseException:
            docs.__exit__(None, None, None)
            raise
        return docs

    check = _of_stage(Operations.check)
    prepare = _of_stage(Operations.prepare)

    add_documents = _of_stage(Operations.add_documents)
    add = _of_stage(Operations.add)
    add_url = _of_stage(Operations.add_url)
    wait = _of_stage(Operations.wait)
    status = _of_stage(Operations.status)
    documents = _each_of_stage(Operations.documents)
    chunks = _each_of_stage(Operations.chunks)
    versions = _each_of_stage(Operations.versions)
    page = _of_stage(Operations.page)
    highlight = _of_stage(Operations.highlight)
    file_url = _of_stage(Operations.file_url)
    change = _of_stage(Operations.change)
    update_documents = _of_stage(Operations.update_documents)
    delete = _of_stage(Operations.delete)
    receipt = _of_stage(Operations.receipt)
    proof = _of_stage(Operations.proof)
    audit = _each_of_stage(Operations.audit)
    cancel = _of_stage(Operations.cancel)
    retry = _of_stage(Operations.retry)
    redrive = _of_stage(Operations.redrive)
    add_batch = _of_stage(Operations.add_batch)
    batch = _of_stage(Operations.batch)
    resume_batch = _of_stage(Operations.resume_batch)

    collections = _of_stage(Operations.collections)
    collection = _of_stage(Operations.collection)
    create_collection = _of_stage(Operations.create_collection)
    change_collection = _of_stage(Operations.change_collection)
    delete_collection = _of_stage(Operations.delete_collection)
    profiles = _of_stage(Operations.profiles)
    profile = _of_stage(Operations.profile)
    define_profile = _of_stage(Operations.define_profile)

    models = _of_stage(Operations.models)
    register_model = _of_stage(Operations.register_model)
    coverage = _of_stage(Operations.coverage)
    backfill = _of_stage(Operations.backfill)
    retire_model = _of_stage(Operations.retire_model)
    migrate = _of_stage(Operations.migrate)
    migration = _of_stage(Operations.migration)
    promote = _of_stage(Operations.promote)
    roll_back = _of_stage(Operations.roll_back)

    retrieve = _of_stage(Operations.retrieve)
    ask = _of_stage(Operations.ask)
    stream = _each_of_stage(Operations.stream)
    conversations = _each_of_stage(Operations.conversations)
    conversation = _of_stage(Operations.conversation)
    delete_conversation = _of_stage(Operations.delete_conversation)
    trace = _of_stage(Operations.trace)
    prove = _of_stage(Operations.prove)
    why = _of_stage(Operations.why)
    what_if = _of_stage(Operations.what_if)
    replay = _of_stage(Operations.replay)
    give_feedback = _of_stage(Operations.give_feedback)
    withdraw_feedback = _of_stage(Operations.withdraw_feedback)
    feedback = _each_of_stage(Operations.feedback)
    feedback_questions = _of_stage(Operations.feedback_questions)
    evaluate = _of_stage(Operations.evaluate)
    evaluation = _of_stage(Operations.evaluation)

    usage = _of_stage(Operations.usage)
    set_budget = _of_stage(Operations.set_budget)
    remove_budget = _of_stage(Operations.remove_budget)
    call = _of_stage(Operations.call)
