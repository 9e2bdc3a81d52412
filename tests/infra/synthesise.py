"""Synthesise every stage once, for all tests: `python -m tests.infra.synthesise FOLDER`.

In a process of its own: jsii starts Node and keeps it, and the tests need only the JSON.
"""

import sys
from pathlib import Path

from infra.config import STAGES, Options
from infra.layers import Layers
from infra.synth import synthesise

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
    for name in STAGES:
        synthesise(folder / name, stage=name, options=Options(), layers=layers)
    synthesise(folder / OWN_ISSUER, stage="dev", options=OPTIONS, layers=layers)


if __name__ == "__main__":
    main()
