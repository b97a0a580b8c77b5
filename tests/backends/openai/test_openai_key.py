"""The key goes to the server in one header, and nowhere else."""

from __future__ import annotations

import asyncio
import logging

import pytest
from faults import FaultServer
from openai_asking import answer, ask, ask_all, backend_at, say

from eyechart.core.errors import InputError
from eyechart.core.records import Call, Failure, Response

KEY = "sk-proj-Zq3xX9vWtB7aaQ"


def test_the_key_is_sent_and_stays_nowhere(
    fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("THE_KEY", f" {KEY}\n")
    steps = [
        "ok",
        "key-echo",
        "key-masked",
        "key-answer",
        "500",
        "reset",
        "reset-mid",
        "truncated",
        "redirect",
    ]
    fault_server.script(*steps)
    backend = backend_at(fault_server.url, api_key_env="THE_KEY", options={"concurrency": 1})
    found = ask_all(backend, [say() for _ in steps])
    assert all(seen.headers["Authorization"] == f"Bearer {KEY}" for seen in fault_server.seen)
    assert isinstance(found[0], Response)
    assert all(isinstance(result, Failure) for result in found[1:])
    assert found[1] == Failure(kind="bad_request", reason="401: wrong key: [key]")
    assert found[2] == Failure(kind="bad_request", reason="401: wrong key: [key]")
    assert "repeats the API key" in repr(found[3])
    everything = f"{found!r}{backend!r}{vars(backend)!r}{backend.engine()!r}{caplog.text}"
    for part in (KEY, KEY[:12], KEY[-8:]):
        assert part not in everything


def test_a_placeholder_may_be_in_an_answer(fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """`EMPTY` is what people write where a server wants any key; it is no secret and may be an answer."""
    monkeypatch.setenv("THE_KEY", "EMPTY")
    assert answer(backend_at(fault_server.url, api_key_env="THE_KEY"), say("EMPTY")).text == "EMPTY"


@pytest.mark.parametrize("value", [None, "", "  ", "two\nlines-zzz", "clé-zzz"])
def test_no_usable_key(fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("THE_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("THE_KEY", value)
    backend = backend_at(fault_server.url, api_key_env="THE_KEY")
    with pytest.raises(InputError, match=r"model\.api_key_env: the environment variable THE_KEY") as error:
        ask(backend, say())
    assert "zzz" not in str(error.value)
    assert fault_server.count == 0


def test_the_key_itself_in_place_of_its_name_is_not_shown() -> None:
    with pytest.raises(InputError) as error:
        backend_at("http://127.0.0.1:8000/v1", api_key_env=KEY)
    assert KEY[:8] not in str(error.value)


def test_a_changed_key_is_used_at_once(fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        backend = backend_at(fault_server.url, api_key_env="THE_KEY")
        for key in ("first-key", "second-key"):
            monkeypatch.setenv("THE_KEY", key)
            await backend.ask([Call(request=say(), repeat=0)])
        await backend.close()

    asyncio.run(main())
    assert [s.headers["Authorization"] for s in fault_server.seen] == [
        "Bearer first-key",
        "Bearer second-key",
    ]
