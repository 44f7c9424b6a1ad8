// Package host evaluates a phase script to plain data: the builtins, load(), errors with their source lines,
// and the flat form's printer.
//
// One table per kind (kinds_*.go) drives a constructor, its attributes, its printing and its spelling hints.
// A constructor that is called wrongly records what is wrong and goes on, so that all independent errors of a
// script come at once. phase() only records; once the entry script has ended its globals are frozen, the command
// callbacks run once for each case and arm, and the result is a protocol.Phase without functions or defaults.
//
// Evaluation is a pure function of the bytes of the script and of what it loads: the closure of load statements
// is read and hashed before the first statement runs, and no file is read after that.
package host
