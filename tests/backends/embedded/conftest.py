from __future__ import annotations

from importlib.util import find_spec

import pytest

from eyechart.backends import gguf


@pytest.fixture(scope="session")
def session():
    """The embedded model at work; one for all tests."""
    if find_spec("openvino_genai") is None:
        pytest.skip("the extra `local` is not installed")
    if not gguf.target(gguf.CATALOGUE[0]).exists():
        pytest.skip("the embedded model was not fetched: eyechart models fetch")
    from eyechart.backends.embedded import open_backend
    from eyechart.core.spec import Model

    return open_backend(Model()).session()
