"""Which addresses are public: those that the registries give to networks of the internet."""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from typing import Final

Address = IPv4Address | IPv6Address

# Written out: what `is_global` says differs between the Python versions that this runs on.
_CLOSED_IPV4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers; 100.100.100.200 is a cloud's metadata service
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's host, at a public address
        "169.254.0.0/16",  # link-local: 169.254.169.254, and 169.254.170.2 for containers
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_IPV6: Final = IPv6Network(
    "2000::/3"
)  # mapped, NAT64, unique local and fd00:ec2:: lie outside
_CLOSED_IPV6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo, ORCHID and other protocols
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address inside
        "3fff::/20",
    )
)


def is_public(address: Address) -> bool:
    if not address.is_global:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_IPV4)
    return address in _OPEN_IPV6 and not any(address in network for network in _CLOSED_IPV6)


def address_of(text: str) -> Address | None:
    """Read an address in its usual spelling only: no octal, no hex, no missing parts, no zone."""
    try:
        return ip_address(text)
    except ValueError:
        return None
