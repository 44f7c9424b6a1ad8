package plan

import "github.com/phaselock/phaselock/lib/protocol"

// A plan carries its protocol. What reads plans and does not declare phases (samples, checks, analysis, report,
// engine) sees the protocol through these names, so that the arrow from protocol leads to the plan alone.
type (
	Phase     = protocol.Phase
	Arm       = protocol.Arm
	Case      = protocol.Case
	Contrast  = protocol.Contrast
	Metric    = protocol.Metric
	Estimand  = protocol.Estimand
	Interval  = protocol.Interval
	Design    = protocol.Design
	Expect    = protocol.Expect
	Check     = protocol.Check
	Gate      = protocol.Gate
	File      = protocol.File
	Build     = protocol.Build
	Arg       = protocol.Arg
	Command   = protocol.Command
	Process   = protocol.Process
	Parameter = protocol.Parameter
	Value     = protocol.Value
	Duration  = protocol.Duration
	Place     = protocol.Place
	List      = protocol.List
	Tuple     = protocol.Tuple
	Dict      = protocol.Dict
	FileRef   = protocol.FileRef
	Reference = protocol.Reference
	Host      = protocol.Host
	Network   = protocol.Network
	Service   = protocol.Service
	Ready     = protocol.Ready
	Sampler   = protocol.Sampler
	Program   = protocol.Program
	Step      = protocol.Step
	FDB       = protocol.FDB

	CaseOrders = protocol.CaseOrders

	Change = protocol.Change
)

// The protocol's constants, by the same names.
const (
	FormatGobench = protocol.FormatGobench
	FormatJSON    = protocol.FormatJSON
	FormatProcess = protocol.FormatProcess
	FormatNone    = protocol.FormatNone

	KindBinary  = protocol.KindBinary
	KindInput   = protocol.KindInput
	KindGoTest  = protocol.KindGoTest
	KindGoBuild = protocol.KindGoBuild

	RoleMetric   = protocol.RoleMetric
	RoleConstant = protocol.RoleConstant
	RoleDerived  = protocol.RoleDerived

	BlockRatio      = protocol.BlockRatio
	BlockDifference = protocol.BlockDifference

	StudentT   = protocol.StudentT
	Percentile = protocol.Percentile
	SignFlip   = protocol.SignFlip

	ExpectExit   = protocol.ExpectExit
	ExpectStdout = protocol.ExpectStdout
	ExpectMetric = protocol.ExpectMetric
	ExpectAudit  = protocol.ExpectAudit

	DesignFixed = protocol.DesignFixed
	NestCases   = protocol.NestCases
	OrderShared = protocol.OrderShared
	NestBlocks  = protocol.NestBlocks
	OrderCase   = protocol.OrderCase

	MaxSeed = protocol.MaxSeed

	StepProgram      = protocol.StepProgram
	StepCeiling      = protocol.StepCeiling
	StepFDBClear     = protocol.StepFDBClear
	StepFDBCeiling   = protocol.StepFDBCeiling
	StepFDBPlacement = protocol.StepFDBPlacement
	StepFDBRequire   = protocol.StepFDBRequire
	StepFDBStatus    = protocol.StepFDBStatus

	Note    = protocol.Note
	Warning = protocol.Warning
	Invalid = protocol.Invalid

	Added   = protocol.Added
	Removed = protocol.Removed
)

// IsProcessUnit reports whether unit is a whole-process figure.
func IsProcessUnit(unit string) bool { return protocol.IsProcessUnit(unit) }

// ParseCPUs reads a list of CPUs in the kernel's form, "2-4,7", and returns it sorted and without repeats.
func ParseCPUs(spec string) ([]int, error) { return protocol.ParseCPUs(spec) }

// Diff returns in what a phase differs from an earlier one; nothing where both are the same protocol.
func Diff(before, after *Phase) []Change { return protocol.Diff(before, after) }
