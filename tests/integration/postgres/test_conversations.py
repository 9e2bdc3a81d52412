"""A conversation is one person's, ends by itself, and says nothing of documents that are gone."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.conversations import PostgresConversationStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore
from pulsedocs.errors import ConversationNotFound, ConversationTaken
from pulsedocs.model.conversations import MOST_TURNS, CitedPlace, NewTurn, Turn
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.retrieval import Scope, Usage
from pulsedocs.model.sweeps import Listing, Tidied
from tests.integration.postgres.author import Author

CONVERSATION = uuid4()
OLGA = "olga"


class Talk:
    """Asks and answers as `retrieve` does, for one person of a tenant."""

    def __init__(self, store: PostgresRetrievalStore, tenant: UUID, person: str = OLGA) -> None:
        self.store = store
        self.tenant = tenant
        self.person = person

    def of(self, person: str) -> Self:
        return type(self)(self.store, self.tenant, person)

    def say(
        self, question: str, answer: str = "So it is.", *, trace: str = "", **turn: Any
    ) -> None:
        usage = Usage("ask", "memory:chat", 1, 1, None, trace or question, None)
        conversation = turn.get("conversation_id", CONVERSATION)
        documents = tuple(turn.get("document_ids", ()))
        new = NewTurn(
            conversation,
            question,
            answer,
            documents,
            subject=self.person,
            citations=tuple(turn.get("citations", ())),
            refused_for=turn.get("refused_for"),
        )
        self.store.settle(self.tenant, None, usage, turn=new)

    def history(self, conversation_id: UUID = CONVERSATION) -> list[str]:
        prepared = self.store.prepare(
            PrepareQuery(
                scope=Scope(self.tenant),
                method="ask",
                conversation_id=conversation_id,
                subject=self.person,
            )
        )
        return [turn.question for turn in prepared.turns]


@pytest.fixture
def store(database_as: Callable[[str], Database]) -> PostgresRetrievalStore:
    return PostgresRetrievalStore(database_as("query"), conversation_days=30)


@pytest.fixture
def kept(database_as: Callable[[str], Database]) -> PostgresConversationStore:
    return PostgresConversationStore(database_as("api"))


@pytest.fixture
def talk(author: Author, store: PostgresRetrievalStore) -> Talk:
    author.ingest()
    return Talk(store, author.tenant)


@pytest.fixture
def stranger(author: Author, store: PostgresRetrievalStore) -> Talk:
    other = Author(author.store, author.catalogue)
    other.ingest()
    return Talk(store, other.tenant)


def let_expire(admin: Connection[Any]) -> None:
    admin.execute("UPDATE conversation SET expires_at = now() - interval '1 second'")
    admin.commit()


def document_of(admin: Connection[Any], tenant: UUID) -> UUID:
    row = admin.execute("SELECT document_id FROM document WHERE tenant_id = %s", [tenant])
    [[document_id]] = row.fetchall()
    admin.commit()
    return document_id


def test_the_newest_turns_come_back_in_order(talk: Talk) -> None:
    """S4-11: five turns are ten messages."""
    for number in range(8):
        talk.say(f"question {number}")

    assert talk.history() == [f"question {number}" for number in range(3, 8)]
    asked = PrepareQuery(
        scope=Scope(talk.tenant), method="ask", conversation_id=CONVERSATION, subject=OLGA
    )
    assert talk.store.prepare(asked).turns[-1] == Turn("question 7", "So it is.")


def test_an_unknown_conversation_is_empty(talk: Talk) -> None:
    talk.say("something")

    assert talk.history(uuid4()) == []


def test_a_settlement_that_is_repeated_adds_one_turn(talk: Talk) -> None:
    """Lambda tries an asynchronous invocation up to three times."""
    for _ in range(3):
        talk.say("once", trace="trace-1")

    assert talk.history() == ["once"]


def test_a_price_that_is_not_known_is_stored_as_such(talk: Talk, admin: Connection[Any]) -> None:
    talk.say("what does it cost?")

    row = admin.execute("SELECT cost_usd FROM usage WHERE trace_id = 'what does it cost?'")
    assert row.fetchall() == [(None,)]


def test_two_tenants_use_one_id_without_noticing(
    talk: Talk, stranger: Talk, kept: PostgresConversationStore
) -> None:
    """I10: one id, two conversations; neither is seen, ended or deleted by the other."""
    talk.say("mine")
    assert stranger.history() == []
    with pytest.raises(ConversationNotFound):
        kept.conversation(stranger.tenant, CONVERSATION, subject=OLGA)
    with pytest.raises(ConversationNotFound):
        kept.delete_conversation(stranger.tenant, CONVERSATION, subject=OLGA)

    stranger.say("theirs")
    kept.delete_conversation(stranger.tenant, CONVERSATION, subject=OLGA)

    assert talk.history() == ["mine"]
    assert stranger.history() == []


def test_a_conversation_that_expired_is_gone_and_its_id_starts_empty(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    talk.say("old")
    let_expire(admin)

    assert talk.history() == []
    with pytest.raises(ConversationNotFound):
        kept.conversation(talk.tenant, CONVERSATION, subject=OLGA)
    with pytest.raises(ConversationNotFound):
        kept.delete_conversation(talk.tenant, CONVERSATION, subject=OLGA)

    talk.say("new")
    assert talk.history() == ["new"]


def test_every_answer_gives_a_conversation_its_whole_time_again(
    talk: Talk, kept: PostgresConversationStore
) -> None:
    talk.say("first")
    first = kept.conversation(talk.tenant, CONVERSATION, subject=OLGA)
    talk.say("second")
    second = kept.conversation(talk.tenant, CONVERSATION, subject=OLGA)

    assert (first.expires_at - first.created_at).days == 30
    assert second.created_at == first.created_at
    assert second.expires_at > first.expires_at
    assert [turn.question for turn in second.turns] == ["first", "second"]


def test_the_sweep_finds_and_removes_what_expired(
    talk: Talk,
    stranger: Talk,
    admin: Connection[Any],
    database_as: Callable[[str], Database],
) -> None:
    talk.say("old")
    let_expire(admin)
    stranger.say("live")
    sweep = PostgresSweepStore(database_as("sweep"))

    listed = sweep.listed(Listing.UNTIDY, after=(UUID(int=0), UUID(int=0)), limit=10)
    tidied = [sweep.tidy(tenant) for tenant in (talk.tenant, stranger.tenant)]

    assert listed == [(talk.tenant, talk.tenant)]
    assert tidied == [Tidied(0, 0, 1), Tidied(0, 0, 0)]
    left = admin.execute("SELECT question FROM conversation_turn").fetchall()
    assert left == [("live",)]


def test_a_conversation_keeps_its_newest_turns_only(
    talk: Talk, kept: PostgresConversationStore
) -> None:
    for number in range(MOST_TURNS + 3):
        talk.say(f"question {number}")

    turns = kept.conversation(talk.tenant, CONVERSATION, subject=OLGA).turns
    assert [turn.question for turn in turns] == [
        f"question {number}" for number in range(3, MOST_TURNS + 3)
    ]


def test_what_was_written_from_a_deleted_document_is_not_said_again(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    """I8: not in a prompt, not to a reader, from the moment of the deletion; and not kept after."""
    document = document_of(admin, talk.tenant)
    talk.say("about it", document_ids=[document])
    talk.say("about nothing")
    admin.execute(
        "UPDATE document SET deleted_at = now(), published_version = NULL,"
        " published_at = NULL WHERE document_id = %s",
        [document],
    )
    admin.commit()

    talk.say("late", document_ids=[document])

    assert talk.history() == ["about nothing"]
    shown = kept.conversation(talk.tenant, CONVERSATION, subject=OLGA).turns
    assert [turn.question for turn in shown] == ["about nothing"]
    stored = admin.execute("SELECT question FROM conversation_turn ORDER BY turn").fetchall()
    assert stored == [("about it",), ("about nothing",)]  # the purge takes the first


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 9000, "\U0001f600" * 8001])
def test_any_text_can_be_kept(text: str, talk: Talk) -> None:
    talk.say("strange", text)
    talk.say(text, "strange", trace="second")

    assert len(talk.history()) == 2


def test_a_deleted_conversation_is_gone(talk: Talk, kept: PostgresConversationStore) -> None:
    talk.say("mine")

    kept.delete_conversation(talk.tenant, CONVERSATION, subject=OLGA)

    assert talk.history() == []
    with pytest.raises(ConversationNotFound):
        kept.delete_conversation(talk.tenant, CONVERSATION, subject=OLGA)


def test_who_deleted_a_conversation_is_recorded_once(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    talk.say("mine")
    with pytest.raises(ConversationNotFound):
        kept.delete_conversation(talk.tenant, CONVERSATION, subject="peter")
    kept.delete_conversation(talk.tenant, CONVERSATION, subject=OLGA)
    with pytest.raises(ConversationNotFound):
        kept.delete_conversation(talk.tenant, CONVERSATION, subject=OLGA)

    events = admin.execute(
        "SELECT actor, object, detail FROM audit_event"
        " WHERE tenant_id = %s AND action = 'delete_conversation'",
        [talk.tenant],
    )
    assert events.fetchall() == [("olga", str(CONVERSATION), {})]


def test_answers_that_arrive_at_once_all_become_turns(
    talk: Talk, database_as: Callable[[str], Database], author: Author
) -> None:
    talks = [Talk(PostgresRetrievalStore(database_as("query")), author.tenant) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for number, each in enumerate(talks):
            pool.submit(each.say, f"question {number}")

    assert sorted(talk.history()) == [f"question {number}" for number in range(4)]


def titles(kept: PostgresConversationStore, talk: Talk, **wanted: Any) -> list[str]:
    asked: dict[str, Any] = {"subject": talk.person, "before": None, "limit": 100, **wanted}
    return [each.title for each in kept.conversations(talk.tenant, **asked)]


def test_people_list_their_own_conversations_the_last_answered_first(
    talk: Talk, stranger: Talk, kept: PostgresConversationStore
) -> None:
    """By the first question of each; neither a colleague's nor another tenant's."""
    older, newer = uuid4(), uuid4()
    talk.say("the first of the older", conversation_id=older)
    talk.say("the newer", conversation_id=newer)
    talk.of("peter").say("a colleague's", conversation_id=uuid4())
    stranger.say("another tenant's", conversation_id=uuid4())

    assert titles(kept, talk) == ["the newer", "the first of the older"]

    talk.say("again", conversation_id=older)
    first, second = kept.conversations(talk.tenant, subject=OLGA, before=None, limit=2)
    behind = titles(kept, talk, before=(first.answered_at, first.conversation_id))

    assert (first.title, first.turns) == ("the first of the older", 2)
    assert behind == [second.title] == ["the newer"]
    assert titles(kept, talk.of("peter")) == ["a colleague's"]
    assert titles(kept, talk.of("nobody")) == []


def test_a_colleague_neither_reads_nor_continues_nor_deletes_a_conversation(
    talk: Talk, kept: PostgresConversationStore
) -> None:
    """Who knows its id is told that it is taken; what is settled all the same is not kept."""
    talk.say("mine")
    peter = talk.of("peter")

    peter.say("theirs")

    assert talk.history() == ["mine"]
    with pytest.raises(ConversationTaken):
        peter.history()
    for of in (kept.conversation, kept.delete_conversation):
        with pytest.raises(ConversationNotFound):
            of(talk.tenant, CONVERSATION, subject="peter")
    assert titles(kept, peter) == []


def test_a_conversation_without_a_person_becomes_whose_goes_on_with_it(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    """Functions of the release before do not tell people apart, while they still run."""
    talk.say("before")
    admin.execute("UPDATE conversation SET subject = NULL")
    admin.commit()
    peter = talk.of("peter")
    seen = peter.history()

    peter.say("after")

    assert seen == ["before"]
    assert peter.history() == ["before", "after"]
    with pytest.raises(ConversationTaken):
        talk.history()
    assert titles(kept, peter) == ["before"]


def test_what_is_not_to_be_shown_any_more_is_not_listed(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    """A title is a question's words: one about a deleted document is not said again."""
    document = document_of(admin, talk.tenant)
    talk.say("about it", document_ids=[document])
    talk.say("about nothing")
    talk.say("about it only", conversation_id=uuid4(), document_ids=[document])
    before = titles(kept, talk)
    admin.execute(
        "UPDATE document SET deleted_at = now(), published_version = NULL,"
        " published_at = NULL WHERE document_id = %s",
        [document],
    )
    admin.commit()

    assert before == ["about it only", "about it"]
    assert titles(kept, talk) == ["about nothing"]
    let_expire(admin)
    assert titles(kept, talk) == []


def test_a_turn_says_where_its_answers_words_stand_as_long_as_they_are_stored(
    talk: Talk, kept: PostgresConversationStore, admin: Connection[Any]
) -> None:
    document = document_of(admin, talk.tenant)
    page = admin.execute("SELECT cleaned_text FROM document_page WHERE page_number = 1").fetchone()
    admin.commit()
    assert page is not None
    stored = CitedPlace(1, document, 1, 1, 4, 12, markers=(0, 2))
    gone = CitedPlace(2, document, 9, 3, 0, 7)
    talk.say("where?", "There [1][2].", document_ids=[document], citations=[stored, gone])
    talk.say("who?", "Nobody.", refused_for="NO_CANDIDATES")

    answered, refused = kept.conversation(talk.tenant, CONVERSATION, subject=OLGA).turns

    here, there = answered.citations
    assert (here.n, here.page, here.start, here.end) == (1, 1, 4, 12)
    assert (here.markers, there.markers) == ((0, 2), ())
    assert here.quote == page[0][4:12]
    assert (there.n, there.page, there.quote, there.source) == (2, 3, None, here.source)
    assert (answered.refused_for, refused.refused_for) == (None, "NO_CANDIDATES")
