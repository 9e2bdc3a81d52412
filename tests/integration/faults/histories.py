"""Seeded histories: what users, workers and misfortune do to one tenant, and what must come of it.

One seed draws everything. The model does not predict the order in which workers come; it says
which ends are lawful for what was asked and acknowledged.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Barrier, Thread
from typing import Any, Final
from uuid import UUID

from pulsedocs import faults
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.errors import (
    Conflict,
    NotFound,
    ProviderMalformed,
    ProviderQuotaExhausted,
    ProviderThrottled,
    ProviderUnavailable,
    PulseDocsError,
    RetryableError,
)
from pulsedocs.model.changes import Strategy, Update
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.documents import OnDuplicate
from pulsedocs.model.embeddings import EmbeddedBatch
from tests.integration.faults.strikes import Misfortune
from tests.integration.faults.texts import SEMANTIC, TWO_SUBJECTS
from tests.integration.faults.world import World
from tests.integration.ingestion.pipeline import Crash, Event

DOCUMENTS: Final = tuple(UUID(int=number) for number in range(1, 4))
BODIES: Final = (
    b"The gauge of station 7 is read at noon. Readings go to the duty engineer.",
    b"The gauge of station 7 is read at ten. Readings go to the shift leader.",
    b"Pumps are started with closed valves. Open them slowly once the pressure stands."
    b"\n\n" + b"The seal of a pump that runs dry is lost within a minute. " * 12,
    b"\x80\x81 is not how any text starts that anybody could read",
    TWO_SUBJECTS,
)
UNREADABLE: Final = 3
MEASURED: Final = 4
"""The body that is cut where its subject changes."""
_WEIGHTS: Final = (4, 4, 4, 2, 1)
STEPS: Final = 14
_POLICIES: Final = (OnDuplicate.SKIP, OnDuplicate.SKIP, OnDuplicate.REJECT, OnDuplicate.REPLACE)
_SHARE_OF_FAULTS: Final = 0.03  # per point: about every second execution meets one


class FaultyEmbedder(HashingEmbedder):
    """Fails as often as it was told to, then works."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[PulseDocsError] = []

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        if self.faults:
            raise self.faults.pop()
        return super().embed_passages(texts, deadline=deadline)


@dataclass(frozen=True, slots=True)
class Put:
    """Bytes that a user has put into the bucket, and what was chosen for them."""

    document: UUID
    body: int
    event: Event
    options: dict[str, Any]
    version: int

    @property
    def is_semantic(self) -> bool:
        return self.body == MEASURED


@dataclass
class Model:
    """What was asked for and acknowledged, and which ends that allows."""

    puts: list[Put] = field(default_factory=list[Put])
    deleted: set[UUID] = field(default_factory=set[UUID])
    cancelled: set[tuple[UUID, int]] = field(default_factory=set[tuple[UUID, int]])

    def put_of(self, object_version: str) -> Put:
        [found] = [put for put in self.puts if put.event.object_version == object_version]
        return found

    def problems(self, world: World, golden: Callable[[Put], str]) -> list[str]:
        """Return everything about the end of a history that the model does not allow."""
        found = world.violations() + self._unanswered(world)
        for document in {put.document for put in self.puts}:
            rows = _versions(world, document)
            if document in self.deleted:
                found += [f"{document} was deleted and has rows"] if rows else []
            else:
                found += self._about(document, rows, world, golden)
        return found

    def _unanswered(self, world: World) -> list[str]:
        """Ask for every text: exactly the documents that show it have it, copies among them."""
        shown = {put.document: _published(world, put.document) for put in self.puts}
        bodies = {
            document: self.put_of(object_version).body
            for document, object_version in shown.items()
            if object_version is not None
        }
        problems: list[str] = []
        for body in sorted({put.body for put in self.puts} - {UNREADABLE}):
            text = BODIES[body].decode()
            for document in sorted(shown):
                texts = world.found(text[:200], document).get(document, set())
                own = bodies.get(document)
                if own == body and not texts:
                    problems.append(f"{document} shows text {body} and is not found by it")
                if any(own is None or _plain(each) not in _plain(BODIES[own]) for each in texts):
                    problems.append(f"{document} answers with a text that it does not show")
        return problems

    def _about(
        self,
        document: UUID,
        rows: list[tuple[int, str, str | None]],
        world: World,
        golden: Callable[[Put], str],
    ) -> list[str]:
        newest = [put for put in self.puts if put.document == document][-1]
        of_its_form = {
            put.event.object_version
            for put in self.puts
            if (put.document, put.version) == (document, newest.version)
        }
        is_known = not of_its_form.isdisjoint(row[1] for row in rows)
        is_cancelled = (document, newest.version) in self.cancelled
        found = [] if is_known or is_cancelled else [f"{newest} was lost"]
        for version, object_version, outcome in rows:
            put = self.put_of(object_version)
            if outcome == "PUBLISHED" or (outcome == "DUPLICATE" and self._repeats(put, world)):
                same = world.digest(document) == golden(put)
                return found if same else [*found, f"{put} differs from a run without faults"]
            if not self._is_lawful(document, version, put, outcome):
                found.append(f"version {version} of {put} ended {outcome}")
        empty = world.digest(document) == world.anew().digest(document)
        return found if empty else [*found, f"{document} shows what nobody should see"]

    def _repeats(self, put: Put, world: World) -> bool:
        """Say whether a version ended because the document had published its very bytes."""
        published = _published(world, put.document)
        return published is not None and self.put_of(published).body == put.body

    def _is_lawful(self, document: UUID, version: int, put: Put, outcome: str | None) -> bool:
        """Say whether a version that is not shown may have ended so, with none newer shown."""
        twins = [
            other for other in self.puts if other.document != document and other.body == put.body
        ]
        match outcome:
            case "CANCELLED":
                return (document, version) in self.cancelled
            case "REJECTED":
                is_refused = put.options["on_duplicate"] is OnDuplicate.REJECT and bool(twins)
                return put.body == UNREADABLE or is_refused
            case None:
                return bool(put.options["hold"])
            case _:
                return False


@dataclass
class History:
    """One seed's course of events in a tenant of its own; `rival` is a second worker."""

    world: World
    rival: World
    chance: random.Random
    embedder: FaultyEmbedder
    model: Model = field(default_factory=Model)
    pending: list[Event] = field(default_factory=list[Event])
    lost: list[Event] = field(default_factory=list[Event])
    told: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, seed: int, world: World, rival: World) -> "History":
        embedder = FaultyEmbedder()
        world.pipeline.embedder = rival.pipeline.embedder = embedder
        return cls(world, rival, random.Random(seed), embedder)

    def play(self) -> None:
        """Draw and do the steps, then let the dust settle: time, sweeps, and an operator."""
        acts: list[tuple[int, Callable[[], None]]] = [
            (8, self.upload),
            (8, self.deliver),
            (3, self.deliver_again),
            (2, self.deliver_late),
            (2, self.use_a_form_again),
            (2, self.ask),
            (2, self.expire_leases),
            (2, self.sweep),
            (2, self.merge),
            (2, self.race),
            (2, self.cancel),
            (2, self.retry),
            (1, self.delete),
            (2, self.update),
            (2, self.fault_at_the_provider),
        ]
        weights, choices = zip(*acts, strict=True)
        for _ in range(STEPS):
            [act] = self.chance.choices(choices, weights)
            self.told.append(act.__name__)
            faults.install(Misfortune(self.chance, self.world.admin, share=_SHARE_OF_FAULTS))
            self.survive(act)
            faults.install(None)
        self.settle()

    def settle(self) -> None:
        self.embedder.faults.clear()
        self.world.settle()
        for document in DOCUMENTS:
            self.survive(lambda document=document: self.world.retry(document))
        self.world.settle()

    def survive(self, act: Callable[[], object]) -> None:
        """Do what may die or be refused in its own words; any other error is a defect."""
        try:
            act()
        except (Crash, PulseDocsError) as error:
            self.told.append(type(error).__name__)

    def insist(self, act: Callable[[], object]) -> bool:
        """Ask until there is an answer, as a client does; False when it is a refusal."""
        for _ in range(20):
            try:
                act()
            except (Crash, RetryableError):
                continue
            except (NotFound, Conflict):
                return False
            return True
        raise AssertionError("no answer in 20 attempts")

    # ------------------------------------------------------------------------------ acts of users

    def upload(self) -> None:
        document = self.chance.choice(DOCUMENTS)
        if document in self.model.deleted:
            return
        [body] = self.chance.choices(range(len(BODIES)), _WEIGHTS)
        options: dict[str, Any] = {
            "on_duplicate": self.chance.choice(_POLICIES),
            "hold": self.chance.random() < 0.15,
            "chunking": SEMANTIC if body == MEASURED else {},
        }
        if body == MEASURED:
            self.embedder.faults.clear()
        faults.install(None)  # a form that is asked for twice is two registrations, one unused
        event = self.world.upload(BODIES[body], document, **options)
        stored = self.world.objects.describe(event.key, object_version=event.object_version)
        version = int(stored.metadata["version"])
        self.model.puts.append(Put(document, body, event, options, version))
        self._announce(event)

    def use_a_form_again(self) -> None:
        """Send the same bytes once more: storage takes them, and nothing may come of it."""
        living = [put for put in self.model.puts if put.document not in self.model.deleted]
        if not living:
            return
        put = self.chance.choice(living)
        event = self.world.pipeline.put(
            self.world.tenant, put.document, BODIES[put.body], version=put.version
        )
        self.model.puts.append(replace(put, event=event))
        self._announce(event)

    def ask(self) -> None:
        """Ask in the middle of everything: no chunk changes, and only what is shown answers."""
        faults.install(None)
        before = _chunks(self.world)
        found = self.world.found(BODIES[0].decode())
        assert _chunks(self.world) == before
        assert set(found) <= {each for each in DOCUMENTS if _published(self.world, each)}

    def _announce(self, event: Event) -> None:
        is_lost = self.chance.random() > 0.85
        (self.lost if is_lost else self.pending).append(event)

    def cancel(self) -> None:
        document = self.chance.choice(DOCUMENTS)
        before = dict(self._ends(document))
        if self.insist(lambda: self.world.cancel(document)) or before:
            self.model.cancelled |= {
                (document, version)
                for version, outcome in self._ends(document)
                if outcome == "CANCELLED" and before.get(version) != "CANCELLED"
            }

    def retry(self) -> None:
        self.world.retry(self.chance.choice(DOCUMENTS))

    def delete(self) -> None:
        document = self.chance.choice(DOCUMENTS)
        if not any(put.document == document for put in self.model.puts):
            return
        self.insist(lambda: self.world.delete(document))
        self.model.deleted.add(document)
        if self.chance.random() < 0.5:
            self.world.take_control()

    def update(self) -> None:
        """Ask for one of the strategies; what was refused has changed nothing."""
        new, old = self.chance.sample(DOCUMENTS, 2)
        strategy = self.chance.choice(
            (Strategy.REPLACE, Strategy.APPEND, Strategy.UPSERT, Strategy.DELETE, Strategy.METADATA)
        )
        adds = strategy in {Strategy.REPLACE, Strategy.APPEND, Strategy.UPSERT}
        wanted = Update(
            strategy=strategy,
            document_ids=() if strategy is Strategy.APPEND else (old,),
            new_document_ids=(new,) if adds else (),
            metadata_updates={"site": 7} if strategy is Strategy.METADATA else {},
            reprocess_chunks=strategy is Strategy.METADATA,
        )
        faults.install(None) if adds else None  # asked twice, a committed one answers NotReady
        self.insist(lambda: self.world.update(wanted))
        if wanted.removes and _is_deleted(self.world, old):
            self.model.deleted.add(old)

    # ------------------------------------------------------------------ acts of the platform

    def deliver(self) -> None:
        if not self.pending:
            return
        event = self.pending.pop(self.chance.randrange(len(self.pending)))
        if self.chance.random() < 0.2:
            self.pending.append(event)
        if self.chance.random() < 0.5:
            self.world.execute(event)
        else:
            self.world.pipeline.deliver(event)

    def deliver_late(self) -> None:
        if self.lost:
            self.world.execute(self.lost.pop(self.chance.randrange(len(self.lost))))

    def deliver_again(self) -> None:
        if self.model.puts:
            self.world.execute(self.chance.choice(self.model.puts).event)

    def race(self) -> None:
        """Two workers start at once, on one event or on two."""
        faults.install(None)  # threads would share the source of chance, and the seed its meaning
        if not self.model.puts:
            return
        puts = [self.chance.choice(self.model.puts) for _ in range(2)]
        together = Barrier(2)

        def work(world: World, event: Event) -> None:
            together.wait()
            self.survive(lambda: world.execute(event))

        workers = zip((self.world, self.rival), puts, strict=True)
        threads = [Thread(target=work, args=(world, put.event)) for world, put in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def expire_leases(self) -> None:
        self.world.pass_time(minutes=self.chance.choice((16, 40)))

    def sweep(self) -> None:
        self.world.pass_time(minutes=20)
        self.world.sweep(full=self.chance.random() < 0.5)
        if self.chance.random() < 0.8:
            self.world.take_control()

    def merge(self) -> None:
        self.world.merge()

    def fault_at_the_provider(self) -> None:
        kinds = [ProviderThrottled("429"), ProviderUnavailable("503")]
        if not any(put.is_semantic for put in self.model.puts):
            # Where sentences are measured these lead to another cut, with its reason recorded.
            kinds += [ProviderMalformed("no vectors"), ProviderQuotaExhausted("no balance")]
        self.embedder.faults[:] = [self.chance.choice(kinds)] * self.chance.randint(1, 2)

    def _ends(self, document: UUID) -> list[tuple[int, str | None]]:
        return [
            (row[0], row[1])
            for row in self.world.admin.execute(
                "SELECT version, outcome FROM document_version"
                " WHERE (tenant_id, document_id) = (%s, %s)",
                [self.world.tenant, document],
            )
        ]


def _versions(world: World, document: UUID) -> list[tuple[int, str, str | None]]:
    """Return the received versions, the newest upload first."""
    rows = world.admin.execute(
        "SELECT version, object_version, outcome FROM document_version"
        " WHERE (tenant_id, document_id) = (%s, %s) AND received_at IS NOT NULL"
        " ORDER BY substring(object_version FROM 2)::int DESC, version DESC",
        [world.tenant, document],
    )
    return [(row[0], row[1], row[2]) for row in rows]


def _published(world: World, document: UUID) -> str | None:
    row = world.admin.execute(
        "SELECT object_version FROM document JOIN document_version USING (tenant_id, document_id)"
        " WHERE (tenant_id, document_id) = (%s, %s) AND version = published_version",
        [world.tenant, document],
    ).fetchone()
    return None if row is None else row[0]


def _plain(text: str | bytes) -> str:
    """Return a text with one blank for each white space: pages are joined and cleaned."""
    return " ".join((text if isinstance(text, str) else text.decode()).split())


def _chunks(world: World) -> list[tuple[Any, ...]]:
    return world.admin.execute(
        "SELECT chunk_id, version, chunk_hash, content_hash, text FROM document_chunk"
        " WHERE tenant_id = %s ORDER BY 1, 2",
        [world.tenant],
    ).fetchall()


def _is_deleted(world: World, document: UUID) -> bool:
    row = world.admin.execute(
        "SELECT FROM deletion_receipt WHERE (tenant_id, document_id) = (%s, %s)",
        [world.tenant, document],
    ).fetchone()
    return row is not None
