"""YAML and JSON to values and back, with messages that name file, line and field.

YAML is read as version 1.2 (`no` is a word, `1e-3` a number), duplicate keys are refused, and every
mistake in a file is reported at once, one line each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from io import StringIO
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from eyechart.core import flat
from eyechart.core.bounded import DEEPEST, LONGEST, MOST, TOO_DEEP, TOO_MANY, bounded
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.factors import advice as advice_of
from eyechart.core.factors import changes_of, check_clashes, check_path, get, put
from eyechart.core.registry import hint
from eyechart.core.spec import Budget, Deployment, Design, Factor, Prices, Spec, StudySpec, Value

SECTIONS = ("dataset", "prompt", "decoding", "model", "evaluation", "judge", "repeats")
EXTRAS = ("name", "factors", "perturbations", "design", "budget", "prices", "preset", "deployment", "runtime")
Path = tuple[str | int, ...]


@dataclass(slots=True)
class Document:
    """Plain data and the line (from 1) on which each path of it stands."""

    data: Any
    lines: dict[Path, int] = field(default_factory=dict[Path, int])
    file: str | None = None
    values: int = 0
    """So many are there, each alias counted as often as it is used."""

    def line(self, path: Path) -> int | None:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def error(self, message: str, path: Path = ()) -> InputError:
        dotted = ".".join(str(p) for p in path) or None
        return InputError(message, file=self.file, line=self.line(path), field=dotted)


def read_yaml(text: str, file: str | None = None) -> Document:
    """Raises InputError, with the line, for text that is not YAML, names a key twice, or is too long or too deep.

    >>> read_yaml("stop: " + "[" * 5_000)
    Traceback (most recent call last):
    eyechart.core.errors.InputError: 1: is nested more than 64 deep, which no file of eyechart needs
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(text) > LONGEST:
        raise InputError(f"has {len(text):,} characters; {LONGEST:,} are read, keep items in a data file", file=file)
    yaml = YAML(typ="rt", pure=True)
    yaml.Composer = bounded(file)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        node = yaml.load(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    except MarkedYAMLError as error:
        found = cast("Any", error)
        mark = found.problem_mark or found.context_mark
        line = int(mark.line) + 1 if mark else None
        problem = str(found.problem or "not YAML").split("\n")[0]
        raise InputError(f"not valid YAML: {problem}", file=file, line=line) from None
    except (YAMLError, ValueError) as error:
        raise InputError(f"not valid YAML: {str(error).splitlines()[0]}", file=file) from None
    document = Document(None, file=file)
    document.data = _plain(node, (), document)
    return document


def _plain(node: Any, path: Path, document: Document) -> Any:
    document.values += 1
    if document.values > MOST or len(path) > DEEPEST:  # by way of aliases, which may even hold themselves
        raise document.error(TOO_MANY if document.values > MOST else TOO_DEEP, path[:3])
    position: Any = getattr(node, "lc", None)
    if isinstance(node, Mapping):
        out: dict[str, Any] = {}
        for raw, value in cast("Mapping[Any, Any]", node).items():
            key = raw if isinstance(raw, str) else str(raw)
            if position is not None and raw in (position.data or ()):  # what is merged by `<<` stands elsewhere
                document.lines[(*path, key)] = position.key(raw)[0] + 1
            out[key] = _plain(value, (*path, key), document)
        return out
    if isinstance(node, list):
        for i in range(len(cast("list[Any]", node))):
            if position is not None:
                document.lines[(*path, i)] = position.item(i)[0] + 1
        return [_plain(v, (*path, i), document) for i, v in enumerate(cast("list[Any]", node))]
    if isinstance(node, date):
        raise document.error(f"{node} is read as a date; put it in quotes", path)
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):  # ruamel's scalars are subclasses that remember their spelling
        if isinstance(node, kind):
            return kind(node)
    raise document.error(f"{type(node).__name__} cannot stand here", path)


def load_study(text: str, file: str | None = None) -> StudySpec:
    """A study (or a bare fingerprint, which is a study without factors) from YAML or JSON text.

    >>> study = load_study("decoding: {temperature: 0}\\nfactors:\\n- {decoding.temperature: [0, 1]}")
    >>> study.factors[0].levels
    (('0', 0), ('1', 1))

    Raises InputError; its text has one line for each mistake.
    """
    document = read_yaml(text, file)
    if not isinstance(document.data, dict):
        raise InputError("a study is a mapping with sections such as dataset and prompt", file=file)
    data = cast("dict[str, Any]", document.data)  # pyright: ignore[reportUnknownMemberType]
    if flat.is_flat(data):
        data = flat.from_flat(data)
        document.data, document.lines = data, {}
    problems = _unknown(document, data, (*SECTIONS, *EXTRAS))
    spec = _section(document, Spec, (), {k: v for k, v in data.items() if k in SECTIONS and v is not None}, problems)
    parts = {
        "design": _section(document, Design, ("design",), _short_design(data.get("design")), problems),
        "budget": _section(document, Budget, ("budget",), data.get("budget") or {}, problems),
        "prices": _section(document, Prices, ("prices",), data["prices"], problems) if data.get("prices") else None,
    }
    _raise(problems)
    factors = _factors(document, cast("Spec", spec), data, problems)
    _raise(problems)
    if data.get("design") is None:  # left unset, so that a goal may set it
        del parts["design"]
    rest = {k: data[k] for k in ("name", "preset", "deployment") if data.get(k) is not None}
    study = _section(document, StudySpec, (), {"spec": spec, "factors": factors, **parts, **rest}, problems)
    _raise(problems)
    return cast("StudySpec", study)


def _short_design(design: Any) -> Any:
    return {"kind": design} if isinstance(design, str) else design or {}


def _raise(problems: Sequence[InputError]) -> None:
    if not problems:
        return
    first = problems[0]
    rest = "".join(f"\n{problem}" for problem in problems[1:])
    raise InputError(first.message + rest, file=first.file, line=first.line, field=first.field)


def _unknown(document: Document, data: Mapping[str, Any], names: Sequence[str]) -> list[InputError]:
    return [
        document.error(_unknown_text(key, names, "section"), (key,)) for key in data if key not in names
    ]  # fmt: skip


def _unknown_text(key: str, names: Sequence[str], kind: str) -> str:
    advice = hint(key, names)
    return f"there is no {kind} {key}; {advice}"


def _section(document: Document, model: type[Value], path: Path, data: Any, problems: list[InputError]) -> Value | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems += _problems(document, model, path, error)
        return None


def _problems(document: Document, model: type[BaseModel], path: Path, error: ValidationError) -> list[InputError]:
    """One message a mistake; a union reports one error a branch, of which the first is shown."""
    out: list[InputError] = []
    seen: set[Path] = set()
    for item in error.errors():
        where = tuple(p for p in item["loc"] if _is_key(p))
        spot = (*path, *where)
        key = tuple(p for p in spot if (p in _known(document, spot)))
        if key in seen:
            continue
        seen.add(key)
        if item["type"] == "extra_forbidden":
            names = _names_at(model, where[:-1])
            out.append(document.error(_unknown_text(str(where[-1]), names, "field"), spot))
        else:
            out.append(document.error(advice_of(cast("Mapping[str, Any]", item)), key or spot))
    return out


def _known(document: Document, spot: Path) -> Path:
    """The leading part of `spot` that the document really has; union branches add names of their own."""
    while spot and spot not in document.lines:
        spot = spot[:-1]
    return spot


def _is_key(part: str | int) -> bool:
    return isinstance(part, int) or not any(c in part for c in "[](),")


def _names_at(model: type[BaseModel], path: Path) -> tuple[str, ...]:
    """Field names of the part of `model` that `path` leads to."""
    for part in path:
        info = model.model_fields.get(str(part))
        if info is None:
            break
        inner = [a for a in (info.annotation, *getattr(info.annotation, "__args__", ())) if isinstance(a, type)]
        nested = [a for a in inner if issubclass(a, BaseModel)]
        if not nested:
            break
        model = nested[0]
    return tuple(model.model_fields)


def _factors(document: Document, spec: Spec, data: Mapping[str, Any], problems: list[InputError]) -> tuple[Factor, ...]:
    if data.get("factors") is not None and data.get("perturbations") is not None:
        problems.append(document.error("write factors or perturbations, not both", ("perturbations",)))
        return ()
    key = "perturbations" if data.get("perturbations") is not None else "factors"
    entries: Any = data.get(key) or []
    if isinstance(entries, Mapping):
        entries = [{k: v} for k, v in cast("Mapping[str, Any]", entries).items()]
    if not isinstance(entries, list):
        problems.append(document.error("write a list, each entry a path and its levels", (key,)))
        return ()
    out: list[Factor] = []
    for i, entry in enumerate(cast("list[Any]", entries)):
        try:
            out += _entry(spec, entry)
        except ValidationError as error:
            problems += _problems(document, Factor, (key, i), error)
        except EyechartError as error:
            problems.append(document.error(getattr(error, "message", str(error)), (key, i)))
    if not problems:
        try:
            check_clashes(out)
        except InputError as error:
            problems.append(document.error(error.message, (key,)))
    return tuple(out)


def _entry(spec: Spec, entry: Any) -> list[Factor]:
    """One entry: `{path: levels, ...}` or the long form `{name:, path:, levels:}`."""
    if not isinstance(entry, Mapping) or not entry:
        raise InputError("write `path: [levels]`, e.g. `decoding.temperature: [0, 0.7]`")
    entry = cast("Mapping[str, Any]", entry)
    if "levels" in entry:
        extra = [k for k in entry if k not in ("name", "path", "levels")]
        if extra:
            raise InputError(_unknown_text(extra[0], ("name", "path", "levels"), "field"))
        path = entry.get("path") or ""
        name = entry.get("name") or path
        if not name:
            raise InputError("a factor whose levels are mappings needs a name")
        return [_factor(spec, str(name), str(path), entry["levels"])]
    return [_factor(spec, path, path, levels) for path, levels in entry.items()]


def _factor(spec: Spec, name: str, path: str, levels: Any) -> Factor:
    if path:
        check_path(path)
    if isinstance(levels, Mapping):
        named = [(str(k), v) for k, v in cast("Mapping[str, Any]", levels).items()]
    elif isinstance(levels, list):
        named = [(level_name(v), v) for v in cast("list[Any]", levels)]
    else:
        raise InputError(f"{name}: write the levels as a list, or as a mapping of names to values")
    factor = joined(spec, Factor(name=name, path=path, levels=tuple(named), ordered=_ordered(named)))
    for level, value in factor.levels:
        if not path and not isinstance(value, Mapping):
            raise InputError(f"{name}: level {level} must be a mapping of paths to values, since no path is given")
        changes = changes_of(factor, value)
        for each in changes:
            check_path(each)
        put(spec, changes)
    return factor


def joined(spec: Spec, factor: Factor) -> Factor:
    """`factor` with what `spec` states among its levels: the baseline is one of them.

    >>> heat = Factor(name="t", path="decoding.temperature", levels=(("1", 1),))
    >>> joined(Spec(decoding={"temperature": 0.5}), heat).levels
    (('0.5', 0.5), ('1', 1))
    """
    now = get(spec, factor.path) if factor.path and not factor.path.endswith("+") else None
    if now is None or any(v == now for _, v in factor.levels):
        return factor
    named = [(level_name(now), now), *factor.levels]
    return Factor(name=factor.name, path=factor.path, levels=tuple(named), ordered=_ordered(named))


def level_name(value: Any) -> str:
    """How a level without a name is called: its value, cut short.

    >>> level_name(0.5), level_name(None), level_name({"typos": {"rate": 0.1}})
    ('0.5', 'none', 'typos')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping) and len(cast("Mapping[str, Any]", value)) == 1:
        return str(next(iter(cast("Mapping[str, Any]", value))))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return (text if len(text) <= 40 else text[:37] + "...") or "(empty)"


def _ordered(named: Sequence[tuple[str, Any]]) -> bool:
    numbers = [v for _, v in named if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(numbers) == len(named) > 1


def dump_study(study: StudySpec) -> str:
    """YAML that loads back to an equal value."""
    from ruamel.yaml import YAML

    plain: dict[str, Any] = {}
    if study.name:
        plain["name"] = study.name
    plain |= {k: v for k, v in study.spec.stated().items() if v}
    if study.factors:
        plain["factors"] = [
            {"name": f.name, "path": f.path, "levels": dict(f.levels)} for f in study.factors
        ]  # fmt: skip
    plain["design"] = study.design.stated()
    for key in ("budget", "prices"):
        value: Value | None = getattr(study, key)
        if value is not None and value.stated():
            plain[key] = value.stated()
    if study.preset:
        plain["preset"] = study.preset
    if study.deployment:
        plain["deployment"] = study.deployment.stated()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # pyright: ignore[reportAttributeAccessIssue]
    out = StringIO()
    yaml.dump(json.loads(json.dumps(plain)), out)  # pyright: ignore[reportUnknownMemberType]
    return out.getvalue()


def schema() -> dict[str, Any]:
    """JSON Schema of a study file, for editors."""
    out = Spec.model_json_schema(mode="validation")
    definitions = cast("dict[str, Any]", out.setdefault("$defs", {}))
    for model in (Design, Budget, Prices, Deployment):
        inner = model.model_json_schema(mode="validation")
        definitions |= inner.pop("$defs", {})
        definitions[model.__name__] = inner
    levels = {"oneOf": [{"type": "array"}, {"type": "object"}]}
    entry = {
        "type": "object",
        "description": "`path: [levels]`, `path: {name: level}`, or `{name:, path:, levels:}`.",
        "additionalProperties": True,
        "properties": {"name": {"type": "string"}, "path": {"type": "string"}, "levels": levels},
    }
    out["properties"] |= {
        "name": {"type": "string"},
        "factors": {"oneOf": [{"type": "array", "items": entry}, {"type": "object"}]},
        "perturbations": {"type": "array", "items": entry},
        "design": {"oneOf": [{"$ref": "#/$defs/Design"}, {"enum": ["one_at_a_time", "factorial"]}]},
        "budget": {"$ref": "#/$defs/Budget"},
        "prices": {"$ref": "#/$defs/Prices"},
        "preset": {"enum": ["ceiling", "production", "sensitivity"]},
        "deployment": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/Deployment"}]},
        "runtime": {"type": "object", "description": "Observed, never hashed."},
    }
    out["properties"]["repeats"] = {"oneOf": [{"type": "integer", "minimum": 1}, {"$ref": "#/$defs/Repeats"}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **out, "title": "eyechart study"}
