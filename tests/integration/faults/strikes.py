"""Break a stage in process at a named point: an error, a death, or a lost connection."""

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from psycopg import Connection

from local.environment import REPOSITORY
from pulsedocs import faults
from pulsedocs.adapters.postgres import connection as gate
from pulsedocs.errors import StoreUnavailable
from pulsedocs.model.steps import StepResult
from tests.integration.ingestion.pipeline import Crash

KINDS: Final = ("raise", "crash", "drop")
_PRODUCT: Final = REPOSITORY / "layers" / "core" / "python" / "pulsedocs"
_STEPS_OF_THE_LEDGER: Final = tuple(sorted(kind.step for kind in StepResult.__subclasses__()))


def without_waits(patched: pytest.MonkeyPatch) -> None:
    """Retry a transaction at once: the waits are a second per fault, and show nothing here."""
    patched.setattr(gate, "_SHORTEST_WAIT_SECONDS", 0.0)
    patched.setattr(gate, "_LONGEST_WAITS_SECONDS", (0.001,) * 4)


def drop_connections(admin: Connection[object]) -> None:
    """End every session of the product in this database, as a failover does, and see it gone."""
    admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND usename IN ('pulsedocs_api', 'pulsedocs_ingest', 'pulsedocs_sweep')"
    )
    while has_sessions(admin):  # pg_terminate_backend itself looks every 0.1 s only
        time.sleep(0.001)


def has_sessions(admin: Connection[object], *, state: str = "") -> bool:
    """Say whether the product has a session in this database, in a state if one is named."""
    found = admin.execute(
        "SELECT FROM pg_stat_activity WHERE datname = current_database()"
        " AND usename IN ('pulsedocs_api', 'pulsedocs_ingest', 'pulsedocs_sweep')"
        " AND (%(state)s = '' OR state = %(state)s)",
        {"state": state},
    )
    return found.fetchone() is not None


class Strike:
    """Break the process the nth time that a point is reached, once."""

    def __init__(self, kind: str, point: str, nth: int, admin: Connection[object]) -> None:
        self._act = self._acts(admin)[kind]
        self._wanted = (point, nth)
        self._reached: Counter[str] = Counter()
        self.struck = False

    def __call__(self, point: str) -> None:
        self._reached[point] += 1
        if not self.struck and (point, self._reached[point]) == self._wanted:
            self.struck = True
            self._act(point)

    @staticmethod
    def _acts(admin: Connection[object]) -> dict[str, Callable[[str], None]]:
        return {"raise": _fail, "crash": _die, "drop": lambda _point: drop_connections(admin)}


def _fail(point: str) -> None:
    raise StoreUnavailable(f"injected at {point}")


def _die(_point: str) -> None:
    raise Crash


class Misfortune:
    """Break the process at any point with a small chance, drawn from one seeded source."""

    def __init__(self, chance: random.Random, admin: Connection[object], *, share: float) -> None:
        self._chance = chance
        self._admin = admin
        self._share = share

    def __call__(self, point: str) -> None:
        if self._chance.random() >= self._share:
            return
        kind = self._chance.choice(("crash", "crash", "raise", "drop"))
        if kind == "drop":
            drop_connections(self._admin)
        elif kind == "raise":
            _fail(point)
        else:
            _die(point)


def visited_by(history: Callable[[], object]) -> list[str]:
    """Return every point that a history reaches, in order."""
    reached: list[str] = []
    faults.install(reached.append)
    history()
    faults.install(None)
    return reached


def ends_of(reached: Iterable[str]) -> list[tuple[str, int]]:
    """Return each point's first and last visit."""
    counted = Counter(reached)
    return [(point, nth) for point, last in counted.items() for nth in sorted({1, last})]


def points_in_the_source() -> list[re.Pattern[str]]:
    """Return a pattern for each point that the product names, one per step of the ledger."""
    patterns: list[str] = []
    for path in sorted(_PRODUCT.rglob("*.py")):
        for name in _names_in(path):
            steps = _STEPS_OF_THE_LEDGER if re.match(r"\{(attempt\.)?step\}", name) else ("",)
            patterns += [re.sub(r"\{(attempt\.)?step\}", step, name) for step in steps]
    return [re.compile(re.sub(r"\{\w+\}", r"[a-z_]+", name)) for name in dict.fromkeys(patterns)]


def _names_in(path: Path) -> list[str]:
    return re.findall(r'fault_point\(f?"([^"]+)"\)', path.read_text(encoding="utf-8"))
