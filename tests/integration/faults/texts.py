"""Short texts that make several pages' worth of chunks and batches."""

from typing import Final

TEXT: Final = "\n\n".join(
    f"Section {number}. The gauge of station {number} is read at {number + 3} o'clock and logged."
    " Readings above the mark are reported to the duty engineer before the shift ends."
    for number in range(1, 13)
).encode()
LATER_TEXT: Final = TEXT.replace(b"o'clock", b"hours sharp")
SUBJECTS: Final = (
    "Pump number {} needs clean water before the first run of the day, or its seals run dry.",
    "Revenue of the region rose by {} per cent in the quarter, more than the year before.",
)
TWO_SUBJECTS: Final = " ".join(
    subject.format(number) for subject in SUBJECTS for number in range(40)
).encode()
"""Above 1,000 tokens: the semantic profile measures its sentences."""
SEMANTIC: Final = {"profile": "semantic", "breakpoint_percentile": 98}
