"""What a look at an account found: a line for a person, an object for a program."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """`STOP` is what a first deployment would fail on, or what nothing could be asked after."""

    OK = "ok"
    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. `next_step` says what to do, where there is something to do."""

    level: Level
    subject: str
    found: str
    next_step: str = ""

    def as_line(self) -> str:
        line = f"{self.level:<5} {self.subject}: {self.found}"
        return f"{line}\n      -> {self.next_step}" if self.next_step else line

    def as_json(self) -> Mapping[str, str]:
        return {
            "level": self.level,
            "subject": self.subject,
            "found": self.found,
            "next_step": self.next_step,
        }


def ok(subject: str, found: str) -> Finding:
    return Finding(Level.OK, subject, found)


def warn(subject: str, found: str, next_step: str) -> Finding:
    return Finding(Level.WARN, subject, found, next_step)


def stop(subject: str, found: str, next_step: str) -> Finding:
    return Finding(Level.STOP, subject, found, next_step)


def stops(findings: Iterable[Finding]) -> bool:
    return any(finding.level is Level.STOP for finding in findings)
