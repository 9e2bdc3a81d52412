"""No address leads the fetcher anywhere but to a public host; every refusal names its rule."""

from ipaddress import ip_address
from time import monotonic

import pytest

from pulsedocs.adapters.web.fetcher import GuardedFetcher
from pulsedocs.adapters.web.networks import is_public
from pulsedocs.adapters.web.urls import parse, redirected
from pulsedocs.errors import SourceUnavailable, UrlRefused
from tests.patience import HELD_UP, PATIENCE

PUBLIC = "93.184.215.14"
PORTS = (443, 80)

REFUSED: list[tuple[str, str]] = [
    # schemes
    ("http://example.com/", "scheme"),
    ("ftp://example.com/", "scheme"),
    ("file:///etc/passwd", "scheme"),
    ("file://example.com/", "scheme"),
    ("gopher://example.com:70/_", "scheme"),
    ("dict://example.com:11211/stat", "scheme"),
    ("data:text/plain,hello", "scheme"),
    ("javascript:alert(1)", "scheme"),
    ("jar:https://example.com/!/", "scheme"),
    ("ldap://example.com/", "scheme"),
    ("s3://bucket/key", "scheme"),
    ("example.com/page", "scheme"),
    ("//example.com/page", "scheme"),
    ("/etc/passwd", "scheme"),
    ("", "scheme"),
    ("https:example.com", "syntax"),
    ("https:/example.com", "syntax"),
    ("https:///example.com", "syntax"),
    ("https://", "syntax"),
    ("https://?query", "syntax"),
    # user names
    ("https://user@example.com/", "userinfo"),
    ("https://user:secret@example.com/", "userinfo"),
    ("https://example.com@127.0.0.1/", "userinfo"),
    ("https://127.0.0.1@example.com/", "userinfo"),
    ("https://example.com%40127.0.0.1/", "host"),
    ("https://:@example.com/", "userinfo"),
    ("https://@example.com/", "userinfo"),
    # characters that two parsers read differently
    ("https://example.com\\@127.0.0.1/", "characters"),
    ("https:\\\\example.com/", "characters"),
    ("https://example.com\\.evil.example/", "characters"),
    ("https://example.com#@127.0.0.1/", "fragment"),
    ("https://127.0.0.1#.example.com/", "fragment"),
    ("https://example.com/page#part", "fragment"),
    ("https://example.com/\r\nHost: 127.0.0.1", "characters"),
    ("https://example.com/%0d%0a\r\n", "characters"),
    ("https://example.com\r\n.evil.example/", "characters"),
    ("https://exam\tple.com/", "characters"),
    (" https://example.com/", "characters"),
    ("https://example.com/ page", "characters"),
    ("https://example.com/\x00", "characters"),
    ("https://example.com/\x7f", "characters"),
    ("https://example.com/\u202egpj", "characters"),
    ("https://example.com/\u200b", "characters"),
    ("https://example.com/\u2028", "characters"),
    ("https://example.com/<script>", "characters"),
    ("https://example.com/" + "x" * 1024, "length"),
    ("https://example.com/" + "\u00e9" * 400, "length"),
    # ports
    ("https://example.com:22/", "port"),
    ("https://example.com:8443/", "port"),
    ("https://example.com:5432/", "port"),
    ("https://example.com:0/", "port"),
    ("https://example.com:65536/", "port"),
    ("https://example.com:-443/", "port"),
    ("https://example.com:443x/", "port"),
    ("https://example.com:/", "port"),
    ("https://example.com:\u0664\u0664\u0663/", "port"),
    ("https://example.com:443:443/", "host"),
    ("https://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "port"),
    # odd spellings of IPv4
    ("https://2130706433/", "host"),
    ("https://0x7f000001/", "host"),
    ("https://0x7f.0.0.1/", "host"),
    ("https://0x7f.1/", "host"),
    ("https://017700000001/", "host"),
    ("https://0177.0.0.1/", "host"),
    ("https://127.1/", "host"),
    ("https://127.0.1/", "host"),
    ("https://0/", "host"),
    ("https://127.0.0.01/", "host"),
    ("https://00000127.0.0.1/", "host"),
    ("https://256.256.256.256/", "host"),
    ("https://1.2.3.4.5/", "host"),
    ("https://169.254.43518/", "host"),
    ("https://example.123/", "host"),
    ("https://example.0x/", "host"),
    ("https://127.0.0.1./", "host"),
    ("https://%31%32%37.0.0.1/", "host"),
    # names
    ("https://localhost/", "host"),
    ("https://LOCALHOST/", "host"),
    ("https://localhost./", "host"),
    ("https://foo.localhost/", "host"),
    ("https://metadata/", "host"),
    ("https://metadata.google.internal/", "host"),
    ("https://instance-data.ec2.internal/", "host"),
    ("https://printer.local/", "host"),
    ("https://router.lan/", "host"),
    ("https://nas.home.arpa/", "host"),
    ("https://hidden.onion/", "host"),
    ("https://example.com./", "host"),
    ("https://example..com/", "host"),
    ("https://.example.com/", "host"),
    ("https://-example.com/", "host"),
    ("https://exa_mple!.com/", "host"),
    ("https://" + "a" * 64 + ".com/", "host"),
    ("https://" + "a." * 130 + "com/", "host"),
    # other scripts
    ("https://127\u30020\u30020\u30021/", "host"),
    ("https://127\uff0e0\uff0e0\uff0e1/", "host"),
    ("https://127\uff610\uff610\uff611/", "host"),
    ("https://example\u2024com/", "host"),
    ("https://\u2460\u2461\u2466.0.0.1/", "host"),
    ("https://\uff11\uff12\uff17.0.0.1/", "host"),
    ("https://\u0661\u0662\u0667.0.0.1/", "host"),
    ("https://\U0001d7cf\U0001d7d0\U0001d7d5.0.0.1/", "host"),
    ("https://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54/", "host"),
    ("https://xn--\u00e9.com/", "host"),
    ("https://\u0300.com/", "host"),
    # IPv6
    ("https://[::1]x/", "host"),
    ("https://[::1/", "port"),
    ("https://[fe80::1%25eth0]/", "host"),
    ("https://[fe80::1%eth0]/", "host"),
    ("https://[127.0.0.1]/", "host"),
    ("https://[example.com]/", "host"),
    ("https://[]/", "host"),
    ("https://::1/", "port"),
    ("https://[v1.x]/", "host"),
]

PRIVATE = [
    "0.0.0.0",  # noqa: S104 -- nothing is bound to it
    *("0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200"),
    *("127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254"),
    *("169.254.170.2", "169.254.170.23", "172.16.0.1", "172.31.255.255", "192.0.0.1"),
    *("192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1"),
    *("255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:93.184.215.14", "::127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::5db8:d70e", "64:ff9b:1::1", "100::1", "2001::1"),
    *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:20::1", "2001:db8::1", "2002:7f00:1::"),
    *("2002:5db8:d70e::1", "3fff::1", "5f00::1", "fc00::1", "fd00::1", "fd00:ec2::254"),
    *("fe80::1", "fec0::1", "ff02::1"),
]

ACCEPTED = {
    "https://example.com": "https://example.com/",
    "HTTPS://EXAMPLE.com/Path": "https://example.com/Path",
    "https://example.com:443/": "https://example.com/",
    "https://example.com:80/": "https://example.com:80/",
    "https://example.com?q=1": "https://example.com/?q=1",
    "https://example.com/a@b": "https://example.com/a@b",
    "https://example.com/%7Euser/%0d": "https://example.com/%7Euser/%0d",
    "https://example.com/caf\u00e9": "https://example.com/caf%C3%A9",
    "https://b\u00fccher.example/": "https://xn--bcher-kva.example/",
    "https://fa\u00df.example/": "https://xn--fa-hia.example/",
    "https://93.184.215.14/": "https://93.184.215.14/",
    "https://[2606:2800:21f::1]/": "https://[2606:2800:21f::1]/",
    "https://[2606:2800:021F:0::1]:80/x": "https://[2606:2800:21f::1]:80/x",
    "https://1.2.3.4.nip.example/": "https://1.2.3.4.nip.example/",
}


def rule_of(error: pytest.ExceptionInfo[UrlRefused]) -> object:
    return error.value.context["rule"]


def fetcher(*answers: str) -> GuardedFetcher:
    return GuardedFetcher(max_bytes=1000, seconds=2, resolve=lambda _host, _port: list(answers))


@pytest.mark.parametrize(("url", "rule"), REFUSED)
def test_an_address_that_could_mean_another_is_refused(url: str, rule: str) -> None:
    """S4-02: nothing is resolved, let alone connected to."""
    with pytest.raises(UrlRefused) as refusal:
        parse(url, schemes=("https",), ports=PORTS)

    assert rule_of(refusal) == rule


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_leads_to_an_address_that_is_not_public_is_refused(address: str) -> None:
    """S4-02: alone, and hidden among public answers."""
    for answers in ([address], [PUBLIC, address], [address, PUBLIC]):
        with pytest.raises(UrlRefused) as refusal:
            fetcher(*answers).fetch("https://example.com/", content_types=["text/plain"])

        assert rule_of(refusal) == "address"
        assert address not in refusal.value.message


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_an_address_that_is_not_public_is_refused_without_a_name(address: str) -> None:
    host = f"[{address}]" if ":" in address else address

    with pytest.raises(UrlRefused) as refusal:
        fetcher().fetch(f"https://{host}/", content_types=["text/plain"])

    assert rule_of(refusal) == "address"


@pytest.mark.parametrize(
    "address", ["1.1.1.1", PUBLIC, "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:2800:21f::1"]
)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(("url", "canonical"), ACCEPTED.items())
def test_an_address_is_kept_in_one_spelling(url: str, canonical: str) -> None:
    target = parse(url, schemes=("https",), ports=PORTS)

    assert target.url == canonical
    assert parse(canonical, schemes=("https",), ports=PORTS) == target


@pytest.mark.parametrize(
    ("location", "rule"),
    [
        ("http://example.com/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://example.com/", "scheme"),
        ("https://user@example.com/", "userinfo"),
        ("//user:pass@example.com/", "userinfo"),
        ("https://localhost/", "host"),
        ("//2130706433/", "host"),
        ("https://example.com:22/", "port"),
        ("\\\\127.0.0.1\\", "characters"),
        ("/a b", "characters"),
        ("/\xff", "characters"),
        ("https://[::1", "syntax"),
    ],
)
def test_a_redirect_keeps_the_same_rules(location: str, rule: str) -> None:
    start = parse("https://example.com/a", schemes=("https",), ports=PORTS)

    with pytest.raises(UrlRefused) as refusal:
        redirected(start, location, schemes=("https",), ports=PORTS)

    assert rule_of(refusal) == rule


def test_a_redirect_may_be_relative_and_loses_its_fragment() -> None:
    start = parse("https://example.com/a/b?c", schemes=("https",), ports=PORTS)

    moved = redirected(start, "../d#@127.0.0.1/", schemes=("https",), ports=PORTS)

    assert moved.url == "https://example.com/d"


def test_no_scheme_at_all_turns_fetching_off() -> None:
    with pytest.raises(UrlRefused, match="fetches no pages"):
        parse("https://example.com/", schemes=(), ports=PORTS)


@pytest.mark.parametrize("answers", [[], ["not an address"], ["fe80::1%eth0"], ["127.1"]])
def test_an_answer_that_is_no_address_is_refused(answers: list[str]) -> None:
    with pytest.raises(UrlRefused):
        fetcher(*answers).fetch("https://example.com/", content_types=["text/plain"])


def test_a_resolver_that_never_answers_is_left_behind() -> None:
    from threading import Event

    stuck = Event()

    def wait(_host: str, _port: int) -> list[str]:
        stuck.wait(PATIENCE)
        return [PUBLIC]

    guarded = GuardedFetcher(max_bytes=1000, seconds=0.2, resolve=wait)
    started = monotonic()
    with pytest.raises(SourceUnavailable):
        guarded.fetch("https://example.com/", content_types=["text/plain"])

    assert monotonic() - started < HELD_UP
    stuck.set()
