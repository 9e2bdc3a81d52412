"""The retrieval policy of a question: the product's own, or one that a collection has defined."""

from collections.abc import Mapping

from pulsedocs.model.retrieval import Profile, Scope
from pulsedocs.questions.ports import RetrievalStore
from pulsedocs.retrieval.profiles import is_built_in, profile_named


def policy_named(
    name: str,
    scope: Scope,
    *,
    store: RetrievalStore,
    of_stage: Mapping[str, Profile] | None = None,
) -> Profile:
    """Return a policy for a question; of several collections the first one's counts.

    The product's own need no database; `of_stage` are those that the stage has changed. Raises
    ProfileNotFound.
    """
    if is_built_in(name):
        return (of_stage or {}).get(name) or profile_named(name)
    collection = scope.collections[0]
    found = store.defined_profile(scope.tenant_id, collection, name)
    return profile_named(name) if found is None else found  # which raises, naming those there are
