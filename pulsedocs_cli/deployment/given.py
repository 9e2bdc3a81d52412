"""What options name in an account: a boundary, a certificate, a key; and what cannot change."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from infra.config import BY_STAGE, MADE, Options, Stage
from pulsedocs_cli.deployment.account import Account, Unreadable
from pulsedocs_cli.deployment.findings import Finding, ok, stop, warn

_CHOSEN_ONCE: Final = "ChosenOnce"
_GIVEN: Final = "Given"
_ONLY_DATABASE: Final = "restore_from"
_MISSING: Final = frozenset(
    {
        "NoSuchEntity",
        "NoSuchEntityException",
        "NotFoundException",
        "ResourceNotFoundException",
    }
)
"""How the services say that there is no such thing: IAM in two ways, KMS, ACM."""


def look_at_boundary(account: Account, options: Options) -> Iterator[Finding]:
    number = account.read("sts", "get_caller_identity")["Account"]
    arn = f"arn:{account.partition}:iam::{number}:policy/{options.permissions_boundary}"
    if _described(account, "iam", "get_policy", PolicyArn=arn) is None:
        yield stop("permissions_boundary", f"there is no {arn}", "name a policy of this account")
    else:
        yield ok("permissions_boundary", arn)


def look_at_certificate(account: Account, options: Options) -> Iterator[Finding]:
    """Look whether API Gateway would take it: of this region, issued, and for the name."""
    region = options.certificate.split(":")[3]
    if region != account.region:
        yield stop(
            "certificate",
            f"is of {region}, API Gateway takes one of {account.region}",
            "request one there: aws acm request-certificate",
        )
        return
    answer = _described(account, "acm", "describe_certificate", CertificateArn=options.certificate)
    if answer is None:
        yield stop("certificate", f"there is no {options.certificate}", "aws acm list-certificates")
        return
    found: dict[str, Any] = answer["Certificate"]
    names = [str(found["DomainName"]), *found.get("SubjectAlternativeNames", [])]
    if found["Status"] != "ISSUED":
        step = "wait until its domain is validated"
        yield stop("certificate", f"is {found['Status']}, not ISSUED", step)
    elif not any(_covers(name, options.domain_name) for name in names):
        said = f"is for {', '.join(names)}, not for {options.domain_name}"
        yield stop("certificate", said, "name one that is for it")
    else:
        yield ok("certificate", f"for {options.domain_name}, issued")


def _covers(name: str, domain: str) -> bool:
    """Say whether a certificate's name, `*.example.com` perhaps, is one of a domain."""
    return fnmatchcase(domain, name) and name.count(".") == domain.count(".")


def look_at_key(account: Account, options: Options) -> Iterator[Finding]:
    """Look whether everything could be encrypted with it; its policy is the operator's."""
    if options.encryption_key == MADE:
        yield ok("encryption_key", "the data stack makes one")
        return
    answer = _described(account, "kms", "describe_key", KeyId=options.encryption_key)
    if answer is None:
        yield stop("encryption_key", f"there is no {options.encryption_key}", "aws kms list-keys")
        return
    key: dict[str, Any] = answer["KeyMetadata"]
    region = str(key["Arn"]).split(":")[3]
    if region != account.region:
        yield stop("encryption_key", f"is of {region}", f"name one of {account.region}")
    elif key["KeyState"] != "Enabled":
        yield stop("encryption_key", f"is {key['KeyState']}", "enable it, or name another")
    elif key["KeySpec"] != "SYMMETRIC_DEFAULT":
        yield stop("encryption_key", f"is {key['KeySpec']}", "name a symmetric one")
    else:
        yield ok("encryption_key", f"{key['Arn']}, enabled")


def key_arn(account: Account, key: str) -> str | None:
    """Return the ARN of a key by whatever names it, or None where there is none."""
    answer = _described(account, "kms", "describe_key", KeyId=key)
    return None if answer is None else str(answer["KeyMetadata"]["Arn"])


def look_at_chosen_once(
    outputs: dict[str, str], options: Options, *, stack: str
) -> Iterator[Finding]:
    """Hold the options to those that the data stack was made with: others would replace it."""
    if _CHOSEN_ONCE not in outputs:  # made by a version that did not write them down
        return
    made: dict[str, str] = json.loads(outputs[_CHOSEN_ONCE])
    now = options.chosen_once
    for name in sorted(made.keys() | now.keys()):
        if made.get(name, "") != now.get(name, ""):
            yield stop(
                "options",
                f"{stack} was made with {name}={made.get(name, '')!r}, and is to have"
                f" {now.get(name, '')!r}: its database would be replaced by an empty one",
                f"-c {name}={made.get(name, '')}, or make another stage",
            )


def look_at_left_out(
    outputs: dict[str, str], options: Options, *, stage: Stage, stack: str
) -> Iterator[Finding]:
    """Name the options of the last deployment that this one has not: CDK remembers none."""
    before: list[str] = json.loads(outputs.get(_GIVEN, "[]"))
    left_out = [name for name in before if name not in options.given]
    if not left_out:
        return
    found = f"{stack} was deployed with {', '.join(left_out)}, left out now"
    keep = f'"{BY_STAGE}": {{"{stage.name}": {{"{left_out[0]}": …}}}}'
    next_step = f"give it with -c, or keep it in cdk.json: {keep}"
    if _ONLY_DATABASE in left_out:
        yield stop("options", f"{found}: its database would be replaced by an empty one", next_step)
    else:
        yield warn("options", f"{found}: the default comes back", next_step)


def _described(
    account: Account,
    service: str,
    operation: str,
    **named: str,
) -> dict[str, Any] | None:
    """Return what AWS says of a thing, or None where there is none; raise Unreadable."""
    try:
        return account.read(service, operation, **named)
    except Unreadable as error:
        if error.code in _MISSING:
            return None
        raise
