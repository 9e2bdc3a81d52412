"""What one tenant's questions are answered with, and how long that may take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pulsedocs.model.answers import Abstained
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Abstention, Profile
from pulsedocs.questions.ports import RetrievalStore, TraceStore
from pulsedocs.questions.providers import Providers
from pulsedocs.retrieval.evidence import seal


@dataclass(frozen=True, slots=True)
class RefusalTexts:
    """What a reader is told in place of an answer."""

    no_information: str
    not_indexed: str
    empty_query: str
    no_answer: str
    not_found: str = ""
    """Where part of the scope could not be searched: nobody knows what it contains."""
    language_unknown: str = ""
    """Where no model knows the language of the question, or of what was found."""
    no_documents: str = ""
    """Where there is nothing to search; empty says where it was looked for."""

    def abstention(self, reason: Abstention, detail: str, *, unsure: str = "") -> Abstained:
        """Return a refusal; `unsure` is what it says where the answer may be there all the same."""
        message = {
            Abstention.EMPTY_QUERY: self.empty_query,
            Abstention.NOT_INDEXED_FOR_MODEL: self.not_indexed,
            Abstention.NO_ANSWER_IN_CONTEXT: unsure or self.no_answer,
            Abstention.NO_SUCH_PAGE: f"{self.no_information} {detail}".strip(),
            Abstention.WHICH_DOCUMENT: detail,  # what they contain was not looked for
            Abstention.NO_DOCUMENTS: self.no_documents or detail,
        }.get(reason, unsure or self.no_information)
        return Abstained(reason, message, detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEngine:
    """The means of one request. `tenant_key` keys the hashes in its traces.

    Those of older traces may have been keyed with `former_keys`.

    `deadline` is the request's; the stores are made for it and keep to it by themselves. `stores`
    makes the store of another deadline; one that knows no deadline needs none.
    """

    store: RetrievalStore
    objects: TraceStore
    providers: Providers
    texts: RefusalTexts
    tenant_key: bytes
    deadline: Deadline
    former_keys: tuple[bytes, ...] = ()
    stores: Callable[[Deadline], RetrievalStore] | None = None
    policies: Mapping[str, Profile] = field(default_factory=dict[str, Profile])
    """Built-in profiles as this stage's settings change them, by name."""

    def seals_of(self, kind: str, text: str) -> frozenset[str]:
        """Return what a text is in traces, of the key in use and of former ones."""
        return frozenset(seal(key, kind, text) for key in (self.tenant_key, *self.former_keys))

    def within(self, deadline: Deadline) -> "QueryEngine":
        """Return the means of one question of a longer request; traces keep to the request's."""
        store = self.store if self.stores is None else self.stores(deadline)
        return replace(self, deadline=deadline, store=store)
