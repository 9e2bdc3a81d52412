"""How good: `python -m evaluation`, over the project's own samples and any folders named.

    python -m evaluation [--data FOLDER ...] [--profiles NAME ...] [--questions N] [--write]
                         [--context none|title|section|title_section|neighbours]
                         [--typing-errors N ...]

A folder of `--data` is a data set, or holds some. With `CHAT_MODEL` and its key set, that model
answers beside the documents' own sentences.

Each profile's figures, stage by stage, with 95 % bootstrap intervals; exit 1 where one fell below
`evaluation/baseline.json`, naming the stage. Vectors, scores and the database are kept below the
user's cache, so that a second run takes seconds.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Final

from evaluation import sets
from evaluation.answers import ask_all
from evaluation.corpora import open_corpus, within_documents
from evaluation.datasets import Dataset, committed, folder, folders_in
from evaluation.gate import BASELINE, Figures, fallen, recorded, written
from evaluation.measuring import (
    RERANKERS,
    Models,
    cut_as,
    engine_of,
    local_models,
    measure,
    memory_models,
    multilingual,
)
from evaluation.outsiders import SETS, in_english, outsiders, outsiders_of_languages
from evaluation.replies import recorded_chat, replies
from evaluation.reports import reports
from evaluation.summary import shown, table
from local.models import default_directory, ensure_models
from local.postgres import PostgresServer
from local.stage_database import DATABASE, prepare
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.bootstrap.providers import chat_model
from pulsedocs.chunking import profile_named
from pulsedocs.chunking.context import CONTEXTS
from pulsedocs.model.evaluations import EvaluatedStep, ProfileFigures
from pulsedocs.ports.providers import ChatModel
from pulsedocs.questions.ports import RetrievalStore

PROFILES: Final = ("default", "strict", "vector_rerank", "fast")
_SHOWN: Final = (
    *("recall@10", "recall@50", "ndcg@10", "mrr@10", "page@1", "page@5", "near_page@5"),
    *("first_page@1", "first_page@5"),
)
_MOST_ANSWERED: Final = 200  # an answer takes a CPU second where no model remembers its words
_FEW: Final = 20
"""With more documents than this, nobody picks the one to ask."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The database that is searched, and what is asked of it."""

    admin_url: str
    store: RetrievalStore
    kept: Path
    profiles: Sequence[str]
    chat: ChatModel | None = None
    """A real one, where `CHAT_MODEL` and its key are set."""

    def results(
        self, dataset: Dataset, models: Models, *, is_whole: bool = True
    ) -> dict[str, dict[str, Figures]]:
        """Measure a data set; all of it: with the document given where there are few, and answers.

        Where any local model answers, `answered` are the answers to its questions.
        """
        corpus = open_corpus(
            dataset,
            admin_url=self.admin_url,
            embedder=models.embedder,
            cutting=models.cutting,
            kept=self.kept,
        )
        print(f"\n{dataset.name}: {len(dataset.documents)} documents, {corpus.chunks} chunks")
        given = [within_documents(dataset)] if is_whole and len(dataset.documents) <= _FEW else []
        results: dict[str, dict[str, Figures]] = {}
        for asked in [dataset, *given]:
            found = measure(asked, corpus, profiles=self.profiles, store=self.store, models=models)
            name = name_of(asked, models)
            show(name, found)
            results[name] = {one.profile: recorded(one) for one in found}
        if (
            is_whole
            and len(dataset.questions) <= _MOST_ANSWERED
            and models.reranker.model.startswith("local:")
        ):
            name = f"{name_of(dataset, models)}, answered"
            answered = {
                writer: ask_all(
                    dataset, corpus, engine=engine_of(self.store, replace(models, chat=chat))
                )
                for writer, chat in self._writers(dataset).items()
            }
            show_answers(name, answered)
            for writer, figures in answered.items():
                results[f"{name}{writer and f' by {writer}'}"] = {"default": figures}
        return results

    def _writers(self, dataset: Dataset) -> dict[str, ChatModel | None]:
        """Return who answers: nobody, so that the documents' own sentences do, and chat models."""
        writers: dict[str, ChatModel | None] = {"": None}
        if replies().keys() >= {one.text for one in dataset.questions}:
            writers["recorded replies"] = recorded_chat()
        if self.chat is not None:
            writers[self.chat.model] = self.chat
        return writers


def name_of(asked: Dataset, models: Models) -> str:
    """Name a result by what was asked of what: other documents or other questions are another."""
    questions = f"{len(asked.questions)} questions"
    return f"{asked.name} ({asked.identity[:12]}, {questions}; {models.name})"


def show_answers(name: str, answered: Mapping[str, Figures]) -> None:
    """Print who answered side by side."""
    print(f"\n{name}")
    print(f"  {'':9}" + "".join(f"  {writer or 'own sentences':24}" for writer in answered))
    own = [figures["stages"]["answer"] for figures in answered.values()]
    for figure in dict.fromkeys(each for figures in own for each in figures):
        print(f"  {figure:9}" + "".join(f"  {shown(one.get(figure)):24}" for one in own))


def show(name: str, found: Sequence[ProfileFigures]) -> None:
    print(f"\n{name}")
    for figures in found:
        print(f"  {figures.profile} (revision {figures.revision})")
        for stage, own in figures.stages.items():
            shown = [
                f"{name} {own[name].mean:.3f} [{own[name].low:.2f}-{own[name].high:.2f}]"
                for name in _SHOWN
                if name in own
            ]
            print(f"    {stage:9} {'  '.join(shown)}")
        for line in below_best_leg(figures):
            print(f"    {line}")
        said = figures.abstention
        print(
            f"    abstention precision {said.precision} recall {said.recall}"
            f" ({said.refused_rightly} of {said.refused} refusals, {said.unanswerable} were due)"
        )
        if figures.degraded:
            print(f"    degraded: {dict(figures.degraded)}")


def below_best_leg(figures: ProfileFigures) -> Iterator[str]:
    """Yield a line for each figure in which the order after reranking is worse than one leg's."""
    after = figures.stages.get(EvaluatedStep.RERANKED, {})
    for name in sorted(after.keys() & {"ndcg@10", "first_page@1", "first_page@5"}):
        legs = (EvaluatedStep.VECTOR, EvaluatedStep.KEYWORD)
        best, leg = max((figures.stages[leg][name].mean, leg.value) for leg in legs)
        if after[name].mean < best:
            yield f"below its best leg: {name} {after[name].mean:.3f}, {leg} {best:.3f}"


def main() -> int:
    options = _options()
    kept = default_directory().parent / "evaluation"
    cut = profile_named("classic", {"context": options.context} if options.context else {})
    models = local_models(ensure_models(), kept=kept, reranker=options.reranker, cut=cut)
    results: dict[str, dict[str, Figures]] = {}
    with _bench(kept, options.profiles) as bench:
        samples = committed()
        results |= bench.results(samples, memory_models())
        asked = [
            (one, models)
            for one in (
                *(samples, sets.near_misses(), sets.own_words(), sets.siblings(), reports()),
                *sets.dates(),
                *map(outsiders, SETS),
            )
        ]
        of_languages = (sets.languages(), *outsiders_of_languages(), *in_english(), *sets.rules())
        asked += [(one, multilingual(models, kept=kept)) for one in of_languages]
        asked += [(sets.long_chunks(), cut_as(models, one)) for one in ("classic", "words")]
        data = [path for given in options.data for path in folders_in(given)]
        for path in data:
            asked.append((folder(path), models))
        for dataset, own in asked:
            results |= bench.results(dataset.first(options.questions), own)
        for path, wrong in product(data, map(int, options.typing_errors)):
            dataset = sets.misspelt(folder(path).first(options.questions), wrong)
            results |= bench.results(dataset, models, is_whole=False)
    print("\n" + "\n".join(table(results)))
    if options.write:
        kept_too = {name: own | results.get(name, {}) for name, own in _baseline().items()}
        BASELINE.write_text(written(results | kept_too), encoding="utf-8")
        return 0
    return compare(_baseline(), results)


def compare(
    baseline: Mapping[str, Mapping[str, Figures]], results: Mapping[str, Mapping[str, Figures]]
) -> int:
    """Say what fell, and return the exit status; to know none of the results is a failure too."""
    known = [name for name in results if name in baseline]
    print("\ncompared with the baseline:", "; ".join(known) or "nothing, it knows none of these")
    lines = list(fallen(baseline, results))
    for line in lines:
        print(f"  FELL: {line}", file=sys.stderr)
    return 1 if lines or not known else 0


def _baseline() -> dict[str, dict[str, Figures]]:
    return json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}


@contextmanager
def _bench(kept: Path, profiles: Sequence[str]) -> Generator[Bench]:
    # A schema or an index of other rules is another database: nothing old is measured by mistake.
    with PostgresServer(kept / f"postgres-{_rules()}") as server:
        roles = prepare(server)
        with closing(Database(roles["pulsedocs_query"])) as database:
            store = PostgresRetrievalStore(database)
            corpora = server.directory / "corpora"
            yield Bench(server.database_url(DATABASE), store, corpora, profiles, chat_model())


def _rules() -> str:
    rules = Path(str(resources.files("pulsedocs.adapters.postgres")))
    texts = [file.read_bytes() for file in sorted(rules.rglob("*.sql"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evaluation")
    parser.add_argument("--data", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), metavar="NAME")
    parser.add_argument("--questions", type=int, default=0, help="at most so many of each set")
    parser.add_argument("--reranker", choices=sorted(RERANKERS), default=max(RERANKERS))
    parser.add_argument("--context", choices=CONTEXTS)
    parser.add_argument(
        "--typing-errors", type=int, nargs="*", default=[], metavar="N", help="of each question"
    )
    parser.add_argument("--write", action="store_true", help="make these figures the baseline")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
