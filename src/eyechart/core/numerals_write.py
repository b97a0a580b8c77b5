"""The canonical text of a quantity."""

from __future__ import annotations

from fractions import Fraction


def write(value: Fraction, unit: str | None = None) -> str:
    """Canonical text of a quantity: a decimal where it ends within 30 places, else a fraction.

    >>> write(Fraction(2469, 2)), write(Fraction(-1, 3)), write(Fraction(50), "%"), write(Fraction(930), "clock")
    ('1234.5', '-1/3', '50%', '15:30')
    """
    if unit == "clock":
        minutes = int(value)
        seconds = int((value - minutes) * 60)
        return f"{minutes // 60}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
    text = str(value.numerator) if value.denominator == 1 else _ending(value)
    return text if unit is None else text + "%" if unit == "%" else f"{text} {unit}"


def _ending(value: Fraction) -> str:
    below, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while below % prime == 0 and count <= 30:
            below //= prime
            count += 1
        places = max(places, count)
    if below != 1 or places > 30:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]
