"""A page is fetched whole from the address that was checked, or not at all, and never for long.

The guard is told here, through its constructor, that the loopback servers are public; no setting
can say so.
"""

import gzip
import ssl
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pulsedocs.adapters.web.fetcher import GuardedFetcher, Resolve
from pulsedocs.adapters.web.networks import Address, is_public
from pulsedocs.errors import (
    FileEmpty,
    FileTooLarge,
    PulseDocsError,
    SourceNotFound,
    SourceUnavailable,
    UnsupportedContentType,
    UrlRefused,
)
from pulsedocs.model.requests import FetchedPage
from tests.patience import HELD_UP
from tests.unit.web.origin import Answer, Origin, Visit, moved, origin, page

LIMIT = 100_000
TYPES = ("text/html", "text/plain")
TEXT = b"The gauge is read at noon."


def fetcher(site: Origin, **changed: Any) -> GuardedFetcher:
    options: dict[str, Any] = {
        "schemes": ("http", "https"),
        "max_bytes": LIMIT,
        "seconds": 5,
        "ports": {site.port, 443, 80},
        "resolve": resolving_to("127.0.0.1"),
        "is_public": on_loopback,
    }
    return GuardedFetcher(**options | changed)


def fetched(answer: Answer, **changed: Any) -> FetchedPage:
    with origin({"/": answer}) as site:
        return ask(site, "/", **changed)


def ask(site: Origin, path: str, **changed: Any) -> FetchedPage:
    url = f"http://site.example:{site.port}{path}"
    return fetcher(site, **changed).fetch(url, content_types=TYPES)


def resolving_to(*addresses: str) -> Resolve:
    def resolve(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return resolve


def on_loopback(address: Address) -> bool:
    return str(address).startswith("127.") or is_public(address)


def drip(start: bytes, byte: bytes = b"x") -> Callable[[Visit], None]:
    def answer(visit: Visit) -> None:
        visit.socket.sendall(start)
        while not visit.ended.wait(0.02):
            visit.socket.sendall(byte)

    return answer


def chunked(*blocks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    body = b"".join(b"%x\r\n%s\r\n" % (len(block), block) for block in blocks)
    return page(body + end, "Transfer-Encoding: chunked")


def packed(data: bytes, encoding: str = "gzip") -> bytes:
    body = gzip.compress(data) if encoding.endswith("gzip") else zlib.compress(data)
    return page(body, f"Content-Encoding: {encoding}")


def test_a_page_is_kept_as_it_came() -> None:
    """S4-01."""
    with origin({"/a?b=c": page(TEXT, content_type="Text/Plain; charset=utf-8")}) as site:
        kept = ask(site, "/a?b=c")

    assert kept == FetchedPage(f"http://site.example:{site.port}/a?b=c", "text/plain", TEXT)
    head = site.requests[0].decode().lower()
    assert f"host: site.example:{site.port}\r\n" in head
    assert not {"cookie:", "authorization:", "referer:"} & set(head.split())


def test_a_page_keeps_the_encoding_that_its_site_states() -> None:
    kept = fetched(page("Łódź".encode("cp1250"), content_type='text/html; Charset="Windows-1250"'))

    assert kept.content_type == "text/html; charset=windows-1250"


@pytest.mark.parametrize(
    "answer",
    [
        page(TEXT),
        page(TEXT, "Content-Length: 26"),
        chunked(TEXT[:7], TEXT[7:]),
        packed(TEXT),
        packed(TEXT, "x-gzip"),
        packed(TEXT, "deflate"),
        page(TEXT, "Content-Encoding: identity"),
        b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + TEXT,
        b"HTTP/1.1 100 Continue\r\n\r\n" + page(TEXT),
    ],
)
def test_every_usual_framing_is_read(answer: bytes) -> None:
    assert fetched(answer).body == TEXT


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (page(b"", status="404 Not Found"), SourceNotFound),
        (page(b"", status="410 Gone"), SourceNotFound),
        (page(b"x", status="401 Unauthorized"), SourceUnavailable),
        (page(b"x", status="403 Forbidden"), SourceUnavailable),
        (page(b"x", status="429 Too Many Requests"), SourceUnavailable),
        (page(b"x", status="500 Oops"), SourceUnavailable),
        (page(b"x", status="503 Later"), SourceUnavailable),
        (page(b"", status="204 No Content"), SourceUnavailable),
        (page(TEXT, status="206 Partial Content"), SourceUnavailable),
        (page(TEXT, status="299 Odd"), SourceUnavailable),
        (b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", SourceUnavailable),
        (page(b""), FileEmpty),
        (packed(b""), FileEmpty),
        (page(TEXT, content_type="image/png"), UnsupportedContentType),
        (page(TEXT, content_type="text/plain2"), UnsupportedContentType),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", UnsupportedContentType),
        (page(TEXT, "Content-Encoding: br"), SourceUnavailable),
        (page(TEXT, "Content-Encoding: gzip, gzip"), SourceUnavailable),
        (page(TEXT, "Content-Encoding: gzip"), SourceUnavailable),
        (page(gzip.compress(TEXT)[:-9], "Content-Encoding: gzip"), SourceUnavailable),
        (page(TEXT, "Content-Length: 27"), SourceUnavailable),
        (page(TEXT, f"Content-Length: {LIMIT}"), SourceUnavailable),
        (page(TEXT, f"Content-Length: {LIMIT + 1}"), FileTooLarge),
        (page(TEXT, "Content-Length: 99999999999999999999"), FileTooLarge),
        (page(b"x" * (LIMIT + 1)), FileTooLarge),
        (chunked(*[b"x" * 10_000] * 11), FileTooLarge),
        (chunked(TEXT, end=b""), SourceUnavailable),
        (chunked(TEXT, end=b"5\r\nab"), SourceUnavailable),
        (chunked(TEXT, end=b"zz\r\n"), SourceUnavailable),
        (chunked(TEXT, end=b"-1\r\n"), SourceUnavailable),
        (packed(b"x" * (LIMIT + 1)), FileTooLarge),
        (packed(b"x" * 50_000_000), FileTooLarge),
        (packed(b"x" * 5_000_000, "deflate"), FileTooLarge),
        (b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + b"x" * LIMIT * 2, FileTooLarge),
        (b"", SourceUnavailable),
        (b"SSH-2.0-OpenSSH_9.9\r\n", SourceUnavailable),
        (b"\x00\xff\xfe" * 1000, SourceUnavailable),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n", SourceUnavailable),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", SourceUnavailable),
        (b"HTTP/1.1 abc OK\r\n\r\n", SourceUnavailable),
    ],
)
def test_what_a_site_does_wrong_has_a_name(answer: bytes, error: type[PulseDocsError]) -> None:
    """S4-02: a fault of the site, never of ours: a typed 4xx."""
    with pytest.raises(error):
        fetched(answer)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 90000\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 200 OK\nContent-Type: text/plain\nTransfer-Encoding: chunked\n\n90000\r\n",
    ],
)
def test_a_slow_drip_ends_at_the_deadline(start: bytes) -> None:
    """S4-02: a limit for each read would let it last for hours."""
    begun = time.monotonic()
    with pytest.raises(SourceUnavailable):
        fetched(drip(start), seconds=0.4)

    assert time.monotonic() - begun < HELD_UP


def test_a_site_that_continues_for_ever_ends_at_the_deadline() -> None:
    begun = time.monotonic()
    with pytest.raises(SourceUnavailable):
        fetched(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), seconds=0.4)

    assert time.monotonic() - begun < HELD_UP


def test_redirects_are_followed_three_times_and_the_last_address_is_the_source() -> None:
    answers: Mapping[str, Answer] = {f"/{n}": moved(f"/{n + 1}") for n in range(5)} | {
        "/3": page(TEXT)
    }
    with origin(answers) as site:
        assert ask(site, "/0").url.endswith("/3")
    with origin(dict(answers) | {"/3": moved("/4"), "/4": page(TEXT)}) as site:
        with pytest.raises(UrlRefused) as refusal:
            ask(site, "/0")
        assert refusal.value.context["rule"] == "redirects"
        assert site.paths == ["/0", "/1", "/2", "/3"]


@pytest.mark.parametrize("status", ["301 a", "302 b", "303 c", "307 d", "308 e"])
def test_every_kind_of_redirect_is_checked(status: str) -> None:
    with origin({"/": moved("http://10.0.0.1/", status=status)}) as site:
        with pytest.raises(UrlRefused) as refusal:
            ask(site, "/")
        assert refusal.value.context["rule"] == "address"


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://127.1/",
        "http://localhost:9001/",
        "http://user@site.example/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:25/",
        "//10.0.0.1/",
    ],
)
def test_a_redirect_into_a_private_network_is_refused(location: str) -> None:
    """S4-02: after one public answer, the second is checked no less."""
    with origin({"/": moved(location)}) as site:
        with pytest.raises(UrlRefused):
            ask(site, "/")
        assert site.paths == ["/"]


def test_a_redirect_from_https_to_http_needs_the_setting(certificate: Path) -> None:
    with origin({"/": moved("http://site.example/")}, tls=served(certificate)) as site:
        guarded = fetcher(site, schemes=("https",), tls=trusting(certificate))
        with pytest.raises(UrlRefused) as refusal:
            guarded.fetch(f"https://site.example:{site.port}/", content_types=TYPES)

    assert refusal.value.context["rule"] == "scheme"


def test_a_name_is_resolved_once_for_each_request() -> None:
    """S4-02: rebinding: public when checked, private when connected to, had it been asked again."""
    asked: list[str] = []

    def rebinding(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    with origin({"/": page(TEXT)}) as site:
        assert ask(site, "/", resolve=rebinding).body == TEXT

    assert asked == ["site.example"]


def test_a_name_that_turns_private_for_the_redirect_is_refused() -> None:
    answers = iter((["127.0.0.1"], ["10.0.0.1"]))

    def turning(_host: str, _port: int) -> list[str]:
        return next(answers)

    with origin({"/": moved("/again"), "/again": page(TEXT)}) as site:
        with pytest.raises(UrlRefused):
            ask(site, "/", resolve=turning)
        assert site.paths == ["/"]


def test_a_page_that_refreshes_elsewhere_is_kept_and_not_followed() -> None:
    body = b'<meta http-equiv="refresh" content="0;url=http://169.254.169.254/"><p>Stay.'
    with origin({"/": page(body, "Refresh: 0;url=/x", content_type="text/html")}) as site:
        assert ask(site, "/").body == body
        assert site.paths == ["/"]


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert fetched(page(TEXT)).body == TEXT


def test_a_dead_address_gives_way_to_the_next_one() -> None:
    with origin({"/": page(TEXT)}) as site:
        both = ["127.0.0.2", "127.0.0.1"]
        kept = ask(site, "/", resolve=resolving_to(*both))

    assert kept.body == TEXT


def test_a_port_that_nobody_listens_on_is_the_sites_fault() -> None:
    with origin({}) as site:
        port = site.port
    with pytest.raises(SourceUnavailable):
        ask(Origin(port, {}), "/")


def test_the_guard_as_deployed_refuses_loopback() -> None:
    """S4-02: Lambda's runtime interface on 127.0.0.1:9001 included."""
    deployed = GuardedFetcher(schemes=("https", "http"), max_bytes=LIMIT, seconds=5)
    for url in ("http://127.0.0.1/", "http://127.0.0.1:9001/2018-06-01/runtime/", "http://[::1]/"):
        with pytest.raises(UrlRefused):
            deployed.fetch(url, content_types=TYPES)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a certificate for site.example and its key into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site.example")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("site.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "site.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


def served(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def trusting(certificate: Path) -> Callable[[], ssl.SSLContext]:
    return lambda: ssl.create_default_context(cafile=str(certificate))


def test_tls_is_verified_for_the_name_on_the_checked_address(certificate: Path) -> None:
    with origin({"/": page(TEXT)}, tls=served(certificate)) as site:
        guarded = fetcher(site, tls=trusting(certificate))
        url = f"https://site.example:{site.port}/"
        assert guarded.fetch(url, content_types=TYPES).body == TEXT
        with pytest.raises(SourceUnavailable):  # another name at the same address
            guarded.fetch(url.replace("site.", "other."), content_types=TYPES)


def test_a_certificate_that_nobody_signed_is_refused(certificate: Path) -> None:
    with origin({"/": page(TEXT)}, tls=served(certificate)) as site:
        with pytest.raises(SourceUnavailable):
            fetcher(site).fetch(f"https://site.example:{site.port}/", content_types=TYPES)
        assert site.requests == []


def test_a_site_that_never_shakes_hands_ends_at_the_deadline() -> None:
    begun = time.monotonic()
    with origin({}) as site, pytest.raises(SourceUnavailable):
        fetcher(site, seconds=0.4).fetch(f"https://site.example:{site.port}/", content_types=TYPES)

    assert time.monotonic() - begun < HELD_UP
