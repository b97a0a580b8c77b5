"""One compiled model at work. What a call gets depends on the call alone, to the last bit.

Calls in one batch share the prefill of equal prompts and their steps. On this engine (float32,
measured) that leaves a row's logits untouched as long as prompts are padded on the left to a multiple
of 16, logits are taken for at least two rows, and every step has a multiple of as many rows as there are
threads (two at least); dummy rows fill up. An odd number of rows splits the sum of one of them between
two threads. Companions, the place in the batch and its size then do not move a bit
(tests/backends/embedded).
Reduced precision does not have this property: there calls are asked one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from eyechart.backends.embedded_build import facts_of, properties
from eyechart.backends.embedded_prefix import CHUNK, levels, trees
from eyechart.backends.sampling import Sampler, log_probability
from eyechart.backends.shown import candidates_of, refused
from eyechart.backends.steps import distribution, step
from eyechart.core.records import Call, Capabilities, Failure, PathStep, Request, Response

ALIGN = 16
TOKENS = 1024
"""Padded prompt tokens computed at once, at most; bounds memory, and moves no answer."""
ABLE = Capabilities(
    generate=True, options=True, seeds=True, token_logprobs=True, full_distribution=True, prompt_ids=True
)
Ints = NDArray[np.int64]


@dataclass(slots=True)
class _Growing:
    """A text in the making."""

    call: int
    prompt: list[int]
    sampler: Sampler
    rng: Generator | None
    row: int
    candidates: int
    """To be shown at every step; looked at beside the drawing, which they do not touch."""
    path: list[PathStep] = field(default_factory=list[PathStep])
    ids: list[int] = field(default_factory=list[int])
    text: str = ""
    finish: str | None = None


@dataclass(frozen=True, slots=True)
class _Behind:
    """Where a group of prompts stands once it is computed."""

    logits: NDArray[Any]
    """[B, V], behind each prompt."""
    mask: Ints
    """[B, T]"""
    lengths: Ints
    """[B]"""


def _groups(prompts: Iterable[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Prompts of one padded width together, so that no padding is computed; not too many at once."""
    by_width: dict[int, list[tuple[int, ...]]] = {}
    for ids in prompts:
        by_width.setdefault(-(-len(ids) // ALIGN) * ALIGN, []).append(ids)
    out: list[list[tuple[int, ...]]] = []
    for width, rows in sorted(by_width.items()):
        size = max(1, TOKENS // width)
        out += [rows[at : at + size] for at in range(0, len(rows), size)]
    return out


class Session:
    """Not safe for several threads at once."""

    def __init__(self, folder: Path, dtype: str, threads: int) -> None:
        self._rows = max(2, threads)
        openvino: Any = import_module("openvino")
        genai: Any = import_module("openvino_genai")
        self.facts = facts_of(folder)
        compiled = openvino.Core().compile_model(str(folder / "model.xml"), "CPU", dict(properties(dtype, threads)))
        self._infer: Any = compiled.create_infer_request()
        self._moved = False
        self._tokens: Any = genai.Tokenizer(str(folder))
        self._pieces: dict[int, str] = {}
        self._vocabulary: dict[int, bytes] = {}
        ends = {self.facts.eos, *(self._single(t) for t in ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<eos>"))}
        self.ends = frozenset(int(e) for e in ends if e is not None)

    # Text

    def encode(self, text: str) -> list[int]:
        if not text:
            return []
        found = self._tokens.encode(text, add_special_tokens=False).input_ids.data[0]
        return [int(i) for i in found]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._tokens.decode([int(i) for i in ids], skip_special_tokens=True)) if ids else ""

    def piece(self, token: int) -> str:
        """One token as text; a part of a character as its bytes, like `\\xe4\\xb8`. Special tokens by their names."""
        if token not in self._pieces:
            text = str(self._tokens.decode([token], skip_special_tokens=False))
            if not text or "\ufffd" in text:
                text = self._bytes().get(token, text.encode()).decode("utf-8", "backslashreplace")
            self._pieces[token] = text
        return self._pieces[token]

    def _bytes(self) -> dict[int, bytes]:
        if not self._vocabulary:
            self._vocabulary = {
                int(i): word if isinstance(word, bytes) else str(word).encode()
                for word, i in self._tokens.get_vocab().items()
            }
        return self._vocabulary

    def chat(self, request: Request) -> str:
        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        return str(self._tokens.apply_chat_template(turns, add_generation_prompt=True))

    def _single(self, text: str) -> int | None:
        ids = self.encode(text)
        return ids[0] if len(ids) == 1 else None

    # Calls

    def answer(self, calls: Sequence[Call]) -> list[Response | Failure]:
        """One result a call, in order. Equal prompts are computed once."""
        out: dict[int, Response | Failure] = {}
        prompts: dict[tuple[int, ...], list[int]] = {}
        following: dict[tuple[int, ...], list[int]] = {}
        sent: dict[int, str] = {}
        for i, call in enumerate(calls):
            request = call.request
            text = request.prompt if request.prompt is not None else self.chat(request)
            ids = tuple(self.encode(text))
            room = int(request.param("max_new_tokens", 0)) + max((len(o) for o in request.options), default=0)
            if (failure := refused(request, ABLE)) is not None:
                out[i] = failure
            elif not ids:
                out[i] = Failure(kind="bad_request", reason="the prompt is empty")
            elif len(ids) + room > self.facts.context_length:
                out[i] = Failure(
                    kind="too_long",
                    reason=f"{len(ids)} tokens of prompt do not fit the context of {self.facts.context_length}",
                )
            else:
                sent[i] = text
                (following if request.elicit == "next" else prompts).setdefault(ids, []).append(i)
        if prompts:
            self._prompts(calls, prompts, sent, out)
        for tree in trees(list(following)):
            for ids, logits in self._behind(tree):
                for i in following[ids]:
                    out[i] = self._next(calls[i], ids, sent[i], logits)
        return [out[i] for i in range(len(calls))]

    def _prompts(
        self,
        calls: Sequence[Call],
        prompts: Mapping[tuple[int, ...], list[int]],
        sent: Mapping[int, str],
        out: dict[int, Response | Failure],
    ) -> None:
        for rows in _groups(prompts):
            jobs = [(row, i) for row, ids in enumerate(rows) for i in prompts[ids]]
            grown = [(row, i) for row, i in jobs if calls[i].request.elicit == "generate"]
            behind = self._prefill(rows)
            for row, i in jobs:
                if calls[i].request.elicit == "options":
                    out[i] = self._score(calls[i], rows[row], sent[i], behind.logits[row])
            if grown:
                if self._moved:  # scoring longer options leaves its own state behind
                    behind = self._prefill(rows)
                self._generate(calls, grown, rows, behind, sent, out)

    def _prefill(self, rows: Sequence[Sequence[int]]) -> _Behind:
        lengths = np.array([len(r) for r in rows], dtype=np.int64)
        width = -(-int(lengths.max()) // ALIGN) * ALIGN
        shape = (len(rows), width)
        ids, mask, places = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for i, row in enumerate(rows):
            ids[i, width - len(row) :] = row
            mask[i, width - len(row) :] = 1
            places[i, width - len(row) :] = np.arange(len(row))
        self._infer.reset_state()
        self._moved = False
        wanted = np.full((len(rows), 1), width - 1, dtype=np.int64)
        # A copy: the engine writes the next step's logits into the same memory.
        logits = self._run(ids, mask, places, np.arange(len(rows)), wanted)[:, 0].copy()
        return _Behind(logits, mask, lengths)

    def _run(self, ids: Ints, mask: Ints, places: Ints, beam: NDArray[Any], wanted: Ints) -> NDArray[Any]:
        if wanted.size == 1:  # one row of logits takes another kernel
            wanted = np.concatenate([wanted, wanted], axis=1)
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "position_ids": places,
            "beam_idx": beam.astype(np.int32),
            "logit_idx": wanted,
        }
        return self._infer.infer(inputs, share_inputs=True, share_outputs=True)[0]

    def _generate(
        self,
        calls: Sequence[Call],
        grown: Sequence[tuple[int, int]],
        rows: Sequence[tuple[int, ...]],
        behind: _Behind,
        sent: Mapping[int, str],
        out: dict[int, Response | Failure],
    ) -> None:
        logits, mask, places = behind.logits, behind.mask, behind.lengths
        live: list[_Growing] = []
        for row, i in grown:
            sampler = Sampler.of(calls[i].request)
            live.append(_Growing(i, list(rows[row]), sampler, sampler.rng(), row, candidates_of(calls[i].request)))
        every = list(live)
        while live:
            for one in live:
                self._grow(one, logits[one.row])
            live = [one for one in live if one.finish is None]
            if not live:
                break
            fill = [*live, *live[:1] * (-len(live) % self._rows)]
            from_rows = np.array([one.row for one in fill])
            ids = np.array([[one.ids[-1]] for one in fill], dtype=np.int64)
            mask = np.concatenate([mask[from_rows], np.ones((len(fill), 1), dtype=np.int64)], axis=1)
            places = places[from_rows]
            wanted = np.zeros((len(fill), 1), dtype=np.int64)
            logits = self._run(ids, mask, places[:, None], from_rows, wanted)[:, 0]
            places = places + 1
            for row, one in enumerate(live):
                one.row = row
        for one in every:
            out[one.call] = self._response(
                calls[one.call], one.prompt, sent[one.call],
                text=one.text, finish_reason=one.finish, completion_ids=tuple(one.ids), completion_tokens=len(one.ids),
                path=tuple(one.path) if one.candidates else None,
            )  # fmt: skip

    def _grow(self, one: _Growing, logits: NDArray[Any]) -> None:
        token = one.sampler.pick(logits, one.prompt, one.ids, one.rng)
        if one.candidates:
            one.path.append(step(logits, token, one.candidates, self.piece))
        if token in self.ends:
            one.text, one.finish = self.decode(one.ids), "stop"
            return
        one.ids.append(token)
        full = len(one.ids) >= one.sampler.max_new_tokens
        if one.sampler.stop or full:
            one.text = self.decode(one.ids)
        for stop in one.sampler.stop:
            if (at := one.text.find(stop)) >= 0:
                one.text, one.finish = one.text[:at], "stop"
                return
        if full:
            one.finish = "length"

    def _behind(self, prompts: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], NDArray[Any]]]:
        """Each prompt and the scores behind it, [V]; what prompts share is computed once.

        Equal to the last bit whatever the company (`embedded_prefix`), as long as a level behind the first has an even
        number of rows: so it was found with 2, 3 and 4 threads, and not so with odd numbers. From those of `_prefill`,
        which reads a prompt in one piece, they differ by rounding: up to 5e-5 was measured.
        """
        self._infer.reset_state()
        for level in levels(prompts):
            rows = np.arange(len(level.ids))
            if level.depth:
                rows = np.concatenate([rows, np.zeros(len(rows) % 2, dtype=np.int64)])
            start = level.depth * CHUNK
            places = np.tile(np.arange(start, start + CHUNK, dtype=np.int64), (len(rows), 1))
            mask = np.ones((len(rows), start + CHUNK), dtype=np.int64)
            beam = level.parents[rows] if level.depth else rows
            logits = self._run(level.ids[rows], mask, places, beam, level.last[rows, None])[:, 0]
            for row, prompt in level.ends:
                yield prompts[prompt], logits[row]

    def _next(self, call: Call, prompt: tuple[int, ...], sent: str, logits: NDArray[Any]) -> Response:
        pieces = tuple(self.piece(i) for i in prompt)
        return self._response(call, prompt, sent, distribution=distribution(logits), pieces=pieces)

    def _score(self, call: Call, prompt: tuple[int, ...], sent: str, logits: NDArray[Any]) -> Response:
        """Every token of every option behind the prompt; `logits` are those behind it, [V].

        Longer options are scored call by call: together with those of other calls, a step has another
        number of rows, and that was measured to move the sixth digit.
        """
        options, clean = self._continuations(sent, prompt, call.request.options)
        firsts = [log_probability(logits, option[0]) for option in options]
        longest = max(len(option) for option in options) - 1
        nothing: list[list[float]] = [[] for _ in options]
        rest = self._rest(prompt, options, longest) if longest else nothing
        return self._response(
            call, prompt, sent,
            option_logprobs=tuple((first, *more) for first, more in zip(firsts, rest, strict=True)),
            notes=() if clean else ("boundary_retokenised",),
        )  # fmt: skip

    def _rest(self, prompt: tuple[int, ...], options: list[list[int]], longest: int) -> list[list[float]]:
        """Log-probabilities of the second and later tokens of each option."""
        behind = self._prefill([prompt])
        self._moved = True
        fill = [*options, *options[:1] * (-len(options) % self._rows)]
        ids = np.zeros((len(fill), longest), dtype=np.int64)
        for k, option in enumerate(fill):
            ids[k, : len(option) - 1] = option[:-1]
        steps = np.tile(np.arange(longest, dtype=np.int64), (len(fill), 1))
        seen = np.concatenate([np.repeat(behind.mask, len(fill), axis=0), np.ones_like(steps)], axis=1)
        logits = self._run(ids, seen, len(prompt) + steps, np.zeros(len(fill)), steps)
        return [
            [log_probability(logits[k, j - 1], option[j]) for j in range(1, len(option))]
            for k, option in enumerate(options)
        ]

    def _continuations(self, prompt: str, ids: Sequence[int], options: Sequence[str]) -> tuple[list[list[int]], bool]:
        """Token ids of each option behind the prompt, and whether no boundary was tokenised anew.

        Options are tokenised together with the prompt; where that would change the prompt's own tokens, alone.
        """
        out: list[list[int]] = []
        clean = True
        for option in options:
            joint = self.encode(prompt + option)
            if len(joint) > len(ids) and joint[: len(ids)] == list(ids):
                out.append(joint[len(ids) :])
            else:
                clean = False
                out.append(self.encode(option) or [0])
        return out, clean

    def _response(self, call: Call, prompt: Sequence[int], sent: str, **parts: Any) -> Response:
        bos, notes = self.facts.bos, tuple(parts.pop("notes", ()))
        if bos is not None and len(prompt) > 1 and prompt[0] == prompt[1] == bos and bos not in self.ends:
            notes += ("double_bos",)
        if call.request.messages and any("<|im_start|>" in m.content for m in call.request.messages):
            notes += ("template_twice",)
        return Response(
            prompt_tokens=len(prompt),
            prompt_ids=tuple(prompt),
            sent=sent if call.request.messages else None,
            notes=notes,
            **parts,
        )
