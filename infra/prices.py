"""What AWS asks for, by region: a list, pinned; nothing is asked of AWS.

Elsewhere than in us-east-1 only what AWS's price list was seen to say is written down; the rest is
borrowed from us-east-1, and whoever shows a sum says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, Self

from pulsedocs.errors import ConfigurationError

_DEFAULT_REGION: Final = "us-east-1"
_REGION: Final = re.compile(r"[a-z]{2,3}(-[a-z]+)+-[0-9]")


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars on demand, without the first year's free tier. Names say for what."""

    region: str
    acu_hour: float
    gb_month: float
    """Of Aurora's storage."""
    database_io: float
    """A block that Aurora reads from its storage, or writes to it; a quoted price."""
    secret_month: float
    metric_month: float
    """Of an alarm."""
    custom_metric_month: float
    dashboard_month: float
    acl_month: float
    rule_month: float
    key_month: float
    service_month: float
    """Of a client of Cognito that signs in without a person."""
    nat_hour: float
    endpoint_hour: float
    address_hour: float
    lambda_gb_second: float
    """On arm64."""
    lambda_request: float
    transition: float
    api_request: float
    event: float
    put: float
    get: float
    log_gb: float
    textract_page: float
    """Of DetectDocumentText, up to a million a month; a quoted price, not one of the list."""
    seen: str = "November 2026"
    """When AWS's price list said so."""
    borrowed: frozenset[str] = frozenset()
    """Those of us-east-1, because none of this region were found."""

    def elsewhere(self, region: str, seen: str = "", **found: float) -> Self:
        """Return another region's prices: what was found there, the rest borrowed from here."""
        priced = {each.name for each in fields(self)} - {"region", "seen", "borrowed"}
        here = replace(self, region=region, seen=seen, borrowed=frozenset(priced - set(found)))
        return replace(here, **found)

    def at_most(self) -> Self:
        """Return these with what is borrowed at the largest difference found."""
        highest = 1 + LARGEST_DIFFERENCE
        return replace(self, **{name: getattr(self, name) * highest for name in self.borrowed})

    @property
    def found(self) -> list[str]:
        """Return for what these are the region's own prices: `acu hour`."""
        of_us = self.borrowed | {"region", "seen", "borrowed"}
        return [each.name.replace("_", " ") for each in fields(self) if each.name not in of_us]

    @property
    def source(self) -> str:
        """Say whose prices these are, in a sentence's end."""
        terms = "on demand, without the first year's free tier"
        if not self.borrowed:
            return f"{self.region}, {self.seen}, {terms}"
        if not self.seen:
            return f"{_DEFAULT_REGION}, because none of {self.region} are known, {terms}"
        own = f"{self.region}, {self.seen}, for {', '.join(self.found)}"
        return f"{own}; {_DEFAULT_REGION} for all else; {terms}"


US_EAST_1: Final = Prices(
    region=_DEFAULT_REGION,
    acu_hour=0.12,
    gb_month=0.10,
    database_io=0.20 / 1e6,
    secret_month=0.40,
    metric_month=0.10,
    custom_metric_month=0.30,
    dashboard_month=3.00,
    acl_month=5.00,
    rule_month=1.00,
    key_month=1.00,
    service_month=6.00,
    nat_hour=0.045,
    endpoint_hour=0.01,
    address_hour=0.005,
    lambda_gb_second=0.0000133334,
    lambda_request=0.20 / 1e6,
    transition=0.025 / 1e3,
    api_request=3.50 / 1e6,
    event=1.00 / 1e6,
    put=0.005 / 1e3,
    get=0.0004 / 1e3,
    log_gb=0.50,
    textract_page=1.50 / 1e3,
)
# What public documents quote of the AWS Price List Bulk API, by its offer files of each region
# (AmazonRDS, AWSLambda, AmazonS3, AmazonCloudWatch, AmazonApiGateway, AmazonVPC ...), with usage
# types such as `EUW2-Aurora:ServerlessV2Usage`.
_FOUND: Final = (
    US_EAST_1,
    US_EAST_1.elsewhere(
        "eu-west-1",
        seen="September and October 2026",
        acu_hour=0.14,
        metric_month=0.10,
        nat_hour=0.048,
        lambda_gb_second=0.0000133334,
        lambda_request=0.20 / 1e6,
        transition=0.025 / 1e3,
        api_request=3.50 / 1e6,
        log_gb=0.57,
    ),
    US_EAST_1.elsewhere(
        "eu-west-2",
        seen="September and October 2026",
        acu_hour=0.14,
        gb_month=0.10,
        secret_month=0.40,
        metric_month=0.10,
        custom_metric_month=0.30,
        key_month=1.00,
        nat_hour=0.05,
        endpoint_hour=0.011,
        address_hour=0.005,
        lambda_gb_second=0.0000133334,
        lambda_request=0.20 / 1e6,
        put=0.0053 / 1e3,
        get=0.00042 / 1e3,
        log_gb=0.5985,
    ),
    US_EAST_1.elsewhere("eu-central-1", seen="August 2026", api_request=3.70 / 1e6),
    US_EAST_1.elsewhere("ap-northeast-2", seen="October 2026", acu_hour=0.20),
)
REGIONS: Final[Mapping[str, Prices]] = {each.region: each for each in _FOUND}
LARGEST_DIFFERENCE: Final = max(
    getattr(prices, each.name) / getattr(US_EAST_1, each.name) - 1
    for prices in _FOUND
    for each in fields(Prices)
    if each.name not in {"region", "seen", "borrowed"}
)
"""By how much any price found elsewhere is above that of us-east-1: 0.67, an ACU in Seoul."""


def prices_in(region: str) -> Prices:
    """Return a region's prices; raise ConfigurationError for what cannot be a region's name."""
    if not _REGION.fullmatch(region):
        raise ConfigurationError(f"{region!r} is no region of AWS: write one like eu-west-1")
    return REGIONS.get(region) or US_EAST_1.elsewhere(region)
