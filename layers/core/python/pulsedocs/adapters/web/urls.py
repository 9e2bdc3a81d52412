"""Addresses of the web, read strictly: what two parsers could read differently is refused."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import quote, urljoin

import idna

from pulsedocs.adapters.web.networks import Address, address_of
from pulsedocs.errors import UrlRefused

_LONGEST: Final = 1024  # of a document's source
_PORTS: Final = {"https": 443, "http": 80}
_URL: Final = re.compile(r"(?P<scheme>[a-z]+)://(?P<authority>[^/?]+)(?P<rest>[/?].*)?", re.ASCII)
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_FORBIDDEN: Final = re.compile(r'[\s\x00-\x20\x7f\\<>"{}|^`]')
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_FOREIGN_DOTS: Final = frozenset("\u3002\uff0e\uff61\u2024\ufe52")
_PRIVATE_ENDS: Final = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "onion")
_KEPT: Final = "%/:?=&~+!$,;@()*[]'.-_"


@dataclass(frozen=True, slots=True)
class Target:
    """A page to ask for: whom to resolve, what to verify, what to send."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def literal(self) -> Address | None:
        return address_of(self.host)

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if isinstance(self.literal, IPv6Address) else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host_header}{self.path}"


def refused(rule: str, message: str) -> UrlRefused:
    return UrlRefused(f"the address is refused: {message}", rule=rule)


def parse(url: str, *, schemes: Collection[str], ports: Collection[int]) -> Target:
    """Read an address, or raise UrlRefused naming the rule that it breaks."""
    if len(url) > _LONGEST:
        raise refused("length", f"it is longer than {_LONGEST} characters")
    if _FORBIDDEN.search(url) or not url.isprintable():
        raise refused("characters", "it has blanks, control characters, or others to be escaped")
    if "#" in url:
        raise refused("fragment", "it has a '#'; leave that and what follows out")
    named = _SCHEME.match(url)
    scheme = named[1].lower() if named else ""
    if scheme not in schemes or scheme not in _PORTS:
        allowed = ", ".join(schemes) or "none: this stage fetches no pages"
        raise refused("scheme", f"its scheme is not one of those allowed ({allowed})")
    parts = _URL.fullmatch(scheme + url[len(scheme) :])
    if parts is None:
        raise refused("syntax", "it has not the form scheme://host/path")
    authority = parts["authority"]
    if "@" in authority:
        raise refused("userinfo", "it carries a user name")
    # An IPv6 address stands in brackets and has colons of its own.
    behind = authority.rpartition("]")[2] if authority.startswith("[") else authority
    host, colon, port = authority.rpartition(":") if ":" in behind else (authority, "", "")
    number = int(port) if port.isascii() and port.isdecimal() else None
    if colon and (number is None or number not in ports):
        raise refused("port", f"its port is not one of {', '.join(map(str, sorted(ports)))}")
    host, port = _host(host), _PORTS[scheme] if number is None else number
    rest = parts["rest"] or "/"
    path = quote(rest if rest.startswith("/") else f"/{rest}", safe=_KEPT)
    target = Target(scheme, host, port, path)
    if len(target.url) > _LONGEST:
        raise refused("length", f"it is longer than {_LONGEST} characters")
    return target


def redirected(
    target: Target, location: str, *, schemes: Collection[str], ports: Collection[int]
) -> Target:
    """Read where a redirect leads, by the same rules; a fragment is for the reader's browser."""
    try:
        text = location.encode("latin-1").decode()
    except UnicodeError:
        raise refused("characters", "a redirect names an address that is not UTF-8") from None
    bare = text.partition("#")[0]
    if _FORBIDDEN.search(bare) or not bare.isprintable():
        raise refused("characters", "a redirect names an address with characters to be escaped")
    try:
        joined = urljoin(target.url, bare)
    except ValueError:
        raise refused("syntax", "a redirect names something that is no address") from None
    return parse(joined, schemes=schemes, ports=ports)


def _host(host: str) -> str:
    if host.startswith("["):
        address = address_of(host[1:-1]) if host.endswith("]") and "%" not in host else None
        if not isinstance(address, IPv6Address):
            raise refused("host", "its host is not an IPv6 address")
        return str(address)
    if any(unicodedata.category(char)[0] == "N" and not char.isascii() for char in host):
        raise refused("host", "its host has digits of another script")
    if not _FOREIGN_DOTS.isdisjoint(host):
        raise refused("host", "its host has dots of another script")
    try:
        name = host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise refused("host", "its host is not an international domain name") from None
    host = name.lower()
    # A domain name or a dotted quad; a host that ends in a number is nothing else.
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):  # noqa: PLR2004 -- RFC 1035
        raise refused("host", "its host is not a domain name")
    if _NUMBER.fullmatch(labels[-1]):
        if address_of(host) is None:
            raise refused("host", "its host is a number, not an address in its usual form")
    elif len(labels) == 1 or labels[-1] in _PRIVATE_ENDS or host.endswith(".home.arpa"):
        raise refused("host", "its host is a name of a private network")
    return host
