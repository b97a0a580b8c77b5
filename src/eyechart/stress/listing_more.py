"""The other half of `listing`."""

MORE = r"""
@evens
? evens([1, 2, 3, 4]) == [2, 4]
? evens([]) == []
? evens([0, -2, 5]) == [0, -2]
? evens([7]) == []
= def evens(xs):
    out = []
    for x in xs:
        if x % 2 == 0:
            out.append(x)
    return out
= def evens(xs):
    return [x for x in xs if not x % 2]
= evens = lambda xs: list(filter(lambda x: x % 2 == 0, xs))
= def evens(xs):
    if not xs:
        return []
    return ([xs[0]] if xs[0] % 2 == 0 else []) + evens(xs[1:])
= from itertools import filterfalse
def evens(xs):
    return list(filterfalse(lambda x: x & 1, xs))
! def evens(xs):
    return [x for x in xs if x > 0 and x % 2 == 0]
@digits
? digits(123) == 6
? digits(0) == 0
? digits(99) == 18
? digits(1000) == 1
= def digits(n):
    s = 0
    while n:
        s += n % 10
        n //= 10
    return s
= def digits(n):
    return sum(int(c) for c in str(n))
= def digits(n):
    return 0 if n == 0 else n % 10 + digits(n // 10)
= digits = lambda n: sum(map(int, str(n)))
= def digits(n):
    s = 0
    while n > 0:
        n, d = divmod(n, 10)
        s += d
    return s
! def digits(n):
    return n % 9
@power
? power(2, 10) == 1024
? power(5, 0) == 1
? power(-3, 3) == -27
? power(7, 1) == 7
= def power(x, n):
    result = 1
    for _ in range(n):
        result *= x
    return result
= def power(x, n):
    return x ** n
= def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1)
= from math import prod
power = lambda x, n: prod([x] * n)
= def power(x, n):
    result = 1
    while n:
        if n & 1:
            result *= x
        x, n = x * x, n >> 1
    return result
! def power(x, n):
    return x * n
! def power(x, n):
    result = x
    for _ in range(n):
        result *= x
    return result
@find
? find([1, 3, 5, 7], 5) == 2
? find([1, 3], 2) == -1
? find([], 1) == -1
? find([4, 6, 9], 9) == 2
= def find(xs, x):
    for i, y in enumerate(xs):
        if y == x:
            return i
    return -1
= def find(xs, x):
    return xs.index(x) if x in xs else -1
= from bisect import bisect_left
def find(xs, x):
    i = bisect_left(xs, x)
    return i if i < len(xs) and xs[i] == x else -1
= def find(xs, x):
    lo, hi = 0, len(xs) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if xs[mid] == x:
            return mid
        if xs[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1
= find = lambda xs, x: next((i for i, y in enumerate(xs) if y == x), -1)
! def find(xs, x):
    return xs.index(x) if x in xs else None
! def find(xs, x):
    return sum(y < x for y in xs)
@merge
? merge([1, 4], [2, 3]) == [1, 2, 3, 4]
? merge([], [5]) == [5]
? merge([1], []) == [1]
? merge([2, 2], [2]) == [2, 2, 2]
= def merge(a, b):
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]
= def merge(a, b):
    return sorted(a + b)
= import heapq
def merge(a, b):
    return list(heapq.merge(a, b))
= def merge(a, b):
    if not a or not b:
        return a + b
    return [a[0]] + merge(a[1:], b) if a[0] <= b[0] else [b[0]] + merge(a, b[1:])
= merge = lambda a, b: sorted([*a, *b])
! def merge(a, b):
    return a + b
! def merge(a, b):
    return sorted(set(a + b))
@transpose
? transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
? transpose([[1, 2, 3]]) == [[1], [2], [3]]
? transpose([]) == []
? transpose([[5], [6]]) == [[5, 6]]
= def transpose(m):
    return [list(row) for row in zip(*m)]
= def transpose(m):
    return list(map(list, zip(*m)))
= def transpose(m):
    out = []
    for j in range(len(m[0]) if m else 0):
        out.append([m[i][j] for i in range(len(m))])
    return out
= transpose = lambda m: [[row[j] for row in m] for j in range(len(m[0]))] if m else []
= def transpose(m):
    if not m or not m[0]:
        return []
    return [[row[0] for row in m]] + transpose([row[1:] for row in m])
! def transpose(m):
    return [row[::-1] for row in m]
! def transpose(m):
    return list(zip(*m))
@leap
? leap(2000) is True
? leap(1900) is False
? leap(2024) is True
? leap(2023) is False
= def leap(y):
    if y % 400 == 0:
        return True
    if y % 100 == 0:
        return False
    return y % 4 == 0
= def leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
= import calendar
def leap(y):
    return calendar.isleap(y)
= from datetime import date
def leap(y):
    return (date(y, 3, 1) - date(y, 2, 28)).days == 2
= leap = lambda y: (y % 4 == 0) - (y % 100 == 0) + (y % 400 == 0) == 1
! def leap(y):
    return y % 4 == 0
! def leap(y):
    return y % 4 == 0 and y % 100 != 0
@binary
? binary(5) == "101"
? binary(0) == "0"
? binary(8) == "1000"
? binary(255) == "11111111"
= def binary(n):
    return bin(n)[2:]
= def binary(n):
    return format(n, "b")
= def binary(n):
    out = ""
    while n > 0:
        out = str(n % 2) + out
        n //= 2
    return out or "0"
= def binary(n):
    return str(n) if n < 2 else binary(n // 2) + str(n % 2)
= binary = lambda n: f"{n:b}"
! def binary(n):
    return bin(n)
! def binary(n):
    return bin(n)[2:].strip("0")
@anagram
? anagram("listen", "silent") is True
? anagram("aab", "abb") is False
? anagram("", "") is True
? anagram("abc", "ab") is False
= def anagram(a, b):
    return sorted(a) == sorted(b)
= from collections import Counter
def anagram(a, b):
    return Counter(a) == Counter(b)
= def anagram(a, b):
    left = list(b)
    for c in a:
        if c not in left:
            return False
        left.remove(c)
    return not left
= def anagram(a, b):
    if not a:
        return not b
    return a[0] in b and anagram(a[1:], b.replace(a[0], "", 1))
= anagram = lambda a, b: all(a.count(c) == b.count(c) for c in set(a + b))
! def anagram(a, b):
    return set(a) == set(b)
@chunks
? chunks([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
? chunks([], 3) == []
? chunks([1], 3) == [[1]]
? chunks([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]
= def chunks(xs, n):
    return [xs[i:i + n] for i in range(0, len(xs), n)]
= def chunks(xs, n):
    out = []
    while xs:
        out.append(xs[:n])
        xs = xs[n:]
    return out
= def chunks(xs, n):
    return [xs[:n]] + chunks(xs[n:], n) if xs else []
= from itertools import islice
def chunks(xs, n):
    it = iter(xs)
    return list(iter(lambda: list(islice(it, n)), []))
= def pieces(xs, n):
    for i in range(0, len(xs), n):
        yield xs[i:i + n]
chunks = lambda xs, n: list(pieces(xs, n))
! def chunks(xs, n):
    return [xs[i:i + n] for i in range(0, len(xs) - n + 1, n)]
! def chunks(xs, n):
    return [xs[i::n] for i in range(n)]
@balanced
? balanced("(())") is True
? balanced(")(") is False
? balanced("") is True
? balanced("(()") is False
= def balanced(s):
    depth = 0
    for c in s:
        depth += 1 if c == "(" else -1
        if depth < 0:
            return False
    return depth == 0
= def balanced(s):
    stack = []
    for c in s:
        if c == "(":
            stack.append(c)
        elif not stack:
            return False
        else:
            stack.pop()
    return not stack
= def balanced(s):
    while "()" in s:
        s = s.replace("()", "")
    return s == ""
= def balanced(s):
    return not s or ("()" in s and balanced(s.replace("()", "", 1)))
= from itertools import accumulate
def balanced(s):
    depths = list(accumulate(1 if c == "(" else -1 for c in s))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)
! def balanced(s):
    return s.count("(") == s.count(")")
@hyp
? hyp(3, 4) == 5.0
? hyp(0, 0) == 0.0
? hyp(6, 8) == 10.0
? hyp(5, 12) == 13.0
= import math
def hyp(a, b):
    return math.sqrt(a * a + b * b)
= from math import hypot
def hyp(a, b):
    return hypot(a, b)
= def hyp(a, b):
    return (a ** 2 + b ** 2) ** 0.5
= hyp = lambda a, b: abs(complex(a, b))
= import math
def hyp(a, b):
    return math.dist((0, 0), (a, b))
! def hyp(a, b):
    return math.sqrt(a * a + b * b)
@rotate
? rotate([1, 2, 3], 1) == [3, 1, 2]
? rotate([], 2) == []
? rotate([1, 2], 2) == [1, 2]
? rotate([1, 2, 3, 4], 5) == [4, 1, 2, 3]
= def rotate(xs, k):
    if not xs:
        return []
    k %= len(xs)
    return xs[-k:] + xs[:-k] if k else xs[:]
= from collections import deque
def rotate(xs, k):
    d = deque(xs)
    d.rotate(k)
    return list(d)
= def rotate(xs, k):
    return [xs[(i - k) % len(xs)] for i in range(len(xs))]
= def rotate(xs, k):
    xs = list(xs)
    for _ in range(k if xs else 0):
        xs.insert(0, xs.pop())
    return xs
= rotate = lambda xs, k: rotate(xs[-1:] + xs[:-1], k - 1) if k and xs else xs
! def rotate(xs, k):
    return xs[k:] + xs[:k]
! def rotate(xs, k):
    return xs[-k:] + xs[:-k]
@caesar
? caesar("abc", 1) == "bcd"
? caesar("xyz", 3) == "abc"
? caesar("a-b", 2) == "c-d"
? caesar("", 5) == ""
= def caesar(s, k):
    out = ""
    for c in s:
        out += chr((ord(c) - 97 + k) % 26 + 97) if "a" <= c <= "z" else c
    return out
= import string
def caesar(s, k):
    a = string.ascii_lowercase
    return s.translate(str.maketrans(a, a[k % 26:] + a[:k % 26]))
= def caesar(s, k):
    a = "abcdefghijklmnopqrstuvwxyz"
    return "".join(a[(a.index(c) + k) % 26] if c in a else c for c in s)
= import re
caesar = lambda s, k: re.sub("[a-z]", lambda m: chr((ord(m[0]) - 97 + k) % 26 + 97), s)
= def caesar(s, k):
    if not s:
        return ""
    c = s[0]
    return (chr((ord(c) - 97 + k) % 26 + 97) if c.isalpha() else c) + caesar(s[1:], k)
! def caesar(s, k):
    return "".join(chr(ord(c) + k) for c in s)
! def caesar(s, k):
    return "".join(chr((ord(c) - 97 - k) % 26 + 97) if c.isalpha() else c for c in s)
@second
? second([3, 9, 7]) == 7
? second([1, 2]) == 1
? second([5, 5, 4]) == 4
? second([-1, -3, -2]) == -2
= def second(xs):
    return sorted(set(xs))[-2]
= def second(xs):
    return max(x for x in xs if x != max(xs))
= import heapq
def second(xs):
    return heapq.nlargest(2, set(xs))[1]
= def second(xs):
    best = other = None
    for x in xs:
        if best is None or x > best:
            best, other = x, best
        elif x != best and (other is None or x > other):
            other = x
    return other
= second = lambda xs: max(set(xs) - {max(xs)})
! def second(xs):
    return sorted(xs)[-2]
! def second(xs):
    return sorted(set(xs))[1]
"""
