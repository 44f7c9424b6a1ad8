"""The generator, the designs, the estimators and the intervals of docs/methodology.md, written again for replicate.py."""

import functools
import hashlib
import itertools
import math
from fractions import Fraction

MASK = (1 << 64) - 1


# --- random numbers: SplitMix64, mixer variant 13 -------------------------------------------------------------------

class Stream:
    def __init__(self, purpose, seed):
        text = "phaselock/%s/%d" % (purpose, seed)
        self.state = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def bounded(self, k):
        """An integer in [0, k): multiply and shift, with rejection (Lemire 2019)."""
        threshold = ((1 << 64) - k) % k
        while True:
            product = self.next() * k
            if product & MASK >= threshold:
                return product >> 64

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self.bounded(i + 1)
            x[i], x[j] = x[j], x[i]


# --- designs --------------------------------------------------------------------------------------------------------

def williams_square(t):
    """Rows of arm numbers: the first zigzags 0, 1, t-1, 2, t-2, ..., each next adds 1; for odd t all rows again, mirrored."""
    first = [0]
    for i in range(1, t):
        first.append((i + 1) // 2 if i % 2 else t - i // 2)
    rows = [[(arm + shift) % t for arm in first] for shift in range(t)]
    return rows if t % 2 == 0 else rows + [row[::-1] for row in rows]


def orders_of(design, case, arms):
    """The arms in run order for each block of a case."""
    if design["kind"] == "fixed":
        given = {o.get("case", ""): o["blocks"] for o in design["orders"]}
        return given[case] if case in given else given[""]
    n, t = design["blocks"], len(arms)
    stream = Stream("design" if design["order"] == "shared" else "design/" + case, design["seed"])
    if t == 1:
        rows = [[0]] * n
    elif design["kind"] == "randomized":
        rows = []
        for _ in range(n):
            row = list(range(t))
            stream.shuffle(row)
            rows.append(row)
    elif t == 2:
        rows = [[0, 1]] * (n // 2) + [[1, 0]] * (n // 2)
        if n % 2:
            rows.append([[0, 1], [1, 0]][stream.bounded(2)])
        stream.shuffle(rows)
    else:
        label = list(range(t))
        stream.shuffle(label)
        square = [[label[a] for a in row] for row in williams_square(t)]
        rows = square * (n // len(square))
        stream.shuffle(rows)
    return [[arms[a] for a in row] for row in rows]


def designed_runs(phase):
    """Every run as (case, arm, block, position), in order."""
    design, cases = phase["design"], [c["name"] for c in phase["cases"]]
    orders = {c["name"]: orders_of(design, c["name"], c["arms"]) for c in phase["cases"]}
    if design["nesting"] == "cases":
        cells = [(c, b) for c in cases for b in range(design["blocks"])]
    else:
        stream, cells = Stream("design/cases", design["seed"]), []
        for b in range(design["blocks"]):
            row = list(cases)
            if design["kind"] != "fixed":
                stream.shuffle(row)
            cells += [(c, b) for c in row]
    return [(c, arm, b + 1, i + 1) for c, b in cells for i, arm in enumerate(orders[c][b])]


# --- estimators and intervals, on the scale where effects add up ----------------------------------------------------

def median(x):
    s = sorted(x)
    m = len(s) // 2
    if len(s) % 2:
        return s[m]
    middle = (s[m - 1] + s[m]) / 2
    return middle if math.isfinite(middle) else s[m - 1] / 2 + s[m] / 2


def total(x):
    """The sum in the order given: the built-in sum compensates rounding in some versions and not in others."""
    t = 0.0
    for y in x:
        t += y
    return t


def mean(v):
    t = total(v)
    return t / len(v) if math.isfinite(t) else total(x / len(v) for x in v)


def spread(v):
    """The standard deviation with n-1 degrees of freedom."""
    if min(v) == max(v):
        return 0.0
    m = mean(v)
    largest = max(abs(x - m) for x in v)
    return largest * math.sqrt(total(((x - m) / largest) ** 2 for x in v) / (len(v) - 1))


def central_t(t, df):
    """P(|T| <= t) for an integer number of degrees of freedom, closed form (Abramowitz and Stegun 26.7.3-4)."""
    theta = math.atan2(t, math.sqrt(df))
    sin, cos = math.sin(theta), math.cos(theta)
    if df == 1:
        return 2 * theta / math.pi
    term, power = (cos, 1) if df % 2 else (1.0, 0)
    s = term
    while power + 2 <= df - 2:
        power += 2
        term *= cos * cos * (power - 1) / power
        s += term
    return 2 / math.pi * (theta + sin * s) if df % 2 else sin * s


def tail_t(t, df):
    """P(|T| > t); far out by the series of the incomplete beta function, where 1 - central_t would cancel (26.5.4)."""
    if t * t <= df:
        return 1 - central_t(t, df)
    a, x = df / 2, df / (df + t * t)
    coefficient, s, k = 1.0, 1 / a, 1
    while True:
        coefficient *= (k - 0.5) / k * x
        if s + coefficient / (a + k) == s:
            break
        s += coefficient / (a + k)
        k += 1
    return math.exp(a * math.log(x) + math.lgamma(a + 0.5) - math.lgamma(a)) / math.sqrt(math.pi) * s


@functools.lru_cache(None)
def quantile_t(level, df):
    low, high = 0.0, 1.0
    while central_t(high, df) < level and high < 1e300:
        low, high = high, 2 * high
    while True:
        middle = low + (high - low) / 2
        if middle <= low or middle >= high:
            return middle
        if central_t(middle, df) < level:
            low = middle
        else:
            high = middle


def tail_of(level):
    """(1-level)/2 as a fraction of the decimal level: doubles give rank 501 where 500 is right."""
    return (1 - Fraction(repr(float(level)))) / 2


def ranks(level, n):
    """Ranks from 1 of both tails among n values: the smallest k with k/n >= p."""
    return [min(max(math.ceil(p * n), 1), n) for p in (tail_of(level), 1 - tail_of(level))]


def student_t(v, interval):
    half = quantile_t(interval["level"], len(v) - 1) * spread(v) / math.sqrt(len(v))
    return mean(v) - half, mean(v) + half


@functools.lru_cache(None)
def resamples(n, times, seed):
    """{counts of each block: how often that resample was drawn}."""
    stream, drawn = Stream("bootstrap/%d" % n, seed), {}
    for _ in range(times):
        counts = [0] * n
        for _ in range(n):
            counts[stream.bounded(n)] += 1
        counts = tuple(counts)
        drawn[counts] = drawn.get(counts, 0) + 1
    return drawn


def inverse_cdf(weights, v, level):
    """Both tails of the means of weighted resamples; a mean is added up in index order."""
    means = sorted((total(k * x for k, x in zip(counts, v)) / len(v), w) for counts, w in weights.items())
    ends = []
    for rank in ranks(level, sum(weights.values())):
        seen = 0
        for m, w in means:
            seen += w
            if seen >= rank:
                ends.append(m)
                break
    return tuple(ends)


def percentile(v, interval):
    return inverse_cdf(resamples(len(v), interval["resamples"], interval.get("seed", 0)), v, interval["level"])


@functools.lru_cache(None)
def multisets(n):
    """{counts: n!/prod(k!)}: every resample of n blocks with its weight."""
    out = {}
    for bars in itertools.combinations(range(2 * n - 1), n - 1):
        edges = (-1,) + bars + (2 * n - 1,)
        counts = tuple(b - a - 1 for a, b in zip(edges, edges[1:]))
        weight = math.factorial(n)
        for k in counts:
            weight //= math.factorial(k)
        out[counts] = weight
    return out


def exact_percentile(v, level):
    return inverse_cdf(multisets(len(v)), v, level) if 2 <= len(v) <= 8 else None


def flips(v, level):
    """The sign-flip interval (None where none of that level exists), its level, the two-sided p and its least value."""
    n = len(v)
    if n > 20:
        return None
    sums, sizes = [0.0], [0]
    for x in v:
        sums += [s + x for s in sums]
        sizes += [c + 1 for c in sizes]
    observed = abs(sums[-1]) - 1e-12 * total(abs(x) for x in v)
    out = {"low": None, "high": None, "level": None, "min_p": 2 / 2 ** n,
           "p": sum(1 for s in sums if not abs(sums[-1] - 2 * s) < observed) / 2 ** n}
    k = math.floor(tail_of(level) * 2 ** n)
    if k >= 1:
        means = sorted(s / c for s, c in zip(sums[1:], sizes[1:]))
        out.update(low=means[k - 1], high=means[-k], level=1 - 2 * k / 2 ** n)
    return out


def sign_flip(v, interval):
    f = flips(v, interval["level"])
    return (f["low"], f["high"]) if f and f["low"] is not None else None


INTERVALS = {"student_t": student_t, "percentile": percentile, "sign_flip": sign_flip}


def paired_t_p(v):
    s, m = spread(v), mean(v)
    if s > 0:
        return tail_t(abs(m) / (s / math.sqrt(len(v))), len(v) - 1)
    return 1.0 if m == 0 else 0.0


def p_of(interval, v):
    """The p of the test that belongs to the registered interval."""
    if len(v) < 2:
        return None
    if interval["kind"] != "student_t":
        f = flips(v, interval["level"])
        if f or interval["kind"] == "sign_flip":
            return f["p"] if f else None
    return paired_t_p(v)


def adjust(family, p):
    """Holm's step-down or Benjamini and Hochberg's step-up method."""
    order, out, m = sorted(range(len(p)), key=lambda i: p[i]), [0.0] * len(p), len(p)
    if family == "holm":
        most = 0.0
        for i, j in enumerate(order):
            most = out[j] = max(most, min(1.0, p[j] * (m - i)))
    else:
        least = 1.0
        for i, j in reversed(list(enumerate(order))):
            least = out[j] = min(least, p[j] * m / (i + 1))
    return out


def finite(x):
    return x if x is not None and math.isfinite(x) else None


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
