"""Numbers as options: what is no finite number, or is out of range, is refused before anything is done."""

from __future__ import annotations

import pytest
from click.exceptions import BadParameter
from click.testing import CliRunner

from eyechart.cli import main
from eyechart.cli.numbers_in import Finite, Fraction, Points


@pytest.mark.parametrize("kind", [Finite(), Finite(0), Finite(0, 1), Fraction(), Fraction(open=True), Points()])
@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "Infinity", "1e999", float("nan"), "five", ""])
def test_what_is_no_finite_number(kind, value):
    with pytest.raises(BadParameter):
        kind.convert(value, None, None)


def test_ranges_hold_as_ever():
    assert Points().convert("100", None, None) == 100
    assert Finite().convert("-3.5", None, None) == -3.5
    for kind, value in (
        (Points(), "101"),
        (Fraction(), "-0.1"),
        (Fraction(open=True), "0"),
        (Fraction(open=True), "1"),
    ):
        with pytest.raises(BadParameter, match="range"):
            kind.convert(value, None, None)


def test_a_tolerance_that_is_no_number_is_wrong_usage():
    for value in ("nan", "inf"):
        done = CliRunner().invoke(main, ["explain", "a.yaml", "b.yaml", "--tolerance", value])
        assert done.exit_code == 2
        assert f"'--tolerance': '{value}' is not a finite number" in done.stderr
        assert "Traceback" not in done.output
