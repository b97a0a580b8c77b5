"""The words of a report in English: tokens, decoding paths, texts side by side."""

from __future__ import annotations

EN: dict[str, str] = {
    "pictures.join": "{first}; {second}",
    # Tokens
    "pictures.key.signed": "underlined: above 0; dotted: below 0",
    "pictures.key.space": "a dot is a space, ↵ a line end, ⇥ a tab",
    "pictures.key.raised": "raised numbers: the weight in fifths of the largest, with its sign",
    "pictures.key.unknown": "no colour: not known",
    "pictures.key.framed": "in brackets: marked as standing apart",
    "pictures.mark.apart": "differs",
    "pictures.more": "{n} more tokens are not drawn; the table has them.",
    "pictures.rows": "The table has {n} rows; the HTML, Markdown and JSON of this report have them.",
    # Paths
    "pictures.step": "step {n}: {token} {p}, entropy {entropy}",
    "pictures.others": "instead: {tokens}",
    "pictures.open": "another token could well have come here",
    "pictures.key.open": "another token could well have come here",
    "pictures.key.entropy": "Height of a bar: entropy of the next token in nats; {top} fills the row.",
    "pictures.key.doubt": "Height of a bar: 1 less the probability of the token taken.",
    "pictures.key.absent": "A dotted line: not known.",
    "pictures.key.asked": "A question mark: not known.",
    "pictures.key.labels": "Words over the bars: the token taken at an open step, where there is room.",
    "pictures.key.bar": "The bar is the probability of the token taken, at temperature 1; below it what could have come"
    " instead.",
    "pictures.line": "{letter}: {name}",
    "pictures.range": "Steps {first} to {last}",
    "pictures.range.parts": "Steps {first} to {last}; the lines part at step {n}",
    "pictures.parts": "The lines part at step {n}.",
    "pictures.part.here": "parting",
    "pictures.together": "The lines never differ.",
    "pictures.opens": "Steps at which another token could well have come:",
    "pictures.opened": "step {n}: {token} {p}; instead {tokens}",
    "pictures.opened.alone": "step {n}: {token} {p}",
    "pictures.opened.more": "and {n} more open steps",
    "pictures.no_steps": "There are no steps.",
    # Differences
    "pictures.gap": "[… {n} characters left out …]",
    "pictures.signs": "[-only on the left-] {open}+only on the right+{close}",
    "pictures.key.changed": "What stands on one side only is struck through on the left and underlined on the right.",
}
