"""Synthesise every stage, checked, without the CDK command: `python -m infra.synth`.

`cdk synth` starts Node and Python anew for each stage; this does it once.
"""

import sys
from pathlib import Path

import aws_cdk as cdk

from infra.app import compose
from infra.config import STAGES, SYNTHESISED, Options
from infra.layers import Layers, built_layers
from pulsedocs.errors import ConfigurationError


def synthesise(folder: Path, *, stage: str, options: Options, layers: Layers) -> None:
    """Write one stage's cloud assembly into a folder; raise when a rule is broken."""
    # Without copies of the layers, 110 MB a stage: what is read here are the templates.
    app = cdk.App(outdir=str(folder), context={"aws:cdk:disable-asset-staging": True})
    compose(app, stage=STAGES[stage], options=options, layers=layers)
    app.synth()


def main() -> None:
    try:
        layers = built_layers()
    except ConfigurationError as error:
        sys.exit(f"error: {error.message}")
    for stage in STAGES:
        synthesise(SYNTHESISED / stage, stage=stage, options=Options(), layers=layers)
        print(f"build/synth/{stage}")


if __name__ == "__main__":
    main()
