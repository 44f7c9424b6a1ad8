package main

import (
	"fmt"
	"strings"
)

// shapeNames are the shapes as docs/methodology.md calls them.
var shapeNames = map[string]string{"normal": "normal", "t3": "heavy tails", "lognormal": "strong skew"}

// coverageMarkdown returns the coverage in percent: a row for each number of blocks, for each shape the three intervals.
func (t *table) coverageMarkdown() string {
	var b strings.Builder
	b.WriteString("| n |")
	for _, sh := range shapes {
		for _, kind := range []string{"percentile", "student_t", "sign_flip"} {
			fmt.Fprintf(&b, " %s, %s |", shapeNames[sh.name], kind)
		}
	}
	b.WriteString("\n| ---: |" + strings.Repeat(" ---: |", 3*len(shapes)) + "\n")
	for n := 4; n <= 20; n++ {
		fmt.Fprintf(&b, "| %d |", n)
		for _, sh := range shapes {
			for _, c := range t.Coverage {
				if c.Shape == sh.name && c.Blocks == n {
					fmt.Fprintf(&b, " %s | %s | %s |", percent(&c.Percentile), percent(&c.StudentT), percent(c.SignFlip))
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// driftMarkdown returns the false alarms in percent: a row for each world.
func (t *table) driftMarkdown() string {
	var b strings.Builder
	b.WriteString("| the machine's speed | n | all A, then all B | counterbalanced |\n| --- | ---: | ---: | ---: |\n")
	for _, d := range t.Drift {
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", d.World, d.Blocks, percent(&d.Sequential), percent(&d.Counterbalanced))
	}
	return b.String()
}

func percent(share *float64) string {
	if share == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100**share)
}
