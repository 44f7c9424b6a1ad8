package check

// singleBlock notes comparisons of one block: an estimate, and nothing to say how sure it is.
func singleBlock(in *Input) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Blocks != 1 || seen[c.Case] {
			continue
		}
		seen[c.Case] = true
		out = append(out, Finding{Case: c.Case, At: at(in.phase().Design.At), Message: "one block: no interval and no verdict but equal; six blocks or more make an interval worth having"})
	}
	return out
}
