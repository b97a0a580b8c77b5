"""What replies teach about the set-up, in words."""

from __future__ import annotations

WORDS = {
    "double_bos": "the prompt began with two begin-of-text tokens; a template adds one as well as the tokenizer",
    "template_twice": "a chat template stands inside the chat template: it was applied twice",
    "served_other_model": "the server answered as another model than the one asked for",
    "dialect_is:llamacpp": "the server is llama.cpp, which samples with a top_k, top_p and min_p of its own; "
    "say model.options.dialect: llamacpp",
    "boundary_retokenised": "an option could not be joined to the prompt without changing its tokens; it was "
    "scored alone",
    "cut_at_limit": "ended at max_new_tokens",
    "context_full": "ended because the context was full",
    "parameter_ignored:max_new_tokens": "the reply is longer than max_new_tokens: the server ignored it",
    "parameter_ignored:stop": "the reply goes on behind a stop text: the server ignored it",
    "null_content": "the reply had no text at all",
    "reasoning_apart": "thoughts came beside the text, and were not read",
    "refusal_field": "the reply was a refusal",
}
QUIET = ("option_scoring:echo", "option_scoring:top_logprobs")
"""Notes that say how something was done, not that something is odd."""
ORDINARY = ("cut_at_limit", *QUIET)
"""Worth a line in a report, but not a warning."""


def in_words(name: str, count: int) -> str:
    """
    >>> in_words("double_bos", 3)
    '3 answers: the prompt began with two begin-of-text tokens; a template adds one as well as the tokenizer'
    """
    return f"{count:,} answer{'s' * (count != 1)}: {WORDS.get(name, name)}"
