"""A new interpreter that sees nothing of this process: no environment, no site, no terminal."""

import subprocess
import sys
from pathlib import Path


def start_script(
    entry: Path, argument: str, *, stdin: int, stdout: int, directory: Path
) -> subprocess.Popen[bytes]:
    """Run one of our scripts. Raises OSError."""
    # All that the interpreter needs to start: Lambda's finds its library only by this path.
    libraries = {"LD_LIBRARY_PATH": str(Path(sys.base_prefix) / "lib")}
    # Tesseract's threads wait for each other: four take twice the CPU-seconds of one.
    threads = {"OMP_THREAD_LIMIT": "1"}
    # pdfium takes 300 kB for the letters of a page and gives them back: glibc would return them to
    # the system, which clears them for the next page again. It is a tenth of reading.
    memory = {"MALLOC_TOP_PAD_": str(16 * 2**20)}
    return subprocess.Popen(  # noqa: S603 -- our interpreter, our script
        [sys.executable, "-I", "-S", "-B", str(entry), argument],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        cwd=directory,
        env=threads | memory | libraries if sys.platform == "linux" else threads,
        start_new_session=True,
    )
