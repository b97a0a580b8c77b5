"""How a program can be kept in on this machine, found by trying."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Literal

from eyechart.sandbox.seccomp import program


def _driver() -> str:
    """The three files of the sandbox's inside as one text, with no path to find modules on."""
    texts = {
        name: files("eyechart.sandbox").joinpath(f"{name}.py").read_text("utf-8")
        for name in ("values", "wire", "driver")
    }
    parts = ["import sys"]
    for name in ("values", "wire"):
        parts.append(f"m = sys.modules['eyechart.sandbox.{name}'] = type(sys)('eyechart.sandbox.{name}')")
        parts.append(f"exec({texts[name]!r}, m.__dict__)")
    return "\n".join([*parts, f"exec({texts['driver']!r})"])


DRIVER = _driver()
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one program may use, for all its tests together."""

    cpu_seconds: int = 10
    wall_seconds: float = 15.0
    memory_bytes: int = 512 << 20
    """Of address space, for each of the two processes."""
    file_bytes: int = 10 << 20
    open_files: int = 64

    def sizes(self) -> dict[str, int]:
        """As `resource.setrlimit` takes them."""
        return {
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": 0,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """What keeps a program in, what that stops, and what it cannot stop."""

    kind: Literal["bubblewrap", "weak", "none"]
    stops: tuple[str, ...]
    cannot_stop: tuple[str, ...]


_ALWAYS = ("seeing the expected values in its own process", "endless loops", "more memory than its limit", "early exit")
STRONG = Isolation(
    kind="bubblewrap",
    stops=(*_ALWAYS, "network", "reading files of the user", "writing outside its own scratch space", "new processes",
           "seeing or signalling other processes", "reading the environment"),
    cannot_stop=("faults of the kernel", "reading the system's programs and the Python installation",
                 "use of the CPU up to its limit"),
)  # fmt: skip
WEAK = Isolation(
    kind="weak",
    stops=_ALWAYS,
    cannot_stop=("network", "reading and writing every file of the user who runs it", "killing other processes",
                 "new processes that outlive it", "reading the memory of other processes, the asserts among them"),
)  # fmt: skip
NONE = Isolation(kind="none", stops=(), cannot_stop=("anything: limits need Linux or macOS",))


def refusal() -> str:
    """What a person reads where no program is run for want of a sandbox."""
    if isolation() == NONE:
        return "programs cannot be run safely on this system: run the study on Linux with bubblewrap"
    return (
        "programs are not run without a sandbox: install bubblewrap (apt-get install bubblewrap), or accept a weak one, "
        "which cannot stop them from using the network or your files (--allow-weak-sandbox)"
    )


def python() -> str:
    """The interpreter itself, behind the links of a virtual environment."""
    return str(Path(sys.executable).resolve())


def command(kind: str, seccomp: int | None) -> list[str]:
    """What starts the driver; `seccomp` is the descriptor that holds the filter."""
    start = [python(), "-I", "-S", "-c", DRIVER]
    if kind != "bubblewrap":
        return start
    wrap = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    wrap += ["--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    for path in _SYSTEM:
        if os.path.islink(path):
            wrap += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            wrap += ["--ro-bind", path, path]
    if not sys.base_prefix.startswith("/usr"):
        wrap += ["--ro-bind", sys.base_prefix, sys.base_prefix]
    wrap += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--size", str(16 << 20), "--tmpfs", "/tmp"]  # noqa: S108
    wrap += ["--remount-ro", "/", "--chdir", "/tmp"]  # noqa: S108 - inside the sandbox
    if seccomp is not None:
        wrap += ["--seccomp", str(seccomp)]
    return [*wrap, "--", *start]


def start(kind: str, payload: dict[str, Any], link: socket.socket, scratch: str, out: int) -> subprocess.Popen[bytes]:
    """One driver under way, in a session of its own, with `link` and nothing else of ours open."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(json.dumps(payload | {"fd": link.fileno()}).encode())
        stdin.seek(0)
        seccomp = _filter() if kind == "bubblewrap" else None
        try:
            return subprocess.Popen(
                command(kind, seccomp),
                stdin=stdin,
                stdout=out,
                stderr=subprocess.DEVNULL,
                cwd=scratch,
                env={},
                pass_fds=(link.fileno(), *(() if seccomp is None else (seccomp,))),
                start_new_session=True,
            )
        finally:
            if seccomp is not None:
                os.close(seccomp)


def _filter() -> int | None:
    """A descriptor from which the filter can be read."""
    code = program(platform.machine())
    if code is None:
        return None
    reading, writing = os.pipe()
    os.write(writing, code)  # a few hundred bytes: never more than a pipe takes
    os.close(writing)
    return reading


_PROBE = """
import os, socket
def attempt(*what):
    got = []
    for name, act in (
        ("read", lambda: open(what[0]).read()),
        ("write", lambda: open(what[0], "w").write("x")),
        ("create", lambda: open(what[0] + ".new", "w").write("x")),
        ("connect", lambda: socket.create_connection(("127.0.0.1", what[1]), 1)),
        ("kill", lambda: os.kill(what[2], 0)),
        ("environ", lambda: 1 / (any("EYECHART_SECRET" in k for k in os.environ))),
        ("parent", lambda: 1 / (b"EYECHART_SECRET" in open("/proc/%d/environ" % os.getppid(), "rb").read())),
        ("fork", lambda: os.fork() or os._exit(0)),
    ):
        try:
            act()
            got.append(name)
        except (OSError, ZeroDivisionError):
            pass
    return got
"""


@lru_cache(maxsize=1)
def isolation() -> Isolation:
    """The best that this machine has, each promise of bubblewrap's tried once against a program that means harm."""
    try:
        import resource
    except ImportError:
        return NONE
    del resource
    return STRONG if shutil.which("bwrap") and _holds() else WEAK


def _holds() -> bool:
    """Whether a program in bubblewrap reads, writes, connects, kills, learns and forks nothing."""
    with (
        tempfile.TemporaryDirectory() as place,
        socket.create_server(("127.0.0.1", 0)) as server,
        tempfile.TemporaryFile() as out,
    ):
        secret = Path(place) / "secret"
        secret.write_text("secret")
        call = f"assert attempt({str(secret)!r}, {server.getsockname()[1]}, {os.getpid()}) == []"
        return _tried(call, place, out) and secret.read_text() == "secret" and os.listdir(place) == ["secret"]


def _tried(call: str, place: str, out: IO[bytes]) -> bool:
    one, other = socket.socketpair()
    sizes = Limits().sizes()
    started: list[subprocess.Popen[bytes]] = []
    try:
        with one, other:
            asked = {"role": "asserts", "gold": call, "wanted": ["attempt"], "modules": [], "limits": sizes}
            loaded = {"role": "solution", "code": _PROBE, "limits": sizes}
            started.append(start("bubblewrap", loaded, one, place, subprocess.DEVNULL))
            started.append(start("bubblewrap", asked, other, place, out.fileno()))
        started[1].wait(10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        for process in started:
            process.kill()
            process.wait()
    out.seek(0)
    return b'["passed"' in out.read()
