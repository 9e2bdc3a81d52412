"""Namespaces of office formats under the prefixes that their specifications use."""

from typing import Final

A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
DRAW: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
SVG: Final = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
