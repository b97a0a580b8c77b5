"""Thirty small programming tasks, each with asserts, five right programs that differ in kind, and wrong ones.

All written for this test. A line that begins with `@` names the function, `?` is an expression that must hold, `=`
begins a right program and `!` a wrong one that some assert catches; the lines after them belong to it.
"""

LISTING = r"""
@total
? total([1, 2, 3]) == 6
? total([]) == 0
? total([-4, 4, 7]) == 7
? total([10]) == 10
= def total(xs):
    result = 0
    for x in xs:
        result += x
    return result
= def total(xs):
    return sum(xs)
= def total(xs):
    return xs[0] + total(xs[1:]) if xs else 0
= from functools import reduce
def total(xs):
    return reduce(lambda a, b: a + b, xs, 0)
= total = lambda xs: sum(x for x in xs)
! def total(xs):
    return sum(xs[1:])
! def total(xs):
    return sum(xs) or None
@largest
? largest([3, 9, 2]) == 9
? largest([-5, -2, -8]) == -2
? largest([4]) == 4
? largest([1, 2, 3, 4]) == 4
= def largest(xs):
    best = xs[0]
    for x in xs[1:]:
        if x > best:
            best = x
    return best
= def largest(xs):
    return max(xs)
= def largest(xs):
    return sorted(xs)[-1]
= def largest(xs):
    if len(xs) == 1:
        return xs[0]
    rest = largest(xs[1:])
    return xs[0] if xs[0] > rest else rest
= import heapq
largest = lambda xs: heapq.nlargest(1, xs)[0]
! def largest(xs):
    best = 0
    for x in xs:
        if x > best:
            best = x
    return best
! def largest(xs):
    return max(xs[:-1])
@factorial
? factorial(0) == 1
? factorial(1) == 1
? factorial(5) == 120
? factorial(10) == 3628800
= def factorial(n):
    result = 1
    for k in range(2, n + 1):
        result *= k
    return result
= def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)
= import math
def factorial(n):
    return math.factorial(n)
= from functools import reduce
from operator import mul
factorial = lambda n: reduce(mul, range(1, n + 1), 1)
= def factorial(n):
    result = 1
    while n > 1:
        result, n = result * n, n - 1
    return result
! def factorial(n):
    result = 1
    for k in range(2, n):
        result *= k
    return result
! def factorial(n):
    return n * factorial(n - 1) if n > 1 else n
@fib
? fib(0) == 0
? fib(1) == 1
? fib(7) == 13
? fib(20) == 6765
= def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
= def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
= from functools import lru_cache
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
= def series():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
def fib(n):
    from itertools import islice
    return next(islice(series(), n, None))
= def fib(n):
    known = [0, 1]
    while len(known) <= n:
        known.append(known[-1] + known[-2])
    return known[n]
! def fib(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return a
! def fib(n):
    return 1 if n < 2 else fib(n - 1) + fib(n - 2)
@reverse
? reverse("abc") == "cba"
? reverse("") == ""
? reverse("ab") == "ba"
? reverse("level x") == "x level"
= def reverse(s):
    return s[::-1]
= def reverse(s):
    return "".join(reversed(s))
= def reverse(s):
    return reverse(s[1:]) + s[0] if s else ""
= def reverse(s):
    out = ""
    for c in s:
        out = c + out
    return out
= reverse = lambda s: "".join(s[i] for i in range(len(s) - 1, -1, -1))
! def reverse(s):
    return s[:0:-1]
! def reverse(s):
    return "".join(sorted(s, reverse=True))
@palindrome
? palindrome("level") is True
? palindrome("ab") is False
? palindrome("") is True
? palindrome("abca") is False
= def palindrome(s):
    return s == s[::-1]
= def palindrome(s):
    return len(s) < 2 or (s[0] == s[-1] and palindrome(s[1:-1]))
= def palindrome(s):
    for i in range(len(s) // 2):
        if s[i] != s[-1 - i]:
            return False
    return True
= palindrome = lambda s: all(a == b for a, b in zip(s, reversed(s)))
= from collections import deque
def palindrome(s):
    d = deque(s)
    while len(d) > 1:
        if d.popleft() != d.pop():
            return False
    return True
! def palindrome(s):
    return s[:1] == s[-1:]
! def palindrome(s):
    return bool(s) and s == s[::-1]
@vowels
? vowels("education") == 5
? vowels("xyz") == 0
? vowels("AEiou") == 5
? vowels("") == 0
= def vowels(s):
    n = 0
    for c in s.lower():
        if c in "aeiou":
            n += 1
    return n
= def vowels(s):
    return sum(c in "aeiouAEIOU" for c in s)
= import re
def vowels(s):
    return len(re.findall("[aeiou]", s, re.IGNORECASE))
= vowels = lambda s: len([c for c in s if c.lower() in set("aeiou")])
= def vowels(s):
    return 0 if not s else (s[0] in "aeiouAEIOU") + vowels(s[1:])
! def vowels(s):
    return sum(c in "aeiou" for c in s)
! def vowels(s):
    return len(set(s.lower()) & set("aei"))
@gcd
? gcd(12, 18) == 6
? gcd(7, 5) == 1
? gcd(0, 9) == 9
? gcd(48, 36) == 12
= def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
= def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)
= import math
def gcd(a, b):
    return math.gcd(a, b)
= def gcd(a, b):
    return max(d for d in range(1, max(a, b) + 1) if a % d == 0 and b % d == 0)
= from math import gcd as _gcd
gcd = lambda a, b: _gcd(a, b)
! def gcd(a, b):
    return min(a, b)
! def gcd(a, b):
    return a * b
@is_prime
? is_prime(2) is True
? is_prime(1) is False
? is_prime(9) is False
? is_prime(97) is True
= def is_prime(n):
    if n < 2:
        return False
    for d in range(2, n):
        if n % d == 0:
            return False
    return True
= def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
= is_prime = lambda n: n > 1 and not any(n % d == 0 for d in range(2, n))
= def is_prime(n, d=2):
    if n < 2:
        return False
    if d * d > n:
        return True
    return n % d != 0 and is_prime(n, d + 1)
= def is_prime(n):
    marks = [False, False] + [True] * max(0, n - 1)
    for d in range(2, n + 1):
        if marks[d]:
            for m in range(d * d, n + 1, d):
                marks[m] = False
    return marks[n]
! def is_prime(n):
    return all(n % d for d in range(2, int(n ** 0.5) + 1))
! def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5)))
@unique
? unique([1, 2, 1, 3]) == [1, 2, 3]
? unique([]) == []
? unique([3, 3, 3]) == [3]
? unique([5, 4, 5, 1]) == [5, 4, 1]
= def unique(xs):
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
= def unique(xs):
    return list(dict.fromkeys(xs))
= def unique(xs):
    return [x for i, x in enumerate(xs) if x not in xs[:i]]
= from collections import OrderedDict
unique = lambda xs: list(OrderedDict((x, None) for x in xs))
= def unique(xs):
    if not xs:
        return []
    return [xs[0]] + unique([x for x in xs[1:] if x != xs[0]])
! def unique(xs):
    return sorted(set(xs))
! def unique(xs):
    return list(xs)
@flatten
? flatten([[1], [2, 3]]) == [1, 2, 3]
? flatten([]) == []
? flatten([[], [4]]) == [4]
? flatten([[7, 8], [], [9]]) == [7, 8, 9]
= def flatten(rows):
    out = []
    for row in rows:
        out.extend(row)
    return out
= def flatten(rows):
    return [x for row in rows for x in row]
= from itertools import chain
def flatten(rows):
    return list(chain.from_iterable(rows))
= flatten = lambda rows: sum(rows, [])
= def flatten(rows):
    return rows[0] + flatten(rows[1:]) if rows else []
! def flatten(rows):
    return rows
! def flatten(rows):
    return [row[0] for row in rows if row]
@count
? count("a b a") == {"a": 2, "b": 1}
? count("") == {}
? count("x") == {"x": 1}
? count("q q q") == {"q": 3}
= def count(s):
    out = {}
    for w in s.split():
        out[w] = out.get(w, 0) + 1
    return out
= from collections import Counter
def count(s):
    return dict(Counter(s.split()))
= def count(s):
    ws = s.split()
    return {w: ws.count(w) for w in ws}
= from collections import defaultdict
def count(s):
    out = defaultdict(int)
    for w in s.split():
        out[w] += 1
    return dict(out)
= from itertools import groupby
count = lambda s: {w: len(list(g)) for w, g in groupby(sorted(s.split()))}
! def count(s):
    return {w: 1 for w in s.split()}
! def count(s):
    return len(s.split())
@clamp
? clamp(5, 0, 3) == 3
? clamp(-1, 0, 3) == 0
? clamp(2, 0, 3) == 2
? clamp(3, 0, 3) == 3
= def clamp(x, lo, hi):
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x
= def clamp(x, lo, hi):
    return max(lo, min(x, hi))
= clamp = lambda x, lo, hi: lo if x < lo else hi if x > hi else x
= def clamp(x, lo, hi):
    return sorted((lo, x, hi))[1]
= from statistics import median
def clamp(x, lo, hi):
    return median([lo, x, hi])
! def clamp(x, lo, hi):
    return min(lo, max(x, hi))
! def clamp(x, lo, hi):
    return min(x, hi)
@median3
? median3(1, 2, 3) == 2
? median3(9, 1, 5) == 5
? median3(4, 4, 1) == 4
? median3(2, 8, 8) == 8
= def median3(a, b, c):
    return sorted([a, b, c])[1]
= def median3(a, b, c):
    return a + b + c - max(a, b, c) - min(a, b, c)
= import statistics
def median3(a, b, c):
    return statistics.median([a, b, c])
= median3 = lambda a, b, c: max(min(a, b), min(max(a, b), c))
= def median3(a, b, c):
    if a <= b <= c or c <= b <= a:
        return b
    if b <= a <= c or c <= a <= b:
        return a
    return c
! def median3(a, b, c):
    return b
! def median3(a, b, c):
    return (a + b + c) / 3
@title
? title("hello world") == "Hello World"
? title("") == ""
? title("a bc") == "A Bc"
? title("don't stop") == "Don't Stop"
= def title(s):
    return " ".join(w.capitalize() for w in s.split(" "))
= import string
def title(s):
    return string.capwords(s)
= def title(s):
    out = []
    for w in s.split():
        out.append(w[0].upper() + w[1:])
    return " ".join(out)
= import re
title = lambda s: re.sub(r"(^| )(\w)", lambda m: m[1] + m[2].upper(), s)
= def title(s):
    out, start = "", True
    for c in s:
        out += c.upper() if start else c
        start = c == " "
    return out
! def title(s):
    return s.title()
! def title(s):
    return s.capitalize()
"""
