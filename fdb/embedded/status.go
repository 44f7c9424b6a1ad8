package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

var statusKey = []byte("\xff\xff/status/json")

// status is what the document says beside what the store is.
type status struct {
	generation int64
	changes    []change
}

// change puts a value at a path of the document, or takes away what stands there.
type change struct {
	path  string
	value any
}

// SetStatus puts a value at a path of the status document, names between dots; nil takes the field away.
func (s *Store) SetStatus(path string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.changes = append(s.status.changes, change{path, value})
}

// Recover is a recovery of the cluster, which its generation counts.
func (s *Store) Recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.generation++
}

// Status is the status document of a cluster of as many processes as there are servers in the teams of the shards.
func (s *Store) Status(context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil, errClosed
	}
	type object = map[string]any
	processes, machines, known, replicas := object{}, object{}, map[string]bool{}, 0
	for _, sh := range s.shards {
		replicas = max(replicas, len(sh.team))
		for _, address := range sh.team {
			if known[address] {
				continue
			}
			known[address] = true
			roles := []any{object{"role": "storage", "storage_metadata": object{"storage_engine": "memory"}}}
			if len(processes) == 0 {
				roles = append(roles, object{"role": "log"}, object{"role": "master"}, object{"role": "commit_proxy"}, object{"role": "grv_proxy"},
					object{"role": "resolver"}, object{"role": "cluster_controller"}, object{"role": "data_distributor"}, object{"role": "ratekeeper"},
					object{"role": "coordinator"})
			}
			host, _, _ := strings.Cut(address, ":")
			processes[fmt.Sprintf("%016x", len(known))] = object{"address": address, "version": "embedded", "excluded": false, "machine_id": host, "roles": roles}
			machines[host] = object{"address": host, "excluded": false}
		}
	}
	bytes := 0
	s.data.Scan(func(key string, value []byte) bool {
		bytes += len(key) + len(value)
		return true
	})
	redundancy := map[int]string{1: "single", 2: "double", 3: "triple"}[replicas]
	root := object{
		"client": object{"database_status": object{"available": true, "healthy": true}},
		"cluster": object{
			"generation":         s.status.generation,
			"database_available": true,
			"full_replication":   true,
			"recovery_state":     object{"name": "fully_recovered", "active_generations": 1},
			"configuration":      object{"redundancy_mode": redundancy, "storage_engine": "memory", "storage_replicas": replicas},
			"qos": object{
				"worst_queue_bytes_log_server": 0, "worst_queue_bytes_storage_server": 0, "limiting_queue_bytes_storage_server": 0,
				"performance_limited_by": object{"name": "workload"},
			},
			"data": object{
				"state": object{"healthy": true, "name": "healthy"}, "partitions_count": len(s.shards), "total_kv_size_bytes": bytes,
				"moving_data": object{"in_flight_bytes": 0, "in_queue_bytes": 0},
			},
			"machines": machines, "processes": processes, "messages": []any{},
		},
	}
	for _, c := range s.status.changes {
		c.apply(root)
	}
	return json.Marshal(root)
}

func (c change) apply(at map[string]any) {
	names := strings.Split(c.path, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	if last := names[len(names)-1]; c.value == nil {
		delete(at, last)
	} else {
		at[last] = c.value
	}
}
