"""disclose: what a run, a log, a description or a snapshot does not say, as questions to its authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eyechart.app.check import Given, flat_facts, known_of_folder
from eyechart.app.finished import Finished
from eyechart.app.known import known_of, known_of_words
from eyechart.app.known_facts import plain_runtime
from eyechart.app.known_foreign import aggregates, known_of_foreign
from eyechart.app.place import as_run
from eyechart.app.reread import reread_run
from eyechart.app.study import Study, load
from eyechart.core.codec import read_yaml
from eyechart.core.errors import InputError
from eyechart.core.flat import is_flat
from eyechart.report.inputs import Language
from eyechart.rules.questions import Question, questions
from eyechart.rules.values import Known


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """What one number does not say.

    >>> import eyechart as ec
    >>> from eyechart.app.disclose import disclose
    >>> found = disclose(ec.loads("model_name: m\\ndecode: {temperature: 0}\\ntask: {name: gsm8k, fewshot: 0}"))
    >>> [one.id for one in found.questions][:4]
    ['data_version', 'split', 'items', 'template']
    """

    name: str
    questions: tuple[Question, ...]

    def markdown(self, language: Language = "en") -> str:
        """The list as a letter."""
        from eyechart.report.sections.disclose import letter

        return letter(self.name, self.questions, language)

    def write(self, path: Path | str, language: Language = "en") -> Path:
        """As Markdown, HTML or JSON, by the ending. Raises InputError where it cannot be written."""
        from eyechart.app.paper import writable, write_paper
        from eyechart.report.sections.disclose import part

        path = Path(path)
        writable(path)
        if path.suffix != ".md":
            write_paper(path, self.name, [part(self.questions)], language)
            return path
        try:
            path.write_text(self.markdown(language), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}") from None
        return path

    @property
    def sentence(self) -> str:
        n = len(self.questions)
        if not n:
            return f"Nothing is left to ask of {self.name}."
        return f"{n} question{'s' * (n != 1)} to the authors of {self.name}."

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from eyechart.app.paper import paper
        from eyechart.report.notebook import fragment
        from eyechart.report.sections.disclose import part

        return fragment(paper(self.name, [part(self.questions)]))


def disclose(given: Given) -> Disclosure:
    """What is not said of an evaluation, as questions. Calls no model.

    `given`: a run, a log of another harness, a file that describes an evaluation (a fingerprint or a flat snapshot; what
    it does not state is asked for, and nothing is filled in), or one of them held already.

    Raises InputError for what is not there or cannot be read, or for a log that holds several evaluations.
    """
    if isinstance(given, Finished):
        return _asked(known_of(given), given)
    if isinstance(given, Study):
        return _of_text(given, given.name)
    foreign = aggregates(given)
    if foreign is not None:
        return _asked(known_of_foreign(foreign))
    text = as_run(given)
    if Path(text).is_dir():
        return _asked(*known_of_folder(Path(text), str(given)))
    if "#" in text and not Path(text).exists():
        raise InputError("questions are about a whole run: name its folder, without #", field=text)
    study = load(Path(text))
    return _of_text(study, str(given) if text != "-" else study.name)


def _asked(known: Known, run: Finished | None = None) -> Disclosure:
    return Disclosure(name=known.name, questions=questions(known, None if run is None else reread_run(run)))


def _of_text(study: Study, name: str) -> Disclosure:
    """A file is somebody's word: what it does not state is not filled in."""
    data: Any = read_yaml(study.text, str(study.path) if study.path else None).data
    facts: dict[str, Any] = {}
    if isinstance(data, Mapping):
        plain = cast("Mapping[str, Any]", data)
        facts = flat_facts(plain) if is_flat(plain) else {f"runtime.{k}": v for k, v in plain_runtime(plain).items()}
    return _asked(known_of_words(study.spec.spec, name, facts))
