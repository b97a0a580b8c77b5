"""The value of a tree: exactly where it is rational, else to 50 digits at given values of its variables."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, factorial, floor, gcd, lcm
from typing import Any, NamedTuple

from eyechart.score.math_parse import Node, Unreadable

DIGITS = 50
_BITS = 60_000
"""Size of the largest exact number, in bits."""
_FACTORIAL = 3_000
POINTS = ("1.3717421", "0.6180339", "2.7071067", "-1.2360679", "-0.4422495", "3.3027756")
"""Values of the first variable; the others take the same, turned by their position and scaled a little."""


class Value(NamedTuple):
    number: Any
    """An mpmath number."""
    size: Any
    """The largest addend on the way: what rounding is relative to where terms cancel."""


def exact(node: Node) -> Fraction | None:
    """The rational value of `node`, None where it is not rational or too large.

    >>> from eyechart.score.math_parse import parse
    >>> exact(parse("2^{-3} + \\\\frac12")), exact(parse("\\\\sqrt{2}")), exact(parse("5!"))
    (Fraction(5, 8), None, Fraction(120, 1))
    """
    if node.kind == "num":
        return node.value if isinstance(node.value, Fraction) else None
    if node.kind == "fun" and node.value not in ("binom", "gcd", "lcm", "max", "min", "abs", "floor", "ceil"):
        return None
    if node.kind not in ("add", "mul", "div", "pow", "neg", "fact", "percent", "fun"):
        return None
    args: list[Fraction] = []
    for arg in node.args:
        value = exact(arg)
        if value is None:
            return None
        args.append(value)
    return _combined(node, args)


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _combined(node: Node, args: list[Fraction]) -> Fraction | None:
    if sum(map(_bits, args)) > _BITS:
        return None
    match node.kind:
        case "add":
            return args[0] + args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            if not args[1]:
                raise Unreadable("divided by zero")
            return args[0] / args[1]
        case "neg":
            return -args[0]
        case "percent":
            return args[0] / 100
        case "fact":
            n = args[0]
            return Fraction(factorial(int(n))) if n.denominator == 1 and 0 <= n <= _FACTORIAL else None
        case "pow":
            base, power = args
            if power.denominator != 1 or _bits(base) * abs(power) > _BITS:
                return None
            if not base and power < 0:
                raise Unreadable("divided by zero")
            return base ** int(power)
        case _:
            return _rational(str(node.value), args)


def _rational(name: str, args: list[Fraction]) -> Fraction | None:
    if name == "abs":
        return abs(args[0])
    if name in ("floor", "ceil"):
        return Fraction(floor(args[0]) if name == "floor" else ceil(args[0]))
    if name in ("max", "min"):
        return max(args) if name == "max" else min(args)
    if any(a.denominator != 1 for a in args) or len(args) < 2:
        return None
    whole = [int(a) for a in args]
    if name == "binom":
        return Fraction(comb(*whole)) if 0 <= whole[1] <= whole[0] <= _FACTORIAL else None
    return Fraction(gcd(*whole) if name == "gcd" else lcm(*whole))


def names(node: Node) -> set[str]:
    """The variables of `node`."""
    if node.kind == "sym":
        return {str(node.value)}
    return set[str]().union(*(names(arg) for arg in node.args))


def evaluate(node: Node, at: dict[str, str]) -> Value:
    """The value of `node` with its variables at the numbers `at`. Raises Unreadable where it has none."""
    import mpmath

    context: Any = mpmath.mp
    with context.workdps(DIGITS):
        try:
            return _value(context, node, {name: context.mpf(text) for name, text in at.items()})
        except (ZeroDivisionError, OverflowError, ValueError, TypeError, KeyError, NotImplementedError):
            raise Unreadable("has no value") from None


def _value(mp: Any, node: Node, at: dict[str, Any]) -> Value:
    zero = mp.mpf(0)
    match node.kind:
        case "num":
            assert isinstance(node.value, Fraction)
            return Value(mp.mpf(node.value.numerator) / node.value.denominator, zero)
        case "const":
            return Value({"pi": mp.pi, "e": mp.e, "i": mp.mpc(0, 1), "inf": mp.inf}[str(node.value)] * 1, zero)
        case "sym":
            return Value(at[str(node.value)], zero)
        case "add" | "mul" | "div" | "pow" | "neg" | "fact" | "percent" | "fun":
            return _applied(mp, node, [_value(mp, arg, at) for arg in node.args])
        case _:
            raise Unreadable(f"a {node.kind} is no number")


def _applied(mp: Any, node: Node, args: list[Value]) -> Value:
    numbers = [a.number for a in args]
    size = max(a.size for a in args)
    match node.kind:
        case "add":
            return Value(numbers[0] + numbers[1], max(size, abs(numbers[0]), abs(numbers[1])))
        case "neg":
            return Value(-numbers[0], size)
        case "mul":
            return Value(numbers[0] * numbers[1], _grown(args, numbers[0] * numbers[1], size))
        case "div":
            return Value(numbers[0] / numbers[1], _grown(args, numbers[0] / numbers[1], size))
        case "percent":
            return Value(numbers[0] / 100, size / 100)
        case "pow":
            if abs(numbers[1]) > 100_000 or abs(numbers[0]) > mp.mpf(10) ** 100_000:
                raise Unreadable("too large")
            out = numbers[0] ** numbers[1]
            return Value(out, abs(out) if size else size)
        case "fact":
            if abs(numbers[0]) > 100_000:
                raise Unreadable("too large")
            return Value(mp.factorial(numbers[0]), size)
        case _:
            out = _function(mp, str(node.value), numbers)
            return Value(out, abs(out) if size else size)


def _grown(args: list[Value], out: Any, size: Any) -> Any:
    """The size of a product or quotient: that of its addends, carried along in proportion."""
    return max((abs(out) * a.size / abs(a.number) for a in args if a.size and a.number), default=size)


def _function(mp: Any, name: str, args: list[Any]) -> Any:
    if any(abs(a) > 1_000_000 for a in args) and name in ("exp", "sinh", "cosh", "sin", "cos", "tan"):
        raise Unreadable("too large")
    simple = {
        "sin": mp.sin,
        "cos": mp.cos,
        "tan": mp.tan,
        "sec": mp.sec,
        "csc": mp.csc,
        "cot": mp.cot,
        "exp": mp.exp,
        "arcsin": mp.asin,
        "arccos": mp.acos,
        "arctan": mp.atan,
        "sinh": mp.sinh,
        "cosh": mp.cosh,
        "tanh": mp.tanh,
        "sqrt": mp.sqrt,
        "abs": abs,
        "floor": mp.floor,
        "ceil": mp.ceil,
        "ln": mp.ln,
        "cbrt": mp.cbrt,
        "lg": mp.log10,
    }
    if name in simple and len(args) == 1:
        return simple[name](args[0])
    if name == "log":
        return mp.ln(args[0]) if len(args) == 1 else mp.log(args[0], args[1])
    if name == "root":
        n = args[1]
        odd = n == int(n) and int(n) % 2
        return -mp.root(-args[0], int(n)) if odd and mp.im(args[0]) == 0 and args[0] < 0 else args[0] ** (1 / n)
    if name == "binom":
        return mp.binomial(args[0], args[1])
    if name in ("max", "min"):
        return max(args) if name == "max" else min(args)
    raise Unreadable(f"{name} is not understood")


def points(variables: set[str]) -> list[dict[str, str]]:
    """Where two trees in `variables` are compared; the same points for the same variables, whatever asks."""
    order = sorted(variables)
    out: list[dict[str, str]] = []
    for k in range(len(POINTS)):
        out.append({name: POINTS[(k + 2 * j) % len(POINTS)] + str(j % 9 + 1) for j, name in enumerate(order)})
    return out if order else [{}]


def near(one: Value, other: Value) -> bool:
    """Whether two values agree, relative to their size and to what cancelled in them."""
    import mpmath

    mp: Any = mpmath.mp
    with mp.workdps(DIGITS):
        if not (mp.isfinite(one.number) and mp.isfinite(other.number)):
            return bool(one.number == other.number)
        scale = max(abs(one.number), abs(other.number), one.size, other.size)
        return bool(abs(one.number - other.number) <= scale * mp.mpf(10) ** (12 - DIGITS))
