"""Make, change and delete the collections that documents lie in."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from pulsedocs.deletion.delete_document import finish_deletion
from pulsedocs.documents.ports import CollectionStore, ProfileStore
from pulsedocs.documents.profiles import profile_revisions
from pulsedocs.embedding import parse_model_name
from pulsedocs.errors import InvalidRequest, UnknownRecognition
from pulsedocs.faults import fault_point
from pulsedocs.model.changes import Collection, CollectionChoices
from pulsedocs.model.pages import RECOGNISED_LANGUAGES
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.retrieval.profiles import is_built_in
from pulsedocs.retrieval.profiles import profile_named as retrieval_profile_named


def create_collection(
    tenant_id: UUID,
    name: str,
    choices: CollectionChoices,
    *,
    actor: str,
    collections: CollectionStore,
) -> Collection:
    """Make an empty collection.

    Raises CollectionExists, and InvalidRequest, UnknownRecognition or ProfileNotFound for a choice
    that is unknown.
    """
    _refuse_unknown(asdict(choices))
    return collections.create(tenant_id, name, choices, actor=actor)


def change_collection(
    tenant_id: UUID,
    name: str,
    changed: Mapping[str, Any],
    *,
    actor: str,
    collections: CollectionStore,
    profiles: ProfileStore,
) -> Collection:
    """Change what is given. Model and language only while nothing was indexed with them.

    Raises CollectionNotEmpty, CollectionNotFoundError, ProfileNotFound.
    """
    if not changed:
        raise InvalidRequest("give at least one field to change")
    policy = changed.get("retrieval_profile")
    if policy is not None and not is_built_in(policy):
        profile_revisions(tenant_id, name, policy, profiles=profiles)
        _refuse_unknown({key: changed[key] for key in changed if key != "retrieval_profile"})
    else:
        _refuse_unknown(changed)
    return collections.change(tenant_id, name, changed, actor=actor)


def delete_collection(
    tenant_id: UUID,
    name: str,
    *,
    is_cascading: bool,
    actor: str,
    collections: CollectionStore,
    objects: ObjectStore,
) -> tuple[UUID, ...]:
    """Delete a collection, with its documents if told so; return their receipts.

    Raises CollectionNotEmpty, CollectionNotFoundError.
    """
    receipts = collections.delete(tenant_id, name, is_cascading=is_cascading, actor=actor)
    fault_point("delete_collection.before_control")
    finish_deletion(tenant_id, receipts, objects=objects)
    return tuple(receipts.values())


def _refuse_unknown(choices: Mapping[str, Any]) -> None:
    languages = choices.get("ocr_languages") or ()
    known = [each for each in dict.fromkeys(languages) if each in RECOGNISED_LANGUAGES]
    if len(known) < len(languages):
        message = f"of the languages {', '.join(languages)!r}, each once, only these are recognised"
        raise UnknownRecognition(f"{message}: {', '.join(RECOGNISED_LANGUAGES)}")
    if "model" in choices:
        parse_model_name(choices["model"])
    if "retrieval_profile" in choices:
        retrieval_profile_named(choices["retrieval_profile"])
