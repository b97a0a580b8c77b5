"""CPU a request of a whole run (client, durable store, reading) against a server that answers at once,
beside a bare aiohttp loop that only posts the same bodies. The target is 0.5 ms at 100 in flight.

The server runs in a process of its own, so that its work is not counted.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
from aiohttp import web

import eyechart as ec
from eyechart.app.run import run

N = 3000
REPLY = {
    "id": "x", "object": "text_completion", "model": "m",
    "choices": [{"index": 0, "text": " positive", "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21},
}  # fmt: skip


def serve(port: object) -> None:
    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.json_response(REPLY)

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.send(site._server.sockets[0].getsockname()[1])  # type: ignore[attr-defined]
        await asyncio.sleep(600)

    asyncio.run(main())


async def bare(url: str, bodies: list[bytes]) -> None:
    queue = list(bodies)
    connector = aiohttp.TCPConnector(limit=100)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def work() -> None:
            while queue:
                async with session.post(url, data=queue.pop(), headers={"Content-Type": "application/json"}) as reply:
                    json.loads(await reply.read())

        await asyncio.gather(*(work() for _ in range(100)))


def main() -> None:
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    cues = ", ".join(f'" {i}:"' for i in range(N // 120))
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment}\n"
        f"model: {{backend: openai, name: m, url: '{url}', options: {{concurrency: 100}}}}\n"
        f"evaluation: {{extraction: lenient}}\nfactors: [{{prompt.cue: [{cues}]}}]\n"
    )
    plan = study.plan("nowhere")
    prompts = [one.call.request.prompt for _, one in plan.new]
    bodies = [json.dumps({"model": "m", "prompt": p, "max_tokens": 32, "temperature": 0}).encode() for p in prompts]
    with tempfile.TemporaryDirectory() as folder:
        start, wall = time.process_time(), time.perf_counter()
        ran = run(study.grid, study.text, study.folder(Path(folder) / "run"))
        ours, ours_wall = time.process_time() - start, time.perf_counter() - wall
    if ran.failed:
        sys.exit(f"{ran.failed} calls failed: {ran.reasons}")
    start, wall = time.process_time(), time.perf_counter()
    asyncio.run(bare(f"{url}/completions", bodies))
    theirs, theirs_wall = time.process_time() - start, time.perf_counter() - wall
    n = len(bodies)
    print(
        f"client: {n:,} requests at 100 in flight, stored durably and read: {ours / n * 1000:.3f} ms CPU each (target 0.5)"
    )
    print(
        f"        {n / ours_wall:,.0f} a second; bare aiohttp {theirs / n * 1000:.3f} ms, {n / theirs_wall:,.0f} a second; ratio {ours / theirs:.2f}"
    )
    server.kill()


if __name__ == "__main__":
    main()
