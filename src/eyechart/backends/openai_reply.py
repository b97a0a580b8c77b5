"""What a generated answer says, read strictly: what is missing is absent, what is odd is a Failure."""

from __future__ import annotations

from typing import Any, cast

from eyechart.backends.openai_faults import Bad, clean
from eyechart.core.records import Request, Response

Reply = dict[str, Any]


def first_choice(reply: Reply) -> Reply:
    choices = reply.get("choices")
    if not isinstance(choices, list):
        raise Bad("garbage", "200 without choices: is this an OpenAI-compatible server?")
    if not choices:
        raise Bad("empty", "200 with no choices in it", retryable=True)
    choice = cast("list[Any]", choices)[0]
    if not isinstance(choice, dict):
        raise Bad("garbage", "200 with a choice that is not an object")
    return cast("Reply", choice)


def read_text(reply: Reply, request: Request, name: str) -> Response:
    """The Response of a reply that generated text. Raises Bad.

    A null content is an empty answer only where the server says why: filtered, or cut off after
    tokens were made (a thinking model that spent them all out of sight). Otherwise nothing was said.

    >>> choice = {"text": " 4", "finish_reason": "stop"}
    >>> reply = {"model": "m2", "choices": [choice], "usage": {"prompt_tokens": 9}}
    >>> r = read_text(reply, Request(elicit="generate", prompt="2+2="), "m")
    >>> r.text, r.finish_reason, r.prompt_tokens, r.completion_tokens, r.notes
    (' 4', 'stop', 9, None, ('served_other_model',))
    """
    choice = first_choice(reply)
    why = choice.get("finish_reason")
    if why is not None and not isinstance(why, str):
        raise Bad("garbage", f"200 with the finish_reason {clean(repr(why), None)}")
    if why == "error":
        raise Bad("server_error", "200 with finish_reason error: the model behind it failed", retryable=True)
    notes = list(noted(reply, name))
    made = counts(reply)[1]
    text = _said(choice, why, made, notes) if request.messages else _word(choice, "text")
    if text is None and (why == "content_filter" or (why == "length" and made)):
        text = ""
        notes.append("null_content")
    if text is None:
        raise Bad("empty", f"200 with no content (finish_reason {why}); nothing was answered")
    if not text.isascii():
        _whole(text)
    notes += _ignored(request, text, made)
    prompt_tokens, completion_tokens = counts(reply, text)
    return Response(
        text=text,
        finish_reason=plain(why),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        served_model=plain(reply.get("model")),
        system_fingerprint=plain(reply.get("system_fingerprint")),
        notes=tuple(notes),
    )


def noted(reply: Reply, name: str) -> tuple[str, ...]:
    served = reply.get("model")
    return ("served_other_model",) if isinstance(served, str) and served != name else ()


def counts(reply: Reply, text: str | None = None) -> tuple[int | None, int | None]:
    """Tokens of prompt and completion. A zero that cannot be true (no prompt is empty, no text comes
    from no token) is how some servers write "unknown"."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None, None
    usage = cast("Reply", usage)
    prompt, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
    prompt = prompt if type(prompt) is int and prompt > 0 else None
    made = made if type(made) is int and (made > 0 or (made == 0 and prompt and not text)) else None
    return prompt, made


def _said(choice: Reply, why: str | None, made: int | None, notes: list[str]) -> str | None:
    said = choice.get("message")
    if not isinstance(said, dict):
        raise Bad("garbage", "200 with a chat choice that has no message")
    said = cast("Reply", said)
    if said.get("reasoning_content") or said.get("reasoning"):
        notes.append("reasoning_apart")
    if said.get("content") is None and isinstance(said.get("refusal"), str):
        notes.append("refusal_field")
        return said["refusal"]
    if "content" not in said and not said.get("tool_calls"):
        raise Bad("garbage", "200 with a message that has no content field")
    return _word(said, "content")


def _word(part: Reply, field: str) -> str | None:
    if field not in part and field == "text":
        raise Bad("garbage", "200 with a choice that has no text field")
    value = part.get(field)
    if value is not None and not isinstance(value, str):
        raise Bad("garbage", f"200 with a {field} that is not text but {type(value).__name__}")
    return value


def _whole(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Bad("garbage", "200 with half a character in its text (a lone surrogate)") from None


def _ignored(request: Request, text: str, made: int | None) -> list[str]:
    """Parameters that the reply itself shows were not followed."""
    out: list[str] = []
    for key, value in request.params:
        if key == "max_new_tokens" and made is not None and made > value:
            out.append("parameter_ignored:max_new_tokens")
        elif key == "stop" and any(stop in text for stop in value):
            out.append("parameter_ignored:stop")
    return out


def plain(value: Any) -> str | None:
    """A name as text that can be stored; None where there is none."""
    if not isinstance(value, str) or not value:
        return None
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
