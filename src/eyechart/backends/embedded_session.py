"""One compiled model at work. What a call gets depends on the call alone, to the last bit.

Calls in one batch share the prefill of equal prompts and their steps. On this engine (float32,
measured) that leaves a row's logits untouched as long as prompts are padded on the left to a multiple
of 16, logits are taken for at least two rows, and every step has at least two rows; a dummy row fills
up. Companions, the place in the batch and its size then do not move a bit (tests/backends/embedded).
Reduced precision does not have this property: there calls are asked one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from eyechart.backends.embedded_build import facts_of, properties
from eyechart.backends.embedded_sample import Sampler, log_probability
from eyechart.core.records import Call, Failure, Request, Response

ALIGN = 16
MIN_ROWS = 2
Ints = NDArray[np.int64]


@dataclass(slots=True)
class _Growing:
    """A text in the making."""

    call: int
    prompt: list[int]
    sampler: Sampler
    rng: Generator | None
    row: int
    ids: list[int] = field(default_factory=list[int])
    text: str = ""
    finish: str | None = None


class Session:
    """Not safe for several threads at once."""

    def __init__(self, folder: Path, dtype: str, threads: int) -> None:
        openvino: Any = import_module("openvino")
        genai: Any = import_module("openvino_genai")
        self.facts = facts_of(folder)
        compiled = openvino.Core().compile_model(str(folder / "model.xml"), "CPU", dict(properties(dtype, threads)))
        self._infer: Any = compiled.create_infer_request()
        self._tokens: Any = genai.Tokenizer(str(folder))
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
        sent: dict[int, str] = {}
        for i, call in enumerate(calls):
            request = call.request
            text = request.prompt if request.prompt is not None else self.chat(request)
            ids = tuple(self.encode(text))
            room = int(request.param("max_new_tokens", 0)) + max((len(o) for o in request.options), default=0)
            if not ids:
                out[i] = Failure(kind="bad_request", reason="the prompt is empty")
            elif len(ids) + room > self.facts.context_length:
                out[i] = Failure(
                    kind="too_long",
                    reason=f"{len(ids)} tokens of prompt do not fit the context of {self.facts.context_length}",
                )
            else:
                sent[i] = text
                prompts.setdefault(ids, []).append(i)
        if prompts:
            self._prompts(calls, prompts, sent, out)
        return [out[i] for i in range(len(calls))]

    def _prompts(
        self,
        calls: Sequence[Call],
        prompts: Mapping[tuple[int, ...], list[int]],
        sent: Mapping[int, str],
        out: dict[int, Response | Failure],
    ) -> None:
        rows = list(prompts)
        scored = [(row, i) for row, ids in enumerate(rows) for i in prompts[ids] if calls[i].request.options]
        grown = [(row, i) for row, ids in enumerate(rows) for i in prompts[ids] if not calls[i].request.options]
        logits, mask, lengths = self._prefill(rows)
        # Scoring and generating both go on from the same prefill; the state is overwritten by either, so
        # prompts are computed again for the second.
        if scored:
            self._score(calls, scored, rows, logits, mask, lengths, sent, out)
        if grown:
            if scored:
                logits, mask, lengths = self._prefill(rows)
            self._generate(calls, grown, rows, logits, mask, lengths, sent, out)

    def _prefill(self, rows: Sequence[Sequence[int]]) -> tuple[NDArray[Any], Ints, Ints]:
        """Logits [B, V] behind each prompt, the mask [B, T], and the lengths [B]."""
        lengths = np.array([len(r) for r in rows], dtype=np.int64)
        width = -(-int(lengths.max()) // ALIGN) * ALIGN
        shape = (len(rows), width)
        ids, mask, places = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for i, row in enumerate(rows):
            ids[i, width - len(row) :] = row
            mask[i, width - len(row) :] = 1
            places[i, width - len(row) :] = np.arange(len(row))
        self._infer.reset_state()
        wanted = np.full((len(rows), 1), width - 1, dtype=np.int64)
        return self._run(ids, mask, places, np.arange(len(rows)), wanted)[:, 0], mask, lengths

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
        logits: NDArray[Any],
        mask: Ints,
        lengths: Ints,
        sent: Mapping[int, str],
        out: dict[int, Response | Failure],
    ) -> None:
        live: list[_Growing] = []
        for row, i in grown:
            sampler = Sampler.of(calls[i].request)
            live.append(_Growing(i, list(rows[row]), sampler, sampler.rng(), row))
        every = list(live)
        places = lengths
        while live:
            for one in live:
                self._grow(one, logits[one.row])
            live = [one for one in live if one.finish is None]
            if not live:
                break
            fill = [*live, *live[:1] * (MIN_ROWS - len(live))]
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
            )  # fmt: skip

    def _grow(self, one: _Growing, logits: NDArray[Any]) -> None:
        token = one.sampler.pick(logits, one.prompt, one.ids, one.rng)
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

    def _score(
        self,
        calls: Sequence[Call],
        scored: Sequence[tuple[int, int]],
        rows: Sequence[tuple[int, ...]],
        logits: NDArray[Any],
        mask: Ints,
        lengths: Ints,
        sent: Mapping[int, str],
        out: dict[int, Response | Failure],
    ) -> None:
        """Every token of every option behind its prompt, in one step for all."""
        lines: list[tuple[int, list[int]]] = []
        of_call: dict[int, tuple[list[int], bool]] = {}
        for row, i in scored:
            options, clean = self._continuations(sent[i], rows[row], calls[i].request.options)
            of_call[i] = (list(range(len(lines), len(lines) + len(options))), clean)
            lines += [(row, option) for option in options]
        firsts = [log_probability(logits[row], option[0]) for row, option in lines]
        longest = max(len(option) for _, option in lines) - 1
        rest = self._behind(lines, longest, mask, lengths) if longest else [[] for _ in lines]
        for row, i in scored:
            at, clean = of_call[i]
            table = tuple((firsts[k], *rest[k]) for k in at)
            out[i] = self._response(
                calls[i], rows[row], sent[i], option_logprobs=table,
                notes=() if clean else ("boundary_retokenised",),
            )  # fmt: skip

    def _behind(
        self, lines: Sequence[tuple[int, list[int]]], longest: int, mask: Ints, lengths: Ints
    ) -> list[list[float]]:
        """Log-probabilities of the second and later tokens of each option."""
        fill = [*lines, *lines[:1] * (MIN_ROWS - len(lines))]
        from_rows = np.array([row for row, _ in fill])
        ids = np.zeros((len(fill), longest), dtype=np.int64)
        for k, (_, option) in enumerate(fill):
            ids[k, : len(option) - 1] = option[:-1]
        steps = np.arange(longest, dtype=np.int64)
        seen = np.concatenate([mask[from_rows], np.ones((len(fill), longest), dtype=np.int64)], axis=1)
        places = lengths[from_rows][:, None] + steps[None, :]
        logits = self._run(ids, seen, places, from_rows, np.tile(steps, (len(fill), 1)))
        return [
            [log_probability(logits[k, j - 1], option[j]) for j in range(1, len(option))]
            for k, (_, option) in enumerate(lines)
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
