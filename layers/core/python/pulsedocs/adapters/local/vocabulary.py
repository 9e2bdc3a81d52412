"""The whole words of the local embedder's vocabulary: the commonest of English."""

from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

from pulsedocs.adapters.local.files import verified

_FILE: Final = "bge-small-en-v1.5/tokenizer.json"


class WholeWords:
    """Says whether a word, in small letters, is one of some 24,000 that are not cut to be read."""

    def __init__(self, model_directory: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(verified(model_directory, _FILE)))

    def __call__(self, word: str) -> bool:
        return self._tokenizer.token_to_id(word) is not None
