package host

import "go.starlark.net/starlark"

var (
	nesting = param{"nesting", oneOf("blocks", "cases"), starlark.String("blocks"), "\"blocks\": all cases inside block 1, then block 2; \"cases\": case after case"}
	order   = param{"order", oneOf("case", "shared"), starlark.String("case"), "\"case\": each case has a sequence of its own; \"shared\": one sequence for all"}
	blocks  = param{"blocks", integer(1, maxBlocks), nil, "blocks; each runs every arm once"}
	seed    = param{"seed", integer(0, maxSeed), nil, "0 to 2^53-1; there is no default"}
	level   = param{"level", probability, nil, "between 0 and 1, 0.95 for instance"}
)

var designKinds = []*kind{{
	name:   "counterbalanced",
	doc:    "two arms: each order equally often, shuffled; more arms: Williams squares",
	params: []param{blocks, seed, nesting, order},
}, {
	name:   "williams",
	doc:    "Williams squares: position and carry-over balanced",
	params: []param{blocks, seed, nesting, order},
}, {
	name:   "randomized",
	doc:    "randomised complete blocks",
	params: []param{blocks, seed, nesting, order},
}, {
	name: "fixed", leading: true,
	doc: "orders that the script gives: one list of arms a block, for all cases or by case",
	params: []param{
		{"orders", fixedOrders, nil, "a list of blocks, each a list of arms in run order, or a dict of case to such a list"},
		nesting,
	},
}, {
	name:   "block_ratio",
	doc:    "the geometric mean of within-block ratios of process medians",
	params: estimandParams,
}, {
	name:   "block_difference",
	doc:    "the mean of within-block differences of process medians, for metrics that may be zero or negative",
	params: estimandParams,
}, {
	name: "student_t", leading: true,
	doc:    "Student's t on the block estimates; covers as it says from six blocks on",
	params: []param{level},
}, {
	name:   "percentile",
	doc:    "the percentile bootstrap over whole blocks",
	params: []param{level, {"resamples", integer(100, 10_000_000), nil, "20000 for instance"}, seed},
}, {
	name: "sign_flip", leading: true,
	doc:    "the interval of the exact sign-flip test",
	params: []param{level},
}}

var estimandParams = []param{
	{"interval", valueOf("student_t", "percentile", "sign_flip"), nil, "the preregistered interval"},
	{"also", listOf(valueOf("student_t", "percentile", "sign_flip"), 0, 3), noList, "further registered intervals, printed beside"},
}
