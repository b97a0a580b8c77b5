"""The one place that talks HTTP. One attempt a call, never a redirect, never more than the cap."""

from __future__ import annotations

from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from eyechart.backends.openai_faults import clean, from_status, parse
from eyechart.core.records import Failure

CAP = 32 * 2**20
"""Bytes of a reply: no answer to an evaluation is longer, and an endless one must end."""
_ERROR_CAP = 64 * 1024
_KEEP_ALIVE = 4.0
"""Seconds an idle connection is kept. Below uvicorn's 5: a connection that the server closes while we
write on it costs an attempt, since a POST must not be sent twice unseen."""


class Client:
    """A session bound to the loop it was made in."""

    def __init__(
        self,
        base: str,
        *,
        connections: int,
        timeout: float,
        connect: float,
        proxy: bool = False,
        cap: int = CAP,
    ) -> None:
        self._urls = {path: URL(f"{base}/{path}") for path in ("completions", "chat/completions")}
        self._timeout, self._connect, self._cap = timeout, connect, cap
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=_KEEP_ALIVE),
            timeout=aiohttp.ClientTimeout(total=timeout, sock_connect=connect),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "Content-Type": "application/json",
                "User-Agent": "eyechart",
            },
            proxy=_proxy(URL(base)) if proxy else None,  # not trust_env: ~/.netrc would replace our key
        )

    async def close(self) -> None:
        await self._session.close()

    async def post(self, path: str, body: bytes, key: str | None) -> tuple[dict[str, Any], str] | Failure:
        """The reply and the name of the server software, or the Failure."""
        url = self._urls[path]
        headers = {"Authorization": f"Bearer {key}"} if key else None
        try:
            async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
                if answer.status != 200:
                    raw = await self._read(answer, _ERROR_CAP)
                    return from_status(answer.status, answer.headers, raw, key=key, url=str(url))
                kind = answer.headers.get("Content-Type", "")
                if kind.startswith("text/event-stream"):
                    answer.close()
                    return Failure(kind="garbage", reason="200 with an event stream, which nobody asked for")
                raw = await self._read(answer, self._cap + 1)
                if len(raw) > self._cap:
                    return Failure(kind="garbage", reason=f"200 with a body of more than {self._cap:,} bytes")
                found = parse(raw, kind, key=key, url=str(url))
                return found if isinstance(found, Failure) else (found, answer.headers.get("Server", ""))
        except TimeoutError as error:
            return self._late(error)
        except (aiohttp.ClientError, OSError) as error:
            return _broken(error, url, key)

    async def _read(self, answer: aiohttp.ClientResponse, most: int) -> bytes:
        """At most `most` bytes; the rest is left and the connection closed."""
        length = answer.content_length
        if length is not None and length <= most and "Content-Encoding" not in answer.headers:
            return await answer.read()
        parts: list[bytes] = []
        size = 0
        while size < most:
            part = await answer.content.read(min(most - size, 2**16))
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
        answer.close()
        return b"".join(parts)

    def _late(self, error: TimeoutError) -> Failure:
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return Failure(kind="timeout", reason=f"no connection within {self._connect:g} s", retryable=True)
        reason = f"no whole answer within {self._timeout:g} s; model.options.timeout gives it longer"
        return Failure(kind="timeout", reason=reason, retryable=True)


def _proxy(url: URL) -> str | None:
    host = url.host or ""
    return None if proxy_bypass(host) else getproxies().get(url.scheme)


def _broken(error: aiohttp.ClientError | OSError, url: URL, key: str | None) -> Failure:
    """The errors of aiohttp in our words; their own may hold headers and are not quoted whole."""
    where = f"{url.scheme}://{url.host}:{url.port}"
    said = clean(getattr(error, "strerror", None) or getattr(error, "message", None) or type(error).__name__, key)
    if isinstance(error, aiohttp.ClientSSLError):
        return Failure(kind="connection", reason=f"no secure connection to {where}: {clean(str(error), key)}")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Failure(kind="connection", reason=f"the host {url.host} is not found ({said})", retryable=True)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure(kind="connection", reason=f"no server answers at {where} ({said})", retryable=True)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Failure(kind="connection", reason=f"the proxy on the way to {where} says {error.status} {said}")
    if isinstance(error, aiohttp.ClientResponseError):
        return Failure(kind="garbage", reason=f"{where} does not speak HTTP: {said}")
    return Failure(
        kind="connection",
        reason=f"the connection to {where} broke before a whole answer came ({said})",
        retryable=True,
    )
