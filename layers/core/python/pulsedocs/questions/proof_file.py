"""The file of a proof: a page for its reader, the same as JSON for a program, and a signature.

The signature is the last line and of every byte before it, so the page cannot say anything that
the stage did not say.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from importlib import resources
from string import Template
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.proofs import Proof, ProvenCitation, Signature
from pulsedocs.questions.ports import Signer

_PROOF: Final = TypeAdapter(Proof)
_SIGNATURE: Final = TypeAdapter(Signature)
_LAST_LINE: Final = re.compile(rb"\n<!-- signed (\{[^<>]*\}) -->\n\Z")
_JSON: Final = re.compile(r'<script type="application/json" id="proof">(.*)</script>')


def signed_file(proof: Proof, *, signer: Signer) -> bytes:
    body = _page(proof, key_id=signer.key_id).encode()
    line = _SIGNATURE.dump_json(signer.sign(body)).decode()
    return body + f"\n<!-- signed {line} -->\n".encode()


def opened(file: bytes) -> tuple[Proof, bytes, Signature]:
    """Return the proof, the bytes that were signed, and the signature; check nothing.

    Raises InvalidRequest for what is no such file.
    """
    last = _LAST_LINE.search(file)
    if last is None:
        raise InvalidRequest("the file does not end with a signature; it is no proof, or was cut")
    body = file[: last.start()]
    data = _JSON.search(body.decode("utf-8", "replace"))
    if data is None:
        raise InvalidRequest("the file holds no proof")
    try:
        proof = _PROOF.validate_json(data[1])
        return proof, body, _SIGNATURE.validate_json(last[1])
    except ValidationError as error:
        raise InvalidRequest("the file holds no proof that this version can read") from error


def _page(proof: Proof, *, key_id: str) -> str:
    trace = proof.trace
    selected = [candidate for candidate in trace["candidates"] if candidate["selected"]]
    models = (f"{part} {name}" for part, name in trace["models"].items() if name)
    return Template(
        resources.files("pulsedocs.questions").joinpath("proof.html").read_text(encoding="utf-8")
    ).substitute(
        exported_at=escape(proof.exported_at),
        question=escape(proof.question),
        answer=escape(proof.answer),
        citations="\n".join(map(_citation, proof.citations))
        or "<p>Nothing is cited: the answer is a refusal.</p>",
        profile=escape(str(trace["profile"]["name"])),
        models=escape(", ".join(models)) or "no model took part",
        chosen=f"{len(selected)} of {len(trace['candidates'])} passages were chosen",
        selected="\n".join(_row(candidate, proof.citations) for candidate in selected),
        key_id=escape(key_id),
        json=_as_json(proof),
    )


def _citation(citation: ProvenCitation) -> str:
    origin, mark = citation.words.origin, citation.mark
    printed = f", printed as {origin.page_label}" if origin.page_label else ""
    titled = f"<bdi>{escape(origin.title or origin.source)}</bdi>"
    facts = {
        "File": f"<bdi>{escape(origin.source)}</bdi>",
        "SHA-256 of the file": f"<code>{escape(origin.file_sha256 or 'not known')}</code>",
        "SHA-256 of the page's text": f"<code>{citation.words.text_sha256}</code>",
        "Characters": f"{mark.start} to {mark.end} of the page's text",
        "Read by": escape(origin.parser),
    }
    rows = "\n".join(f"<tr><th>{name}</th><td>{fact}</td></tr>" for name, fact in facts.items())
    return f"""<article>
<p><strong>[{citation.n}]</strong> {titled}, page {mark.page}{escape(printed)}</p>
<blockquote dir="auto">{escape(citation.words.quote)}</blockquote>
{_drawing(citation)}<table>
{rows}
</table>
</article>"""


def _drawing(citation: ProvenCitation) -> str:
    piece = citation.piece
    if piece is None or piece.picture is None:
        return ""
    height = (piece.height if piece.bottom is None else piece.bottom) - piece.top
    marks = "".join(
        f'<rect x="{x0}" y="{y0}" width="{x1 - x0:.2f}" height="{y1 - y0:.2f}"/>'
        for x0, y0, x1, y1 in piece.boxes
    )
    return (
        f'<svg viewBox="0 {piece.top} {piece.width} {height:.2f}" role="img"'
        f' aria-label="The words on page {citation.mark.page} as drawn">'
        f'<image href="data:image/png;base64,{piece.picture}" x="0" y="{piece.top}"'
        f' width="{piece.width}" height="{height:.2f}" preserveAspectRatio="none"/>{marks}</svg>\n'
    )


def _row(candidate: dict[str, Any], citations: Sequence[ProvenCitation]) -> str:
    of_document = (
        citation.words.origin.source
        for citation in citations
        if str(citation.mark.document_id) == candidate["document_id"]
    )
    cells = (
        candidate["rank"],
        next(of_document, candidate["document_id"]),
        ", ".join(map(str, candidate["pages"])),
        candidate["relevance"],
        candidate["final_score"],
    )
    shown = ("" if cell is None else escape(str(cell)) for cell in cells)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in shown) + "</tr>"


def _as_json(proof: Proof) -> str:
    """Return the proof in one line that ends no element; places stay here, with their tenant."""
    bare = replace(
        proof,
        citations=tuple(
            replace(citation, words=replace(citation.words, place=None), piece=None)
            for citation in proof.citations
        ),
    )
    text = _PROOF.dump_json(bare).decode()
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
