"""What a model thinks aloud before it answers, `<think>...</think>`: no part of its answer.

Most servers keep it apart. Those that do not, send the tags; the templates of some models open the
thought in the prompt, so that a reply has its end alone.
"""

import re
from typing import Final

_OPEN, _CLOSE = "<think>", "</think>"
_THOUGHT: Final = re.compile(
    rf"\s*{_OPEN}.*?(?:{_CLOSE}|\Z)|.*?{_CLOSE}[ \t]*(?:\n|\Z)",  # cut while it thinks: no answer
    re.DOTALL,
)


def without_thoughts(reply: str) -> str:
    """Return a whole reply without what was thought before it.

    An end that nothing opened counts at the end of a line: elsewhere the answer may speak of it.
    """
    thought = _THOUGHT.match(reply)
    return reply[thought.end() :] if thought else reply


class ArrivingThoughts:
    """Give it the pieces of a reply in order; it gives back what is no thought.

    What nothing opens is read as an answer: whether its end follows is not known yet.
    """

    def __init__(self) -> None:
        self._waiting: str | None = ""
        self._is_thinking = False

    def take(self, piece: str) -> str:
        if self._waiting is None:
            return piece
        self._waiting += piece
        begins = self._waiting.lstrip()
        if not self._is_thinking:
            if len(begins) < len(_OPEN) and _OPEN.startswith(begins):
                return ""
            if not begins.startswith(_OPEN):
                return self.end()
            self._is_thinking = True
        _, closed, rest = self._waiting.partition(_CLOSE)
        if not closed:
            self._waiting = self._waiting[-len(_CLOSE) :]
            return ""
        self._waiting = None
        return rest

    def end(self) -> str:
        """Return what waited for more to come."""
        waiting, self._waiting = self._waiting, None
        return "" if self._is_thinking else waiting or ""
