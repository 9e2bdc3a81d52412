"""What other documents say in a deleted one's words is found through the postings."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from psycopg import Connection

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.deletion.quotations import quoting
from pulsedocs.deletion.verify_deletion import ask_for_shingles
from pulsedocs.errors import DeletionIncomplete
from pulsedocs.model.shingles import Matcher, Sample, distinctive, key_of, shingles_of
from tests.integration.changes.keeper import Keeper, text_about

MODEL: Final = "memory:hashing@8"
WORDS: Final = [f"{a}{e}{b}{o}x" for a in "bdfgk" for e in "aei" for b in "npr" for o in "ou"]
STOP: Final = ["the", "of", "and", "is"]
PUMP: Final = text_about("pump")
FORMS: Final[dict[str, Callable[[str], str]]] = {
    "as it is": lambda text: text,
    "in capitals": str.upper,
    "on one line": lambda text: " ".join(text.split()),
    "in lines of a word": lambda text: "\n".join(text.split()),
    "without signs": lambda text: "".join(each for each in text if each.isalnum() or each == " "),
    "between signs": lambda text: " / ".join(f"({word})" for word in text.split()),
    "in pairs": lambda text: re.sub(r"(\w+) (\w+)", r"\1/\2", " ".join(text.split())),
    "in another Unicode form": lambda text: unicodedata.normalize("NFKD", text),
}


def words(rng: Random, count: int) -> list[str]:
    return [rng.choice(STOP if rng.random() < 0.3 else WORDS) for _ in range(count)]


def paper(rng: Random, said: list[str]) -> Paper:
    """Cut words into chunks anywhere, up to four of them on a page."""
    passages: list[Passage] = []
    while said:
        length = rng.randint(3, 30)
        passages.append(Passage(" ".join(said[:length]), page=1 + len(passages) // 4))
        said = said[length:]
    return Paper(passages)


def pages_of(written: Paper) -> dict[int, str]:
    texts: dict[int, str] = {}
    for each in written.passages:
        texts[each.page] = f"{texts.get(each.page, '')} {each.text}".strip()
    return texts


def write(library: Library, shelf: Shelf, written: Paper) -> None:
    library.add(shelf, written)
    library.add_pages(shelf, written.document_id, pages_of(written))


@pytest.mark.parametrize("others", [8, 60], ids=["rare words", "common words"])
@pytest.mark.parametrize("is_merged", [False, True], ids=["apart", "merged"])
@pytest.mark.parametrize("seed", range(4))
def test_exactly_those_are_found_that_reading_everything_finds(
    library: Library,
    database_as: Callable[[str], Database],
    seed: int,
    others: int,
    *,
    is_merged: bool,
) -> None:
    """In collections of two languages, of quotations that may begin and end anywhere."""
    rng = Random(seed)
    shelf = library.shelf(MODEL)
    german = library.shelf(
        MODEL, tenant_id=shelf.tenant_id, collection="berichte", language="german"
    )
    deleted = paper(rng, words(rng, 300))
    write(library, shelf, deleted)
    said = " ".join(each.text for each in deleted.passages).split(" ")
    shingles = distinctive(pages_of(deleted).values())
    sample = Sample.of(shingles, key=key_of(b"of a test"))
    matcher = Matcher([sample])
    quotes = set[UUID]()
    for number in range(others):
        start, form = rng.randrange(290), rng.choice(list(FORMS.values()))
        quoted = form(" ".join(said[start : start + rng.randint(8, 25)])).split()
        each = paper(rng, words(rng, rng.randint(0, 40)) + quoted + words(rng, 20))
        write(library, (shelf, german)[number % 2], each)
        texts = [*(one.text for one in each.passages), *pages_of(each).values()]
        quotes |= {each.document_id} if any(map(matcher.found_in, texts)) else set()
    if is_merged:
        assert library.merge(shelf) > 0
        assert library.merge(german) > 0

    found = {
        besides: quoting(database_as(role), shelf.tenant_id, shingles, sample, besides=besides)
        for role, besides in (("sweep", deleted.document_id), ("api", None))
    }

    assert len(quotes) > others / 10
    assert found == {deleted.document_id: quotes, None: quotes | {deleted.document_id}}


def test_documents_that_say_the_words_apart_are_not_read(
    library: Library, database_as: Callable[[str], Database]
) -> None:
    """Documents of one topic share its words: of 100,000 chunks 29,105 were read."""
    rng = Random(1)
    shelf = library.shelf(MODEL)
    told = rng.sample(WORDS, 8)
    others = [word for word in WORDS if word not in told]

    def written(chunks: int, told_in: Callable[[int], list[str]]) -> UUID:
        texts = [" ".join([*rng.sample(others, 20), *told_in(index)]) for index in range(chunks)]
        each = Paper([Passage(text, page=index + 1) for index, text in enumerate(texts)])
        write(library, shelf, each)
        return each.document_id

    deleted = written(1, lambda _: told)
    for _ in range(30):
        written(80, lambda index: told[index // 10 : index // 10 + 1] * (index % 10 == 0))
    quote = written(80, lambda index: told * (index == 40))
    asked = {
        "tenant_id": shelf.tenant_id,
        "document_id": deleted,
        "shingles": [0] * 8,
        "words": told,
        "most": 2000,
    }

    found = database_as("sweep").rows(shelf.tenant_id, "chunks_with_words", asked)

    assert list(found) == [(quote, 1, 40)]


def test_a_shingle_without_a_word_of_letters_is_looked_for_by_reading(
    library: Library, database_as: Callable[[str], Database]
) -> None:
    tenant_id = library.shelf(MODEL).tenant_id
    figures = "1 2 3 4 5 6 7 8"
    sample = Sample.of([figures], key=key_of(b"of a test"))

    assert quoting(database_as("sweep"), tenant_id, [figures], sample) is None
    assert quoting(database_as("sweep"), tenant_id, [], Sample.of([], key=b"")) == frozenset()


def test_what_survives_is_found_in_whichever_form_it_has(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """Other documents are named; a text, an object or a chunk that is no document's is a leak."""
    text = PUMP.decode()
    quotes = {
        keeper.ingest(f"{name}.txt", f"Minutes, {name}.\n\n{form(text)}".encode())
        for name, form in FORMS.items()
    }
    lost = keeper.ingest("lost.txt", b"Of the lost one. " + PUMP)
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    admin.execute("CREATE TABLE pulsedocs.aside (tenant_id uuid NOT NULL, note text)")
    admin.execute("GRANT SELECT ON pulsedocs.aside TO pulsedocs_sweep")
    for name, form in FORMS.items():
        admin.execute("INSERT INTO pulsedocs.aside VALUES (%s, %s)", [keeper.tenant, form(text)])
        trace = f"traces/{keeper.tenant}/{name}.txt"
        keeper.pipeline.objects.write(trace, form(text).encode())
    admin.execute("SET session_replication_role = replica")
    admin.execute("DELETE FROM document WHERE document_id = %s", [lost])
    admin.execute("DELETE FROM document_version WHERE document_id = %s", [lost])

    with pytest.raises(DeletionIncomplete):
        keeper.run_purges()

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    places = {each["place"]: each["count"] for each in verification["places"]}
    assert places["aside.note"] == places["object traces/"] == len(FORMS)
    assert {"document_chunk.text", "document_page.raw_text"} <= set(places)
    assert verification["elsewhere"] == sorted(map(str, quotes))


def test_a_receipt_of_the_version_before_is_proven_by_reading_everything(keeper: Keeper) -> None:
    """It has hashes, and does not say which documents have them."""
    quote = keeper.ingest("minutes.txt", b"Minutes. " + PUMP)
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    sample = Sample.of(distinctive([PUMP.decode()]), key=key_of(b"of a test"))
    [purge] = keeper.purges.begin(keeper.tenant, receipt_id, most=1)
    keeper.purges.keep_sample(purge, replace(sample, quoted_by=None))

    keeper.purge(receipt_id)

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert verification["elsewhere"] == [str(quote)]


def test_a_clients_shingles_are_looked_up_when_they_are_asked_for(keeper: Keeper) -> None:
    """Afterwards there are only hashes, by which nothing can be looked up."""
    keeper.ingest("valve.txt", text_about("valve"))
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    keeper.run_purges()
    quote = keeper.ingest("minutes.txt", b"Minutes. " + PUMP)
    before = keeper.receipt(receipt_id).verification

    ask_for_shingles(
        keeper.tenant,
        receipt_id,
        list(shingles_of(PUMP.decode()))[:20],
        changes=keeper.changes,
        objects=keeper.pipeline.objects,
    )
    [purge] = keeper.purges.begin(keeper.tenant, receipt_id, most=1)
    keeper.run_purges()

    after = keeper.receipt(receipt_id).verification
    assert purge.asked is not None
    assert purge.asked.quoted_by == {quote}
    assert before is not None
    assert after is not None
    assert after["elsewhere"] == [str(quote)]


BINDING: Final = (
    "ALTER TABLE pulsedocs.margin ADD FOREIGN KEY (tenant_id, document_id)"
    " REFERENCES pulsedocs.document (tenant_id, document_id)"
)


@pytest.mark.parametrize(
    ("made", "is_read"),
    [
        pytest.param([BINDING], False, id="bound to its document"),
        pytest.param([], True, id="without a key"),
        pytest.param([f"{BINDING} NOT VALID"], True, id="by a key that was not checked"),
        pytest.param(
            [BINDING, "ALTER TABLE pulsedocs.margin ALTER document_id DROP NOT NULL"],
            True,
            id="by a key that may be null",
        ),
    ],
)
def test_a_table_is_left_out_only_where_the_database_binds_it_to_documents(
    keeper: Keeper, admin: Connection[Any], made: list[str], *, is_read: bool
) -> None:
    """Its rows are then of a document that exists, or are counted as the deleted one's."""
    other = keeper.ingest("valve.txt", text_about("valve"))
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))
    admin.execute(
        "CREATE TABLE pulsedocs.margin"
        " (tenant_id uuid NOT NULL, document_id uuid NOT NULL, note text)"
    )
    for statement in made:
        admin.execute(statement.encode())
    admin.execute("GRANT SELECT ON pulsedocs.margin TO pulsedocs_sweep")
    admin.execute(
        "INSERT INTO pulsedocs.margin (tenant_id, note, document_id) VALUES (%s, %s, %s)",
        [keeper.tenant, PUMP.decode(), other],
    )

    keeper.run_purges()

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert verification["elsewhere"] == ([str(other)] if is_read else [])


def test_objects_of_documents_that_exist_are_not_read(keeper: Keeper) -> None:
    """However many there are; those of a document that is gone are, and of none."""
    for name in ("valve", "gauge", "meter"):
        document_id = keeper.ingest(f"{name}.txt", text_about(name))
        keeper.pipeline.objects.write(f"staging/{keeper.tenant}/{document_id}/x.txt", PUMP)
    keeper.pipeline.objects.write(f"staging/{keeper.tenant}/{UUID(int=7)}/x.txt", PUMP)
    keeper.pipeline.objects.write(f"traces/{keeper.tenant}/x.txt", PUMP)
    receipt_id = keeper.delete(keeper.ingest("pump.txt", PUMP))

    with pytest.raises(DeletionIncomplete):
        keeper.run_purges()

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert verification["objects_searched"] == 2
    assert {each["place"] for each in verification["places"]} == {
        "object staging/",
        "object traces/",
    }
