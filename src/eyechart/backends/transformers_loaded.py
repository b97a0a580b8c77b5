"""A Transformers model in memory, and how it is asked.

Token by token in a loop of our own: `generate` of Transformers draws from a random state that all
share, and takes settings from the model's folder that nobody stated. Options are scored on the same
tape that generation reads on, so that both see the same numbers.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from eyechart.backends.sampling import Sampler
from eyechart.backends.shown import candidates_of
from eyechart.backends.steps import distribution, step
from eyechart.backends.transformers_loading import (
    Source,
    closing,
    commit,
    ends,
    first_line,
    limit,
    load,
    template,
    user_marker,
)
from eyechart.core.records import Failure, FailureKind, PathStep, Request, Response
from eyechart.stats.packed import pack

Ids = tuple[int, ...]
_OVERFLOW = "float16 overflows in some models: state another dtype"
_TAIL = 8
"""Tokens of the prompt decoded along with the answer, so that its first space is not lost."""


class Refused(Exception):
    """A call that ends as a failure."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        self.failure = Failure(kind=kind, reason=reason)
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as the model sees it."""

    text: str
    special: bool
    """Whether the tokenizer puts its special tokens around the text; a chat template has written them."""
    ids: Ids
    sent: str | None
    notes: tuple[str, ...]


@dataclass
class Tape:
    """What the model has read, with its cache where the cache can be relied on.

    Of the models tried (tests/backends/transformers) those with attention alone go on from a cache by any
    number of tokens. Those with a running state (Mamba, Jamba) go on rightly by one token, and by more are
    wrong by whole units and say nothing: there all is read again. So it is with caches of other kinds.
    """

    model: Any
    torch: Any
    keep: bool
    """Whether `forward` can leave out the scores of positions nobody asks for."""
    slot: str | None
    """What `forward` calls the cache: `cache` in new versions of Transformers, `past_key_values` in old ones."""
    cache: Any = None
    ids: list[int] = field(default_factory=list[int])

    def read(self, ids: Sequence[int], last: int = 1) -> Any:
        """Read on; the float32 scores after each of the `last` tokens, [last, vocabulary]."""
        return self._on(ids, last).logits[0, -last:].float()

    def look(self, token: int) -> list[Any]:
        """Read on by one token; where it looks, for each layer [heads, tokens read] or None without attention.

        By the step alone, as in generation: all rows of a long prompt would take gigabytes. A layer that remembers
        a window gives the weights of that window.
        """
        found = self._on([token], 1, output_attentions=True).get("attentions")
        return [None if layer is None else layer[0, :, -1].float().cpu().numpy() for layer in found or ()]

    def _on(self, ids: Sequence[int], last: int, **more: Any) -> Any:
        self.ids += ids
        if self.cache is not None and len(ids) > 1 and not _attends(self.cache):
            self.cache = None
        unread = self.ids if self.cache is None else list(ids)
        given: dict[str, Any] = {"input_ids": self.torch.tensor([unread], device=self.model.device), **more}
        if self.keep:
            given["logits_to_keep"] = last
        if self.slot:
            given |= {self.slot: self.cache, "use_cache": True}
        out = self.model(**given)
        if self.slot:
            made = out[self.slot]
            self.cache = made if type(made).__name__ == "DynamicCache" else None
        return out

    def branch(self) -> Tape:
        """A tape that has read the same and goes on by itself."""
        return Tape(self.model, self.torch, self.keep, self.slot, copy.deepcopy(self.cache), list(self.ids))


def _attends(cache: Any) -> bool:
    """Whether a cache holds keys and values of attention, and nothing else."""
    layers = [type(layer).__name__ for layer in getattr(cache, "layers", ())]
    return bool(layers) and all(name in ("DynamicLayer", "DynamicSlidingWindowLayer") for name in layers)


class Loaded:
    """A model and its tokenizer. One call at a time; nothing of a call is left for the next one."""

    def __init__(self, source: Source) -> None:
        """Raises InputError where it cannot be loaded, or is not what was stated."""
        self.source = source
        self.model, self.tokenizer = load(source)
        self.torch: Any = import_module("torch")
        self.limit = limit(source, self.model)
        self.ends = ends(self.model, self.tokenizer)
        self.commit = None if source.files else commit(source)
        taken = inspect.signature(self.model.forward).parameters
        self._keep = "logits_to_keep" in taken
        self._slot = next((name for name in ("cache", "past_key_values") if name in taken), None)
        self._closing = closing(self.tokenizer)
        self._template = template(source, self.tokenizer)
        self._pieces: dict[int, str] = {}
        self._marker = user_marker(self.tokenizer) if self._template else ""

    def answer(self, request: Request, stopped: Callable[[], bool]) -> Response:
        """Raises Refused, and whatever torch raises."""
        asked = self.ask(request)
        if not asked.ids:
            raise Refused("bad_request", "the prompt has no tokens, so there is nothing to go on from")
        if self.limit is not None and len(asked.ids) >= self.limit:
            raise Refused("too_long", f"the prompt has {len(asked.ids)} tokens and the context {self.limit}")
        with self.torch.inference_mode():
            if request.elicit == "options":
                return self._options(request, asked)
            if request.elicit == "next":
                return self._shown(asked, distribution=distribution(self._scores(self.tape(), asked.ids)))
            if request.elicit == "attention":
                weights, notes = self._attention(asked.ids)
                return self._shown(replace(asked, notes=asked.notes + notes), attention=weights)
            return self._generate(request, asked, stopped)

    def ask(self, request: Request) -> Asked:
        """The text and the token ids that the model will read."""
        if request.prompt is not None:
            ids, closed = self._encode(request.prompt, special=True)
            notes = self._notes(ids) + (("closing_token_dropped",) if closed else ())
            return Asked(text=request.prompt, special=True, ids=ids, sent=None, notes=notes)
        if not self._template:
            raise Refused("bad_request", "this model has no chat template: write prompt.chat_template: false")
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        try:
            sent: str = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        except Exception as error:
            raise Refused("bad_request", f"the chat template cannot show these messages: {first_line(error)}") from None
        ids, _ = self._encode(sent, special=False)
        notes = self._notes(ids)
        if self._marker and sent.count(self._marker) > sum(m.role == "user" for m in request.messages):
            notes = (*notes, "template_twice")
        if "strftime_now" in self._template:
            notes = (*notes, "template_tells_date")
        return Asked(text=sent, special=False, ids=ids, sent=sent, notes=notes)

    def tape(self) -> Tape:
        return Tape(self.model, self.torch, self._keep, self._slot)

    def _encode(self, text: str, *, special: bool) -> tuple[Ids, bool]:
        """Ids, without the token that some tokenizers close a text with: nothing can go on from there."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=special)
        if special and self._closing:
            return tuple(ids[: -self._closing]), True
        return tuple(ids), False

    def _notes(self, ids: Ids) -> tuple[str, ...]:
        bos = self.tokenizer.bos_token_id
        return ("double_bos",) if bos is not None and ids[:2] == (bos, bos) else ()

    def _options(self, request: Request, asked: Asked) -> Response:
        """The prompt is read once; each option goes on from there by itself, whatever the others are."""
        parts = [self._continuation(asked, option) for option in request.options]
        if self.limit is not None and (most := len(asked.ids) + max(len(ids) for ids, _ in parts)) > self.limit:
            raise Refused("too_long", f"prompt and option have {most} tokens and the context {self.limit}")
        tape = self.tape()
        head = tape.read(asked.ids).log_softmax(-1)
        rows: list[tuple[float, ...]] = []
        for ids, _ in parts:
            row = [float(head[0, ids[0]])]
            if len(ids) > 1:
                scores = tape.branch().read(ids[:-1], len(ids) - 1).log_softmax(-1)
                row += [float(scores[i, token]) for i, token in enumerate(ids[1:])]
            if any(map(math.isnan, row)):
                raise ArithmeticError(f"a log-probability is not a number; {_OVERFLOW}")
            rows.append(tuple(row))
        cut = ("boundary_retokenised",) if any(alone for _, alone in parts) else ()
        return Response(
            option_logprobs=tuple(rows),
            prompt_tokens=len(asked.ids),
            completion_tokens=sum(len(row) for row in rows),
            sent=asked.sent,
            prompt_ids=asked.ids,
            served_model=self.source.name,
            system_fingerprint=self.commit,
            notes=(*asked.notes, *cut),
        )

    def _continuation(self, asked: Asked, option: str) -> tuple[Ids, bool]:
        """The option's ids, and whether it had to be tokenised by itself: where prompt and option would
        share a token, the ids of both together do not begin with the prompt's."""
        joint, _ = self._encode(asked.text + option, special=asked.special)
        n = len(asked.ids)
        if joint[:n] == asked.ids:
            ids, alone = joint[n:], False
        else:
            ids, alone = self._encode(option, special=False)[0], True
        if not ids:
            raise Refused("not_measurable", f"the option {option!r:.60} has no token of its own")
        return ids, alone

    def _generate(self, request: Request, asked: Asked, stopped: Callable[[], bool]) -> Response:
        sampler = Sampler.of(request)
        rng, most = sampler.rng(), sampler.max_new_tokens
        candidates, path = candidates_of(request), list[PathStep]()
        room = most if self.limit is None else min(most, self.limit - len(asked.ids))
        tape, reason = self.tape(), "length"
        made: list[int] = []
        text: str | None = None
        unread: Sequence[int] = asked.ids
        while len(made) < room:
            if stopped():
                raise Refused("crashed", "the backend was closed while it answered")
            scores = self._scores(tape, unread)
            made.append(sampler.pick(scores, asked.ids, made, rng))
            if candidates:
                path.append(step(scores, made[-1], candidates, self.piece))
            unread = made[-1:]
            if made[-1] in self.ends:
                reason = "stop"
                break
            if sampler.stop and (text := _before(self.text(asked.ids, made), sampler.stop)) is not None:
                reason = "stop"
                break
        if text is None:
            text = self.text(asked.ids, made[:-1] if reason == "stop" else made)
        full = ("context_full",) if reason == "length" and len(made) < most else ()
        return Response(
            text=text,
            finish_reason=reason,
            prompt_tokens=len(asked.ids),
            completion_tokens=len(made),
            sent=asked.sent,
            prompt_ids=asked.ids,
            completion_ids=tuple(made),
            path=tuple(path) if candidates else None,
            served_model=self.source.name,
            system_fingerprint=self.commit,
            notes=(*asked.notes, *full),
        )

    def _scores(self, tape: Tape, unread: Sequence[int]) -> Any:
        scores = tape.read(unread)[0].cpu().numpy()
        if not math.isfinite(scores.max()):
            raise ArithmeticError(f"the model's scores are not numbers; {_OVERFLOW}")
        return scores

    def _shown(self, asked: Asked, **parts: Any) -> Response:
        return Response(
            prompt_tokens=len(asked.ids),
            sent=asked.sent,
            prompt_ids=asked.ids,
            pieces=tuple(self.piece(i) for i in asked.ids),
            served_model=self.source.name,
            system_fingerprint=self.commit,
            notes=asked.notes,
            **parts,
        )

    def _attention(self, ids: Ids) -> tuple[str, tuple[str, ...]]:
        """Weights from the last position, [layers, heads, tokens]; 0 where a window has forgotten a token.

        In a model that mixes attention with other layers they are of the layers with attention, which a note says.
        """
        tape = self.tape()
        if len(ids) > 1:
            tape.read(ids[:-1])
        layers = tape.look(ids[len(ids) - 1])
        if not layers or any(layer is None for layer in layers):
            raise Refused("not_measurable", "not measurable here: layers of this model have no attention weights")
        if len({len(layer) for layer in layers}) > 1:
            raise Refused("not_measurable", "not measurable here: the layers of this model differ in their heads")
        whole = np.zeros((len(layers), len(layers[0]), len(ids)), dtype=np.float32)
        for i, layer in enumerate(layers):
            seen = layer[:, -len(ids) :]
            whole[i, :, len(ids) - seen.shape[1] :] = seen
        if not np.isfinite(whole).all():
            raise ArithmeticError(f"the model's attention is not numbers; {_OVERFLOW}")
        every = getattr(self.model.config.get_text_config(), "num_hidden_layers", len(layers))
        notes = (f"attention_of:{len(layers)}_of_{every}_layers",) if every != len(layers) else ()
        return pack(whole), notes

    def piece(self, token: int) -> str:
        """One token as text, its leading space kept; a part of a character as the tokenizer writes it."""
        if token not in self._pieces:
            text = self.tokenizer.decode([token], skip_special_tokens=False, clean_up_tokenization_spaces=False)
            written: Any = self.tokenizer.convert_ids_to_tokens(token)
            if not isinstance(written, str):  # an id beyond the tokenizer's words: padding of the model's vocabulary
                text = text or f"<{token}>"
            elif not text or "\ufffd" in text:
                text = written.replace("\u2581", " ")
            elif written.startswith("\u2581") and not text.startswith(" "):
                text = " " + text
            self._pieces[token] = text
        return self._pieces[token]

    def text(self, prompt: Sequence[int], made: Sequence[int]) -> str:
        """What `made` adds behind `prompt`. Decoded by themselves some tokenizers would drop its first space."""
        tail = list(prompt[-_TAIL:])
        before, both = self._decode(tail), self._decode([*tail, *made])
        return both[len(before) :] if both.startswith(before) else self._decode(made)

    def _decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)


def _before(text: str, stops: Sequence[str]) -> str | None:
    """The text before the first of `stops` in it; None where none is.

    >>> _before("a; b. c", (".", ";"))
    'a'
    """
    found = [at for stop in stops if stop and (at := text.find(stop)) >= 0]
    return text[: min(found)] if found else None
