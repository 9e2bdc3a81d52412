"""`pulsedocs`: all that a stage does, from a terminal.

Libraries are imported where a command needs them: `--help` answers in a moment.
"""

import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

import click

from pulsedocs.client import PulseDocs
from pulsedocs_cli import tokens
from pulsedocs_cli.adding import add, add_url
from pulsedocs_cli.asking import ask, search
from pulsedocs_cli.chatting import chat, conversations
from pulsedocs_cli.connection import connection, on_a_stage
from pulsedocs_cli.deployment.findings import Finding, ok, stops
from pulsedocs_cli.embedding_models import models
from pulsedocs_cli.judging import feedback
from pulsedocs_cli.on_this_machine import WithLocalStage
from pulsedocs_cli.parameters import (
    ListsWhole,
    a_document,
    a_file,
    in_a_collection,
)
from pulsedocs_cli.printing import as_json, prints_json, say, show, show_rows, tell, text_of
from pulsedocs_cli.stages import LOCAL, Pool, deployed_stage, pool_of
from pulsedocs_cli.stored import (
    batch,
    collections,
    list_documents,
    show_document,
    update,
    usage,
)

a_receipt = click.argument("receipt_id", type=click.UUID)
a_stage = click.option("--stage", "stage_name", required=True, help="Such as dev.")
as_findings = click.option("--json", "as_json", is_flag=True, help="A JSON list instead of lines.")


@click.group(cls=WithLocalStage)
@click.version_option(package_name="pulsedocs", prog_name="pulsedocs")
def main() -> None:
    """Documents in, answers out that cite the page and the exact words.

    Which stage is meant stands behind the command: pulsedocs list --stage dev, or --url and
    --token; without one, it is the local stage that is up.
    """


for command in (
    add,
    add_url,
    list_documents,
    show_document,
    update,
    collections,
    batch,
    ask,
    chat,
    conversations,
    search,
    models,
    feedback,
    usage,
):
    main.add_command(command)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> None:
    """Print what makes a shell complete commands: eval "$(pulsedocs completion bash)"."""
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    if completer is None:
        raise click.ClickException(f"click knows no completion for {shell}")
    say(completer(main, {}, "pulsedocs", "_PULSEDOCS_COMPLETE").source())


@main.command()
@a_document
@prints_json
@on_a_stage
def status(stage: PulseDocs, *, document_id: UUID) -> None:
    """Show how far a document has come."""
    show(stage.status(document_id))


@main.command()
@click.argument("file", type=a_file)
@click.argument("originals", type=a_file, nargs=-1)
@click.option("--key", help="The key's id that the stage's keeper told you, or its beginning.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list instead of lines.")
def verify(*, file: Path, originals: tuple[Path, ...], key: str | None, as_json: bool) -> None:
    """Check a proof offline: its signature, its choice, and its words in the originals given.

    Exit status 1: something in it is not so.
    """
    from pulsedocs.errors import PulseDocsError
    from pulsedocs.questions.verify_proof import Check
    from pulsedocs_cli.verifying import checks_of

    checks: list[Check] = []
    try:
        for check in checks_of(file, originals, key=key):
            if check in checks:  # of an answer in two pieces, which stand on one page
                continue
            checks.append(check)
            if not as_json:
                say(check.line)
    except PulseDocsError as error:
        raise click.ClickException(f"{error.message}") from error
    if as_json:
        show([{"holds": check.holds, "detail": check.detail} for check in checks])
    if refuted := sum(check.holds is False for check in checks):
        raise click.ClickException(f"{refuted} of these are not so: do not rely on this file")


@main.command()
@click.argument("trace_id")
@click.option("--document", "document_id", type=click.UUID, required=True)
@click.option("--page", type=click.IntRange(min=1), required=True)
@prints_json
@on_a_stage
def why(stage: PulseDocs, *, trace_id: str, document_id: UUID, page: int) -> None:
    """Say why a page is not in an answer; `ask` prints the id of its trace."""
    show(stage.why(trace_id, document_id=document_id, page=page))


@main.command()
@click.argument("file", type=a_file, required=False)
@in_a_collection
@click.option("--from-feedback", is_flag=True, help="Also ask what people gave feedback on.")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    default=["default"],
    show_default=True,
    help="Retrieval profile; give several to compare them.",
)
@click.option("--json", "as_json", is_flag=True, help="The figures as JSON instead of tables.")
@on_a_stage
def evaluate(
    stage: PulseDocs,
    *,
    file: Path | None,
    collection: str,
    from_feedback: bool,
    profiles: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure how well profiles find what is known to answer.

    Each line of FILE is JSON: a question, and expected, a list of source with page or quote; where
    nothing is expected, a refusal is right. What is measured is the search: `ask` also refuses
    where no sentence of what was found answers. Exit status 1: the evaluation failed.
    """
    if file is None and not from_feedback:
        raise click.UsageError("give a FILE, --from-feedback or both")
    from pulsedocs_cli.evaluating import (
        Progress,
        evaluation_lines,
        questions_in,
    )

    questions = [] if file is None else questions_in(file)
    if from_feedback:
        questions += stage.feedback_questions(collection=collection)
    if not questions:
        raise click.ClickException(f"no feedback on {collection!r} says where an answer stands yet")
    found = stage.evaluate(
        questions, collection=collection, profiles=profiles, on_progress=Progress()
    )
    say(text_of(found) if as_json else "\n".join(evaluation_lines(found)))
    if found["state"] == "FAILED":
        raise SystemExit(1)


@main.command()
@click.option("--collection", help="Where a tool names none; else `default`.")
@click.option(
    "--http", "port", type=click.IntRange(1, 65535), help="Serve on this port, not stdio."
)
@on_a_stage
def mcp(stage: PulseDocs, *, collection: str | None, port: int | None) -> None:
    """Serve a stage to assistants by the Model Context Protocol: search, ask, documents, page, why.

    Over HTTP it listens on 127.0.0.1 only: whoever reaches it asks with your token.
    """
    try:
        from pulsedocs.integrations.mcp_server import serve
    except ImportError as error:
        # By this interpreter: another pip knows of no PulseDocs that is a checkout.
        install = f"{sys.executable} -m pip install 'pulsedocs[mcp]'"
        raise click.ClickException(f"{error}: {install}") from error

    serve(stage, collection=collection, port=port)


@main.command()
@a_document
@as_json
@on_a_stage
def delete(stage: PulseDocs, *, document_id: UUID, as_json: bool) -> None:
    """Delete a document; print the id of the receipt that proves it.

    Conversations lose the answers that it was read for, also those that do not cite it.
    """
    receipt_id = stage.delete(document_id)
    tell(receipt_id, {"receipt_id": receipt_id}, as_json=as_json)


@main.command()
@a_receipt
@prints_json
@on_a_stage
def receipt(stage: PulseDocs, *, receipt_id: UUID) -> None:
    """Show what a deletion removed, and what was found of it afterwards."""
    found = stage.receipt(receipt_id)
    show(found)
    if found["completed_at"] is None:
        say("the deletion is under way: ask again in a moment", err=True)


@main.command("verify-deletion")
@a_receipt
@click.option(
    "--file",
    type=a_file,
    required=True,
    help="A copy of the deleted file; up to 200 rows of eight words of it are sent.",
)
@prints_json
@on_a_stage
def verify_deleted(stage: PulseDocs, *, receipt_id: UUID, file: Path) -> None:
    """Look for a deleted file's words in everything that the tenant still has."""
    from pulsedocs.client.deletions import LeftBehind, verify_deletion

    try:
        say(verify_deletion(stage, receipt=receipt_id, file=file))
    except LeftBehind as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True)
@as_json
@on_a_stage
def audit(stage: PulseDocs, *, limit: int, as_json: bool) -> None:
    """Show who did what in the tenant, newest first; needs the scope pulsedocs/admin."""
    columns = ("at", "actor", "action", "object", "outcome")
    show_rows(islice(stage.audit(), limit), columns, as_json=as_json)


@main.command()
@click.option("--collection", default="default", show_default=True)
@prints_json
@on_a_stage
def profiles(stage: PulseDocs, *, collection: str) -> None:
    """List the retrieval profiles that questions to a collection may name."""
    show(stage.profiles(collection=collection))


@main.command()
@a_document
@prints_json
@on_a_stage
def cancel(stage: PulseDocs, *, document_id: UUID) -> None:
    """Stop the ingestion of a document."""
    show(stage.cancel(document_id))


@main.command()
@a_document
@prints_json
@on_a_stage
def retry(stage: PulseDocs, *, document_id: UUID) -> None:
    """Ingest a failed or parked document again."""
    show(stage.retry(document_id))


@main.command()
@click.option("--code", help="Only those that stopped with this error, e.g. EMBEDDING_FAILED.")
@click.option("--older-than", default="0s", show_default=True, help="Such as 30s, 10m, 2h, 1d.")
@click.option("--limit", type=click.IntRange(1, 100), default=100, show_default=True)
@click.option("--dry-run", is_flag=True, help="Only name them.")
@prints_json
@on_a_stage
def redrive(
    stage: PulseDocs, *, code: str | None, older_than: str, limit: int, dry_run: bool
) -> None:
    """Ingest all documents again that failed or were parked, the longest stopped first."""
    show(stage.redrive(code=code, older_than=older_than, limit=limit, dry_run=dry_run))


@main.command()
@click.argument("file", type=a_file)
@click.option("--profile", default="classic", show_default=True, help="Chunk profile.")
@click.option("--model", default="openai:text-embedding-3-small@1536", show_default=True)
@click.option(
    "--ocr-engine",
    type=click.Choice(["tesseract", "textract"]),
    default="tesseract",
    show_default=True,
    help="Who recognises words on scans; here it is Tesseract in any case.",
)
@as_json
def estimate(file: Path, *, profile: str, model: str, ocr_engine: str, as_json: bool) -> None:
    """Estimate what ingesting a file would cost, per step, and per 1,000 such pages.

    The file is read on this machine, as a stage would; nothing is sent anywhere.
    """
    from local.models import ensure_models
    from pulsedocs.adapters.local.tokens import TiktokenCounter
    from pulsedocs.chunking import profile_named
    from pulsedocs.errors import PulseDocsError
    from pulsedocs_cli.estimate import estimate_of, measure, print_estimate

    try:
        measured = measure(
            file,
            profile=profile_named(profile, {}),
            count_tokens=TiktokenCounter(ensure_models()),
        )
    except PulseDocsError as error:
        raise click.ClickException(f"{error.message}. {error.guidance}") from error
    found = estimate_of(file.name, measured, model=model, has_textract=ocr_engine == "textract")
    show(found.as_json()) if as_json else print_estimate(found)


@main.command("deploy-check")
@click.option("--stage", "stage_name", required=True, help="dev, staging, prod or your own.")
@click.option(
    "--context",
    "-c",
    "context",
    multiple=True,
    metavar="NAME=VALUE",
    help="What the deployment chooses, as for `npx cdk deploy`.",
)
@click.option("--region", envvar=["AWS_REGION", "AWS_DEFAULT_REGION"], help="Else the profile's.")
@as_findings
def deploy_check(
    *, stage_name: str, context: tuple[str, ...], region: str | None, as_json: bool
) -> None:
    """Say what would stop a first deployment, and what to do about it.

    Reads with your own credentials, in a checkout; changes nothing. Exit status 1: something
    stops it.
    """
    from pulsedocs.errors import PulseDocsError
    from pulsedocs_cli.deployment.looking import look

    try:
        findings = _show_findings(look(stage_name, context=context, region=region), as_json=as_json)
    except PulseDocsError as error:
        raise click.ClickException(error.message) from error
    if stops(findings):
        raise SystemExit(1)


@main.command()
@a_stage
@click.option("--password", "email", metavar="EMAIL", help="By password and AWS credentials.")
@click.option("--no-browser", is_flag=True, help="Only print the page's address.")
def login(*, stage_name: str, email: str | None, no_browser: bool) -> None:
    """Sign in to a stage, in the browser; later commands with --stage find the token.

    With --password EMAIL it is asked for here, and AWS credentials stand for the browser.
    """
    if stage_name == LOCAL:
        say("The local stage needs no sign-in: `pulsedocs up` has written a token.")
        return
    pool = _pool(stage_name)
    if email is None:
        from infra.config import CALLBACK_URLS
        from pulsedocs_cli.sign_in_page import sign_in

        def tell(address: str) -> None:
            say(f"Sign in here: {address}")
            if not no_browser:
                click.launch(address)

        found = sign_in(pool, callback_urls=CALLBACK_URLS, show=tell)
    else:
        from pulsedocs_cli.deployment import users

        found = users.sign_in(
            pool, email, ask=lambda what: click.prompt(what, hide_input=True, err=True)
        )
    say(f"Signed in; the token is in {tokens.keep(pool.client_id, found)}")


@main.command()
@a_stage
def logout(*, stage_name: str) -> None:
    """Forget the token of a stage on this machine."""
    if stage_name != LOCAL:
        tokens.forget(_pool(stage_name).client_id)


@main.group(cls=ListsWhole)
def user() -> None:
    """Let people use a stage, with your own AWS credentials."""


@user.command("add")
@click.argument("email")
@a_stage
@click.option("--tenant", type=click.UUID, help="Whose documents; else a new tenant is made up.")
@click.option("--read-only", is_flag=True, help="May ask, and change nothing.")
@click.option("--operator", is_flag=True, help="May also say what the tenant spends.")
@as_json
def add_user(
    *,
    email: str,
    stage_name: str,
    tenant: UUID | None,
    read_only: bool,
    operator: bool,
    as_json: bool,
) -> None:
    """Let EMAIL sign in; AWS mails a first password, good for three days."""
    from pulsedocs_cli.deployment import users

    chosen = tenant or uuid4()
    groups = [*([] if read_only else ["writers"]), *(["operators"] if operator else [])]
    is_new = users.add_user(_pool(stage_name), email, tenant=chosen, groups=groups)
    told = {"email": email, "tenant_id": chosen, "groups": groups, "is_new": is_new}
    tell(f"{email} belongs to the tenant {chosen}", told, as_json=as_json)
    if is_new and not as_json:
        say(f"A first password is on its way: `pulsedocs login --stage {stage_name}`")


@main.command()
@a_stage
@click.option("--token", envvar="PULSEDOCS_TOKEN", help="Of an issuer of your own.")
@as_findings
def smoke(*, stage_name: str, token: str | None, as_json: bool) -> None:
    """Test a stage: a document, a question, its citation, a deletion with proof, an alarm.

    Leaves nothing behind. Rings one alarm with your own AWS credentials, and turns it off again.
    Exit status 1: something does not work, and the line says what to do.
    """
    from pulsedocs_cli.smoke import smoke, verdict

    def ring() -> Iterable[Finding]:
        if stage_name == LOCAL:
            return [ok("alarms", "skipped: the local stage has none")]
        from pulsedocs_cli.deployment.alarms import ring_alarm

        return ring_alarm(stage_name, region=deployed_stage(stage_name).region)

    with connection(stage_name, token=token) as stage, TemporaryDirectory() as folder:
        found = smoke(stage, alarms=ring, folder=Path(folder))
        findings = _show_findings(found, as_json=as_json)
    if not as_json:
        say(verdict(findings, name=stage_name))
    if stops(findings):
        raise SystemExit(1)


def _pool(stage_name: str) -> Pool:
    if stage_name == LOCAL:
        raise click.UsageError("the local stage has no users: `make token TENANT=UUID`")
    return pool_of(deployed_stage(stage_name))


def _show_findings(found: Iterable[Finding], *, as_json: bool) -> list[Finding]:
    """Show each as it comes, or all at the end as one list for a program."""
    shown: list[Finding] = []
    for finding in found:
        shown.append(finding)
        if not as_json:
            say(finding.as_line())
    if as_json:
        say(text_of([finding.as_json() for finding in shown]))
    return shown


if __name__ == "__main__":
    main()
