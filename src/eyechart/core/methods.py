"""What `evaluation.method` is short for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

METHODS: Mapping[str, Mapping[str, Any]] = {
    "exact_match": {"elicit": "generate", "extraction": "whole", "score": "exact"},
    "option_logprob": {"elicit": "options", "options": "texts"},
    "option_letter": {"elicit": "generate", "extraction": "choice", "score": "choice"},
    "numeric": {"elicit": "generate", "extraction": "number", "score": "number"},
    "contains": {"elicit": "generate", "extraction": "whole", "score": "contains"},
    "regex": {"elicit": "generate", "extraction": "regex", "score": "exact"},
    "function": {"elicit": "generate", "extraction": "whole", "score": "function"},
    "math": {"elicit": "generate", "extraction": "math", "score": "math"},
    "code": {"elicit": "generate", "extraction": "code", "score": "code"},
    "judge": {"elicit": "generate", "extraction": "whole", "score": "judge"},
    "semantic": {"elicit": "generate", "extraction": "whole", "score": "semantic"},
}

SCORED_AS: Mapping[str, str] = dict.fromkeys(("first_letter", "last_letter", "answer_letter"), "choice") | {
    name: name for name in ("choice", "number", "math", "short_text", "code")
}
"""Scorer of a reader where none is stated: a letter compared with an option's text would always be wrong."""
