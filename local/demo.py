"""The demo: a real PDF and a scan through every stage, four questions, cited answers, and why.

Only the HTTP contract is used, against a stage of its own that ends with the demo.
"""

import contextlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from local.models import ensure_models
from local.places import command
from local.samples import QUESTIONS, SCAN, SCAN_QUESTION, write_samples
from local.samples.scanning import write_scan
from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs.client.reading import is_traced, refusal_lines
from pulsedocs.client.waits import waits_told
from pulsedocs.model.plurals import counted

_STAGES = {
    "upload": "UPLOADED",
    "claim": "PROCESSING",
    "extract": "EXTRACTED",
    "clean": "CLEANED",
    "chunk": "CHUNKED",
    "embed": "EMBEDDED",
    "publish": "PUBLISHED",
}
_CHOSEN_SHOWN = 5
_DROPPED_SHOWN = 4


def demo(console: Console | None = None) -> None:
    """Run the main job from an empty machine to a cited answer."""
    console = console or Console()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pulsedocs-demo-") as folder:
        with console.status("Fetching and checking the models (once per machine)"):
            models = ensure_models()
        with console.status("Starting PostgreSQL, S3, the state machine and the API"):
            stage = Stage(Path(folder) / "stage", model_directory=models)
            stage.start()
        try:
            console.print(f"The stage listens on {stage.url}")
            path = write_samples(Path(folder) / "samples")[0]
            scan = write_scan(path.with_name(SCAN))
            with (
                waits_told(console.print),
                PulseDocs(stage.url, stage.token(), trust_env=False) as client,
            ):
                _ingest(console, client, path)
                for question in QUESTIONS:
                    ask(console, client, question.question)
                console.print("And a scan, which has no text but what is recognised on it:")
                _ingest(console, client, scan)
                ask(console, client, SCAN_QUESTION.question)
            console.print(
                f"Done in {time.monotonic() - started:.0f} s, without a key or an account."
            )
            _invite(console, stage)
        finally:
            stage.stop()


def _invite(console: Console, stage: Stage) -> None:
    """Say what to try next; to somebody at a terminal, the demo's own stage is left open."""
    up = command("up")
    tries = "drop a file of yours on it, ask, click a citation, then “Why this answer?”"
    if not (console.is_terminal and sys.stdin.isatty()):
        console.print(f"`{up}` starts a stage that stays, and prints its console: {tries}.")
        return
    console.print(f"The console of this stage: {tries}.\n")
    console.print(f"  {stage.console}\n", soft_wrap=True, highlight=False)
    console.print(f"Ctrl-C ends the demo; `{up}` starts a stage that keeps its documents.")
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)


def _ingest(console: Console, client: PulseDocs, path: Path) -> None:
    """Upload and follow, one bar a stage; say what became of the document."""
    columns = (TextColumn("{task.description:<9}"), BarColumn(), TextColumn("{task.fields[note]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        bars = {
            state: progress.add_task(stage, total=1, start=False, note="")
            for stage, state in _STAGES.items()
        }
        progress.start_task(bars["UPLOADED"])
        document_id = client.add(path)
        status = client.wait(document_id, on_progress=lambda status: _show(progress, bars, status))
    pages = status["pages"]
    console.print(
        f"{status['source']}: {status['outcome']}, {counted(pages['total'], 'page')}"
        f" ({pages['ocr']} recognised, {pages['empty']} without text),"
        f" {counted(status['chunks'], 'chunk')}\n"
    )


def _show(progress: Progress, bars: dict[str, TaskID], status: dict[str, Any]) -> None:
    """Fill the bars of the states that were reached, and start the next one."""
    reached = {item["state"] for item in status["history"]}
    notes = {
        "UPLOADED": counted(status["size"], "byte"),
        "EXTRACTED": counted(status["pages"]["total"], "page"),
        "CHUNKED": counted(status["chunks"], "chunk"),
        "EMBEDDED": counted(sum(status["embeddings"].values()), "vector"),
    }
    for state, bar in bars.items():
        if progress.tasks[bar].finished:
            continue
        if not progress.tasks[bar].started:
            progress.start_task(bar)
        if state not in reached:
            break
        progress.update(bar, completed=1, note=notes.get(state, ""))


def ask(console: Console, client: PulseDocs, question: str) -> None:
    """Show an answer with its citations, and why; a busy stage may have lost the second."""
    answer = client.ask(question)
    lines = [escape(answer["answer"])]
    for citation in answer["citations"]:
        place = f"{citation['source']}, page {citation['page']}"
        quote = " ".join(citation["quote"].split())
        lines.append(f"[dim]\\[{citation['n']}] {place}:[/] “{escape(quote)}”")
    if (abstained := answer["abstained"]) is not None:
        lines += [f"[dim]{escape(line.strip())}[/]" for line in refusal_lines(abstained)]
    if answer["degraded"]:
        lines.append(f"[dim]Answered with less: {', '.join(answer['degraded'])}[/]")
    console.print(Panel("\n".join(lines), title=escape(question), title_align="left"))
    if not is_traced(answer):
        console.print("There is no trace that would say why.\n")
        return
    replayed = client.replay(answer["trace_id"])["identical"]
    console.print(_why(client.trace(answer["trace_id"])))
    console.print(f"Replayed from the trace alone: {'identical' if replayed else 'DIFFERENT'}\n")


def _why(trace: dict[str, Any]) -> Table:
    """Return why the first passages were chosen, and why the first of the others were not."""
    table = Table("pages", "words", "meaning", "relevance", "outcome", title="Why these passages")
    chosen = [item for item in trace["candidates"] if item["selected"]]
    dropped = [item for item in trace["candidates"] if not item["selected"]]
    for candidate in chosen[:_CHOSEN_SHOWN] + dropped[:_DROPPED_SHOWN]:
        legs = candidate["legs"]
        table.add_row(
            ", ".join(str(page) for page in candidate["pages"]),
            _rank(legs.get("keyword")),
            _rank(legs.get("vector")),
            f"{candidate['relevance']:.2f}" if candidate["relevance"] is not None else "-",
            candidate["reason"].replace("_", " ").lower(),
        )
    table.caption = _threshold(trace)
    return table


def _threshold(trace: dict[str, Any]) -> str:
    """Say what relevance was asked for: less of those behind a passage that has enough."""
    gate, low = (float(trace["profile"][name] or 0) for name in ("gate", "gate_low"))
    best = max((item["relevance"] or 0 for item in trace["candidates"]), default=0)
    asked = f"a relevance of {gate:.2f} is asked for"
    return f"{asked}; once one has it, {low:.2f} of the others" if low and best >= gate else asked


def _rank(hit: dict[str, Any] | None) -> str:
    return "-" if hit is None else f"#{hit['rank']}"
