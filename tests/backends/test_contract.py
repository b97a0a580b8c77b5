"""What every backend owes: cheap to open, honest about itself, one result a call, failures as values."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from eyechart.core.errors import MissingExtra
from eyechart.core.identity import engine_digest
from eyechart.core.plugins import BACKENDS
from eyechart.core.records import Call, Capabilities, Failure, Item, Message, Request, Response
from eyechart.core.spec import Model

ITEM = Item(id="1", fields={"question": "1 + 1 = "}, gold=("2",), choices=("2", "3"), gold_index=0)
GREEDY = (("max_new_tokens", 3), ("temperature", 0.0))
CALLS = [
    Call(request=Request(elicit="generate", prompt="1 + 1 = ", params=GREEDY), repeat=0, item=ITEM),
    Call(request=Request(elicit="generate", prompt="zwei 二 \u202e <b>", params=GREEDY), repeat=0, item=ITEM),
    Call(
        request=Request(elicit="generate", messages=(Message(role="user", content="Hi"),), params=GREEDY),
        repeat=0,
        item=ITEM,
    ),
    Call(request=Request(elicit="options", prompt="1 + 1 =", options=(" 2", " 3")), repeat=0, item=ITEM),
]


def models() -> dict[str, Model]:
    """A Model for each backend that needs nothing but what is here."""
    Path("answering.py").write_text("def answer(prompt):\n    return 'yes: ' + str(prompt)[-5:]\n")
    Path("answers.jsonl").write_text('{"prompt": "1 + 1 = ", "output": "2"}\n')
    return {
        "echo": Model(backend="echo"),
        "synthetic": Model(backend="synthetic"),
        "simulated_judge": Model(backend="simulated_judge"),
        "function": Model(backend="function", path="answering:answer"),
        "command": Model(backend="command", path=f"{sys.executable} -c 'import sys; print(len(sys.stdin.read()))'"),
        "replay": Model(backend="replay", path="answers.jsonl"),
        "openai": Model(backend="openai", name="m", url="http://127.0.0.1:9/v1"),
        "embedded": Model(backend="embedded"),
        "llamacpp": Model(backend="llamacpp"),
        "transformers": Model(backend="transformers", name="nobody/nothing"),
    }


@pytest.mark.parametrize(
    "name", [name for name in BACKENDS.names() if name not in ("imported", "lm_eval", "inspect")]
)  # they cannot be asked
async def test_every_backend(name):
    model = models()[name]
    try:
        backend = BACKENDS.get(name)(model)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert isinstance(backend.capabilities, Capabilities)
    assert backend.batch >= 1
    assert backend.concurrency >= 1
    engine = backend.engine()
    assert engine.backend == name
    assert engine.facts == tuple(sorted(engine.facts))
    assert engine_digest(engine) == engine_digest(BACKENDS.get(name)(model).engine())
    if name in ("embedded", "llamacpp", "transformers"):
        return  # they load a model: tests of their own
    try:
        results = await backend.ask(CALLS)
    finally:
        await backend.close()
    assert len(results) == len(CALLS)
    for call, result in zip(CALLS, results, strict=True):
        if isinstance(result, Failure):
            assert result.reason
            assert "\n" not in result.reason
        else:
            assert isinstance(result, Response)
            if call.request.elicit == "options":
                assert result.option_logprobs is not None
                assert len(result.option_logprobs) == 2
            else:
                assert isinstance(result.text, str)


async def test_a_changed_function_is_another_engine():
    Path("changing.py").write_text("def answer(prompt):\n    return 'a'\n")
    first = BACKENDS.get("function")(Model(backend="function", path="changing:answer")).engine()
    Path("changing.py").write_text("def answer(prompt):\n    return 'b'\n")
    assert BACKENDS.get("function")(Model(backend="function", path="changing:answer")).engine() != first


async def test_a_changed_script_is_another_engine():
    Path("rules.py").write_text("print('a')")
    model = Model(backend="command", path=f"{sys.executable} rules.py")
    first = BACKENDS.get("command")(model)
    assert (await first.ask(CALLS[:1]))[0].text == "a\n"
    Path("rules.py").write_text("print('b')")
    assert BACKENDS.get("command")(model).engine() != first.engine()


async def test_what_goes_wrong_in_a_command_or_function_is_a_failure():
    Path("breaking.py").write_text("def f(prompt):\n    raise KeyError('x')\ndef g(prompt):\n    return 7\n")
    for name, kind in (("f", "crashed"), ("g", "garbage")):
        (result,) = await BACKENDS.get("function")(Model(path=f"breaking:{name}")).ask(CALLS[:1])
        assert isinstance(result, Failure)
        assert result.kind == kind
    for code, kind in (
        ("raise SystemExit(3)", "crashed"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "garbage"),
    ):
        (result,) = await BACKENDS.get("command")(Model(path=f'{sys.executable} -c "{code}"')).ask(CALLS[:1])
        assert isinstance(result, Failure)
        assert result.kind == kind
    slow = Model(path=f"{sys.executable} -c 'import time; time.sleep(9)'", options={"timeout": 0.2})
    (result,) = await BACKENDS.get("command")(slow).ask(CALLS[:1])
    assert isinstance(result, Failure)
    assert (result.kind, result.retryable) == ("timeout", True)


async def test_a_run_is_replayed_by_its_folder():
    import eyechart as ec

    text = "dataset: {name: chart, subset: sentiment, limit: 8}\nmodel: {backend: synthetic}\nevaluation: {extraction: lenient}\n"
    ec.loads(text).execute("first")
    again = ec.loads(text.replace("backend: synthetic", "backend: replay, path: first")).execute("second")
    assert (again.made, again.failed) == (8, 0)
    assert ec.open("second").scores()[0].runs == ec.open("first").scores()[0].runs
    other = ec.loads(
        text.replace("backend: synthetic", "backend: replay, path: first").replace("limit: 8", "limit: 12")
    )
    assert other.execute("third").failed == 4  # not recorded: never guessed
