"""What a region has: the services that a stage is made of, and zones that take all of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from infra.config import BY_STAGE, FEWEST_ZONES, Options, split
from pulsedocs_cli.deployment.account import Account
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

_PUBLISHED: Final = "/aws/service/global-infrastructure/regions"
"""Parameters of AWS's own, readable by everyone: what each region has."""
_PUBLISHED_IN: Final = "us-east-1"
"""They are served in 17 regions only, such as this one, each with what it knows of all."""
_SERVICES: Final = {
    "apigateway": "API Gateway",
    "aurora": "Aurora",
    "events": "EventBridge",
    "lambda": "Lambda",
    "rds-data": "the Data API of RDS",
    "sns": "SNS",
    "sqs": "SQS",
    "stepfunctions": "Step Functions",
}
_SIGN_IN: Final = {"cognito-idp": "Cognito"}
_RECOGNITION: Final = {"textract": "Textract"}
_WITHOUT_LAMBDA: Final = frozenset({"use1-az3"})
"""By id: a zone's name, such as us-east-1e, is another zone in each account."""


def look_at_services(account: Account, options: Options) -> Iterator[Finding]:
    """Look each service up in AWS's own list of the region."""
    wanted = _SERVICES | ({} if options.has_own_issuer else _SIGN_IN)
    wanted |= _RECOGNITION if options.has_textract else {}
    path = f"{_PUBLISHED}/{account.region}/services"
    answer = account.read(
        "ssm",
        "get_parameters",
        # Credentials of another partition, such as China's, are of no use outside of it.
        region=_PUBLISHED_IN if account.partition == "aws" else None,
        Names=[f"{path}/{name}" for name in wanted],
    )
    there = {str(found["Value"]) for found in answer["Parameters"]}
    missing = [title for name, title in wanted.items() if name not in there]
    if not there:
        yield warn(
            "services",
            f"AWS's own list says nothing of {account.region}",
            f"look whether it has {', '.join(wanted.values())}",
        )
    elif missing:
        yield stop(
            "services",
            f"{account.region} has no {', no '.join(missing)}",
            "choose another region",
        )
    else:
        yield ok("services", f"{account.region} has all that a stage is made of")


def look_at_zones(
    account: Account, options: Options, *, stage: str, is_new: bool
) -> Iterator[Finding]:
    """Say which zones the network's subnets are in, and whether Lambda is in each of them."""
    answer = account.read(
        "ec2",
        "describe_availability_zones",
        Filters=[{"Name": "zone-type", "Values": ["availability-zone"]}],
    )
    ids = {str(zone["ZoneName"]): str(zone["ZoneId"]) for zone in answer["AvailabilityZones"]}
    usable = [name for name in sorted(ids) if ids[name] not in _WITHOUT_LAMBDA]
    chosen = split(options.zones) or _as_cloudformation_chooses(account, ids)
    others = f"-c zones={','.join(usable[:FEWEST_ZONES])}"
    for name in chosen:
        if name not in ids:
            yield stop("zones", f"{account.region} has no {name}", others)
        elif ids[name] in _WITHOUT_LAMBDA:
            yield stop("zones", f"{name} is {ids[name]} here, where no Lambda is", others)
        else:
            yield ok("zones", f"{name}, {ids[name]}")
    if len(chosen) < FEWEST_ZONES:
        yield stop("zones", f"{', '.join(chosen)} alone has a default subnet", others)
    elif is_new and not options.zones:
        kept = f'"{BY_STAGE}": {{"{stage}": {{"zones": "{",".join(chosen)}"}}}}'
        yield ok("zones", f"kept by {kept} in cdk.json; AWS may put others first one day")
    if options.has_textract:
        yield from _look_at_recognition(account, chosen, another="choose other zones, -c zones=")


def _as_cloudformation_chooses(account: Account, zones: Iterable[str]) -> tuple[str, ...]:
    """Return the first two of `Fn::GetAZs`: of those with a default subnet, where any has one."""
    answer = account.read(
        "ec2", "describe_subnets", Filters=[{"Name": "default-for-az", "Values": ["true"]}]
    )
    having = {str(subnet["AvailabilityZone"]) for subnet in answer["Subnets"]}
    return tuple(sorted(having or zones)[:FEWEST_ZONES])


def look_at_own_network(account: Account, options: Options, *, is_new: bool) -> Iterator[Finding]:
    """Look whether the subnets are in the network, in zones enough, and on a way to S3."""
    wanted = split(options.subnet_ids)
    answer = account.read(
        "ec2", "describe_subnets", Filters=[{"Name": "subnet-id", "Values": list(wanted)}]
    )
    found = {str(subnet["SubnetId"]): subnet for subnet in answer["Subnets"]}
    name_others = "name others as -c subnet_ids="
    for each in wanted:
        subnet = found.get(each)
        if subnet is None or subnet["VpcId"] != options.vpc_id:
            yield stop("network", f"{each} is no subnet of {options.vpc_id}", name_others)
        elif subnet["AvailabilityZoneId"] in _WITHOUT_LAMBDA:
            zone = subnet["AvailabilityZoneId"]
            yield stop("network", f"{each} is in {zone}, where no Lambda is", name_others)
    zones = {subnet["AvailabilityZoneId"] for subnet in found.values()}
    if len(zones) < FEWEST_ZONES:
        yield stop("network", "the subnets are in one zone, Aurora takes two", name_others)
    else:
        yield ok("network", f"{options.vpc_id}, subnets in {', '.join(sorted(zones))}")
    service = f"com.amazonaws.{account.region}.s3"
    lists = account.read(
        "ec2",
        "describe_managed_prefix_lists",
        Filters=[{"Name": "prefix-list-name", "Values": [service]}],
    )
    ids = [str(each["PrefixListId"]) for each in lists["PrefixLists"]]
    if options.s3_prefix_list in ids:
        yield ok("network", f"{options.s3_prefix_list} is S3's list of addresses here")
    else:
        yield stop(
            "network",
            f"{options.s3_prefix_list} is not the list of {service}",
            f"-c s3_prefix_list={ids[0]}" if ids else "choose another region",
        )
    yield from _look_at_routes(account, options, is_new=is_new)
    if options.has_textract:
        named = {str(subnet["AvailabilityZone"]) for subnet in found.values()}
        yield from _look_at_recognition(account, sorted(named), another=name_others)


def _look_at_routes(account: Account, options: Options, *, is_new: bool) -> Iterator[Finding]:
    """Look whether the subnets lead to S3, and whom an endpoint that is made would lead astray.

    A gateway endpoint is a route to the addresses of S3: it serves the tables that have it, and
    takes all that goes to S3 from every subnet of theirs.
    """
    answer = account.read(
        "ec2",
        "describe_route_tables",
        Filters=[{"Name": "vpc-id", "Values": [options.vpc_id]}],
    )
    tables = {str(table["RouteTableId"]): table for table in answer["RouteTables"]}
    uses = [(name, use) for name, table in tables.items() for use in table.get("Associations", [])]
    main = next((name for name, use in uses if use.get("Main")), "")
    table_of = {str(use["SubnetId"]): name for name, use in uses if "SubnetId" in use}
    leading = {name for name, table in tables.items() if _leads_to(options.s3_prefix_list, table)}
    own, made = split(options.subnet_ids), split(options.route_table_ids)
    lost = {table_of.get(subnet, main) for subnet in own} - {*leading, *made}
    for table in sorted(lost):
        yield stop(
            "network",
            f"{table}, which the subnets use, has no route to a gateway endpoint of S3",
            "give it as -c route_table_ids=, and the stage makes one",
        )
    if not lost:
        yield ok("network", "the subnets' route tables lead to an endpoint of S3")
    for table in made:
        others = [subnet for subnet in sorted(table_of) if table_of[subnet] == table]
        others = [subnet for subnet in others if subnet not in own]
        others += ["each subnet that names no table"] if table == main else []
        if table not in tables:
            yield stop(
                "network",
                f"{table} is no route table of {options.vpc_id}",
                "name others as -c route_table_ids=",
            )
        elif is_new and table in leading:
            yield stop(
                "network",
                f"{table} has a route to S3 already, and takes no second one",
                "leave it out of -c route_table_ids=",
            )
        elif is_new and others:
            yield warn(
                "network",
                f"{table} is also of {', '.join(others)}: of S3 they will reach the stage's bucket"
                " alone",
                "make a table for the stage's subnets, and name that",
            )


def _leads_to(prefix_list: str, table: Mapping[str, Any]) -> bool:
    return any(
        route.get("DestinationPrefixListId") == prefix_list and route.get("State") != "blackhole"
        for route in table.get("Routes", [])
    )


def _look_at_recognition(
    account: Account, zones: Iterable[str], *, another: str
) -> Iterator[Finding]:
    """Look whether an endpoint of Textract, which has an address in each subnet, can be made."""
    service = f"com.amazonaws.{account.region}.textract"
    answer = account.read(
        "ec2",
        "describe_vpc_endpoint_services",
        Filters=[{"Name": "service-name", "Values": [service]}],
    )
    there = {zone for found in answer["ServiceDetails"] for zone in found["AvailabilityZones"]}
    missing = [zone for zone in zones if zone not in there]
    if missing:
        yield stop("textract", f"{service} is not in {', '.join(missing)}", another)
    else:
        yield ok("textract", f"{service} is in each zone")
