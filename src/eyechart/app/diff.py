"""diff: field by field, how two evaluations differ, and whether that can move a score. Never calls a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.analysis.differing import Differing, Items, Told, same
from eyechart.analysis.differing_fields import differences, unset
from eyechart.analysis.differing_flags import flags
from eyechart.analysis.differing_rules import likeliest
from eyechart.app.diff_told import Known, known, laid, of_claims, of_spec, with_neutral
from eyechart.app.place import Place, place
from eyechart.core.errors import InputError
from eyechart.core.words import Text, message

if TYPE_CHECKING:
    from eyechart.report.blocks import Part
    from eyechart.report.inputs import Language

Given = Any
"""A run folder, a log, RUN#cell or a fingerprint file by name; or a Run, Study or Spec at hand."""
IDENTITY = ("model.path", "model.name", "model.revision", "model.sha256")


@dataclass(frozen=True, kw_only=True)
class Diffed(Differing):
    """What `diff` found, as a notebook shows it."""

    notes: tuple[str, ...] = ()
    """What was taken for A and B, where that is not plain."""

    def part(self) -> Part:
        """The section of a report."""
        from eyechart.report.sections.differing import differing_part

        return differing_part(self, self.notes)

    def report(self, path: Path | str, *, language: Language = "en") -> Path:
        """Write it as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be."""
        from eyechart.app.paper import write_paper

        write_paper(Path(path), self._title(language), [self.part()], language)
        return Path(path)

    def _title(self, language: Language) -> str:
        from eyechart.report.messages import say

        return say(message("diff.between", a=self.a.name, b=self.b.name), language)

    def __str__(self) -> str:
        from eyechart.report.diff_words import headline
        from eyechart.report.messages import say

        return say(headline(self), "en")

    def _repr_html_(self) -> str:
        from eyechart.app.paper import paper
        from eyechart.report.notebook import fragment

        return fragment(paper(self._title("en"), [self.part()]))


def diff(a: Given, b: Given) -> Diffed:
    """How `a` and `b` differ: `ec.diff("a.yaml", "b.yaml").differences`.

    Each is a fingerprint or study file, a run folder, RUN#cell, a log of a known harness, or a Run, Study or Spec. Items
    are compared one by one, and stored answers read again under the other answer key, only where the data is not known
    to be the same. Raises InputError for what is not there or cannot be read.
    """
    one, other = _known(a), _known(b)
    if (one.place.path, one.cell, one.spec) == (other.place.path, other.cell, other.spec):
        other = replace(other, told=replace(other.told, name=one.told.name))
    one, other = _settled(one, other)
    items, untold = _items(one, other)
    items_same = None if untold is not None else items is None or not items.changes
    one, other = _beside(one, other, items)
    x, y = one.told, other.told
    found = differences(x, y, items_same=items_same)
    if any(d.kind == "may" and d.layer == "engine" for d in found):
        from eyechart.app.diff_probed import shown_equal

        near = [known.place.path.resolve().parent for known in (one, other)]
        found = differences(x, y, items_same=items_same, shown_equal=shown_equal(x, y, found, near))
    digests = x.digest is not None and x.digest == y.digest
    effect = any(not same(x.effective.get(path), y.effective.get(path)) for path in (*x.effective, *y.effective))
    told = "log" not in (x.form, y.form) and not (x.described or y.described)
    return Diffed(
        a=x,
        b=y,
        differences=found,
        unset=unset(x, y),
        items=items if items is not None and items.changes else None,
        items_unknown=untold,
        flags=flags(x, y, found, _verdicts(one, other, asked_alike=not any(d.kind == "scores" for d in found))),
        same=digests or (told and not effect and items_same is True),
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
    )


def _known(given: Given) -> Known:
    if isinstance(given, str | Path):
        try:
            return known(place(str(given)))
        except InputError:
            bare = of_claims(Path(given))
            if bare is None:
                raise
            return bare
    if (folder := getattr(given, "folder", None)) is not None and hasattr(folder, "path"):  # a Run
        return known(place(str(folder.path)))
    spec = getattr(given, "spec", given)  # a Study holds a StudySpec, which holds a Spec
    spec = getattr(spec, "spec", spec)
    path = getattr(given, "path", None)
    if not hasattr(spec, "dataset"):
        raise InputError(
            f"a {type(given).__name__} is no evaluation; give a file, a run folder, a Run, a Study or a Spec"
        )
    at = Path(path) if path is not None else Path("-")
    return of_spec(Place(name=str(path or "(at hand)"), kind="fingerprint", path=at), spec)


def _settled(one: Known, other: Known) -> tuple[Known, Known]:
    """Fingerprints are laid out as a run would, where what they state does not settle items and model."""
    if one.spec is not None and other.spec is not None:
        apart = any(not same(one.told.effective.get(p), other.told.effective.get(p)) for p in IDENTITY)
        here = any(_file(known) for known in (one, other))
        if one.data == other.data and not (apart and here):
            return one, other
    laid_out = laid(one), laid(other)
    if None in {known.told.digest for known in laid_out if known.spec is not None} and "log" not in (
        one.told.form,
        other.told.form,
    ):
        return _stripped(one, laid_out[0]), _stripped(other, laid_out[1])
    return laid_out


def _stripped(before: Known, after: Known) -> Known:
    """Where one of the two cannot be laid out, both are compared by what needs no data and no model."""
    if before.spec is not None:
        return replace(before, notes=after.notes)
    unknown = ("dataset.items", "dataset.shots", "dataset.difficulty")
    kept = {path: value for path, value in before.told.effective.items() if path not in unknown}
    return replace(before, told=replace(before.told, effective=kept, engine={}))


def _file(one: Known) -> bool:
    path = one.spec.model.path if one.spec is not None else None
    return path is not None and (one.base / path).exists()


def _items(one: Known, other: Known) -> tuple[Items | None, Text | None]:
    """What the items differ in, None where they are known to be the same; or why that is not known."""
    if one.data == other.data:
        return None, None
    if one.bare or other.bare:
        return None, message("diff.items.aggregates")
    from eyechart.app.diff_items import compare_items

    found = compare_items(one, other)
    return (found, None) if isinstance(found, Items) else (None, found)


def _beside(one: Known, other: Known, items: Items | None) -> tuple[Known, Known]:
    """Both sides in one form: beside a log, what is off is written out, and items are known by comparing them."""
    sides = [one, other]
    if "log" in (one.told.form, other.told.form):
        sides = [replace(known, told=_with_chance(known, with_neutral(known.told))) for known in sides]
    if any("dataset.items" not in known.told.effective for known in sides):
        sides = [_by_content(known, known_items=items) for known in sides]
    return sides[0], sides[1]


def _by_content(one: Known, *, known_items: Items | None) -> Known:
    """Where one side has no digest of its items: both have one, if they were found to differ, or none."""
    apart = ("dataset.items", "dataset.shots", "dataset.difficulty")
    kept = {path: value for path, value in one.told.effective.items() if path not in apart}
    if known_items is not None and known_items.changes:
        from eyechart.app.diff_items import items_of
        from eyechart.data.load import content_digest

        kept["dataset.items"] = content_digest(list(items_of(one).values()))
    return replace(one, told=replace(one.told, effective=kept))


def _with_chance(one: Known, told: Told) -> Told:
    if not told.claims or one.bare:
        return told
    from eyechart.app.diff_items import chance_of

    return replace(told, chance=chance_of(one))


def _verdicts(one: Known, other: Known, *, asked_alike: bool) -> tuple[int, int] | None:
    """Verdicts are compared where nothing that scores differs and nothing is drawn: they should be the same."""
    if one.facts is None or other.facts is None or not asked_alike or one.place.path == other.place.path:
        return None
    if not (likeliest(one.told) and likeliest(other.told)):
        return None
    from eyechart.app.diff_items import verdicts

    return verdicts(one, other)
