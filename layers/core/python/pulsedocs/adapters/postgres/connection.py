"""The only way to a connection: one transaction, bound to one tenant.

Also the one place that turns what psycopg raises into the product's errors.
"""

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final, Self, TypeVar
from uuid import UUID

import psycopg
import stamina
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import Connection, Cursor, IsolationLevel
from psycopg.abc import Params, QueryNoTemplate
from psycopg.conninfo import make_conninfo
from psycopg.errors import ConnectionTimeout, QueryCanceled
from psycopg.pq import TransactionStatus
from psycopg.types import TypeInfo

from pulsedocs.adapters.postgres.queries import kept_statements, query
from pulsedocs.errors import (
    ConfigurationError,
    Conflict,
    DatabaseWarming,
    IllegalTransition,
    PulseDocsError,
    RetryableError,
    StatementTimedOut,
    StoreUnavailable,
    VectorDBError,
)

Result = TypeVar("Result")

_SESSION: Final[dict[str, str | int]] = {
    "application_name": "pulsedocs",
    "connect_timeout": 5,  # a paused Aurora takes 15 s: the caller is told to come back instead
    # A connection whose peer vanished without a word is given up within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
# Each wait is drawn up to its limit: functions that failed together must not return together.
_SHORTEST_WAIT_SECONDS: Final = 0.05
_LONGEST_WAITS_SECONDS: Final = (0.25, 0.5, 1.0, 2.0)
_RETRYABLE: Final = frozenset(
    {
        "25006",  # read-only transaction: the writer has moved
        "25P03",  # idle in transaction for too long: the function was frozen
        "40001",  # serialization failure
        "40P01",  # deadlock
        "53300",  # too many connections
        "53400",  # connection limit of the role
        "55P03",  # lock not available
        "57P01",  # admin shutdown
        "57P02",  # crash shutdown
        "57P05",  # idle session timeout
    }
)
_STARTING: Final = "57P03"
_TOO_MANY: Final = "54000"  # of what a stage may have
_REFUSALS: Final[dict[type[PulseDocsError], tuple[str, ...]]] = {
    StoreUnavailable: (
        "too many connections",
        "too many clients",
        "remaining connection slots",
        # Beyond about 200 sign-ins a second; and for good, where the role lacks `rds_iam`.
        "PAM authentication failed",
    ),
    ConfigurationError: (
        "certificate",  # of another host, of an unknown authority, or no file to check it with
        "does not support SSL",
        "password authentication failed",
        "is not permitted to log in",
        "does not exist",
        "no pg_hba.conf entry",
    ),
}
_NEVER: Final = 2**31
_MOST_PREPARED: Final = 20
"""No function runs more that are kept. Each takes 50 kB of the server's memory, a search's half a
megabyte."""
_LONGEST_REST_SECONDS: Final = 5  # after it the session may have been ended


class _KeepingCursor(psycopg.Cursor[Any]):
    """Has the connection keep the plans of statements that are marked so."""

    def execute(  # pyright: ignore[reportIncompatibleMethodOverride] -- templates are not used
        self,
        query: QueryNoTemplate,
        params: Params | None = None,
        *,
        prepare: bool | None = None,
        binary: bool | None = None,
    ) -> Self:
        is_kept = prepare or (isinstance(query, str) and query in kept_statements())
        return super().execute(query, params, prepare=is_kept or None, binary=binary)


class Database:
    """One connection to one database, opened when first needed and again when it was lost.

    Threads may share an instance; their transactions run one after another.
    """

    def __init__(self, url: str, *, password: Callable[[], str] | None = None) -> None:
        self._url = url
        self._password = password
        self._connection: Connection[Any] | None = None
        self._turn = RLock()
        self._is_busy = False
        self._used_at = -_NEVER

    def run(
        self,
        tenant_id: UUID,
        work: Callable[[Connection[Any]], Result],
        *,
        read_only: bool = False,
        snapshot: bool = False,
        pipelined: bool = False,
    ) -> Result:
        """Run `work` in a transaction; run all of it again when the database gave way.

        That includes a commit whose answer was lost: `work` has to recognise its own rows.
        """
        begin = self.pipelined_tx if pipelined else self.tenant_tx
        for attempt in retries():
            with attempt, begin(tenant_id, read_only=read_only, snapshot=snapshot) as tx:
                return work(tx)
        raise AssertionError  # the last attempt returned or raised

    def execute(self, tenant_id: UUID, name: str, parameters: Mapping[str, Any]) -> int:
        """Run one statement in a transaction of its own; return how many rows it wrote."""
        return self.run(tenant_id, lambda tx: tx.execute(query(name), parameters).rowcount)

    def rows(
        self, tenant_id: UUID, name: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """Return the rows of one statement that only reads."""
        return self.run(
            tenant_id, lambda tx: tx.execute(query(name), parameters).fetchall(), read_only=True
        )

    @contextmanager
    def tenant_tx(
        self, tenant_id: UUID, *, read_only: bool = False, snapshot: bool = False
    ) -> Generator[Connection[Any]]:
        """Yield a connection inside a transaction that sees the rows of one tenant only.

        Commits when the block ends, rolls back when it raises. `snapshot` shows every statement
        the same state of the database.
        """
        with self._take_turn(), translated():
            connection = self._begin_or_reconnect(tenant_id, read_only=read_only, snapshot=snapshot)
            try:
                yield connection
                connection.commit()
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def pipelined_tx(
        self, tenant_id: UUID, *, read_only: bool = False, snapshot: bool = False
    ) -> Generator[Connection[Any]]:
        """As `tenant_tx`, but statements travel without waiting for the answers before them.

        Begin, tenant and the first statements are one round trip, which ends when something is
        fetched; the commit is another. A tenant that was not taken sees no row, and raises.
        """
        with self._take_turn(), translated():
            if time.monotonic() - self._used_at > _LONGEST_REST_SECONDS:
                connection = self._begin_or_reconnect(
                    tenant_id, read_only=read_only, snapshot=snapshot
                )
            else:
                connection = self._open()
                _set_mode(connection, read_only=read_only, snapshot=snapshot)
            try:
                with connection.pipeline():
                    bound = _bind(connection, tenant_id)
                    yield connection
                    _verify(bound, tenant_id)
                    connection.execute("COMMIT")  # commit() would wait once more
            except BaseException:
                _roll_back(connection)
                raise
            self._used_at = time.monotonic()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _take_turn(self) -> Generator[None]:
        """Keep two tenants' statements out of one transaction, from threads and from nesting."""
        with self._turn:
            if self._is_busy:
                raise ConfigurationError("a transaction is already open on this connection")
            self._is_busy = True
            try:
                yield
            finally:
                self._is_busy = False

    def _begin_or_reconnect(
        self, tenant_id: UUID, *, read_only: bool, snapshot: bool
    ) -> Connection[Any]:
        connection = self._open()
        try:
            _begin(connection, tenant_id, read_only=read_only, snapshot=snapshot)
        except psycopg.OperationalError:
            # A server that ended the idle session says so only now; nothing was asked of it yet.
            if not connection.closed:
                _roll_back(connection)
                raise
            connection = self._open()
            _begin(connection, tenant_id, read_only=read_only, snapshot=snapshot)
        return connection

    def _open(self) -> Connection[Any]:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        secret = {} if self._password is None else {"password": self._password()}
        address = make_conninfo(self._url, **_SESSION, **secret)
        try:
            # A plan made for one tenant's statistics would be kept for the next one's: only
            # what asks for `prepare` is, and what is marked as the same for all.
            connection = psycopg.connect(
                address, prepare_threshold=_NEVER, cursor_factory=_KeepingCursor
            )
            connection.prepared_max = _MOST_PREPARED
        except psycopg.OperationalError as error:
            raise refusal(error) from error
        # The one vector type that is stored; each type costs a round trip.
        info = TypeInfo.fetch(connection, "halfvec")
        if info is None:
            connection.close()
            raise ConfigurationError("the database has no pgvector; run the migrations")
        register_halfvec_info(connection, info)
        self._connection = connection
        return connection


def retries() -> Iterator[stamina.Attempt]:
    """Yield up to five attempts, for the errors after which the same work can succeed."""
    longest = iter(_LONGEST_WAITS_SECONDS)

    def full_jitter(error: Exception) -> bool | float:
        is_worth_it = isinstance(error, RetryableError)
        # Five waits of five seconds, or of a statement's fifty, would outlast the caller.
        if not is_worth_it or isinstance(error.__cause__, ConnectionTimeout | QueryCanceled):
            return False
        return random.uniform(_SHORTEST_WAIT_SECONDS, next(longest, 0))  # noqa: S311 -- no secret

    attempts = len(_LONGEST_WAITS_SECONDS) + 1
    return iter(stamina.retry_context(on=full_jitter, attempts=attempts, timeout=None))


@contextmanager
def translated() -> Generator[None]:
    """Turn what psycopg raises into what the ports promise."""
    try:
        yield
    except psycopg.Error as error:
        raise _product_error(error) from error


def _begin(
    connection: Connection[Any], tenant_id: UUID, *, read_only: bool, snapshot: bool
) -> None:
    _set_mode(connection, read_only=read_only, snapshot=snapshot)
    _verify(_bind(connection, tenant_id), tenant_id)


def _set_mode(connection: Connection[Any], *, read_only: bool, snapshot: bool) -> None:
    if connection.autocommit:
        raise ConfigurationError("autocommit would forget the tenant after one statement")
    connection.read_only = read_only
    connection.isolation_level = IsolationLevel.REPEATABLE_READ if snapshot else None


def _bind(connection: Connection[Any], tenant_id: UUID) -> Cursor[Any]:
    return connection.execute(query("bind_tenant"), {"tenant_id": str(tenant_id)})


def _verify(bound: Cursor[Any], tenant_id: UUID) -> None:
    taken = bound.fetchone()
    if taken is None or taken[0] != str(tenant_id):
        raise ConfigurationError("the database did not take the tenant")


def _roll_back(connection: Connection[Any]) -> None:
    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()
    if connection.info.transaction_status is not TransactionStatus.IDLE:
        connection.close()


def refusal(error: psycopg.OperationalError) -> PulseDocsError:
    """Say why no connection was made; a refused or silent port is a database waking up.

    libpq passes no SQLSTATE on before a connection stands: the server's words are all there is.
    """
    said = str(error)
    for kind, phrases in _REFUSALS.items():
        if phrase := next((phrase for phrase in phrases if phrase in said), None):
            return kind(f"the database let nobody in: {phrase}")
    return DatabaseWarming("the database does not take connections yet")


def _product_error(error: psycopg.Error) -> PulseDocsError:
    state = error.sqlstate
    # Class 08, or what libpq reports without a state when the peer is gone.
    is_lost = isinstance(error, psycopg.OperationalError) and (state is None or state[:2] == "08")
    if state == _STARTING:
        return DatabaseWarming("the database is starting", sqlstate=state)
    if state in _RETRYABLE or is_lost:
        return StoreUnavailable(f"the database gave way: {type(error).__name__}", sqlstate=state)
    if isinstance(error, QueryCanceled):
        return StatementTimedOut("a statement ran into the database's time limit", sqlstate=state)
    if state == _TOO_MANY:
        return Conflict(error.diag.message_primary or "refused")
    if state is not None and state.startswith("PD"):
        return IllegalTransition(error.diag.message_primary or "refused", sqlstate=state)
    return VectorDBError(f"the database refused: {type(error).__name__}", sqlstate=state)
