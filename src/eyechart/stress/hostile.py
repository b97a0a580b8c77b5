"""Long and malformed outputs: a grader must come back from them soon, with any verdict but `correct`."""

from __future__ import annotations

from eyechart.stress.cases import Case, Kind

MEGABYTE = 1_000_000

_REPEATED = {
    "round brackets": "(", "closing brackets": ")", "square brackets": "[", "braces": "{", "closing braces": "}",
    "digits": "7", "digits and commas": "1,", "digits and points": "1.", "minus signs": "-", "backslashes": "\\",
    "spaces": " ", "newlines": "\n", "tabs": "\t", "stars": "*", "pairs of stars": "** ", "dollars": "$",
    "dollar pairs": "$ $", "hashes": "#", "backticks": "`", "fences": "```\n", "underscores": "_", "quotes": '"',
    "labels": "Answer: ", "label lines": "Answer:\n", "Chinese labels": "答案：", "open boxes": r"\boxed{",
    "fractions": r"\frac{", "think tags": "<think>", "closing think tags": "</think>", "answer tags": "<answer>",
    "channel tags": "<|channel|>", "deep JSON": '{"a":', "letters": "a", "words": "the answer is ", "negations": "not ",
    "waits": "Wait, no. ", "questions": "Question: ", "combining marks": "\u0301", "Arabic": "الإجابة ",
    "zero-width": "\u200b", "NUL": "\x00", "lone surrogates": "\ud800", "carets": "10^", "times ten": "× 10", "ors": " or ",
}  # fmt: skip


def hostile(kind: Kind, size: int = MEGABYTE) -> tuple[Case, ...]:
    """One case for each of about fifty hostile patterns, of `size` characters each.

    The gold is one that no such text gives, so that `correct` would be a false accept.

    >>> case = hostile("number", 1000)[0]
    >>> case.style, len(case.output), case.expected
    ('round brackets', 1000, 'not_correct')
    """
    outputs = {name: (unit * (size // len(unit) + 1))[:size] for name, unit in _REPEATED.items()}
    half = size // 2
    outputs["nested boxes"] = (r"\boxed{" * size)[:half] + "}" * (size - half)
    outputs["almost matching"] = "a" * (size - 1) + "!"
    outputs["spaces in between"] = "Answer:" + " " * (size - 8) + "!"
    golds: dict[Kind, str] = {"choice": "B", "number": "-31.5", "math": r"\frac{31}{7}", "text": "Ouagadougou",
                              "code": "assert ouagadougou(2) == 31"}  # fmt: skip
    choices = {"A": "Accra", "B": "Ouagadougou", "C": "Cairo", "D": "Dakar"} if kind == "choice" else None
    return tuple(
        Case(
            id=f"hostile/{kind}/{i}",
            kind=kind,
            output=output,
            gold=golds[kind],
            choices=choices,
            expected="not_correct",
            family="hostile",
            style=name,
            base=f"hostile/{i}",
        )
        for i, (name, output) in enumerate(outputs.items())
    )
