"""A proof and the originals it names, read here as a stage reads them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pulsedocs.adapters.ed25519 import is_signed
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.cleaning import clean
from pulsedocs.extraction import Budgets
from pulsedocs.model.highlights import RECOGNISER, languages_of
from pulsedocs.model.pages import ALWAYS_RECOGNISED
from pulsedocs.model.proofs import ProvenCitation
from pulsedocs.questions.verify_proof import Check, verify_proof


def checks_of(file: Path, originals: Sequence[Path], *, key: str | None) -> Iterator[Check]:
    """Check a proof. Raises InvalidRequest for other files, DocumentRejected for bad originals."""
    return verify_proof(
        file.read_bytes(),
        [original.read_bytes() for original in originals],
        pages_of=Originals().pages_of,
        is_signed=is_signed,
        key_id=key,
    )


class Originals:
    """Reads each file once for all the citations of pages that were read alike."""

    def __init__(self) -> None:
        self._read: dict[tuple[bytes, tuple[str, ...]], Mapping[int, str]] = {}

    def pages_of(self, body: bytes, citation: ProvenCitation) -> Mapping[int, str]:
        """Return the text of each page that offsets count in. Raises DocumentRejected."""
        origin = citation.words.origin
        languages: tuple[str, ...] = ()
        if origin.parser.startswith(RECOGNISER):
            languages = languages_of(origin.parser) or ALWAYS_RECOGNISED
        key = body, languages
        if key not in self._read:
            extractor = SandboxedExtractor(Budgets(), languages=languages)
            pages = clean(list(extractor.pages(body, content_type=origin.content_type)))
            self._read[key] = {page.number: page.text for page in pages}
        return self._read[key]
