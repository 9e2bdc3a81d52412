"""The documentation as a site: `make site` writes it, one folder for each version."""

import re
from pathlib import Path

_PYPROJECT = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")

project = "PulseDocs"
release = re.findall(r'^version = "(.+)"$', _PYPROJECT, re.MULTILINE)[0]
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"PulseDocs {release}"
html_show_copyright = False
html_show_sphinx = False
exclude_patterns = ["*.py", "**/__pycache__"]
myst_heading_anchors = 3
suppress_warnings = [
    "myst.xref_missing",  # links into the code, which is not part of the site; tests check them
    "misc.highlighting_failure",  # Mermaid stays as text: drawing it would load a script
]
