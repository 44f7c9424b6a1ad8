package cluster

import (
	"slices"
)

// Facts are what a record of a run needs of a cluster. Nil, "" and a nil map or list are unknown.
type Facts struct {
	Generation        *int64         `json:"generation,omitempty"` // grows with every recovery
	Recovered         *bool          `json:"recovered,omitempty"`  // fully, so that every role is there
	Redundancy        string         `json:"redundancy,omitempty"`
	Engine            string         `json:"engine,omitempty"` // of the storage servers, as configured
	Versions          []string       `json:"versions,omitempty"`
	Roles             map[string]int `json:"roles,omitempty"` // processes by role
	Storage           *int           `json:"storage,omitempty"`
	Machines          *int           `json:"machines,omitempty"`            // without the excluded
	WorstLogQueue     *float64       `json:"worst-log-queue,omitempty"`     // bytes
	WorstStorageQueue *float64       `json:"worst-storage-queue,omitempty"` // bytes
	Moving            *float64       `json:"moving,omitempty"`              // bytes in flight or waiting to be moved
	LimitedBy         string         `json:"limited-by,omitempty"`          // "workload" is not limited
}

// Facts reads the document's facts. Its paths are those of FoundationDB's schema (mr-status-json-schemas).
func (d *Document) Facts() Facts {
	f := Facts{
		Generation:        d.integer("cluster.generation"),
		Redundancy:        d.text("cluster.configuration.redundancy_mode"),
		Engine:            d.text("cluster.configuration.storage_engine"),
		WorstLogQueue:     d.number("cluster.qos.worst_queue_bytes_log_server"),
		WorstStorageQueue: d.number("cluster.qos.worst_queue_bytes_storage_server"),
		LimitedBy:         d.text("cluster.qos.performance_limited_by.name"),
	}
	if state := d.text("cluster.recovery_state.name"); state != "" {
		recovered := state == "fully_recovered"
		f.Recovered = &recovered
	}
	flight, queue := d.number("cluster.data.moving_data.in_flight_bytes"), d.number("cluster.data.moving_data.in_queue_bytes")
	if flight != nil && queue != nil {
		moving := *flight + *queue
		f.Moving = &moving
	}
	f.machines(d)
	f.processes(d)
	return f
}

func (f *Facts) machines(d *Document) {
	_, machines, known := d.object("cluster.machines")
	if !known {
		return
	}
	n := 0
	for _, m := range machines {
		if fields, ok := m.(map[string]any); !ok || fields["excluded"] != true {
			n++
		}
	}
	f.Machines = &n
}

// processes counts roles; a process that does not say its roles makes the counts unknown, since it may have any.
func (f *Facts) processes(d *Document) {
	names, processes, known := d.object("cluster.processes")
	if !known {
		return
	}
	roles, whole := map[string]int{}, true
	for _, name := range names {
		fields, _ := processes[name].(map[string]any)
		if v, ok := fields["version"].(string); ok && !slices.Contains(f.Versions, v) {
			f.Versions = append(f.Versions, v)
		}
		list, ok := fields["roles"].([]any)
		whole = whole && ok
		for _, entry := range list {
			role, _ := entry.(map[string]any)
			name, ok := role["role"].(string)
			if !ok {
				whole = false
				continue
			}
			roles[name]++
		}
	}
	slices.Sort(f.Versions)
	if !whole {
		return
	}
	f.Roles = roles
	storage := roles["storage"]
	f.Storage = &storage
}
