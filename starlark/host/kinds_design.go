package host

import "go.starlark.net/starlark"

var (
	nesting = param{"nesting", oneOf("blocks", "cases"), starlark.String("blocks"), "`blocks`: all cases inside block 1, then all inside block 2, so that drift spreads over the cases; `cases`: one case whole, then the next"}
	order   = param{"order", oneOf("case", "shared"), starlark.String("case"), "`case`: each case draws its own orders of arms; `shared`: one sequence of orders for all cases"}
	blocks  = param{"blocks", integer(1, maxBlocks), nil, "how many times every arm runs in every case, one fresh process each; eight is a good start"}
	seed    = param{"seed", integer(0, maxSeed), nil, "any number; it fixes what is drawn, and there is no default"}
	level   = param{"level", probability, nil, "how often the interval should hold the true value: 0.95"}
)

var designKinds = []*kind{{
	name:   "counterbalanced",
	doc:    "two arms: each order equally often, shuffled; more arms: as `williams`",
	params: []param{blocks, seed, nesting, order},
}, {
	name:   "williams",
	doc:    "Williams squares: every arm in every position, and after every other arm, equally often; `blocks` is a multiple of the number of arms, of twice that for an odd number",
	params: []param{blocks, seed, nesting, order},
}, {
	name:   "randomized",
	doc:    "randomised complete blocks: the order of each block is drawn by itself",
	params: []param{blocks, seed, nesting, order},
}, {
	name: "fixed", leading: true,
	doc: "orders that the script gives, for all cases or by case",
	params: []param{
		{"orders", fixedOrders, nil, "for each block the arms in the order in which they run, each once: `[[\"a\", \"b\"], [\"b\", \"a\"]]`"},
		nesting,
	},
}, {
	name:   "block_ratio",
	doc:    "the geometric mean over blocks of arm / base, both medians of a process's samples; 1 is no difference",
	params: estimandParams,
}, {
	name:   "block_difference",
	doc:    "the mean over blocks of arm - base, in the metric's unit, for metrics that may be zero or negative; 0 is no difference",
	params: estimandParams,
}, {
	name: "student_t", leading: true,
	doc:    "Student's t on the block effects (logs of ratios, or differences); from two blocks",
	params: []param{level},
}, {
	name:   "percentile",
	doc:    "the percentile bootstrap over whole blocks; narrower than its level says below 20 blocks",
	params: []param{level, {"resamples", integer(100, 10_000_000), nil, "bootstrap resamples; 20000 is usual"}, seed},
}, {
	name: "sign_flip", leading: true,
	doc:    "the interval of the exact sign-flip test on the block effects; at 95% it needs 6 to 20 blocks",
	params: []param{level},
}}

var estimandParams = []param{
	{"interval", valueOf("student_t", "percentile", "sign_flip"), nil, "the registered interval, from which verdicts and gates come"},
	{"also", listOf(valueOf("student_t", "percentile", "sign_flip"), 0, 3), noList, "further registered intervals, printed beside; no verdict comes from them"},
}
