"""What one tenant's questions are answered with, and how long that may take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Profile
from pulsedocs.questions.ports import RetrievalStore, TraceStore
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.refusal_texts import RefusalTexts
from pulsedocs.retrieval.evidence import seal


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
