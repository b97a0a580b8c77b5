"""Programs that try to be called right without being right, and ones that are right in odd ways."""

import socket
import time
from pathlib import Path

import pytest

from eyechart.sandbox.grade import grade_programs
from eyechart.sandbox.isolation import Limits, isolation

GOLD = "assert add(2, 3) == 5\nassert add(-1, 1) == 0\nassert add(10, 20) == 30"
FLOAT = "import math\nassert math.isclose(mean([1, 2]), 1.5)\nassert abs(mean([3]) - 3) < 1e-9"
SHORT = Limits(cpu_seconds=1, wall_seconds=3.0)

strong = pytest.mark.skipif(isolation().kind != "bubblewrap", reason="bubblewrap is not here or does not hold")

ADD = "def add(a, b):\n    "
EQUAL = (
    "    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n    def __hash__(self): return 0\n"
)
CHEATS = {
    "os._exit": "import os\n" + ADD + "os._exit(0)",
    "os._exit at import": "import os\nos._exit(0)\n" + ADD + "return 0",
    "sys.exit": "import sys\n" + ADD + "sys.exit(0)",
    "SystemExit": ADD + "raise SystemExit",
    "quit": ADD + "quit()",
    "KeyboardInterrupt": ADD + "raise KeyboardInterrupt",
    "GeneratorExit": ADD + "raise GeneratorExit",
    "AssertionError": ADD + "raise AssertionError",
    "StopIteration": ADD + "raise StopIteration",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\n" + ADD + "raise SystemExit(0)",
    "kill itself": "import os\n" + ADD + "os.kill(os.getpid(), 9)",
    "kill parent": "import os\n" + ADD + "os.kill(os.getppid(), 9)",
    "kill all": "import os\n" + ADD + "os.kill(-1, 9)",
    "abort": "import os\n" + ADD + "os.abort()",
    "segmentation fault": "import ctypes\n" + ADD + "ctypes.string_at(0)",
    "int that equals all": "class Any(int):\n" + EQUAL + ADD + "return Any(0)",
    "object that equals all": "class Any:\n" + EQUAL + ADD + "return Any()",
    "class in place of the function": "class add(int):\n    def __new__(cls, a, b): return int.__new__(cls, 0)\n" + EQUAL,
    "metaclass": "class M(type):\n    def __eq__(self, o): return True\n    __hash__ = type.__hash__\nclass A(metaclass=M): pass\n" + ADD + "return A",
    "false __class__": "class A:\n    __class__ = int\n" + EQUAL + ADD + "return A()",
    "patched json": "import json\njson.dumps = lambda *a, **k: '[\"=\", 5, []]'\n" + ADD + "return 0",
    "patched isinstance": "import builtins\nbuiltins.isinstance = lambda *a: True\n" + ADD + "return 0",
    "patched abs, repr and hash": "import builtins\nbuiltins.abs = builtins.hash = lambda *a: 0\nbuiltins.repr = lambda *a: '5'\n" + ADD + "return 0",
    "patched operator": "import operator\noperator.eq = lambda a, b: True\n" + ADD + "return 0",
    "AssertionError redefined": "import builtins\nbuiltins.AssertionError = None\n" + ADD + "return 0",
    "driver's tables": "import sys\nm = sys.modules['eyechart.sandbox.wire']\nm.OPS['eq'] = lambda *a: True\nm.Peer.encode = lambda *a: 5\n" + ADD + "return 0",
    "driver's answers": "import sys\nsys.modules['eyechart.sandbox.wire'].Peer.serve = lambda self, m: self.send(['passed', '', 3, True])\n" + ADD + "return 0",
    "verdict on every descriptor": "import os\nfor fd in range(64):\n    try: os.write(fd, b'[\"passed\", \"\", 3, true]\\n')\n    except OSError: pass\n" + ADD + "return 0",
    "passed printed": "print('[\"passed\", \"\", 3, true]', flush=True)\n" + ADD + "print('passed')",
    "frames": "import sys\n" + ADD + "f = sys._getframe()\n    while f:\n        for v in f.f_locals.values():\n            if isinstance(v, int) and v == 5: return v\n        f = f.f_back",
    "garbage collector": "import gc\n" + ADD + "return [o for o in gc.get_objects() if isinstance(o, dict) and 'expected' in o][0]['expected']",
    "asserts read from stdin": "import os\n" + ADD + "os.lseek(0, 0, 0)\n    import re\n    return int(re.search(rb'== (\\d+)', os.read(0, 9999).split(b'gold')[-1])[1])",
    "memory of all processes": "import os\n" + ADD + "return [open(f'/proc/{p}/mem', 'rb').read(9) for p in os.listdir('/proc') if p.isdigit()]",
    "no return": ADD + "print(a + b)",
    "string": ADD + "return str(a + b)",
    "float that is not a number": ADD + "return float('nan')",
    "sum is off": ADD + "return a + b + (a == 10)",
    "stale table": ADD + "return {(2, 3): 5, (-1, 1): 0, (10, 20): 30}[a, b]",
    "chain of conditions": ADD + "if a == 2 and b == 3: return 5\n    if a == -1 and b == 1: return 0\n    if (a, b) == (10, 20): return 30\n    return None",
    "deep recursion": ADD + "return add(a, b)",
    "own repr and reduce": "class A:\n    def __repr__(self): return '5'\n    def __reduce__(self): return int, (5,)\n    def __index__(self): return 5\n" + ADD + "return A()",
    "value in itself": ADD + "x = []\n    x.append(x)\n    return x",
    "memory": ADD + "return [0] * 10**10",
    "generator without end": ADD + "\n    while True: yield 5",
    "thread that forges": "import threading, os, time\ndef w():\n    for fd in range(3, 64):\n        try: os.write(fd, b'\\0\\0\\0\\x0b[\"=\", 5, []]')\n        except OSError: pass\nthreading.Thread(target=w, daemon=True).start()\n" + ADD + "return 0",
    "descriptors closed": "import os\nos.closerange(0, 64)\n" + ADD + "return 5",
    "add is data": "add = 5",
    "stdin": "x = input()\n" + ADD + "return a + b",
    "syntax": "def add(a, b)\n    return a + b",
    "annotation without its import": "def add(a: Optional[int], b) -> Dict[str, int]:\n    return a + b",
    "annotated name without its import": "total: Final = 0\n" + ADD + "return a + b",
    "tab after spaces": "def add(a, b):\n    c = a\n\treturn c + b",
    "import of what is not there": "import not_there\n" + ADD + "return a + b",
}  # fmt: skip
FLOATS = {
    "isclose": "import math\nmath.isclose = lambda *a, **k: True\ndef mean(xs): return 0",
    "abs": "import builtins\nbuiltins.abs = lambda x: 0\ndef mean(xs): return 0",
    "operators": "class A(float):\n    def __sub__(self, o): return 0.0\n    __rsub__ = __sub__\n    def __abs__(self): return 0.0\n    def __lt__(self, o): return True\ndef mean(xs): return A(0)",
    "float and order": "class A:\n    def __float__(self): return 1.5\n    def __sub__(self, o): return A()\n    def __abs__(self): return A()\n    def __lt__(self, o): return True\ndef mean(xs): return A()",
    "derived float": "class A(float):\n    def __float__(self): return 1.5\n    def __rsub__(self, o): return 0.0\ndef mean(xs): return A(len(xs))",
    "own absolute value": "class A:\n    def __abs__(self): return 0\n    def __index__(self): return 1\nclass B(float):\n    def __sub__(self, o): return A()\ndef mean(xs): return B(len(xs))",
    "not a number": "def mean(xs): return float('nan')",
}  # fmt: skip
ASKED = {
    "own truth": "class A:\n    def __bool__(self): return True\ndef even(n): return A() if n else A()",
    "own number": "class even:\n    def __init__(self, n): pass\n    def __round__(self, n=None): return 4\n    def __bool__(self): return True",
}
SLOW = {
    "files deleted": "import shutil\nshutil.rmtree('/', ignore_errors=True)\n" + ADD + "return 0",
    "recursion without limit": "import sys\nsys.setrecursionlimit(10**9)\n" + ADD + "return add(a, b)",
    "huge text": ADD + "return 'x' * 10**8",
    "alarm": "import signal\nsignal.alarm(1)\n" + ADD + "\n    while True: pass",
    "huge integer": ADD + "return 1 << 10**8",
    "loop": ADD + "while True: pass",
    "sleep": "import time\n" + ADD + "time.sleep(99)",
    "loop that catches all": ADD + "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "signals ignored": "import signal\nfor s in range(1, 30):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n" + ADD + "while True: pass",
    "fork bomb": "import os\n" + ADD + "\n    while True:\n        os.fork()",
    "output": ADD + "while True: print('x' * 10**6)",
}  # fmt: skip


def verdicts(programs: dict[str, str], gold: str, weak: bool = False) -> dict[str, str]:
    scores = grade_programs([(code, gold) for code in programs.values()], limits=SHORT, weak=weak)
    return {name: score.outcome.value for name, score in zip(programs, scores, strict=True)}


@strong
@pytest.mark.parametrize(
    ("programs", "gold"), [(CHEATS, GOLD), (FLOATS, FLOAT), (ASKED, "assert even(2)\nassert round(even(4), 1) == 4")]
)
def test_no_cheat_is_right(programs: dict[str, str], gold: str) -> None:
    assert {k: v for k, v in verdicts(programs, gold).items() if v != "incorrect"} == {}


@strong
@pytest.mark.slow
def test_limits_end_what_does_not_end() -> None:
    began = time.monotonic()
    assert set(verdicts(SLOW, GOLD).values()) == {"incorrect"}
    assert time.monotonic() - began < 3.5 * len(SLOW)


HARMFUL = """
import os, socket, subprocess
def attempt(place, port, pid):
    got = []
    for name, act in [
        ("read", lambda: open(place + "/secret").read()),
        ("overwrite", lambda: open(place + "/secret", "w")),
        ("create", lambda: open(place + "/new", "w")),
        ("home", lambda: open("/root/new", "w")),
        ("etc", lambda: open("/etc/passwd").read()),
        ("link", lambda: os.symlink(place, "/tmp/l") or open("/tmp/l/secret").read()),
        ("connect", lambda: socket.create_connection(("127.0.0.1", port), 1)),
        ("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))),
        ("unix", lambda: socket.socket(socket.AF_UNIX)),
        ("signal", lambda: os.kill(pid, 0)),
        ("environ", lambda: open(f"/proc/{pid}/environ").read()),
        ("memory", lambda: open(f"/proc/{pid}/mem", "rb").read(1)),
        ("fork", lambda: os.fork() or os._exit(0)),
        ("spawn", lambda: subprocess.run(["/usr/bin/env"])),
        ("chroot", lambda: os.chroot("/tmp")),
        ("mount", lambda: subprocess.run(["mount"])),
        ("setuid", lambda: os.setuid(0)),
        ("many files", lambda: [open("/dev/null") for _ in range(100)]),
        ("large file", lambda: open("/tmp/big", "wb").write(bytes(20 << 20)) and open("/tmp/big", "ab").write(b"x")),
        ("variables", lambda: 1 / len([k for k in os.environ if k not in ("PWD", "LC_CTYPE")])),
    ]:
        try:
            act()
            got.append(name)
        except (OSError, ZeroDivisionError):
            pass
    return got
"""


@strong
def test_nothing_gets_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        import os

        gold = f"assert attempt({str(tmp_path)!r}, {server.getsockname()[1]}, {os.getpid()}) == []"
        (score,) = grade_programs([(HARMFUL, gold)])
    assert (score.outcome.value, score.reason) == ("correct", None)
    assert [p.name for p in tmp_path.iterdir()] == ["secret"]


def test_weak_is_refused_unless_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    import eyechart.sandbox.isolation as isolations
    import eyechart.sandbox.run as runs

    monkeypatch.setattr(runs, "isolation", lambda: isolations.WEAK)
    (score,) = grade_programs([(ADD + "return a + b", GOLD)])
    assert score.outcome.value == "unscored"
    assert "--allow-weak-sandbox" in str(score.reason)
    some = ("os._exit", "int that equals all", "no return", "driver's tables", "value in itself", "stale table")
    found = verdicts({"right": ADD + "return a + b"} | {k: CHEATS[k] for k in some}, GOLD, weak=True)
    assert found.pop("right") == "correct"
    assert set(found.values()) == {"incorrect"}


def test_the_self_test_fails_where_nothing_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    import eyechart.sandbox.isolation as isolations

    real = isolations.command
    monkeypatch.setattr(isolations, "command", lambda kind, seccomp: real("weak", None))
    assert not isolations._holds()  # pyright: ignore[reportPrivateUsage]
