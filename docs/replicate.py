#!/usr/bin/env python3
"""Recompute a phase's orders, medians, estimates and registered intervals from plan.json and metrics.csv alone.

    python3 -S -E docs/replicate.py FOLDER

Python 3 and its standard library, nothing of phaselock. It prints what it computes to 12 significant digits. Where
FOLDER/analysis.json is there, every number is compared with it (1e-12 relative, since two libraries' log and exp may differ
in the last bit) and the exit code is 1 if anything differs, 0 otherwise; 2 if the folder cannot be read.

The definitions are those of docs/methodology.md.
"""

import csv
import hashlib
import json
import math
import os
import sys
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
    first = [0] * t
    for i in range(1, t):
        first[i] = (i + 1) // 2 if i % 2 else t - i // 2
    rows = [[(a + shift) % t for a in first] for shift in range(t)]
    return rows if t % 2 == 0 else rows + [list(reversed(r)) for r in rows]


def orders_of(design, case, arms):
    """The arms in run order for each block of a case."""
    if design["kind"] == "fixed":
        for given in design["orders"]:
            if given.get("case", "") == case:
                return given["blocks"]
        return [o for o in design["orders"] if not o.get("case")][0]["blocks"]
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


def planned_runs(phase):
    """Every run as (case, arm, block, position), in order."""
    design, cases = phase["design"], [c["name"] for c in phase["cases"]]
    orders = {c["name"]: orders_of(design, c["name"], c["arms"]) for c in phase["cases"]}
    cells = []
    if design["nesting"] == "cases":
        cells = [(c, b) for c in cases for b in range(design["blocks"])]
    else:
        stream = Stream("design/cases", design["seed"])
        for b in range(design["blocks"]):
            row = list(cases)
            if design["kind"] != "fixed":
                stream.shuffle(row)
            cells += [(c, b) for c in row]
    return [(c, a, b + 1, i + 1) for c, b in cells for i, a in enumerate(orders[c][b])]


# --- numbers --------------------------------------------------------------------------------------------------------

def median(x):
    s = sorted(x)
    m = len(s) // 2
    return s[m] if len(s) % 2 else (s[m - 1] + s[m]) / 2


def mean(v):
    total = 0.0
    for x in v:
        total += x
    return total / len(v)


def central_t(t, df):
    """P(|T| <= t) for an integer number of degrees of freedom, closed form (Abramowitz and Stegun 26.7.3-4)."""
    theta = math.atan2(t, math.sqrt(df))
    sin, cos = math.sin(theta), math.cos(theta)
    if df == 1:
        return 2 * theta / math.pi
    term, power = (cos, 1) if df % 2 else (1.0, 0)
    total = term
    while power + 2 <= df - 2:
        power += 2
        term *= cos * cos * (power - 1) / power
        total += term
    return 2 / math.pi * (theta + sin * total) if df % 2 else sin * total


def t_quantile(level, df):
    low, high = 0.0, 1.0
    while central_t(high, df) < level:
        low, high = high, 2 * high
    while True:
        mid = low + (high - low) / 2
        if mid <= low or mid >= high:
            return mid
        if central_t(mid, df) < level:
            low = mid
        else:
            high = mid


def student_t(v, interval):
    n, m = len(v), mean(v)
    if min(v) == max(v):
        return m, m
    s = math.sqrt(sum((x - m) ** 2 for x in v) / (n - 1))
    half = t_quantile(interval["level"], n - 1) * s / math.sqrt(n)
    return m - half, m + half


def ranks(level, total):
    """Ranks from 1 of both tails among total values: the smallest k with k/total >= p, in exact fractions."""
    tail = (1 - Fraction(repr(level))) / 2
    up = lambda p: min(max(-((-p.numerator * total) // p.denominator), 1), total)
    return up(tail), up(1 - tail)


def percentile(v, interval):
    n = len(v)
    stream = Stream("bootstrap/%d" % n, interval["seed"])
    means = []
    for _ in range(interval["resamples"]):
        counts = [0] * n
        for _ in range(n):
            counts[stream.bounded(n)] += 1
        total = 0.0
        for k, x in zip(counts, v):
            total += k * x
        means.append(total / n)
    means.sort()
    low, high = ranks(interval["level"], interval["resamples"])
    return means[low - 1], means[high - 1]


def sign_flip(v, interval):
    """The k-th smallest and largest mean over nonempty subsets, k the largest that covers the level; None if there is none."""
    n = len(v)
    tail = (1 - Fraction(repr(interval["level"]))) / 2
    k = (tail * 2 ** n).__floor__()
    if n > 20 or k < 1:
        return None
    sums = [0.0]
    sizes = [0]
    for x in v:
        sums += [s + x for s in sums]
        sizes += [c + 1 for c in sizes]
    means = sorted(s / c for s, c in zip(sums[1:], sizes[1:]))
    return means[k - 1], means[-k]


INTERVALS = {"student_t": student_t, "percentile": percentile, "sign_flip": sign_flip}


# --- a phase --------------------------------------------------------------------------------------------------------

def read_samples(path):
    """{(case, arm, block): [row, ...]} of the last attempt of each run, every row a dict of texts."""
    cells = {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            key = (row["case"], row["arm"], int(row["block"]))
            attempt = int(row["attempt"])
            if key not in cells or cells[key][0] < attempt:
                cells[key] = (attempt, [])
            if cells[key][0] == attempt:
                cells[key][1].append(row)
    return {k: rows for k, (_, rows) in cells.items()}


def process_medians(cells, unit):
    out = {}
    for key, rows in cells.items():
        x = [float(r[unit]) for r in rows if r[unit] != ""]
        if x:
            out[key] = median(x)
    return out


def compare(phase, metric, case, contrast, medians):
    """One comparison: a dict of what analysis.json says of it."""
    estimand = metric.get("estimand") or phase["estimand"]
    ratio = estimand["kind"] == "block_ratio"
    arm, base = contrast["arm"], contrast["base"]
    blocks = [b for b in range(1, phase["design"]["blocks"] + 1)
              if (case, arm, b) in medians and (case, base, b) in medians]
    pairs = [(medians[case, arm, b], medians[case, base, b]) for b in blocks]
    out = {"arm": arm, "base": base, "blocks": len(blocks), "block_ratios": {}, "estimate": None, "low": None, "high": None}
    if ratio and any(not (a > 0 and z > 0) for a, z in pairs):
        for b, (a, z) in zip(blocks, pairs):
            out["block_ratios"][b] = a / z if a > 0 and z > 0 else None
        return out
    v = [math.log(a / z) if ratio else a - z for a, z in pairs]
    back = math.exp if ratio else float
    out["block_ratios"] = {b: (a / z if ratio else a - z) for b, (a, z) in zip(blocks, pairs)}
    if v:
        out["estimate"] = back(mean(v))
    if len(v) >= 2:
        interval = INTERVALS[estimand["interval"]["kind"]](v, estimand["interval"])
        if interval:
            out["low"], out["high"] = back(interval[0]), back(interval[1])
    return out


def results(phase, cells):
    """{(case, unit, arm, base): comparison} for every metric, case and contrast."""
    out = {}
    for metric in phase["metrics"]:
        if metric["role"] == "constant":
            continue
        medians = process_medians(cells, metric["unit"])
        for case in phase["cases"]:
            for contrast in phase["contrasts"]:
                if contrast["arm"] in case["arms"] and contrast["base"] in case["arms"]:
                    key = (case["name"], metric["unit"], contrast["arm"], contrast["base"])
                    out[key] = compare(phase, metric, case["name"], contrast, medians)
    return out


# --- holding it to analysis.json ------------------------------------------------------------------------------------

class Differences(list):
    def hold(self, what, ours, theirs):
        if ours is None or theirs is None:
            if ours is not theirs:
                self.append("%s: %s here, %s in analysis.json" % (what, show(ours), show(theirs)))
        elif abs(ours - theirs) > 1e-12 * max(abs(ours), abs(theirs)) and abs(ours - theirs) > 1e-300:
            self.append("%s: %s here, %s in analysis.json" % (what, show(ours), show(theirs)))


def show(x):
    return "-" if x is None else "%.12g" % x


def hold_to(analysis, phase, cells, ours, different):
    seen = set()
    for case in analysis["cases"]:
        for process in case["processes"]:
            key = (case["case"], process["arm"], process["block"])
            rows = [r for r in cells.get(key, []) if int(r["attempt"]) == process["attempt"]]
            for unit, value in process["medians"].items():
                x = [float(r[unit]) for r in rows if r.get(unit, "") != ""]
                different.hold("%s %s block %d: median %s" % (key + (unit,)), median(x) if x else None, value)
        for metric in case["metrics"]:
            absolutes(case["case"], metric, cells, different)
            for c in metric["comparisons"]:
                key = (case["case"], metric["unit"], c["arm"], c["base"])
                seen.add(key)
                if key not in ours:
                    different.append("%s: in analysis.json and not in the plan" % (key,))
                    continue
                hold_comparison(" ".join(key), ours[key], c, different)
    for key in ours:
        if key not in seen:
            different.append("%s: not in analysis.json" % (key,))


def absolutes(case, metric, cells, different):
    for arm, theirs in metric["absolute"].items():
        raw = {k: [float(r[metric["unit"]]) for r in rows if r[metric["unit"]] != ""]
               for k, rows in cells.items() if k[0] == case and k[1] == arm}
        raw = {k: x for k, x in raw.items() if x}
        values = [x for xs in raw.values() for x in xs]
        what = "%s %s of %s: " % (case, metric["unit"], arm)
        different.hold(what + "median", median([median(x) for x in raw.values()]) if raw else None, theirs["median"])
        different.hold(what + "min", min(values) if values else None, theirs["min"])
        different.hold(what + "max", max(values) if values else None, theirs["max"])


def hold_comparison(what, ours, theirs, different):
    different.hold(what + ": blocks", ours["blocks"], theirs["blocks"])
    different.hold(what + ": estimate", ours["estimate"], theirs["estimate"])
    interval = theirs["interval"] or {}
    different.hold(what + ": low end", ours["low"], interval.get("low"))
    different.hold(what + ": high end", ours["high"], interval.get("high"))
    for b in theirs["block_ratios"]:
        different.hold("%s: block %d" % (what, b["block"]), ours["block_ratios"].get(b["block"]), b["ratio"])


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder = arguments[0]
    try:
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as f:
            plan = json.load(f)
        cells = read_samples(os.path.join(folder, "metrics.csv"))
    except (OSError, ValueError, KeyError) as e:
        print("replicate.py: %s" % e, file=sys.stderr)
        return 2
    phase, different = plan["protocol"], Differences()
    runs = planned_runs(phase)
    stated = [(r["case"], r["arm"], r["block"], r["position"]) for r in plan["runs"]]
    if runs != stated:
        different.append("the orders of the plan are not those of its design and seed")
    print("%d runs, in the order of the design and its seed" % len(runs) if runs == stated else different[0])
    ours = results(phase, cells)
    for (case, unit, arm, base), c in ours.items():
        print("%s  %s  %s vs %s: %s  [%s, %s]  %d blocks" % (case, unit, arm, base, show(c["estimate"]), show(c["low"]), show(c["high"]), c["blocks"]))
    path = os.path.join(folder, "analysis.json")
    if not os.path.exists(path):
        print("no analysis.json to compare with")
    else:
        with open(path, encoding="utf-8") as f:
            hold_to(json.load(f), phase, cells, ours, different)
        print("analysis.json: %s" % ("%d differences" % len(different) if different else "every number agrees to 1e-12"))
    for d in different:
        print("DIFFERS " + d)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
