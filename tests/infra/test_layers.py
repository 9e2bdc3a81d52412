"""Layers are built for the runtime, the same bytes each time, and hold what is used."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra import certificates, layers
from infra.layers import BUILT, MAX_BYTES, SERVICES, Layers, build, built_layers, digest_of, size_of
from pulsedocs.errors import ConfigurationError
from tests.infra.test_certificates import certificate

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "layers" / "core" / "python"
AARCH64 = 183  # e_machine of an ELF file


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime_python: str) -> Path:
    """Return a copy of the product that nobody else is editing, on a machine that can build it."""
    del runtime_python  # for its skip
    copied = tmp_path / "sources"
    shutil.copytree(SOURCES, copied, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(layers, "_SOURCES", copied)
    return copied


@pytest.fixture(scope="module")
def dependencies() -> Path:
    if not BUILT.dependencies.is_dir():
        pytest.skip("the dependency layer is not built: `make layers` needs the package registry")
    return BUILT.dependencies


def test_two_builds_of_the_product_are_equal_byte_by_byte(sources: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "one" / "core", tmp_path / "two" / "elsewhere" / "core"
    for folder in (first, second):
        layers.build_core(folder)

    assert digest_of(first) == digest_of(second)
    assert sources.is_dir()


def test_every_module_is_compiled_for_the_runtime(sources: Path, tmp_path: Path) -> None:
    layers.build_core(tmp_path / "core")

    modules = list((tmp_path / "core").rglob("*.py"))
    assert len(modules) == len(list(sources.rglob("*.py")))
    for module in modules:
        assert (module.parent / "__pycache__" / f"{module.stem}.cpython-313.pyc").is_file()


def test_byte_code_names_no_path_of_the_machine_that_built_it(
    sources: Path, tmp_path: Path
) -> None:
    layers.build_core(tmp_path / "core")

    for compiled in (tmp_path / "core").rglob("*.pyc"):
        assert str(tmp_path).encode() not in compiled.read_bytes()
        assert str(sources).encode() not in compiled.read_bytes()


def test_a_layer_older_than_its_sources_is_refused(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Layers.below(tmp_path)

    def empty(folder: Path, *, platform: str) -> None:
        assert platform == layers.PLATFORM
        folder.mkdir()

    monkeypatch.setattr(layers, "build_dependencies", empty)
    monkeypatch.setattr(layers, "build_recognition", empty)
    layers.build(built)
    assert layers.built_layers(built) == built

    (sources / "pulsedocs" / "pipeline.py").write_text("changed = True\n")

    with pytest.raises(ConfigurationError, match="'core' is not built from these sources"):
        layers.built_layers(built)


def test_layers_that_were_never_built_are_refused(tmp_path: Path) -> None:
    missing = Layers.below(tmp_path)

    with pytest.raises(ConfigurationError, match="make layers"):
        layers.built_layers(missing)


def test_the_layers_are_small_enough(dependencies: Path) -> None:
    """The product as sources and as byte code, which is 1.1 times as large."""
    sources = sum(path.stat().st_size for path in layers.product_files(SOURCES))
    assert size_of(dependencies) + 2.5 * sources < MAX_BYTES


def test_native_code_is_for_the_functions_processor(dependencies: Path) -> None:
    native = [path for path in dependencies.rglob("*.so*") if path.is_file()]

    machines = {int.from_bytes(path.read_bytes()[18:20], "little") for path in native}
    assert native
    assert machines == {AARCH64}


def test_the_layer_has_the_services_that_the_product_calls(dependencies: Path) -> None:
    source = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    called = set(re.findall(r"boto3\.client\(\s*\"([a-z0-9-]+)\"", source))

    kept = {
        path.name for path in (dependencies / "python/botocore/data").iterdir() if path.is_dir()
    }
    assert called
    assert called <= SERVICES
    assert kept == SERVICES


def test_the_layer_carries_the_tokenizers_ranks(dependencies: Path) -> None:
    from pulsedocs.adapters.local.tokens import TiktokenCounter

    counter = TiktokenCounter(dependencies / "models")

    assert counter("a deposit of ten percent") == 5


def test_the_layer_carries_the_authorities_of_each_region_apart(dependencies: Path) -> None:
    """Each a root of its own, for the three kinds of keys that RDS signs with."""
    from cryptography import x509

    files = sorted((dependencies / "certificates").glob("*.pem"))

    assert {"us-east-1.pem", "eu-west-1.pem", "eu-central-1.pem"} <= {file.name for file in files}
    assert len(files) > 30
    for file in files:
        roots = x509.load_pem_x509_certificates(file.read_bytes())
        assert len(roots) == 3
        for root in roots:
            root.verify_directly_issued_by(root)
            assert root.subject.rfc4514_string().count(f"Amazon RDS {file.stem} Root CA ") == 1


def test_what_is_left_out_of_the_layer_is_never_imported() -> None:
    """In a process of its own: others have imported `requests` here."""
    program = """
import sys
from importlib import import_module
from infra.functions import FUNCTIONS
from infra.layers import NEVER_IMPORTED
from pulsedocs.extraction import html, markdown, restructured_text
from pulsedocs.adapters import openai
import pulsedocs.adapters.local.tokens, pulsedocs.adapters.openai.embedder
import pulsedocs.adapters.openai.chat, pulsedocs.adapters.web
import pulsedocs.adapters.bedrock.chat, pulsedocs.adapters.bedrock.embedder
import pulsedocs.adapters.bedrock.reranker, pulsedocs.adapters.cohere.chat
import pulsedocs.adapters.cohere.embedder, pulsedocs.adapters.cohere.reranker
from pulsedocs.extraction import Budgets
for name in FUNCTIONS:
    import_module(f"functions.{name}.handler")
text = b"Title\\n=====\\n\\n.. math:: a\\n\\n.. code:: python\\n\\n   x = 1\\n\\n* one\\n"
assert list(restructured_text.open_restructured_text(text, budgets=Budgets()).pages())
print(sorted(set(sys.modules) & set(NEVER_IMPORTED)))
"""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )

    assert found.stdout.strip() == "[]"


def test_authorities_of_another_partition_are_the_operators_to_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AWS's bundle for all regions has those of its commercial regions only."""
    monkeypatch.setattr(layers, "OWN_AUTHORITIES", tmp_path / "own")
    ours = certificate("Amazon RDS eu-west-1 Root CA RSA2048 G1")

    def nothing(_target: Path, _lock: Path) -> None:
        return

    def of_package(_packages: Path) -> str:
        return ours

    monkeypatch.setattr(layers, "install", nothing)
    monkeypatch.setattr(certificates, "bundle_in", of_package)
    layers.add_certificates(tmp_path / "without")

    (tmp_path / "own").mkdir()
    govcloud = certificate("Amazon RDS us-gov-west-1 Root CA RSA4096 G1")
    (tmp_path / "own" / "bundle.pem").write_text(f"{govcloud}\n{ours}\n", "ascii")
    layers.add_certificates(tmp_path / "with")

    assert [file.name for file in (tmp_path / "without").iterdir()] == ["eu-west-1.pem"]
    assert (tmp_path / "with" / "us-gov-west-1.pem").read_text("ascii") == f"{govcloud}\n"
    assert (tmp_path / "with" / "eu-west-1.pem").read_text("ascii") == f"{ours}\n"


def test_authorities_that_the_operator_adds_make_the_layer_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "OWN_AUTHORITIES", tmp_path)

    def nothing(folder: Path, **_platform: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(layers, "build_core", nothing)
    monkeypatch.setattr(layers, "build_dependencies", nothing)
    built = Layers(tmp_path / "built" / "core", tmp_path / "built" / "dependencies")
    assert built_layers(build(built)) == built

    (tmp_path / "bundle.pem").write_text("another", "ascii")

    with pytest.raises(ConfigurationError, match="make layers"):
        built_layers(built)


@pytest.mark.parametrize(
    "saved",
    [
        b"<html>Access denied</html>",
        certificate("Example Root CA").encode(),
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    ],
    ids=["page", "strangers", "torn"],
)
def test_a_file_that_adds_no_authority_is_named(saved: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bundle.pem"
    file.write_bytes(saved)

    with pytest.raises(ConfigurationError, match=r"bundle\.pem holds no authority of RDS"):
        certificates.own_bundle(file)


def test_what_stands_beside_the_authorities_is_passed_over(tmp_path: Path) -> None:
    """Bundles of systems have some without a common name, and Windows marks what it saves."""
    ours = certificate("Amazon RDS us-gov-west-1 Root CA RSA4096 G1")
    file = tmp_path / "bundle.pem"
    file.write_text(f"\ufeff{certificate()}\n{ours}", "utf-8")

    certificates.write_regions(certificates.own_bundle(file), tmp_path / "out")

    assert (tmp_path / "out" / "us-gov-west-1.pem").read_text("ascii") == f"{ours}\n"
