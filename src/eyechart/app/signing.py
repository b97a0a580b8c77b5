"""Signatures over a seal, as `minisign` writes them: made here and checked there, or the other way round.

    minisign -G -W -p eye.pub -s eye.key          a key (without -W it is kept under a password)
    eyechart verify RUN --sign eye.key            writes RUN/seal.json.minisig
    eyechart verify RUN --public-key eye.pub      checks it
    minisign -Vm RUN/seal.json -p eye.pub         does so without eyechart

The signature is over seal.json, whose root stands for every file and every row of the store. Form: the documentation
of minisign; Ed25519 over the BLAKE2b-512 of the file, and once more over signature and trusted comment. A secret key is
read from its file and nowhere else, and never from inside the run folder.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.app.seal import NAME, SIGNATURE, read_seal
from eyechart.app.verify_case import Check
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.findings import Finding

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PASSWORD = "EYECHART_KEY_PASSWORD"  # noqa: S105 # the name of an environment variable
_LONGEST = 10_000
"""Bytes of the largest file that is read as a key or signature."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    id: bytes
    """8 bytes; tells which key made a signature."""
    key: bytes

    @property
    def name(self) -> str:
        """As minisign prints it."""
        return self.id[::-1].hex().upper()

    def text(self) -> str:
        """The two lines of a public key file."""
        line = base64.b64encode(b"Ed" + self.id + self.key).decode()
        return f"untrusted comment: minisign public key {self.name}\n{line}\n"


@dataclass(frozen=True, slots=True)
class SecretKey:
    id: bytes
    seed: bytes
    public: bytes

    def __repr__(self) -> str:
        return "SecretKey(...)"  # never into a log


def sign(folder: Path, key: Path, *, comment: str | None = None) -> Path:
    """Write the signature of `key`, a secret key file of minisign, beside the seal of `folder`.

    A key under a password takes it from the environment variable EYECHART_KEY_PASSWORD. Raises InputError for what
    is no key, for a key inside the folder, and where there is no seal.
    """
    if folder.resolve() in key.resolve().parents:
        raise InputError("a secret key has no place in a run folder, which others get; move it", file=str(key))
    seal = read_seal(folder)
    if seal is None or seal.under_way:
        raise InputError(f"{folder} has no seal to sign: give eyechart run, or eyechart report, first")
    secret = read_secret(key)
    signer = _ed25519().Ed25519PrivateKey.from_private_bytes(secret.seed)
    content = (folder / NAME).read_bytes()
    trusted = comment if comment is not None else f"eyechart root:{seal.root}"
    path = folder / SIGNATURE
    try:
        path.write_text(_signature(signer, secret, content, trusted), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    return path


def _signature(signer: Ed25519PrivateKey, secret: SecretKey, content: bytes, trusted: str) -> str:
    trusted = " ".join(trusted.split())
    made = signer.sign(hashlib.blake2b(content).digest())
    both = signer.sign(made + trusted.encode())
    line = base64.b64encode(b"ED" + secret.id + made).decode()
    return (
        f"untrusted comment: signature of an eyechart seal\n{line}\n"
        f"trusted comment: {trusted}\n{base64.b64encode(both).decode()}\n"
    )


def new_key(path: Path) -> Path:
    """Make a key pair: `path` with the secret key, without a password, and `path`.pub. Returns the latter.

    Raises InputError where either is there already.
    """
    public_path = Path(f"{path}.pub")
    if path.exists() or public_path.exists():
        raise InputError(f"{path if path.exists() else public_path} is there already; name another")
    made, ident = _ed25519().Ed25519PrivateKey.generate(), secrets.token_bytes(8)
    seed, public = made.private_bytes_raw(), made.public_key().public_bytes_raw()
    body = b"Ed\x00\x00B2" + bytes(48) + ident + seed + public + bytes(32)  # without a password there is no checksum
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(b"untrusted comment: minisign secret key\n" + base64.b64encode(body) + b"\n")
        public_path.write_text(PublicKey(ident, public).text(), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    return public_path


def read_secret(path: Path) -> SecretKey:
    """A secret key file of minisign, opened with the password in EYECHART_KEY_PASSWORD where it has one."""
    body = _decoded(_lines(path, "secret key"), 1, path, "secret key")
    if len(body) != 158 or body[:2] != b"Ed" or body[4:6] != b"B2":
        raise InputError("is no secret key of minisign", file=str(path))
    kind, salt, limits, held = body[2:4], body[6:38], body[38:54], body[54:]
    if kind == b"Sc":
        held = _opened(held, salt, limits, path)
    elif kind != b"\x00\x00":
        raise InputError("is kept in a way that is not known; make a key by minisign -G", file=str(path))
    ident, seed, public, check = held[:8], held[8:40], held[40:72], held[72:104]
    derived = hashlib.blake2b(body[:2] + ident + seed + public, digest_size=32).digest()
    if kind == b"Sc" and derived != check:
        raise InputError(f"cannot be opened: is {PASSWORD} its password?", file=str(path))
    if _ed25519().Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw() != public:
        raise InputError("is damaged", file=str(path))
    return SecretKey(ident, seed, public)


def _opened(held: bytes, salt: bytes, limits: bytes, path: Path) -> bytes:
    password = os.environ.get(PASSWORD)
    if password is None:
        raise InputError(f"is kept under a password: put it into the environment variable {PASSWORD}", file=str(path))
    work, memory = (int.from_bytes(limits[i : i + 8], "little") for i in (0, 8))
    if not 0 < work <= 1 << 27 or not 0 < memory <= 1 << 31:
        raise InputError("asks for more work than any key of minisign does", file=str(path))
    n, r, p = _scrypt(work, memory)
    stream = hashlib.scrypt(
        password.encode(), salt=salt, n=n, r=r, p=p, dklen=104, maxmem=min(128 * n * r + (1 << 26), 2**31 - 2)
    )
    return bytes(a ^ b for a, b in zip(held, stream, strict=True))


def _scrypt(work: int, memory: int) -> tuple[int, int, int]:
    """N, r, p of the two limits, as libsodium's `pickparams` derives them.

    >>> _scrypt(33554432, 1073741824)
    (1048576, 8, 1)
    """
    r, work = 8, max(work, 32768)
    by_memory = work >= memory // 32
    most = memory // (r * 128) if by_memory else work // (r * 4)
    log = next((i for i in range(1, 63) if 1 << i > most // 2), 63)
    p = min(work // 4 // (1 << log), 0x3FFFFFFF) // r if by_memory else 1
    return 1 << log, r, max(1, p)


def read_public(given: Path | str) -> PublicKey:
    """A public key: its file, or its text as minisign prints it (`RWQ...`)."""
    text = str(given)
    looks = len(text) == 56 and not Path(text).exists()
    lines = [text] if looks else _lines(Path(given), "public key")
    body = _decoded(lines, len(lines) - 1 if len(lines) < 3 else 1, text, "public key")
    if len(body) != 42 or body[:2] != b"Ed":
        raise InputError("is no public key of minisign", file=text)
    return PublicKey(body[2:10], body[10:])


def signature(folder: Path, public: Path | str) -> Iterator[Finding]:
    """Whether the seal of `folder` is signed by `public`. Raises InputError where that is no public key."""
    key = read_public(public)
    path = folder / SIGNATURE
    if not path.exists():
        yield _SIGNED.broken(f"there is no {SIGNATURE}: the folder is not signed", file=SIGNATURE)
        return
    try:
        lines = _lines(path, "signature")
        body, both = (_decoded(lines, at, path, "signature") for at in (1, 3))
        trusted = lines[2].removeprefix("trusted comment: ")
        content = (folder / NAME).read_bytes()
    except (InputError, OSError) as error:
        yield _SIGNED.broken(f"the signature cannot be read: {error}", file=SIGNATURE)
        return
    if len(body) != 74 or len(both) != 64 or body[:2] not in (b"ED", b"Ed"):
        yield _SIGNED.broken(f"{SIGNATURE} is no signature of minisign", file=SIGNATURE)
    elif body[2:10] != key.id:
        other = PublicKey(body[2:10], b"").name
        yield _SIGNED.broken(f"it is signed by the key {other}, not by {key.name}", file=SIGNATURE)
    else:
        signed = hashlib.blake2b(content).digest() if body[:2] == b"ED" else content
        if not _right(key, body[10:], signed):
            text = "the signature is of another seal: the folder was changed, or sealed again, after it was signed"
            yield _SIGNED.broken(text, file=NAME)
        elif not _right(key, both, body[10:] + trusted.encode()):
            yield _SIGNED.broken("the comment of the signature was changed", file=SIGNATURE)
        else:
            yield _SIGNED.kept(f"signed by {key.name}: {trusted}")


def _right(key: PublicKey, signed: bytes, content: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _ed25519().Ed25519PublicKey.from_public_bytes(key.key).verify(signed, content)
    except (InvalidSignature, ValueError):
        return False
    return True


def _lines(path: Path, what: str) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read the {what}: {error.strerror}", file=str(path)) from None
    if len(data) > _LONGEST:
        raise InputError(f"is no {what} of minisign", file=str(path))
    return data.decode("utf-8", errors="replace").splitlines()


def _decoded(lines: list[str], at: int, path: Path | str, what: str) -> bytes:
    try:
        return base64.b64decode(lines[at].strip(), validate=True)
    except (IndexError, binascii.Error, ValueError):
        raise InputError(f"is no {what} of minisign", file=str(path)) from None


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("a signature", "cryptography", "sign") from None
    return ed25519


_SIGNED = Check(
    "signature",
    "The seal is signed by the key that was given.",
    lambda case, check: (),
    "ask whoever published it for a signature, or for the key",
)
