package protocol

// Kinds of steps.
const (
	StepProgram      = "step"                // a program that runs to its end
	StepCeiling      = "ceiling"             // a program that prints one number, which must not be above Max
	StepFDBClear     = "fdb.clear_user_keys" // clears a cluster, and waits until it has settled
	StepFDBCeiling   = "fdb.ceiling"         // a number of the status document, which must not be above Max
	StepFDBPlacement = "fdb.placement"       // where an index and its records lie
	StepFDBRequire   = "fdb.require"         // what a cluster must be
	StepFDBStatus    = "fdb.status"          // keeps the status document
)

// Step is something that happens while nothing is measured: before or after the phase, or each of its runs.
type Step struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name,omitempty"` // of a step, a ceiling and a placement
	Program *Program `json:"program,omitempty"`
	Max     *float64 `json:"max,omitempty"` // of ceilings
	FDB     *FDB     `json:"fdb,omitempty"`
	Timeout Duration `json:"timeout"`
	At      Place    `json:"at,omitzero"`
}

// Ceiling reports whether the step is one whose breach contaminates a case.
func (s *Step) Ceiling() bool { return s.Kind == StepCeiling || s.Kind == StepFDBCeiling }

// FDB is what a step asks of a FoundationDB cluster.
type FDB struct {
	Cluster    string         `json:"cluster,omitempty"`    // path of the cluster file, from the root; "" is that of FDB_CLUSTER_FILE
	Path       string         `json:"path,omitempty"`       // fdb.ceiling: in the status document, cluster.qos.worst_queue_bytes_log_server
	Settle     int64          `json:"settle,omitempty"`     // fdb.clear_user_keys: bytes in queues and in movement at which it is done
	Redundancy string         `json:"redundancy,omitempty"` // fdb.require; "" is not held
	Engine     string         `json:"engine,omitempty"`
	Version    string         `json:"version,omitempty"`
	Roles      map[string]int `json:"roles,omitempty"` // processes by role
	Machines   int            `json:"machines,omitempty"`
	Storage    int            `json:"storage,omitempty"`   // storage servers
	Index      string         `json:"index,omitempty"`     // fdb.placement: prefix of the index's keys, in hexadecimal
	Records    string         `json:"records,omitempty"`   // and of the records'
	Colocated  *float64       `json:"colocated,omitempty"` // the least colocated fraction; nil records it alone
}
