#!/usr/bin/env python3
"""Recompute a phase's orders, medians, estimates and intervals from plan.json and metrics.csv alone.

    python3 -S -E docs/replicate.py FOLDER

Python 3 and its standard library, nothing of phaselock; the definitions are those of docs/methodology.md. The generator, designs
and intervals are in replication/numbers.py beside this file, the phase in replication/phase.py; here is what compares. It prints what
it computes to 12 significant digits. Where FOLDER/analysis.json is there, every number that follows from the two files is
held to it, field by field.

Exit codes: 0 everything agrees (or there is no analysis.json), 1 something differs by more than 1e-12 relative (each
difference is named), 2 the folder cannot be read.

What the two files cannot say is not held: why a run failed, a case's status beyond "measured" or not, findings, gates, and
the simulated coverage. Of several attempts at a block the last one that left a row counts for all of its arms. A sample that
is neither the median of its process nor the least or largest of its arm stands in no number; the digest of metrics.csv in
analysis.json covers it.
"""

import csv
import hashlib
import json
import os
import sys

sys.dont_write_bytecode = True  # a check leaves nothing behind, here neither

from replication.numbers import designed_runs, median
from replication.phase import Phase, Unreadable, constant_of, median_of, omitted_of, read_samples, side, values_of

TOLERANCE = 1e-12


# --- holding it to analysis.json ------------------------------------------------------------------------------------

class Differences(list):
    def hold(self, what, ours, theirs, scale=0.0):
        """One value; numbers within 1e-12 of the larger of them, or of the scale on which they were added up."""
        numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (ours, theirs))
        if numbers and abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs), scale):
            return
        if not numbers and ours == theirs and type(ours) is type(theirs):
            return
        self.append("%s: %s here, %s in analysis.json" % (what, show(ours), show(theirs)))

    def hold_all(self, what, ours, theirs, keys, scale=0.0):
        """The same keys of two objects, either of which may be null."""
        if ours is None or theirs is None:
            if ours is not theirs:
                self.append("%s: %s here, %s in analysis.json" % (what, "null" if ours is None else "there", "null" if theirs is None else "there"))
            return
        for k in keys:
            self.hold("%s: %s" % (what, k), ours.get(k), theirs.get(k), scale)


def show(x):
    if x is None:
        return "-"
    return "%.12g" % x if isinstance(x, (int, float)) and not isinstance(x, bool) else str(x)


def width(*objects):
    """The scale of an interval: ends near zero carry the rounding of the larger one."""
    return max([abs(o[k]) for o in objects if o for k in ("low", "high") if o.get(k) is not None] or [0.0])


def verdict(ours, theirs, measured):
    """The verdict. On which side of no difference an interval lies is asked of their ends, which are held to ours: an end that
    touches it may differ in the last bit."""
    if not measured:
        return "incomplete"
    if ours["verdict"] in ("equal", "undefined", "incomplete") or theirs["interval"] is None:
        return ours["verdict"]
    return {-1: "lower", 0: "unresolved", 1: "higher"}[side(theirs["interval"], ours["null"])]


def agrees(theirs, null):
    """Whether every other interval of its level lies on the same side as the registered one."""
    if theirs["interval"] is None:
        return True
    others = [theirs["unregistered"][k] for k in ("exact_percentile", "student_t", "sign_flip")]
    others += [a for a in theirs.get("also") or [] if a["level"] == theirs["interval"]["level"]]
    return all(side(o, null) == side(theirs["interval"], null) for o in others if o and o["low"] is not None)


def hold_comparison(what, ours, theirs, measured, d):
    d.hold_all(what, ours, theirs, ("estimand", "blocks", "estimate"))
    u, their_u = ours["unregistered"] or {}, theirs["unregistered"] or {}
    pairs = [("interval", ours["interval"], theirs["interval"])]
    pairs += [(k, u.get(k), their_u.get(k)) for k in ("exact_percentile", "student_t", "sign_flip")]
    also = theirs.get("also") or []
    d.hold(what + ": number of further intervals", len(ours["also"]), len(also))
    pairs += [("also %s" % a["kind"], a, b) for a, b in zip(ours["also"], also)]
    for name, a, b in pairs:
        d.hold_all("%s: %s" % (what, name), a, b, ("low", "high"), width(a, b))
        if a and b:
            d.hold_all("%s: %s" % (what, name), a, b, ("kind", "level", "resamples", "seed", "p", "min_p"))
    d.hold(what + ": verdict", verdict(ours, theirs, measured), theirs["verdict"])
    d.hold(what + ": registered_agrees", agrees(theirs, ours["null"]), theirs["registered_agrees"])
    d.hold(what + ": number of blocks planned", len(ours["block_ratios"]), len(theirs["block_ratios"]))
    for a, b in zip(ours["block_ratios"], theirs["block_ratios"]):
        d.hold_all("%s: block %d" % (what, a["block"]), a, b, ("block", "ratio", "first", "matched"))
    for name in ("base_first", "arm_first"):
        d.hold_all("%s: %s" % (what, name), ours["order"][name], theirs["order"][name], ("blocks", "estimate"))
    d.hold_all(what + ": matched", ours["matched"], theirs["matched"], ("blocks", "estimate", "base_first", "arm_first", "status"))
    hold_leave_one_out(what, ours["leave_one_out"], theirs["leave_one_out"], d)
    if measured:
        d.hold(what + ": p", ours["p"], theirs.get("p"))
        d.hold(what + ": adjusted_p", ours["adjusted_p"], theirs.get("adjusted_p"))


def hold_leave_one_out(what, ours, theirs, d):
    """Which block it was may differ where two are equal but for rounding: the one named must have the value named."""
    if ours is None or theirs is None or None in ours.values():
        d.hold(what + ": leave_one_out", None, theirs)
        return
    for name, end in (("low", min(ours.values())), ("high", max(ours.values()))):
        d.hold("%s: leave_one_out: %s" % (what, name), end, theirs[name])
        d.hold("%s: without block %s" % (what, theirs[name + "_without"]), ours.get(theirs[name + "_without"]), theirs[name])


def hold_processes(phase, case, d):
    seen = set()
    for process in case["processes"]:
        key = (case["case"], process["arm"], process["block"])
        what = "case %s, arm %s, block %d" % key
        if process.get("failure"):
            continue
        if process.get("replaced"):
            what += ", attempt %d" % process["attempt"]
            mine = phase.replaced.get(key + (process["attempt"],))
        else:
            seen.add(key)
            mine = phase.cells.get(key)
        if mine is None:
            d.append("%s: no rows here, a process in analysis.json" % what)
            continue
        run, attempt, samples = mine
        d.hold_all(what, {"run": run, "attempt": attempt, "position": phase.position[key]}, process, ("run", "attempt", "position"))
        medians = {m["unit"]: median_of(m, samples) for m in phase.metrics}
        d.hold_all(what + ": median", medians, process["medians"], sorted(set(medians) | set(process["medians"])))
        constants = {m["unit"]: constant_of(m, samples) for m in phase.constants}
        d.hold_all(what + ": constant", constants, process["constants"], sorted(set(constants) | set(process["constants"])))
    for key in sorted(k for k in phase.cells if k[0] == case["case"] and k not in seen):
        d.append("case %s, arm %s, block %d: rows here, no process that counts in analysis.json" % key)


def hold_absolutes(phase, case, metric, theirs, d):
    for arm, absolute in theirs["absolute"].items():
        cells = [samples for (c, a, _), (_, _, samples) in phase.cells.items() if c == case and a == arm]
        x = [values_of(metric, samples) for samples in cells]
        every = [v for values in x for v in values]
        ours = {"median": median([median(v) for v in x if v]) if every else None, "min": min(every, default=None),
                "max": max(every, default=None), "samples": len(every)}
        d.hold_all("case %s, %s of arm %s" % (case, metric["unit"], arm), ours, absolute, ("median", "min", "max", "samples"))


def hold_completeness(phase, comparisons, theirs, d):
    cells = phase.cells.values()
    ours = {
        "processes_planned": len(phase.plan["runs"]), "processes_finished": len(cells),
        "samples_planned": sum(r["repeats"] for r in phase.plan["runs"]), "samples": sum(len(s) for _, _, s in cells),
        "derived_omitted": sum(omitted_of(m, s) for m in phase.metrics for _, _, s in cells),
        "limited_to_complete_blocks": any(c["blocks"] < len(c["block_ratios"]) for _, _, c in comparisons),
    }
    d.hold_all("completeness", ours, theirs, ours)


def hold_to(analysis, phase, comparisons, d):
    hold_completeness(phase, comparisons, analysis["completeness"], d)
    by_key = {(case, metric["unit"], c["arm"], c["base"]): c for case, metric, c in comparisons}
    metrics = {m["unit"]: m for m in phase.metrics}
    d.hold("cases", [c["name"] for c in phase.protocol["cases"]], [c["case"] for c in analysis["cases"]])
    for case in analysis["cases"]:
        name, measured = case["case"], case["status"] == "measured"
        if name not in phase.missing:
            continue
        if measured and phase.missing[name]:
            d.append("case %s: measured in analysis.json, and no rows here for arm %s in block %d" % phase.missing[name][0])
        hold_processes(phase, case, d)
        for theirs in case["metrics"]:
            if theirs["unit"] in metrics:
                d.hold_all("case %s, %s" % (name, theirs["unit"]), metrics[theirs["unit"]], theirs, ("better", "role"))
                hold_absolutes(phase, name, metrics[theirs["unit"]], theirs, d)
            for c in theirs["comparisons"]:
                key = (name, theirs["unit"], c["arm"], c["base"])
                what = "case %s, %s, %s vs %s" % key
                if key in by_key:
                    hold_comparison(what, by_key.pop(key), c, measured, d)
                else:
                    d.append("%s: in analysis.json, and not in the plan" % what)
    for key in by_key:
        d.append("case %s, %s, %s vs %s: not in analysis.json" % key)


def hold_derived(phase, d):
    """A derived column must be what its numerator and denominator give."""
    for key, (_, _, samples) in phase.cells.items():
        for m in (m for m in phase.metrics if m["role"] == "derived"):
            ours, column = values_of(m, samples), [s[m["unit"]] for s in samples if m["unit"] in s]
            if ours != column:  # one division: the same bits everywhere
                d.append("case %s, arm %s, block %d: %s in metrics.csv is not %s / %s" % (key + (m["unit"], m["num"], m["den"])))


# --- the program ----------------------------------------------------------------------------------------------------

def print_table(comparisons):
    rows = [("case", "metric", "comparison", "complete", "estimate", "low", "high", "interval", "verdict")]
    for case, metric, c in comparisons:
        i = c["interval"] or {"low": None, "high": None, "kind": None}
        rows.append((case, metric["unit"], "%s vs %s" % (c["arm"], c["base"]), "%d blocks" % c["blocks"], show(c["estimate"]),
                     show(i["low"]), show(i["high"]), show(i["kind"]), c["verdict"]))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip())


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def hold_metrics(analysis, path, d):
    """A changed digit shows even where no number depends on it: analysis.json names the digest of metrics.csv."""
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    if analysis["metrics_sha256"] != digest:
        d.append("metrics.csv: its SHA-256 is %s, analysis.json was made from %s" % (digest, analysis["metrics_sha256"]))


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder, d = arguments[0], Differences()
    try:
        plan = load(os.path.join(folder, "plan.json"))
        if plan["version"] != 1:
            raise Unreadable("plan.json has version %s; this program reads 1" % plan["version"])
        phase = Phase(plan, *read_samples(os.path.join(folder, "metrics.csv"), plan))
        stated = [(r["case"], r["arm"], r["block"], r["position"]) for r in plan["runs"]]
        same = designed_runs(phase.protocol) == stated
        print("%d runs, %s the order of the design and its seed" % (len(stated), "in" if same else "NOT in"))
        if not same:
            d.append("plan.json: the runs are not those of the design and its seed")
        hold_derived(phase, d)
        comparisons = phase.comparisons()
        print_table(comparisons)
        path = os.path.join(folder, "analysis.json")
        there = os.path.exists(path)
        if there:
            analysis = load(path)
            hold_metrics(analysis, os.path.join(folder, "metrics.csv"), d)
            hold_to(analysis, phase, comparisons, d)
    except (OSError, ValueError, csv.Error, Unreadable) as e:
        print("replicate.py: %s" % e, file=sys.stderr)
        return 2
    except (AttributeError, IndexError, KeyError, TypeError) as e:
        print("replicate.py: plan.json or analysis.json is not of the form that docs/formats.md describes: %s: %s" % (type(e).__name__, e), file=sys.stderr)
        return 2
    for difference in d:
        print("DIFFERS " + difference)
    print("%d differences" % len(d) if d else "analysis.json: every number agrees to 1e-12" if there else "no analysis.json to compare with")
    return 1 if d else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # names that the terminal cannot show
    sys.stderr.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
