"""Spec and its parts: what an evaluation is.

    Spec
    ├── dataset      which items
    ├── prompt       what is said about them
    ├── decoding     how the model may answer
    ├── model        who answers
    ├── evaluation   how the answer is asked for, and how it is read
    ├── judge        what a judge is asked about answers that are there already
    └── repeats      how often

Every field may be left out, and `None` means "not stated": a hashed type has no other default, so
that adding a field never changes an old digest. What stands for a field nobody stated is written in
one place, `core.effective.DEFAULTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, field_validator, model_validator

Int = Annotated[int, Strict()]
Num = Annotated[float, Strict()]
Flag = Annotated[bool, Strict()]
Name = str | Mapping[str, Any]
"""A plug-in by name: `first_word`, or with parameters `{regex: {pattern: "..."}}`."""


class Value(BaseModel):
    """Frozen, validated at construction, equal by content; unknown fields and NaN are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    def stated(self) -> dict[str, Any]:
        """What was written, without what was not."""
        return self.model_dump(mode="json", exclude_none=True)


class Fields(Value):
    """Which column of the data holds what. A name that is not given is guessed, and said."""

    id: str | None = None
    question: str | None = None
    choices: str | tuple[str, ...] | None = None
    """One column holding a list, or the columns of the single options in order."""
    answer: str | None = None
    group: str | None = None
    cluster: str | None = None
    slice: str | None = None


class Dataset(Value):
    name: str | None = None
    """`chart` is the built-in one; any other name is looked for on the Hugging Face hub unless `path` is given."""
    path: str | None = None
    """A file (.jsonl, .csv, .parquet, also .gz), `package:NAME/inner/path`, or `python:module:function`."""
    version: str | None = None
    revision: str | None = None
    sha256: str | None = None
    """Hash of the file; refused when it does not fit."""
    subset: str | None = None
    split: str | None = None
    splits: Mapping[str, str] | None = None
    """Split name to path, for data whose splits are separate files."""
    seed: Int | None = None
    """Seed of the sample that `limit` draws."""
    limit: Annotated[int, Strict(), Field(gt=0)] | None = None
    """Number of items drawn with the seed, stratified by group; never "the first N"."""
    count: Annotated[int, Strict(), Field(gt=0)] | None = None
    """Claimed number of items of the split; a different number is said."""
    fields: Fields | None = None


class FewShot(Value):
    count: Annotated[int, Strict(), Field(ge=0)] | None = None
    source: str | None = None
    """Split the shots come from; never the one under test."""
    difficulty: Literal["random", "first", "easiest", "balanced"] | None = None
    seed: Int | None = None
    order: Literal["drawn", "reversed"] | None = None
    format: Literal["inline", "turns"] | None = None
    """All shots in one text, or one user and one assistant message each (chat only)."""
    draw: Literal["fixed", "per_item"] | None = None
    ids: tuple[str, ...] | None = None
    """These shots and no others, in this order."""
    reference: str | None = None
    """File of `eyechart difficulty`, how hard each candidate is; for `easiest` and `balanced`."""


class OptionFormat(Value):
    """How `{{options}}` is written."""

    labels: str | tuple[str, ...] | None = None
    """`ABCD...` or a list; `""` for none."""
    style: str | None = None
    """One option, e.g. `{label}) {text}`."""
    separator: str | None = None
    order: Literal["given", "reversed", "shuffled"] | None = None
    """`shuffled` is keyed by item: the same for every cell."""


class Prompt(Value):
    template: str | None = None
    """One item, in Jinja: any column, and `{{question}}`, `{{options}}`, `{{choice_a}}` and so on."""
    instruction: str | None = None
    """Said once, before the shots."""
    system: str | None = None
    chat_template: Flag | None = None
    cue: str | None = None
    """Answer cue, put behind the template."""
    answer: str | None = None
    """How the answer of a shot is written, e.g. ` {{answer}}`."""
    separator: str | None = None
    """Between shots."""
    options: OptionFormat | None = None
    few_shot: FewShot | None = None
    edits: tuple[Name, ...] | None = None
    """Text edits applied to the finished prompt or the item, in order; `eyechart factors` lists them."""
    unicode_form: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None
    line_ends: Literal["lf", "crlf", "cr"] | None = None


class Decoding(Value):
    do_sample: Flag | None = None
    temperature: Annotated[float, Strict(), Field(ge=0)] | None = None
    top_p: Annotated[float, Strict(), Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Strict(), Field(ge=-1)] | None = None
    min_p: Annotated[float, Strict(), Field(ge=0, le=1)] | None = None
    repetition_penalty: Annotated[float, Strict(), Field(gt=0)] | None = None
    presence_penalty: Num | None = None
    frequency_penalty: Num | None = None
    max_new_tokens: Annotated[int, Strict(), Field(gt=0)] | None = None
    stop: tuple[str, ...] | None = None
    seed: Int | None = None
    seed_scope: Literal["item", "run", "fixed"] | None = None
    """`item`: one seed an item and repeat; `run`: one a repeat, shared by all items; `fixed`: always the same."""

    @field_validator("stop", mode="before")
    @classmethod
    def _one_stop(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class Quantization(Value):
    scheme: str
    bits: Int | None = None


class Adapter(Value):
    path: str
    sha256: str | None = None
    scale: Num | None = None
    merged: Flag | None = None


class Model(Value):
    name: str | None = None
    backend: str | None = None
    path: str | None = None
    """Model file, `module:function`, or a command line, by backend."""
    url: str | None = None
    api: Literal["completions", "chat"] | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never written anywhere."""
    revision: str | None = None
    sha256: str | None = None
    tokenizer: str | None = None
    chat_template_sha256: str | None = None
    dtype: str | None = None
    quantization: str | Quantization | None = None
    context_length: Annotated[int, Strict(), Field(gt=0)] | None = None
    batch_size: Annotated[int, Strict(), Field(gt=0)] | None = None
    threads: Annotated[int, Strict(), Field(gt=0)] | None = None
    parallel: Mapping[str, Any] | None = None
    adapters: tuple[Adapter, ...] | None = None
    options: Mapping[str, Any] | None = None
    """The backend's own settings."""

    @field_validator("options", "parallel")
    @classmethod
    def _no_secrets(cls, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        words = ("api_key", "apikey", "token", "secret", "password", "authorization")
        for key in value or {}:
            if key.lower().replace("-", "_") in words:
                raise ValueError(
                    f"{key} looks like a secret; name an environment variable in model.api_key_env instead"
                )
        return value

    @field_validator("url")
    @classmethod
    def _no_credentials(cls, value: str | None) -> str | None:
        if value and "@" in value.partition("//")[2].partition("/")[0]:
            raise ValueError("a URL with a name or password in it would be stored; use model.api_key_env instead")
        return value


Method = Literal[
    "exact_match", "option_logprob", "option_letter", "numeric", "math", "contains", "regex", "code",
    "function", "judge", "semantic",
]  # fmt: skip


class Scale(Value):
    low: Num | None = None
    high: Num | None = None
    direction: Literal["up", "down"] | None = None
    """`up`: the highest number is the best; `down`: the lowest."""


class Judge(Value):
    """A judge: what it is asked about an answer, or two, and how it may say it. Its prompt follows from this,
    unless a template is stated."""

    mode: Literal["pointwise", "pairwise"] | None = None
    rubric: str | None = None
    """What to judge by, in words."""
    criteria: tuple[str, ...] | None = None
    """Each gets a number of its own; the score is their mean. Pointwise only."""
    scale: Scale | None = None
    labels: tuple[str, ...] | None = None
    """Pairwise: what the two answers are called, e.g. [A, B]. Pointwise: words instead of numbers, the worst first."""
    tie: str | Literal[False] | None = None
    """The word for a tie; false where there must be a winner. Pairwise only."""
    order: Literal["given", "swapped"] | None = None
    """Which answer is shown first. Pairwise only."""
    reference: Flag | None = None
    """Whether the right answer is shown to the judge."""
    reasoning: Flag | None = None
    """Whether it is told to compare first and to say its verdict then."""
    wording: Literal[1, 2, 3] | None = None
    """Which of three built-in prompts that say the same."""


class AnswerJudge(Judge):
    """A judge as the grader of a study: it reads what the model under test answered."""

    prompt: Prompt = Prompt()
    decoding: Decoding = Decoding()
    model: Model = Model()
    repeats: Annotated[int, Strict(), Field(gt=0)] | None = None


class Evaluation(Value):
    method: Method | None = None
    """Expands into `elicit`, `extraction`, `postprocess` and `score`; any of them may be stated as well."""
    elicit: Literal["generate", "options"] | None = None
    """Ask for text, or for the log-probability of each option."""
    options: Literal["letters", "texts"] | None = None
    """What is scored by log-probability: the option's label or its text."""
    normalize: Literal["none", "tokens", "characters", "bytes"] | None = None
    """What an option's log-probability is divided by; reading, hence free."""
    extraction: Name | None = None
    postprocess: str | None = None
    score: Name | None = None
    pattern: str | None = None
    """Regular expression of method `regex`."""
    function: str | None = None
    """`module:function` of method `function`."""
    judge: AnswerJudge | None = None
    """Who judges, of method `judge`."""
    reference_source: str | None = None
    """File of answers by item id that replaces those of the data."""
    reference_sha256: str | None = None
    transform: Literal["none", "above_chance"] | None = None
    """`above_chance`: (score - chance) / (1 - chance)."""
    framework: str | None = None
    framework_version: str | None = None


class Repeats(Value):
    count: Annotated[int, Strict(), Field(gt=0)] | None = None
    greedy: Annotated[int, Strict(), Field(gt=0)] | None = None
    """How often a request without randomness is asked; `count` where not stated."""
    seed: Int | None = None
    """Base of the sampling seeds where `decoding.seed` is not stated."""


class Spec(Value):
    dataset: Dataset = Dataset()
    prompt: Prompt = Prompt()
    decoding: Decoding = Decoding()
    model: Model = Model()
    evaluation: Evaluation = Evaluation()
    judge: Judge | None = None
    """Where stated, the items are answers to be judged, and `model` is the judge."""
    repeats: Repeats = Repeats()

    @field_validator("repeats", mode="before")
    @classmethod
    def _count(cls, value: Any) -> Any:
        return {"count": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Design(Value):
    kind: Literal["one_at_a_time", "factorial"] = "one_at_a_time"


class Budget(Value):
    calls: Annotated[int, Strict(), Field(gt=0)] | None = None
    tokens: Annotated[int, Strict(), Field(gt=0)] | None = None
    minutes: Annotated[float, Strict(), Field(gt=0)] | None = None
    money: Annotated[float, Strict(), Field(gt=0)] | None = None


class Prices(Value):
    """Per million tokens, in any one currency."""

    prompt: Annotated[float, Strict(), Field(ge=0)]
    completion: Annotated[float, Strict(), Field(ge=0)]
    currency: str = "USD"


class Factor(Value):
    """A dotted path and its levels. Only data: no code."""

    name: str
    path: str
    """`decoding.temperature`; `prompt.edits+` appends; "" when each level is a mapping of paths to values."""
    levels: tuple[tuple[str, Any], ...]
    """Name and value of each level, in the order given."""
    ordered: bool = False
    """Whether all levels are numbers: only then is there a response curve."""

    @model_validator(mode="after")
    def _distinct(self) -> Factor:
        names = [name for name, _ in self.levels]
        if len(set(names)) < len(names):
            raise ValueError(f"factor {self.name} has two levels named alike: {', '.join(names)}")
        if not names:
            raise ValueError(f"factor {self.name} has no levels")
        return self


Goal = Literal["ceiling", "production", "sensitivity"]


class Deployment(Value):
    """What is deployed, for goal `production`. No part of any digest: what it fills in is, as if it were written."""

    path: str
    """A fingerprint, a flat snapshot, a generation_config.json, or the body of an OpenAI-compatible request."""
    sha256: str | None = None
    """Hash of the file; refused when it does not fit."""
    decoding: Decoding | None = None
    """As it takes effect, once the file is read."""


class StudySpec(Value):
    """A baseline evaluation and how it is moved. Only `spec` is in the digest of an evaluation."""

    name: str | None = None
    spec: Spec
    factors: tuple[Factor, ...] = ()
    design: Design = Design()
    budget: Budget = Budget()
    prices: Prices | None = None
    preset: Goal | None = None
    """What the study is for: it sets what is not stated (`core.goals`)."""
    deployment: Deployment | None = None

    @field_validator("deployment", mode="before")
    @classmethod
    def _file(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value
