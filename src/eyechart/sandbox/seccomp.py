"""The system calls that a program in the sandbox does not get, as a classic BPF filter."""

from __future__ import annotations

import errno
import struct

_CLONE_THREAD = 0x10000
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST = 0, 4, 16
"""Offsets in `struct seccomp_data`: call number, architecture, low word of the first argument."""

# socket connect fork vfork ptrace process_vm_{readv,writev} unshare setns mount umount2 bpf perf_event_open
# userfaultfd keyctl add_key request_key io_uring_setup pidfd_getfd open_by_handle_at
_DENIED = {
    "x86_64": (0xC000003E, 56, (41, 42, 57, 58, 101, 310, 311, 272, 308, 165, 166, 321, 298, 323, 250, 248, 249, 425,
                                438, 304)),
    "aarch64": (0xC00000B7, 220, (198, 203, 117, 270, 271, 97, 268, 40, 39, 280, 241, 282, 219, 217, 218, 425, 438,
                                  265)),
}  # fmt: skip


def program(machine: str) -> bytes | None:
    """The filter for `machine` (as `platform.machine()` names it); None where its numbers are not known here.

    Threads are allowed (they count against the memory limit), new processes are not: a limit by
    RLIMIT_NPROC would not hold for root. Numbers from the kernel's tables of system calls.

    >>> len(program("x86_64")) % 8, program("vax")
    (0, None)
    """
    if machine not in _DENIED:
        return None
    arch, clone, denied = _DENIED[machine]
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":  # the x32 numbers are a second door to the same calls
        steps += [(_AT_LEAST, 0, 1, 0x40000000), refuse]
    for number in denied:
        steps += [(_EQUAL, 0, 1, number), refuse]
    steps += [(_EQUAL, 0, 1, 435), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]  # clone3: libc falls back to clone
    steps += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _FIRST), (_ANY_BIT, 1, 0, _CLONE_THREAD), refuse]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
