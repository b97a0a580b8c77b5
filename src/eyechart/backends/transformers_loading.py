"""How a Transformers model gets into memory, and what is read off it there. See `transformers_loaded`.

torch and transformers are handled as `Any` and imported by name, so that types are checked alike with
and without them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from eyechart.backends.transformers_files import Files
from eyechart.core.errors import EyechartError, InputError

_PROBE = "eyechart-probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is to be loaded, and how."""

    name: str
    """As a person calls it; the hub's id where `files` is None."""
    files: Files | None
    revision: str | None
    tokenizer: str | Files | None
    """None: the model's own."""
    dtype: str
    attention: str
    device: str
    context_length: int | None
    chat_template_sha256: str | None


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def load(source: Source) -> tuple[Any, Any]:
    """Model and tokenizer; every reason not to have them is one InputError line."""
    try:
        _still()
        torch: Any = import_module("torch")
        library: Any = import_module("transformers")
        with _quiet(bool(source.files and source.files.gguf)), _place(source) as (place, how):
            own = source.tokenizer is None
            tokens, tokens_how = (place, how) if own else _tokenizer_place(source.tokenizer)
            tokenizer = _cached_first(library.AutoTokenizer.from_pretrained, tokens, tokens_how)
            how["dtype"] = "auto" if source.dtype == "auto" else getattr(torch, source.dtype)
            how["attn_implementation"] = source.attention
            how["output_loading_info"] = True
            if "gguf_file" in how and hasattr(library, "GgufConfig"):
                # Else the package `kernels`, where it happens to be, would compute on packed weights.
                how["quantization_config"] = library.GgufConfig(dequantize=True)
            model, info = _cached_first(library.AutoModelForCausalLM.from_pretrained, place, how)
            _complete(info)
            return model.to(source.device).eval(), tokenizer
    except EyechartError:
        raise
    except Exception as error:
        said = first_line(error)
        hint = "" if source.files else "; where there is no network, name a local folder in model.path"
        if "attention implementation" in said:
            said, hint = f"it does not know {source.attention} attention", "; write model.options.attention: eager"
        raise InputError(
            f"Transformers cannot load {source.name}: {said.rstrip('.')}{hint}",
            field="model.path" if source.files else "model.name",
        ) from None


def _still() -> None:
    """Let torch's threads sleep while they wait for each other, unless the user says how they shall wait.

    SmolLM2-135M on two busy cores (load 4), three pairs of runs: 12 to 16 tokens a second generated, and 1 to
    6 without. It moves no number, and is heeded only where torch is not imported yet.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _cached_first(load: Callable[..., Any], place: str, how: dict[str, Any]) -> Any:
    """What lies in the hub's cache is used as it is; the network is asked only for what is not there."""
    if how.get("local_files_only"):
        return load(place, **how)
    try:
        return load(place, **how, local_files_only=True)
    except (OSError, ValueError):
        import_module("transformers.utils.logging").enable_progress_bar()  # a download may take long
        return load(place, **how)


@contextmanager
def _place(source: Source) -> Generator[tuple[str, dict[str, Any]]]:
    """Where to load from, and the arguments that say so. Code that comes with a model is never run."""
    how: dict[str, Any] = {"trust_remote_code": False}
    files = source.files
    if files is None:
        yield source.name, how | ({"revision": source.revision} if source.revision else {})
    elif files.gguf is None:
        yield str(files.folder), how | {"local_files_only": True}
    else:
        # In a folder of its own: Transformers would read the tokenizer and settings of the files beside it.
        with tempfile.TemporaryDirectory(prefix="eyechart-") as alone:
            link, file = Path(alone) / files.gguf, (files.folder / files.gguf).resolve()
            try:
                link.symlink_to(file)
            except OSError:  # Windows without the right to make links
                shutil.copyfile(file, link)
            yield alone, how | {"local_files_only": True, "gguf_file": files.gguf}


def _tokenizer_place(tokenizer: str | Files | None) -> tuple[str, dict[str, Any]]:
    how: dict[str, Any] = {"trust_remote_code": False}
    if isinstance(tokenizer, Files):
        return str(tokenizer.folder), how | {"local_files_only": True}
    return str(tokenizer), how


def _complete(info: Any) -> None:
    """Transformers fills what a file lacks with random numbers and goes on."""
    wrong = sorted({*info["missing_keys"], *(str(key[0]) for key in info["mismatched_keys"])})
    if wrong or info.get("error_msgs"):
        what = f"{len(wrong)} tensors ({wrong[0]})" if wrong else str(info["error_msgs"][0])
        raise InputError(f"the weights lack or do not fit {what}, which would be filled with random numbers")


@contextmanager
def _quiet(gguf: bool) -> Generator[None]:
    """No chatter while what is here is loaded. All is put back as it was."""
    logging: Any = import_module("transformers.utils.logging")
    level, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    # The one bar that does not heed the switch above.
    reader: Any = import_module("transformers.modeling_gguf_pytorch_utils") if gguf else None
    bar = getattr(reader, "tqdm", None)
    if bar is not None:
        reader.tqdm = logging.tqdm
    try:
        yield
    finally:
        if bar is not None:
            reader.tqdm = bar
        logging.set_verbosity(level)
        (logging.enable_progress_bar if shown else logging.disable_progress_bar)()


def limit(source: Source, model: Any) -> int | None:
    """Tokens that prompt and answer may have together; None where neither model nor study says."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    trained = most if isinstance(most, int) and most > 0 else None
    stated = source.context_length
    if stated is not None and trained is not None and stated > trained:
        raise InputError(f"the model has {trained} positions: write at most that", field="model.context_length")
    return stated or trained


def ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end an answer: those that model, generation settings or tokenizer name."""
    found: set[int] = set()
    for holder in (model.generation_config, model.config, tokenizer):
        ids = getattr(holder, "eos_token_id", None)
        found |= (
            set(cast("list[int]", ids)) if isinstance(ids, list | tuple) else {ids} if isinstance(ids, int) else set()
        )
    return frozenset(found)


def closing(tokenizer: Any) -> int:
    """How many tokens the tokenizer puts behind a text."""
    bare: list[int] = tokenizer.encode("a", add_special_tokens=False)
    full: list[int] = tokenizer.encode("a", add_special_tokens=True)
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return len(full) - len(bare) - start
    return 0


def template(source: Source, tokenizer: Any) -> str:
    """The chat template, as stated; "" where the model has none."""
    try:
        text: str = tokenizer.get_chat_template()
    except ValueError:
        text = ""
    if source.chat_template_sha256 is not None:
        found = hashlib.sha256(text.encode()).hexdigest() if text else "none, for there is no chat template"
        if found != source.chat_template_sha256.lower():
            raise InputError(f"the hash of the chat template is {found}", field="model.chat_template_sha256")
    return text


def user_marker(tokenizer: Any) -> str:
    """The line that the template writes in front of what a user says: `<|im_start|>user`, `[INST]`.

    A rendered text that holds it more often than there are user messages was rendered before: a
    finished prompt was given as the content of a message. "" where the template writes nothing there.
    """
    try:
        shown: str = tokenizer.apply_chat_template([{"role": "user", "content": _PROBE}], tokenize=False)
    except Exception:  # a template that wants other messages: then nothing can be said
        return ""
    head, found, _ = shown.partition(_PROBE)
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    if not found or not lines:
        return ""
    # Llama 2 writes `<s>[INST]` on one line, and a nested prompt may lack the first. In ChatML the BOS may
    # be `<|im_start|>` itself: a bare word like `user` would mark nothing.
    bare = lines[-1].removeprefix(tokenizer.bos_token or "").strip()
    return lines[-1] if bare.isalnum() else bare


def commit(source: Source) -> str | None:
    """The hub's commit that was loaded, read off the cache."""
    hub: Any = import_module("huggingface_hub")
    found = hub.try_to_load_from_cache(source.name, "config.json", revision=source.revision or "main")
    return Path(found).parent.name if isinstance(found, str) else None
