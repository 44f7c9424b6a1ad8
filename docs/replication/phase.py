"""A phase as plan.json declares it and metrics.csv filled it: samples, and the comparisons that follow from them."""

import csv
import math

from replication.numbers import (INTERVALS, adjust, exact_percentile, exponential, finite, flips, mean, median, p_of, student_t)

PROCESS_UNITS = {"wall-ns", "user-ns", "sys-ns", "max-rss-bytes", "minor-faults", "major-faults",
                 "voluntary-switches", "involuntary-switches"}


class Unreadable(Exception):
    """The folder does not hold what it should; the text says where."""


# --- metrics.csv ----------------------------------------------------------------------------------------------------

def number(text, where):
    try:
        x = float(text)
    except ValueError:
        raise Unreadable("%s: %r is no number" % (where, text))
    if not math.isfinite(x):
        raise Unreadable("%s: %s is not finite" % (where, text))
    return x


def read_samples(path, plan):
    """{(case, arm, block): (run, attempt, [{unit: value}, ...])} of the attempts that count, and of those that were replaced,
    by (case, arm, block, attempt)."""
    units = [m["unit"] for m in plan["protocol"]["metrics"]]
    runs = {r["run"]: r for r in plan["runs"]}
    rows = []
    with open(path, newline="", encoding="utf-8") as f:
        reader = csv.DictReader(f, strict=True)
        missing = [c for c in ["run", "case", "arm", "block", "attempt", "position", "repeat"] + units if c not in (reader.fieldnames or [])]
        if missing:
            raise Unreadable("metrics.csv: no column %s" % ", ".join(missing))
        for row in reader:
            where = "metrics.csv, line %d" % reader.line_num
            if None in row or None in row.values():
                raise Unreadable(where + ": not as many fields as the header")
            try:
                run, block, attempt, position, repeat = (int(row[c]) for c in ("run", "block", "attempt", "position", "repeat"))
            except ValueError as e:
                raise Unreadable("%s: %s" % (where, e))
            planned = runs.get(run)
            if not planned or (row["case"], row["arm"], block, position) != tuple(planned[k] for k in ("case", "arm", "block", "position")):
                raise Unreadable("%s: no run %d of arm %s in block %d of case %s at position %d is planned"
                                 % (where, run, row["arm"], block, row["case"], position))
            values = {u: number(row[u], where + ", " + u) for u in units if row[u] != ""}
            rows.append((row["case"], row["arm"], block, run, attempt, repeat, values))
    return attempts(rows)


def attempts(rows):
    """Of several attempts at a block of a case the last counts for all of its arms; the others are kept apart."""
    last = {}
    for case, _, block, _, attempt, _, _ in rows:
        last[case, block] = max(attempt, last.get((case, block), 0))
    cells, replaced = {}, {}
    for case, arm, block, run, attempt, repeat, values in rows:
        if attempt == last[case, block]:
            samples = cells.setdefault((case, arm, block), (run, attempt, {}))[2]
        else:
            samples = replaced.setdefault((case, arm, block, attempt), (run, attempt, {}))[2]
        if repeat in samples:
            raise Unreadable("metrics.csv: run %d, attempt %d has repeat %d twice" % (run, attempt, repeat))
        samples[repeat] = values
    in_order = lambda d: {k: (run, attempt, [s[r] for r in sorted(s)]) for k, (run, attempt, s) in d.items()}
    return in_order(cells), in_order(replaced)


def values_of(metric, samples):
    """A metric's values over the samples of one process. What is derived is computed again, sample by sample."""
    if metric["role"] != "derived":
        return [s[metric["unit"]] for s in samples if metric["unit"] in s]
    num, den = metric["num"], metric["den"]
    if num in PROCESS_UNITS or den in PROCESS_UNITS:
        samples = samples[:1]
    pairs = [(s[num], s[den]) for s in samples if num in s and s.get(den, 0) != 0]
    return [a / z for a, z in pairs if math.isfinite(a / z)]


def omitted_of(metric, samples):
    """In how many samples of a process a derived metric has no value."""
    if metric["role"] != "derived":
        return 0
    if metric["num"] in PROCESS_UNITS or metric["den"] in PROCESS_UNITS:
        samples = samples[:1]
    return len(samples) - len(values_of(metric, samples))


def median_of(metric, samples):
    """The process median, or None where a process has no value of the metric."""
    x = values_of(metric, samples)
    return finite(median(x)) if x else None


def constant_of(metric, samples):
    """The value that all samples of a process share, or None."""
    x = [s.get(metric["unit"]) for s in samples]
    if metric["unit"] in PROCESS_UNITS:
        x = [v for v in x if v is not None]
    return x[0] if x and all(v is not None and v == x[0] for v in x) else None


# --- a phase --------------------------------------------------------------------------------------------------------

class Phase:
    def __init__(self, plan, cells, replaced):
        self.plan, self.protocol, self.cells, self.replaced = plan, plan["protocol"], cells, replaced
        self.metrics = [m for m in self.protocol["metrics"] if m["role"] != "constant"]
        self.constants = [m for m in self.protocol["metrics"] if m["role"] == "constant"]
        checks = [c for c in self.protocol.get("checks") or [] if c["kind"] == "prefix_confound"]
        watched = {c.get("metric", "") for c in checks}
        self.confounds = [m for m in self.constants if m.get("confound") or m["unit"] in watched or "" in watched]
        self.matched_status = "declared" if checks else "post-hoc"
        self.position = {(r["case"], r["arm"], r["block"]): r["position"] for r in plan["runs"]}
        self.missing = {c["name"]: [k for k in self.position if k[0] == c["name"] and k not in cells] for c in self.protocol["cases"]}

    def comparisons(self):
        """[(case, metric, comparison)], in the order of cases, metrics and contrasts."""
        out = []
        for case in self.protocol["cases"]:
            for metric in self.metrics:
                for contrast in self.protocol["contrasts"]:
                    if contrast["arm"] in case["arms"] and contrast["base"] in case["arms"]:
                        out.append((case["name"], metric, self.compare(case["name"], metric, contrast)))
        if self.protocol.get("family"):
            self.adjust([c for _, _, c in out])
        return out

    def adjust(self, comparisons):
        control = {a["name"] for a in self.protocol["arms"] if a.get("control")}
        family = [c for c in comparisons if not control & {c["arm"], c["base"]}]
        p = adjust(self.protocol["family"], [1.0 if c["p"] is None else c["p"] for c in family])
        for c in comparisons:
            if control & {c["arm"], c["base"]}:
                c["p"] = None
        for c, q in zip(family, p):
            c["adjusted_p"] = q if c["p"] is not None else None

    def matched(self, case, arm, base, block):
        if not self.confounds:
            return None
        a, z = (self.cells[case, name, block][2] for name in (arm, base))
        pairs = [(constant_of(m, a), constant_of(m, z)) for m in self.confounds]
        return all(x is not None and x == y for x, y in pairs)

    def compare(self, case, metric, contrast):
        """One comparison, in the form that analysis.json has."""
        arm, base = contrast["arm"], contrast["base"]
        estimand = metric.get("estimand") or self.protocol["estimand"]
        ratio = estimand["kind"] == "block_ratio"
        show = exponential if ratio else float
        planned = [b for b in range(1, self.protocol["design"]["blocks"] + 1) if (case, arm, b) in self.position and (case, base, b) in self.position]
        blocks = [b for b in planned if (case, arm, b) in self.cells and (case, base, b) in self.cells]
        sides = {b: tuple(median_of(metric, self.cells[case, name, b][2]) for name in (arm, base)) for b in blocks}
        arm_first = {b: self.position[case, arm, b] < self.position[case, base, b] for b in planned}
        effects, shown = {}, {}
        for b, (a, z) in sides.items():
            if a is not None and z is not None and (not ratio or (a > 0 and z > 0)):
                shown[b] = finite(a / z if ratio else a - z)
                if shown[b] is not None and (not ratio or shown[b] > 0):
                    effects[b] = math.log(shown[b]) if ratio else shown[b]
        matched = {b: self.matched(case, arm, base, b) for b in blocks}
        defined = len(effects) == len(blocks) > 0
        over = lambda some: finite(show(mean([effects[b] for b in some]))) if defined and some else None
        out = {
            "arm": arm, "base": base, "estimand": estimand["kind"], "blocks": len(blocks), "estimate": over(blocks),
            "block_ratios": [{"block": b, "ratio": shown.get(b), "first": arm if arm_first[b] else base, "matched": matched.get(b)} for b in planned],
            "order": {name: {"blocks": len(some), "estimate": over(some)} for name, some in (
                ("base_first", [b for b in blocks if not arm_first[b]]), ("arm_first", [b for b in blocks if arm_first[b]]))},
            "interval": None, "also": [], "unregistered": None, "leave_one_out": None, "matched": None, "p": None, "adjusted_p": None,
        }
        if False in matched.values():
            same = [b for b in blocks if matched[b]]
            out["matched"] = {"blocks": same, "estimate": over(same), "status": self.matched_status,
                              "base_first": sum(not arm_first[b] for b in same), "arm_first": sum(arm_first[b] for b in same)}
        if defined:
            self.intervals(out, estimand, [effects[b] for b in blocks], show)
            if len(blocks) > 1:
                out["leave_one_out"] = {b: over([x for x in blocks if x != b]) for b in blocks}
        out["verdict"] = self.verdict(case, out, sides, defined, 1.0 if ratio else 0.0)
        out["null"] = 1.0 if ratio else 0.0
        if self.protocol.get("family"):
            if out["verdict"] == "equal":
                out["p"] = 1.0
            elif out["verdict"] in ("lower", "higher", "unresolved"):
                out["p"] = p_of(estimand["interval"], [effects[b] for b in blocks])
        return out

    def intervals(self, out, estimand, v, show):
        registered = estimand["interval"]
        out["interval"] = interval(registered, v, show)
        out["also"] = [i for i in (interval(a, v, show) for a in estimand.get("also") or []) if i]
        out["unregistered"] = {"exact_percentile": None, "student_t": None, "sign_flip": None}
        if len(v) < 2:
            return
        out["unregistered"]["exact_percentile"] = ends(exact_percentile(v, registered["level"]), show)
        out["unregistered"]["student_t"] = ends(student_t(v, registered), show)
        f = flips(v, registered["level"])
        if f:
            both = ends((f["low"], f["high"]) if f["level"] is not None else None, show)
            out["unregistered"]["sign_flip"] = dict(f, **(both or {"low": None, "high": None, "level": None}))

    def verdict(self, case, out, sides, defined, null):
        if self.missing[case]:
            return "incomplete"
        if sides and all(a is not None and a == z for a, z in sides.values()):
            return "equal"
        if not defined or out["estimate"] is None:
            return "undefined"
        if out["interval"] is None:
            return "unresolved"
        return {-1: "lower", 0: "unresolved", 1: "higher"}[side(out["interval"], null)]


def side(interval, null):
    """-1 where an interval lies below no difference, 1 above, 0 if it holds it."""
    return -1 if interval["high"] < null else 1 if interval["low"] > null else 0


def interval(declared, v, show):
    pair = ends(INTERVALS[declared["kind"]](v, declared) if len(v) > 1 else None, show)
    if pair:
        pair.update(kind=declared["kind"], level=declared["level"])
        if declared["kind"] == "percentile":
            pair.update(resamples=declared["resamples"], seed=declared.get("seed", 0))
    return pair


def ends(pair, show):
    pair = pair and tuple(finite(show(x)) for x in pair)
    return {"low": pair[0], "high": pair[1]} if pair and None not in pair else None
