"""What CloudFormation writes out before it makes a resource: references, joins, imports."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

_PLACEHOLDER: Final = re.compile(r"\$\{([^!}]+)\}")


@dataclass(frozen=True, slots=True)
class Made:
    """A resource as others refer to it: `Ref`, and `Fn::GetAtt` by name."""

    ref: str
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])

    def attribute(self, name: str) -> str:
        return self.attributes[name]


class LeftOut(Made):
    """Stands for a resource that is not made here; whoever really used it would show."""

    def attribute(self, name: str) -> str:
        text = f"{self.ref}.{name}"
        return f"arn:aws:left-out:::{text}" if name.endswith("Arn") else text


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """Evaluates functions; `made` makes the resource that a function refers to."""

    pseudo: Mapping[str, str]
    made: Callable[[str], Made]
    exports: Mapping[str, Any]

    def value(self, written: Any) -> Any:
        """Return a value of the template with every function in it evaluated."""
        if isinstance(written, list):
            return [self.value(item) for item in cast("list[Any]", written)]
        if not isinstance(written, dict):
            return written
        mapping = cast("dict[str, Any]", written)
        if len(mapping) == 1:
            [(name, argument)] = mapping.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._evaluate(name, argument)
        return {name: self.value(item) for name, item in mapping.items()}

    def _evaluate(self, function: str, argument: Any) -> Any:
        evaluate: dict[str, Callable[[Any], Any]] = {
            "Ref": self._reference,
            "Fn::GetAtt": lambda of: self.made(of[0]).attribute(of[1]),
            "Fn::Join": lambda of: str(of[0]).join(self.value(of[1])),
            "Fn::Select": lambda of: self.value(of[1])[int(of[0])],
            "Fn::Split": lambda of: str(self.value(of[1])).split(of[0]),
            "Fn::Sub": lambda of: _PLACEHOLDER.sub(lambda found: self._reference(found[1]), of),
            "Fn::ImportValue": lambda of: self.value(self.exports[of]),
        }
        return evaluate[function](argument)

    def _reference(self, name: str) -> str:
        return self.pseudo.get(name) or self.made(name).ref
