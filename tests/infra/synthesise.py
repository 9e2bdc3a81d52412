"""Synthesise every stage once, for all tests: `python -m tests.infra.synthesise FOLDER`.

In a process of its own: jsii starts Node and keeps it, and the tests need only the JSON.
"""

import sys
from pathlib import Path

import aws_cdk as cdk

from infra.app import compose
from infra.config import STAGES, Options, Stage
from infra.layers import Layers

OWN_ISSUER = "dev-own-issuer"
"""The dev stage with every option set."""
OPTIONS = Options(
    token_issuer="https://issuer.example/tenant",  # noqa: S106 -- an address
    token_audience="pulsedocs",  # noqa: S106 -- a name
    token_jwks_url="https://issuer.example/tenant/keys",  # noqa: S106 -- an address
    openai_base_url="https://models.example/v1",
    chat_model="extractive",
    alert_email="operator@example.com",
)
NAMES = (*STAGES, OWN_ISSUER)


def main() -> None:
    folder = Path(sys.argv[1])
    layers = Layers(core=folder / "layer", dependencies=folder / "layer")
    layers.core.mkdir()
    (layers.core / "placeholder").write_text("The template names a layer, not what is in it.")
    for stage in STAGES.values():
        _synthesise(folder / stage.name, stage=stage, options=Options(), layers=layers)
    _synthesise(folder / OWN_ISSUER, stage=STAGES["dev"], options=OPTIONS, layers=layers)


def _synthesise(folder: Path, *, stage: Stage, options: Options, layers: Layers) -> None:
    app = cdk.App(outdir=str(folder), context={"aws:cdk:bundling-stacks": []})
    compose(app, stage=stage, options=options, layers=layers)
    app.synth()


if __name__ == "__main__":
    main()
