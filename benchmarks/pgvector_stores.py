"""LangChain's and LlamaIndex's PGVectorStore, answering the parent's requests line by line.

Run by the interpreter of requirements/competitors.txt, where none of this project is installed.
Both get the rows of our own tables, HNSW and GIN indexes made after the rows, an index for the
filter, and what their documentation names for hybrid search; the settings are in SETTINGS.
"""

# ruff: noqa: ANN401 -- the libraries are not installed where types are checked

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, Final, Protocol

SETTINGS: Final = {
    "langchain": "init_vectorstore_table with a tsvector column and part as a column, HNSWIndex,"
    " apply_hybrid_search_index (GIN), b-tree on part, HybridSearchConfig with primary_top_k and"
    " secondary_top_k = limit, weighted_sum_ranking; plainto_tsquery: all words must match",
    "llamaindex": "hybrid_search=True (generated tsvector, GIN), hnsw_kwargs m 16, ef_construction"
    " 64, use_jsonb, indexed_metadata_keys part, similarity_top_k = sparse_top_k = limit; words"
    " joined by or, ts_rank",
    "both": "hnsw.ef_search 100 and hnsw.iterative_scan relaxed_order, as ours; float4 vectors;"
    " warm pools of 8 connections",
}
_SESSION: Final = "-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=100"
_POOL: Final = {"pool_size": 8, "max_overflow": 0}
_WIDTH: Final = 384
_ANY_PART: Final = 987654321
_ROWS: Final = """
FROM pulsedocs.document_chunk AS chunk
JOIN pulsedocs.chunk_embedding AS vector USING (tenant_id, document_id, version, chunk_id)
JOIN pulsedocs.document USING (tenant_id, document_id)
"""


class Store(Protocol):
    def __init__(self, address: dict[str, str], limit: int) -> None: ...
    def load(self, connection: Any) -> None: ...
    def ask(self, question: dict[str, Any], part: int | None) -> int: ...


class LangChain:
    def __init__(self, address: dict[str, str], limit: int) -> None:
        stores = import_module("langchain_postgres.v2.vectorstores")
        engines = import_module("langchain_postgres.v2.engine")
        self._hybrid = import_module("langchain_postgres.v2.hybrid_search_config")
        self._indexes = import_module("langchain_postgres.v2.indexes")
        self._stores = stores
        self._limit = limit
        url = "postgresql+asyncpg://{user}:{password}@{host}:{port}/{dbname}".format(**address)
        options = {"hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "100"}
        self._engine = engines.PGEngine.from_connection_string(
            url, connect_args={"server_settings": options}, **_POOL
        )
        self._store: Any = None

    def load(self, connection: Any) -> None:
        column = import_module("langchain_postgres.v2.engine").Column
        self._engine.init_vectorstore_table(
            "langchain",
            _WIDTH,
            metadata_columns=[column("part", "INTEGER")],
            hybrid_search_config=self._config(""),
        )
        connection.execute(
            "INSERT INTO langchain (langchain_id, content, embedding, content_tsv, part,"
            " langchain_metadata) SELECT chunk_id, text, embedding::vector,"
            " to_tsvector('pg_catalog.english', text), (metadata ->> 'part')::integer,"
            " json_build_object('document_id', document_id)" + _ROWS
        )
        connection.execute("CREATE INDEX ON langchain (part)")
        store = self._opened()
        store.apply_vector_index(self._indexes.HNSWIndex())
        store.apply_hybrid_search_index()

    def ask(self, question: dict[str, Any], part: int | None) -> int:
        # A configuration keeps the first question's words, so each question brings its own.
        found = self._opened().similarity_search_with_score_by_vector(
            question["vector"],
            k=self._limit,
            filter=None if part is None else {"part": part},
            hybrid_search_config=self._config(question["words"]),
        )
        return len(found)

    def _opened(self) -> Any:
        if self._store is None:
            self._store = self._stores.PGVectorStore.create_sync(
                self._engine,
                import_module("langchain_core.embeddings").FakeEmbeddings(size=_WIDTH),
                "langchain",
                metadata_columns=["part"],
                index_query_options=self._indexes.HNSWQueryOptions(ef_search=100),
                hybrid_search_config=self._config(""),
            )
        return self._store

    def _config(self, words: str) -> Any:
        return self._hybrid.HybridSearchConfig(
            tsv_column="content_tsv",
            fts_query=words,
            primary_top_k=self._limit,
            secondary_top_k=self._limit,
        )


class LlamaIndex:
    def __init__(self, address: dict[str, str], limit: int) -> None:
        self._address = address
        self._limit = limit
        self._types = import_module("llama_index.core.vector_stores.types")
        self._store: Any = None

    def load(self, connection: Any) -> None:
        schema = import_module("llama_index.core.schema")
        node = schema.TextNode(id_="NODE", text="text", metadata={"part": _ANY_PART})
        node.embedding = [1.0] + [0.0] * (_WIDTH - 1)
        self._made(hnsw=None).add([node])
        [(template,)] = connection.execute("SELECT metadata_::text FROM data_llama").fetchall()
        connection.execute("TRUNCATE data_llama")
        connection.execute(
            "INSERT INTO data_llama (text, metadata_, node_id, embedding)"
            " SELECT text, replace(replace(%s, 'NODE', chunk_id::text), %s, metadata ->> 'part')"
            "::jsonb, chunk_id::text, embedding::vector" + _ROWS,
            (template, str(_ANY_PART)),
        )
        self._opened().query(self._query({"words": "any", "vector": node.embedding}, None))

    def ask(self, question: dict[str, Any], part: int | None) -> int:
        return len(self._opened().query(self._query(question, part)).ids)

    def _query(self, question: dict[str, Any], part: int | None) -> Any:
        types = self._types
        wanted = [types.MetadataFilter(key="part", value=part)]
        return types.VectorStoreQuery(
            query_embedding=question["vector"],
            query_str=question["words"],
            similarity_top_k=self._limit,
            sparse_top_k=self._limit,
            mode=types.VectorStoreQueryMode.HYBRID,
            filters=None if part is None else types.MetadataFilters(filters=wanted),
        )

    def _opened(self) -> Any:
        if self._store is None:
            self._store = self._made(
                hnsw={"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 100}
            )
        return self._store

    def _made(self, *, hnsw: dict[str, int] | None) -> Any:
        address = self._address
        engines = import_module("sqlalchemy")
        asyncs = import_module("sqlalchemy.ext.asyncio")
        tail = "{user}:{password}@{host}:{port}/{dbname}".format(**address)
        options = {"options": f"{_SESSION} -c maintenance_work_mem=512MB"}
        return import_module("llama_index.vector_stores.postgres").PGVectorStore(
            table_name="llama",
            hybrid_search=True,
            embed_dim=_WIDTH,
            use_jsonb=True,
            hnsw_kwargs=hnsw,
            indexed_metadata_keys={("part", "int")},
            initialization_fail_on_error=True,
            engine=engines.create_engine(
                f"postgresql+psycopg2://{tail}", connect_args=options, **_POOL
            ),
            async_engine=asyncs.create_async_engine(f"postgresql+asyncpg://{tail}"),
        )


def _load(request: dict[str, Any]) -> dict[str, Store]:
    address, limit = request["address"], request["limit"]
    stores: dict[str, Store] = {
        "langchain": LangChain(address, limit),
        "llamaindex": LlamaIndex(address, limit),
    }
    psycopg = import_module("psycopg")
    options = "-c search_path=public -c maintenance_work_mem=512MB"
    with psycopg.connect(**address, options=options, autocommit=True) as connection:
        connection.execute("ALTER ROLE postgres SET maintenance_work_mem = '512MB'")
        for store in stores.values():
            store.load(connection)
        connection.execute("VACUUM (ANALYZE)")
    return stores


def _asked(
    store: Store, questions: Sequence[dict[str, Any]], *, filtered: bool, threads: int
) -> list[tuple[float, int]]:
    """Return milliseconds and rows of each question, at most `threads` at once."""

    def timed(question: dict[str, Any]) -> tuple[float, int]:
        started = time.perf_counter()
        rows = store.ask(question, question["part"] if filtered else None)
        return (time.perf_counter() - started) * 1000, rows

    if threads == 1:
        return [timed(question) for question in questions]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(timed, questions))


def main() -> None:
    stores: dict[str, Store] = {}
    for line in sys.stdin:
        request = json.loads(line)
        answer: Any = SETTINGS
        if "address" in request:
            stores = _load(request)
        else:
            answer = _asked(
                stores[request["store"]],
                request["questions"],
                filtered=request["filtered"],
                threads=request["threads"],
            )
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
