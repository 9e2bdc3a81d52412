"""Synthesise every stage once, for all tests: `python -m tests.infra.synthesise FOLDER`.

In a process of its own: jsii starts Node and keeps it, and the tests need only the JSON.
"""

import random
import socket
import sys
from dataclasses import replace
from pathlib import Path

from infra.chosen import settings_from
from infra.config import STAGES, Options, options_from
from infra.layers import Layers
from infra.synth import synthesise
from local.gateway import KEY_SET_PATH
from local.tokens import AUDIENCE, ISSUER

OWN_ISSUER = "dev-own-issuer"
"""The dev stage with every option set."""
NEWER_CODE = "dev-newer-code"
"""The dev stage again, with another core layer."""
ON_MOTO = "dev-on-moto"
"""The dev stage with models and an issuer of this machine, for `tests.infra.deployed`."""
OPTIONS = Options(
    token_issuer="https://issuer.example/tenant",  # noqa: S106 -- an address
    token_audience="pulsedocs",  # noqa: S106 -- a name
    token_jwks_url="https://issuer.example/tenant/keys",  # noqa: S106 -- an address
    openai_base_url="https://models.example/v1",
    embedding_model="bedrock:amazon.titan-embed-text-v2:0@1024",
    other_embedding_models="cohere:embed-v4.0@1024",
    chat_model="bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    rewrite_model="bedrock:amazon.nova-micro-v1:0",
    reranker_model="bedrock:cohere.rerank-v3-5:0",
    bedrock_region="eu-central-1",
    alert_email="operator@example.com",
    permissions_boundary="bounded-by-the-platform",
    address_range="10.7.0.0/18",
    domain_name="api.example.com",
    certificate="arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000",
    cors_origins="https://app.example, http://localhost:3000",
    settings=settings_from({"CONVERSATION_DAYS": 60, "PLUGINS": ["rules.chunks:Rows"]}, options=()),
)
RESTORED = {
    "dev-restored": Options(restore_from="snapshot:before-the-accident"),
    "dev-restored-moment": Options(
        restore_from="pulsedocs-dev@2026-11-22T16:00:00Z", old_database="removed"
    ),
}
"""The dev stage with a database made from a backup, before and after the old one is removed."""
WITH_SERVICES = "dev-with-services"
TENANT_OF_A_SERVICE = "0c7a1f2e-7d0b-4b53-9a53-6f2f5d1c0a01"
"""The dev stage with two programs that sign in by themselves."""
WITH_BEDROCK = "dev-with-bedrock"
"""The dev stage with `-c models=bedrock`, as its guide deploys it, in a region without budgets."""
WITH_EVERYTHING_OWN = "dev-everything-own"
"""The dev stage in a network of the operator's, with a key and a reader."""
EVERYTHING_OWN = Options(
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids="subnet-0123456789abcdef0, subnet-0123456789abcdef1",
    s3_prefix_list="pl-6da54004",
    route_table_ids="rtb-0123456789abcdef0",
    readers=1,
    encryption_key="made",
    alert_email="operator@example.com",
)
WITH_A_GIVEN_KEY = "dev-given-key"
GIVEN_KEY = "arn:aws:kms:eu-west-1:123456789012:key/00000000-0000-0000-0000-000000000000"
"""The dev stage with a key that the operator brings, and in zones that are named."""
WITH_TEXTRACT = "dev-with-textract"
TEXTRACT_IN_A_GIVEN_NETWORK = "dev-with-textract-in-a-given-network"
NAMES = (*STAGES, OWN_ISSUER)
_PORTS = range(20_000, 32_000)  # below those that systems hand out: nobody takes it in between
CHOSEN = {**dict.fromkeys(STAGES, Options()), OWN_ISSUER: OPTIONS}


def main() -> None:
    folder = Path(sys.argv[1])
    layer = folder / "layer"
    layers = Layers(layer, layer, layer)
    layers.core.mkdir()
    (layers.core / "placeholder").write_text("The template names a layer, not what is in it.")
    for name in STAGES:
        synthesise(folder / name, stage=name, options=Options(), layers=layers)
    synthesise(folder / OWN_ISSUER, stage="dev", options=OPTIONS, layers=layers)
    synthesise(folder / ON_MOTO, stage="dev", options=_of_this_machine(), layers=layers)
    for name, options in RESTORED.items():
        synthesise(folder / name, stage="dev", options=options, layers=layers)
    services = f"nightly-import:{TENANT_OF_A_SERVICE}, reports:11111111-1111-4111-8111-111111111111"
    served = Options(services=services)
    synthesise(folder / WITH_SERVICES, stage="dev", options=served, layers=layers)
    mailed = {"models": "bedrock", "alert_email": "operator@example.com"}
    bedrock = options_from(mailed, region="eu-north-1")
    synthesise(folder / WITH_BEDROCK, stage="dev", options=bedrock, layers=layers)
    textract = {"OCR_ENGINE": "textract"}
    for name, options in (
        (WITH_TEXTRACT, Options(settings=textract)),
        (TEXTRACT_IN_A_GIVEN_NETWORK, replace(EVERYTHING_OWN, settings=textract)),
        (WITH_EVERYTHING_OWN, EVERYTHING_OWN),
        (WITH_A_GIVEN_KEY, Options(encryption_key=GIVEN_KEY, zones="eu-west-1b, eu-west-1c")),
    ):
        synthesise(folder / name, stage="dev", options=options, layers=layers)
    newer = Layers(folder / "newer-layer", layer, layer)
    newer.core.mkdir()
    (newer.core / "placeholder").write_text("Other code.")
    synthesise(folder / NEWER_CODE, stage="dev", options=Options(), layers=newer)


def _of_this_machine() -> Options:
    """Choose what needs no account: the issuer's keys are where the stage's API will listen."""
    return Options(
        token_issuer=ISSUER,
        token_audience=AUDIENCE,
        token_jwks_url=f"http://127.0.0.1:{_free_port()}{KEY_SET_PATH}",
        embedding_model="bedrock:amazon.titan-embed-text-v2:0@256",
        chat_model="extractive",
    )


def _free_port() -> int:
    for port in random.sample(_PORTS, 20):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return port
    raise RuntimeError("no free port among twenty")


if __name__ == "__main__":
    main()
