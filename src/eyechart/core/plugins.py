"""What a plug-in of each kind is, and the registries that name them.

A plug-in is a frozen dataclass: its fields are its parameters, its one method is pure, and it has a
`version` that moves when its answers move. The registries below list every built-in one, a line
each, as `module:attribute`, so that nothing is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast

from eyechart.core.errors import InputError
from eyechart.core.records import Call, Capabilities, Engine, Extraction, Failure, Item, Response, Scalar, Score
from eyechart.core.registry import Registry, hint
from eyechart.core.spec import Factor, Model, Name, Spec

if TYPE_CHECKING:
    from numpy.random import Generator

T = TypeVar("T")


class Backend(Protocol):
    """Something that answers. Making one is cheap: nothing is loaded or called before `ask`."""

    capabilities: Capabilities
    batch: int
    """How many calls one `ask` takes at most. Answers must not depend on who shares the batch."""
    concurrency: int
    """How many `ask` may be under way at once."""

    def engine(self) -> Engine:
        """What answers, known before any call; in the store's key."""
        ...

    def facts(self) -> Mapping[str, Scalar]:
        """What identifies the model by content (`sha256`); empty where only its name is known."""
        ...

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        """One result a call, in order. A failure is a value; only a bug raises."""
        ...

    async def close(self) -> None: ...


class TextEdit(Protocol):
    """Changes the finished prompt."""

    version: ClassVar[int]
    target: ClassVar[str]  # "text"
    random: ClassVar[bool]
    """Whether `rng` is ever called."""
    where: ClassVar[str]  # of several messages: "all", "first" (a prefix), or "last" (a suffix)

    def apply(self, text: str, rng: Callable[[], Generator]) -> str: ...


class ItemEdit(Protocol):
    """Changes the item before it is rendered; the gold answer moves along."""

    version: ClassVar[int]
    target: ClassVar[str]  # "item"
    random: ClassVar[bool]

    def apply(self, item: Item, rng: Callable[[], Generator]) -> Item: ...


class Reader(Protocol):
    """Finds the answer in generated text."""

    version: ClassVar[int]

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        """`labels` are the option labels of the prompt, in the item's order of choices."""
        ...


class Scorer(Protocol):
    """Compares the answer found with the gold one."""

    version: ClassVar[int]

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        """`tidy` is the postprocess of the fingerprint, to be put on both sides.

        `answer` may be empty: then only whether the item can be scored at all is asked."""
        ...


class DesignFunction(Protocol):
    def __call__(self, spec: Spec, factors: Sequence[Factor]) -> Sequence[Sequence[int]]:
        """Level indices of each cell, the baseline first."""
        ...


BACKENDS: Registry[Callable[[Model], Backend]] = Registry("backend")
for _name in (
    "echo",
    "synthetic",
    "function",
    "command",
    "replay",
    "embedded",
    "llamacpp",
    "openai",
    "transformers",
    "simulated_judge",
    "imported",
):
    BACKENDS.add(_name, f"eyechart.backends.{_name}:open_backend")
for _name in ("lm_eval", "inspect"):  # run whole evaluations: app/harness.py
    BACKENDS.add(_name, "eyechart.backends.harness:open_backend")

EDITS: Registry[Callable[..., TextEdit | ItemEdit]] = Registry("edit")
READERS: Registry[Callable[..., Reader]] = Registry("reader")
SCORERS: Registry[Callable[..., Scorer]] = Registry("scorer")
POSTPROCESSES: Registry[Callable[[str], str]] = Registry("postprocess")
DESIGNS: Registry[DesignFunction] = Registry("design")


def split_name(name: Name) -> tuple[str, dict[str, Any]]:
    """`first_word` or `{regex: {pattern: x}}` to a name and its parameters.

    >>> split_name({"typos": {"rate": 0.1}})
    ('typos', {'rate': 0.1})
    """
    if isinstance(name, str):
        return name, {}
    if len(name) != 1:
        raise InputError(f"write one name with its parameters, e.g. {{typos: {{rate: 0.1}}}}, not {dict(name)}")
    key, value = next(iter(name.items()))
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f"{key}: write its parameters as a mapping, e.g. {{{key}: {{rate: 0.1}}}}")
    return key, dict(cast("Mapping[str, Any]", value or {}))


def make(registry: Registry[Callable[..., T]], name: Name) -> T:
    """The plug-in that `name` asks for. Raises InputError for a name or parameter that is not there."""
    key, arguments = split_name(name)
    kind = registry.get(key)
    parameters = {f.name: f for f in fields(cast("Any", kind))} if is_dataclass(kind) else {}
    for argument in arguments:
        if argument not in parameters:
            advice = hint(argument, parameters)
            raise InputError(f"{registry.kind} {key} has no parameter {argument}; {advice}")
    for name_, parameter in parameters.items():
        if name_ not in arguments and parameter.default is MISSING and parameter.default_factory is MISSING:
            raise InputError(f"{registry.kind} {key} needs {name_}: write {{{key}: {{{name_}: ...}}}}")
    try:
        return cast("Callable[..., T]", kind)(**arguments)
    except (TypeError, ValueError) as error:
        raise InputError(f"{registry.kind} {key}: {error}") from None


DESIGNS.add("one_at_a_time", "eyechart.designs.simple:one_at_a_time")
DESIGNS.add("factorial", "eyechart.designs.simple:factorial")

EDITS.add("fullwidth_punctuation", "eyechart.edits.punctuation:FullwidthPunctuation")
EDITS.add("halfwidth_punctuation", "eyechart.edits.punctuation:HalfwidthPunctuation")
EDITS.add("list_commas", "eyechart.edits.punctuation:ListCommas")
EDITS.add("quotation_marks", "eyechart.edits.punctuation:QuotationMarks")
EDITS.add("trailing_punctuation", "eyechart.edits.punctuation:TrailingPunctuation")
EDITS.add("spaces", "eyechart.edits.spaces:Spaces")
EDITS.add("trailing_space", "eyechart.edits.spaces:TrailingSpace")
EDITS.add("strip_trailing", "eyechart.edits.spaces:StripTrailing")
EDITS.add("no_break_space", "eyechart.edits.spaces:NoBreakSpace")
EDITS.add("ideographic_space", "eyechart.edits.spaces:IdeographicSpace")
EDITS.add("line_breaks", "eyechart.edits.lines:LineBreaks")
EDITS.add("case", "eyechart.edits.letters:Case")
EDITS.add("byte_order_mark", "eyechart.edits.unicode:ByteOrderMark")
EDITS.add("unicode_form", "eyechart.edits.unicode:UnicodeForm")
EDITS.add("typos", "eyechart.edits.typos:Typos")
EDITS.add("chain_of_thought", "eyechart.edits.wording:ChainOfThought")
EDITS.add("polite", "eyechart.edits.wording:Polite")
EDITS.add("synonyms", "eyechart.edits.synonyms:Synonyms")
EDITS.add("indentation", "eyechart.edits.indentation:Indentation")
EDITS.add("rename_identifiers", "eyechart.edits.identifiers:RenameIdentifiers")
EDITS.add("option_order", "eyechart.edits.items:OptionOrder")
EDITS.add("option_case", "eyechart.edits.items:OptionCase")
EDITS.add("question_case", "eyechart.edits.items:QuestionCase")
EDITS.add("in_question", "eyechart.edits.items:InQuestion")
EDITS.add("swap_outputs", "eyechart.edits.judged:SwapOutputs")
EDITS.add("pad_output", "eyechart.edits.judged_text:PadOutput")
EDITS.add("format_output", "eyechart.edits.judged_text:FormatOutput")
EDITS.add("cite_output", "eyechart.edits.judged_text:CiteOutput")
EDITS.add("tone_output", "eyechart.edits.judged_text:ToneOutput")
EDITS.add("bandwagon", "eyechart.edits.judged:Bandwagon")
EDITS.add("distract_output", "eyechart.edits.judged_text:DistractOutput")
EDITS.add("fallacy_output", "eyechart.edits.judged_text:FallacyOutput")
EDITS.add("instruct_output", "eyechart.edits.judged_text:InstructOutput")
EDITS.add("empty_output", "eyechart.edits.judged_text:EmptyOutput")
EDITS.add("truncate_output", "eyechart.edits.judged_text:TruncateOutput")
EDITS.add("name_models", "eyechart.edits.judged:NameModels")
EDITS.add("in_options", "eyechart.edits.items:InOptions")

READERS.add("whole", "eyechart.extract.words:Whole")
READERS.add("first_line", "eyechart.extract.words:FirstLine")
READERS.add("first_word", "eyechart.extract.words:FirstWord")
READERS.add("last_word", "eyechart.extract.words:LastWord")
READERS.add("lenient", "eyechart.extract.lenient:Lenient")
READERS.add("first_letter", "eyechart.extract.letters:FirstLetter")
READERS.add("last_letter", "eyechart.extract.letters:LastLetter")
READERS.add("answer_letter", "eyechart.extract.letters:AnswerLetter")
READERS.add("first_number", "eyechart.extract.numbers:FirstNumber")
READERS.add("last_number", "eyechart.extract.numbers:LastNumber")
READERS.add("strict_hash", "eyechart.extract.numbers:StrictHash")
READERS.add("flexible_number", "eyechart.extract.numbers:FlexibleNumber")
READERS.add("answer_line", "eyechart.extract.slots:AnswerLine")
READERS.add("last_boxed", "eyechart.extract.slots:LastBoxed")
READERS.add("json_answer", "eyechart.extract.slots:JsonAnswer")
READERS.add("regex", "eyechart.extract.pattern:Regex")
READERS.add("choice", "eyechart.extract.choice:ChoiceReader")
READERS.add("number", "eyechart.extract.quantity:NumberReader")
READERS.add("math", "eyechart.extract.math:MathReader")
READERS.add("short_text", "eyechart.extract.short_text:ShortText")
READERS.add("verdict", "eyechart.extract.verdict:Verdict")
READERS.add("code", "eyechart.extract.code:CodeReader")
READERS.add("recorded", "eyechart.extract.recorded:Recorded")

SCORERS.add("exact", "eyechart.score.text:Exact")
SCORERS.add("contains", "eyechart.score.text:Contains")
SCORERS.add("choice", "eyechart.score.choice:Choice")
SCORERS.add("numeric", "eyechart.score.numeric:Numeric")
SCORERS.add("number", "eyechart.score.quantity:NumberScore")
SCORERS.add("math", "eyechart.score.math:MathScore")
SCORERS.add("short_text", "eyechart.score.short_text:ShortTextScore")
SCORERS.add("code", "eyechart.score.program:CodeScore")
SCORERS.add("judge", "eyechart.score.judge:JudgeScore")
SCORERS.add("verdict", "eyechart.score.verdict:VerdictScore")
SCORERS.add("math_verify", "eyechart.score.math_verify:MathVerify")
SCORERS.add("function", "eyechart.score.function:Function")
SCORERS.add("recorded", "eyechart.score.recorded:RecordedScore")

POSTPROCESSES.add("none", "eyechart.score.tidy:none")
POSTPROCESSES.add("strip", "eyechart.score.tidy:strip")
POSTPROCESSES.add("lowercase", "eyechart.score.tidy:lowercase")
POSTPROCESSES.add("strip_punc", "eyechart.score.tidy:strip_punc")
POSTPROCESSES.add("strip_punctuation_and_lowercase", "eyechart.score.tidy:strip_punctuation_and_lowercase")
POSTPROCESSES.add("squad", "eyechart.score.tidy:squad")
POSTPROCESSES.add("lm_eval_gsm8k", "eyechart.score.tidy:lm_eval_gsm8k")
