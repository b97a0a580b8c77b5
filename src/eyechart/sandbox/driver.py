"""What runs inside the sandbox: one side holds the program, the other the asserts, and only values pass between.

This file, `values` and `wire` are handed to `python -I -S -c` as one text (`isolation.DRIVER`); they import nothing
else of eyechart and little of Python, since every program waits for them. They are run twice for each program, in two sandboxes joined by one socket:

- `solution` loads the program and answers: what is bound to this name, what does this call return;
- `asserts` runs the gold asserts, unchanged, with the names that they do not define bound to stand-ins.

So expected values are never in the program's process, and whatever the program patches, overrides,
prints or forges, all it can do is to return data, which the other side compares as plain built-in
values. Objects that are no data stay where they are; their stand-ins pass on calls and attributes, but
never equality, order or arithmetic with data, for that would ask the program whether it is right.
"""

from __future__ import annotations

import json
import os
import sys

from eyechart.sandbox.values import describe, waiting
from eyechart.sandbox.wire import SOLUTION, Foreign, Gone, Peer

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` costs a third of the start
    from typing import Any


def statements(source: str) -> Any:
    """The syntax tree, without the start-up cost of `ast`."""
    return compile(source, "asserts", "exec", 0x400, True)


def limit(sizes: dict[str, int]) -> None:
    """Soft limits one below the hard ones, so that the signal that says why comes before the kill."""
    import resource

    for name, size in sizes.items():
        resource.setrlimit(getattr(resource, name), (size, size + 1 if name == "RLIMIT_CPU" else size))


def solution(fd: int, code: str, shown: bool) -> None:
    """Load the program, then serve until the other side has gone. What it prints is kept where it is to be shown."""
    peer = Peer(fd, strict=False)
    if shown:
        sys.stdout = peer.printed = __import__("io").StringIO()
    module = type(sys)("solution")
    sys.modules["solution"] = module
    sys.setrecursionlimit(1050)  # the usual 1000 for the program, and the rest for this file
    dead = None
    try:
        exec(compile(code, "solution", "exec", 0, True), module.__dict__)  # noqa: S102 - what the sandbox is for
    except BaseException as error:
        dead = f"the program does not load: {describe(error)}"
    SOLUTION.update(module.__dict__)
    peer.echo()
    while True:
        message = peer.receive()
        if dead is None:
            peer.serve(message)
        else:
            peer.send(["dead", dead])


def asserts(fd: int, gold: str, wanted: list[str], modules: list[str]) -> None:
    """Run the asserts statement by statement; what happened goes to the original standard output, a line each."""
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    peer = Peer(fd, strict=True)
    peer.wanted = tuple(wanted)
    module = type(sys)("asserts")
    sys.modules["asserts"] = module
    names = module.__dict__

    def say(status: str, reason: str, line: int) -> None:
        os.write(out, (json.dumps([status, reason, line, touched]) + "\n").encode())

    touched, line = False, 0
    try:
        names.update((name, __import__(name)) for name in modules)
        if "asyncio" in gold:
            loop = __import__("asyncio")
            whole = loop.run

            def run(main: Any, **named: Any) -> Any:
                return whole(waiting(main), **named)

            loop.run = run
        for name in wanted:
            try:
                names[name] = peer.ask("name", name)
            except KeyError:
                continue  # said where an assert uses it
        tree = statements(gold)
        for node in tree.body:
            line = node.lineno
            code = compile(type(tree)([node], []), "asserts", "exec", 0, True)
            touched = touched or mentions(code, wanted)
            say("at", "", line)
            exec(code, names)  # noqa: S102 - the asserts of the item
        status = ("failed", peer.trouble) if peer.trouble else ("passed", "")
        say(*status, line)
    except BaseException as error:
        far = getattr(error, "far", None)
        missing = isinstance(error, NameError) and getattr(error, "name", None) in wanted
        mine = far is not None or isinstance(error, Gone | Foreign) or (touched and not isinstance(error, ImportError))
        reason = peer.trouble or (f"the program raised {far}" if far else describe(error))
        if missing and far is None:
            reason = f"the program does not define {getattr(error, 'name', '')}"
        elif isinstance(error, AssertionError) and far is None:
            reason = "does not hold"
        say("failed" if mine else "broken", reason, line)


def mentions(code: Any, names: list[str]) -> bool:
    """Whether a statement may use the program; only one that does not can show that the asserts are at fault."""
    inner = [part for part in code.co_consts if type(part) is type(code)]
    return any(name in names for name in code.co_names) or any(mentions(part, names) for part in inner)


def main() -> None:
    payload = json.loads(sys.stdin.buffer.read())
    limit(payload["limits"])
    if payload["role"] == "solution":
        solution(payload["fd"], payload["code"], payload.get("shown", False))
    else:
        asserts(payload["fd"], payload["gold"], payload["wanted"], payload["modules"])


if __name__ == "__main__":
    main()
