package check

import (
	"fmt"
	"slices"
	"strings"
)

// client finds arms whose processes were not all served by one client.
func client(in *Input) []Finding {
	var out []Finding
	for i := range in.phase().Arms {
		arm := in.phase().Arms[i].Name
		var names []string
		runs := map[string]int{}
		for j := range in.phase().Cases {
			for _, cell := range in.Grid.Cells(in.phase().Cases[j].Name) {
				if cell.Run.Arm != arm || !cell.Valid() {
					continue
				}
				name := "one that it does not name"
				if c := cell.Process.Client; c != nil {
					name = c.Name
				}
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
				runs[name]++
			}
		}
		if len(names) < 2 {
			continue
		}
		parts := make([]string, len(names))
		for k, name := range names {
			parts[k] = fmt.Sprintf("%s served %s", name, count(runs[name], "process"))
		}
		out = append(out, Finding{Arm: arm, Message: "its store had several clients: " + strings.Join(parts, ", "), At: at(in.phase().Arms[i].At)})
	}
	return out
}
