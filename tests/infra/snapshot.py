"""What each stage deploys, as text in which a change is read: `make snapshots` writes it again.

One line a fact, references by name; of assets no hash, or every change of code would be one here.
`dev.txt` has everything, the other stages what differs from it.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final, cast

from infra.config import STAGES
from tests.infra.synthesise import main as synthesise
from tests.infra.templates import StageTemplates, listed

SNAPSHOTS: Final = Path(__file__).with_name("snapshots")
_HASHES: Final = re.compile(r"(?<=[A-Za-z])(?:[0-9A-F]{8}){1,2}(?:[0-9a-f]{32})?(?=[A-Z]|\b)")
"""What CDK puts into names: of the place in the tree, and of the content of code."""
_ELSEWHERE: Final = {
    "DefinitionString": "written in infra/machines",
    "S3Key": "an asset",
    "S3Bucket": "the bucket of assets",
    "ZipFile": "written in infra/components",
}
_LEFT_OUT: Final = {"Tags", "TagList", "ResourceTags", "FileSystemTags", "UserPoolTags"}


def snapshots(assemblies: Path) -> dict[str, str]:
    """Return the text of each stage's file, out of the folder with its synthesised templates."""
    whole = {name: _stage(assemblies, name) for name in STAGES}
    first, *others = whole
    return {first: whole[first]} | {
        name: "\n".join(_differences(whole[first], whole[name])) + "\n" for name in others
    }


def _stage(assemblies: Path, name: str) -> str:
    templates = StageTemplates(name=name, folder=assemblies / name)
    blocks = [
        "\n".join([f"{logical_id}  {resource['Type']}", *sorted(_facts(templates, resource))])
        for logical_id, resource in templates.resources.items()
    ]
    text = _HASHES.sub("", "\n\n".join(blocks) + "\n")
    text = re.sub(
        rf"(?<!Arn/)(?<!leftovers-)\b{name}\b(?!/[*;])|(?<=PulseDocs){name}(?=[A-Z])|(?<=Stage){name}\b",
        "<stage>",
        text,
    )
    return "\n\n".join(sorted(text.strip().split("\n\n"))) + "\n"


def _differences(ours: str, theirs: str) -> Iterator[str]:
    """Yield what another stage has more (+) or less (-), each under the resource it belongs to.

    What most resources of a type have alike stands once, under the type; those of them that differ
    otherwise follow by name.
    """
    ours_of, theirs_of = (
        {block.partition("\n")[0]: block.splitlines()[1:] for block in text.split("\n\n")}
        for text in (ours, theirs)
    )
    changes: dict[str, dict[str, tuple[str, ...]]] = {}
    for resource in sorted(ours_of | theirs_of):
        changes.setdefault(resource.split()[1], {})[resource] = tuple(
            line
            for line in unified_diff(
                ours_of.get(resource, []), theirs_of.get(resource, []), n=0, lineterm=""
            )
            if not line.startswith(("---", "+++", "@@"))
        )
    for kind, changed_of in sorted(changes.items()):
        common, count = Counter(changed_of.values()).most_common(1)[0]
        is_common = count > max(1, len(changed_of) // 2)
        if is_common and common:
            yield from ("", f"each {kind}", *common)
        for resource, changed in changed_of.items():
            if changed != (common if is_common else ()):
                yield from ("", resource, *(changed or ["  as in the first stage"]))


def _facts(templates: StageTemplates, resource: Mapping[str, Any]) -> Iterator[str]:
    if "DeletionPolicy" in resource:
        yield f"  when removed: {resource['DeletionPolicy']}"
    for name, value in resource.get("Properties", {}).items():
        if name not in _LEFT_OUT:
            yield from _lines(templates, name, value)


def _lines(templates: StageTemplates, path: str, value: Any) -> Iterator[str]:
    if path.rpartition(".")[2] in _ELSEWHERE:
        yield f"  {path}: {_ELSEWHERE[path.rpartition('.')[2]]}"
    elif isinstance(value, dict) and {"Effect", "Action"} <= set(cast("dict[str, Any]", value)):
        yield f"  {path.partition('.')[0]}: {_statement(templates, cast('dict[str, Any]', value))}"
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            facts = [line.strip() for line in _lines(templates, path, item)]
            is_whole = len(facts) == 1 or not isinstance(item, dict)
            yield f"  {facts[0] if is_whole else f'{path}: {_joined(path, facts)}'}"
    elif isinstance(value, dict) and not _is_reference(cast("dict[str, Any]", value)):
        for name, item in cast("dict[str, Any]", value).items():
            yield from _lines(templates, f"{path}.{name}", item)
    else:
        yield f"  {path}: {_text(templates, value)}"


def _joined(path: str, facts: list[str]) -> str:
    """Write an item of a list on one line: its facts, without the path that they share."""
    return "; ".join(fact.removeprefix(f"{path}.") for fact in facts)


def _statement(templates: StageTemplates, statement: Mapping[str, Any]) -> str:
    """Write a statement of a policy as one sentence."""
    who = statement.get("Principal", {})
    named = cast("dict[str, Any]", who) if isinstance(who, dict) else {"AWS": who}
    callers = [each for kind in named.values() for each in listed(kind)]
    said = [
        statement["Effect"],
        *(_text(templates, each) for each in callers),
        ", ".join(sorted(listed(statement["Action"]))),
    ]
    if "Resource" in statement:
        resources = sorted(_text(templates, each) for each in listed(statement["Resource"]))
        said.append(f"on {', '.join(resources)}")
    for operator, keys in statement.get("Condition", {}).items():
        for key, wanted in keys.items():
            said.append(f"if {operator} {key} {_text(templates, wanted)}")
    return " ".join(said)


def _is_reference(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in {
        "Ref",
        "Fn::GetAtt",
        "Fn::Join",
        "Fn::ImportValue",
        "Fn::Select",
        "Fn::GetAZs",
        "Fn::Sub",
    }


def _text(templates: StageTemplates, value: Any) -> str:
    try:
        return templates.text(value).replace("\n", " ")
    except NotImplementedError:
        return json.dumps(value)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sys.argv[1:] = [folder]
        synthesise()
        for name, text in snapshots(Path(folder)).items():
            (SNAPSHOTS / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
