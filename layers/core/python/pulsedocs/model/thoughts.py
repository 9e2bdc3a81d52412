"""What a model thinks aloud before it answers, `<think>...</think>`: no part of its answer.

Most servers keep it apart. Those that do not, send the tags, or the channels of OpenAI's harmony
format; the templates of some models open the thought in the prompt, so that a reply has its end
alone.
"""

import re
from typing import Final

_CLOSES: Final = {
    "<think>": "</think>",
    "[THINK]": "[/THINK]",
    "<|channel|>analysis": "<|channel|>final<|message|>",
    "<|channel|>final": "<|message|>",  # nothing was thought
}
_OPENED: Final = "|".join(
    rf"{re.escape(opening)}.*?(?:{re.escape(close)}|\Z)"  # cut while it thinks: no answer
    for opening, close in _CLOSES.items()
)
_THOUGHT: Final = re.compile(rf"\s*(?:{_OPENED})|.*?</think>[ \t]*(?:\n|\Z)", re.DOTALL)


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
        self._close: str | None = None  # while it thinks

    def take(self, piece: str) -> str:
        if self._waiting is None:
            return piece
        self._waiting += piece
        if self._close is None:
            begins = self._waiting.lstrip()
            self._close = next(
                (close for opening, close in _CLOSES.items() if begins.startswith(opening)), None
            )
            if self._close is None:
                may_open = any(opening.startswith(begins) for opening in _CLOSES)
                return "" if may_open else self.end()
        _, closed, rest = self._waiting.partition(self._close)
        if not closed:
            self._waiting = self._waiting[-len(self._close) :]
            return ""
        self._waiting = None
        return rest

    def end(self) -> str:
        """Return what waited for more to come."""
        waiting, self._waiting = self._waiting, None
        return "" if self._close else waiting or ""
