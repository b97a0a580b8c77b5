import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]  # faults, openai_asking

from faults import fault_server  # noqa: E402

__all__ = ["fault_server"]
