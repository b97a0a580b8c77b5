"""Where items come from: readers, the mapping of rows to items, samples, shots, answer keys.

A data set goes one way: bytes or rows (`sources`, `readers`, `functions`, `hub`, `builtin`), columns and
items (`columns`, `options`, `answers`, `items`), a sample (`sample`), and then it is a `Loaded` (`load`).
`shots` chooses few-shot examples, `key` replaces gold answers. A row that cannot be used is listed with its
line and a reason; a guess is said aloud in `notes`; nothing is dropped silently.
"""
