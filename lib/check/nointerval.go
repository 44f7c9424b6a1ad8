package check

// noInterval notes comparisons of several blocks that have no registered interval, once for each reason.
func noInterval(in *Input) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Estimate == nil || c.Low != nil || c.Blocks < 2 || c.Reason == "" || c.Verdict != "unresolved" || seen[c.Reason] {
			continue
		}
		seen[c.Reason] = true
		out = append(out, Finding{At: at(c.Estimand.At), Message: c.Reason})
	}
	return out
}
