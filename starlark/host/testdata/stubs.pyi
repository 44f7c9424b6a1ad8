"""The language of phase scripts, for editors: made from the tables by "phaselock stubs", not by hand."""

from typing import Any, Callable, Literal, Mapping, NoReturn, Sequence

Scalar = bool | int | float | str
File = Binary | Input | GoTest | GoBuild
Value = None | Scalar | File | Sequence[Value] | Mapping[Any, Value]

def struct(**fields: Any) -> Any:
    """A value with a field for each keyword."""

def fail(*args: Any) -> NoReturn:
    """Ends the evaluation with a message."""

def plan_of(label: str, phase: str = "", /, **params: Scalar) -> Any:
    """In scripts of tests: evaluates and plans another script, and gives its phase with every run as data."""

class Phase:
    """Declares one preregistered phase; only the entry script may call it, or a function on its behalf."""

    name: str
    campaign: str
    question: str
    arms: Sequence[Arm]
    baseline: Arm | str | None
    contrasts: Sequence[Sequence[Arm | str]] | None
    cases: Sequence[Case]
    command: Command | Callable[[Arm, Case], Command] | None
    design: Counterbalanced | Williams | Randomized | Fixed
    repeats: int
    metrics: Sequence[Metric | Constant]
    derived: Sequence[Derived]
    estimand: BlockRatio | BlockDifference
    family: Literal["holm", "bh"] | None
    process: Process | None
    hosts: Sequence[Host]
    networks: Sequence[Network]
    services: Sequence[Service]
    samplers: Sequence[Sampler]
    before_phase: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus]
    before_each: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus]
    after_each: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus]
    after_phase: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus]
    expect: Sequence[ExpectExit | ExpectStdout | ExpectMetric | ExpectAudit]
    checks: Sequence[PrefixConfound | Complete]
    gates: Sequence[Gate]
    on_failure: Literal["continue", "stop-case", "stop-phase"]
    on_ceiling: Literal["stop-phase", "continue"]
    interrupted: Literal["rerun-block", "retain"]
    predictions: Sequence[str]
    limits: Sequence[str]
    references: Sequence[Reference]

def phase(
    name: str,
    *,
    campaign: str = "",
    question: str,
    arms: Sequence[Arm],
    baseline: Arm | str | None = None,
    contrasts: Sequence[Sequence[Arm | str]] | None = None,
    cases: Sequence[Case],
    command: Command | Callable[[Arm, Case], Command] | None = None,
    design: Counterbalanced | Williams | Randomized | Fixed,
    repeats: int = 1,
    metrics: Sequence[Metric | Constant],
    derived: Sequence[Derived] = [],
    estimand: BlockRatio | BlockDifference,
    family: Literal["holm", "bh"] | None = None,
    process: Process | None = None,
    hosts: Sequence[Host] = [],
    networks: Sequence[Network] = [],
    services: Sequence[Service] = [],
    samplers: Sequence[Sampler] = [],
    before_phase: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus] = [],
    before_each: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus] = [],
    after_each: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus] = [],
    after_phase: Sequence[Step | Ceiling | FdbClearUserKeys | FdbCeiling | FdbPlacement | FdbRequire | FdbStatus] = [],
    expect: Sequence[ExpectExit | ExpectStdout | ExpectMetric | ExpectAudit] = [],
    checks: Sequence[PrefixConfound | Complete] = [],
    gates: Sequence[Gate] = [],
    on_failure: Literal["continue", "stop-case", "stop-phase"] = "continue",
    on_ceiling: Literal["stop-phase", "continue"] = "stop-phase",
    interrupted: Literal["rerun-block", "retain"] = "rerun-block",
    predictions: Sequence[str] = [],
    limits: Sequence[str] = [],
    references: Sequence[Reference] = [],
) -> Phase:
    """Declares one preregistered phase; only the entry script may call it, or a function on its behalf.

    Args:
      name: lower-case letters, digits, dots, underscores and hyphens; unique in the script.
      campaign: the campaign to which the phase belongs; it is printed.
      question: one sentence; the report answers it.
      arms: the sides of the comparison, at least one; the first is the baseline.
      baseline: the arm that the others are compared with; the first where left out.
      contrasts: which arm is compared with which; every other arm with the baseline where left out.
      cases: the questions asked of the arms, at least one.
      command: what runs where neither the case nor the arm names a command; see Callbacks.
      design: how many blocks, and how the arms are ordered within each.
      repeats: samples that each process gives: `-test.count` of a Go benchmark, lines of a `json` program; 1 with `process` and `none`.
      metrics: what is read from each sample; at least one `metric`.
      derived: metrics computed from others, sample by sample.
      estimand: what a comparison estimates, with its interval; a metric may have its own.
      family: correction for many comparisons: Holm, or Benjamini-Hochberg; none where left out.
      process: how every process runs; `process()` where left out.
      hosts: other machines that the phase uses.
      networks: network namespaces that are made for the phase.
      services: what runs beside the measured processes; they start in this order and end in the reverse.
      samplers: what reads the machines while the phase runs.
      before_phase: what happens once, in this order, before the first run.
      before_each: what happens before each run.
      after_each: what happens after each run.
      after_phase: what happens once, after the last run.
      expect: what makes a run correct; a run that is not gives no samples.
      checks: checks whose severity the phase raises; all others are made anyway.
      gates: bounds that decide the exit code: 1 fails, 5 is inconclusive.
      on_failure: what a failed run stops; runs that are left out stand in the report.
      on_ceiling: what a ceiling that is passed around a run stops: all that would follow, or nothing; the case of that run is contaminated either way.
      interrupted: what a resumed phase does with a block that was cut short; it stands in the plan and has no effect, since no phase is resumed.
      predictions: what the author expects before any result.
      limits: what the phase cannot show.
      references: figures from elsewhere, printed beside; nothing is computed from them.
    """

class Reference:
    """A figure from elsewhere, printed beside this phase's own."""

    label: str
    value: float
    metric: Metric | Constant | Derived | str | None
    case: Case | str | None
    low: float | None
    high: float | None
    source: str

def reference(
    label: str,
    *,
    value: float,
    metric: Metric | Constant | Derived | str | None = None,
    case: Case | str | None = None,
    low: float | None = None,
    high: float | None = None,
    source: str = "",
) -> Reference:
    """A figure from elsewhere, printed beside this phase's own.

    Args:
      label: what the figure is.
      value: the figure.
      metric: the unit beside which it is printed.
      case: the case beside which it is printed.
      low: the lower end of its interval.
      high: the upper end of its interval.
      source: where it was published or sealed.
    """

class Arm:
    """One side of the comparison."""

    name: str
    command: Command | Callable[[Arm, Case], Command] | None
    env: Mapping[str, str]
    cpus: str | None
    control: bool

    def __getattr__(self, name: str) -> Value: ...

def arm(
    name: str,
    *,
    command: Command | Callable[[Arm, Case], Command] | None = None,
    env: Mapping[str, str] = {},
    cpus: str | None = None,
    control: bool = False,
    **params: Value,
) -> Arm:
    """One side of the comparison.

    Args:
      name: unique in the phase.
      command: what this arm runs in every case; see Callbacks.
      env: environment variables of this arm; they override the process's.
      cpus: CPUs of this arm, instead of the process's.
      control: `True` for an A/A arm, the baseline under another name: no gate and no correction counts it.
      **params: parameters of its own, which callbacks read as attributes.
    """

class Case:
    """One question asked of every arm, or of those named."""

    name: str
    command: Command | Callable[[Arm, Case], Command] | None
    commands: Mapping[Arm | str, Command] | None
    arms: Sequence[Arm | str] | None

    def __getattr__(self, name: str) -> Value: ...

def case(
    name: str,
    *,
    command: Command | Callable[[Arm, Case], Command] | None = None,
    commands: Mapping[Arm | str, Command] | None = None,
    arms: Sequence[Arm | str] | None = None,
    **params: Value,
) -> Case:
    """One question asked of every arm, or of those named.

    Args:
      name: unique in the phase.
      command: what every arm runs in this case; see Callbacks.
      commands: a command for each arm, written out; the flat form has them.
      arms: the arms that are asked; all where left out.
      **params: parameters of its own, which callbacks read as attributes.
    """

class Command:
    """What to run and how to read it."""

    argv: Sequence[str | File]
    format: Literal["gobench", "json", "process", "none"]
    names: Sequence[str]
    env: Mapping[str, str]
    stdin: Input | Binary | None
    dir: str | None

def command(
    argv: Sequence[str | File],
    *,
    format: Literal["gobench", "json", "process", "none"],
    names: Sequence[str] = [],
    env: Mapping[str, str] = {},
    stdin: Input | Binary | None = None,
    dir: str | None = None,
) -> Command:
    """What to run and how to read it.

    Args:
      argv: the program and its arguments, one item each; there is no shell. The program is a file (`binary`, `go_test`, `go_build`), a path from the root, or a name found in `/usr/local/bin:/usr/bin:/bin`.
      format: how samples are read: `gobench`, Go benchmark output; `json`, one object `{"unit": number}` a line, one line a repeat; `process` and `none`, one sample a process, its whole-process figures alone.
      names: with `gobench`: the name of the benchmark that must come out, without the `-8` of GOMAXPROCS; where left out, any one name.
      env: environment variables of this command; they override the arm's and the process's.
      stdin: what the process reads on standard input, from its beginning in each run; `/dev/null` where left out.
      dir: the working folder, from the root; where left out, the package's folder for a `go_test`, else the root.
    """

class Binary:
    """A program that is there already, pinned by digest."""

    path: str
    sha256: str | None

def binary(
    path: str,
    *,
    sha256: str | None = None,
) -> Binary:
    """A program that is there already, pinned by digest.

    Args:
      path: the file, from the root; links are followed and their target is pinned.
      sha256: SHA-256 that it must have, 64 lower-case hexadecimal digits; where left out, the one that is found before the first run.
    """

class Input:
    """A data file that is pinned by digest."""

    path: str
    sha256: str | None

def input(
    path: str,
    *,
    sha256: str | None = None,
) -> Input:
    """A data file that is pinned by digest.

    Args:
      path: the file, from the root; `*`, `?` and `[a-z]` match several, each of which is pinned.
      sha256: SHA-256 that it must have, 64 lower-case hexadecimal digits; where left out, the one that is found before the first run.
    """

class GoTest:
    """A test binary (`go test -c`) that phaselock builds before the first run."""

    package: str
    ref: str | None
    dir: str | None
    tags: Sequence[str]
    env: Mapping[str, str]
    flags: Sequence[str]
    pgo: Input | None

def go_test(
    package: str,
    *,
    ref: str | None = None,
    dir: str | None = None,
    tags: Sequence[str] = [],
    env: Mapping[str, str] = {},
    flags: Sequence[str] = [],
    pgo: Input | None = None,
) -> GoTest:
    """A test binary (`go test -c`) that phaselock builds before the first run.

    Args:
      package: one package as the go tool takes it, `./pkg/parse`, resolved in `dir`.
      ref: a git commit, tag or branch, checked out and built in a folder of its own that is removed afterwards; where left out, the working tree as it is, its uncommitted changes kept as a patch.
      dir: a folder of the module: from the root, or absolute; `..` is fine. The root where left out.
      tags: build tags, one an item.
      env: variables of the build, not of the runs: `GOEXPERIMENT`, `GOAMD64`, `CGO_ENABLED`.
      flags: further flags of `go build`, one an item: `-gcflags=-l`.
      pgo: a CPU profile for profile-guided optimisation; where left out, the go tool's own rule (`default.pgo` in the main package).
    """

class GoBuild:
    """A Go program (`go build`) that phaselock builds before the first run."""

    package: str
    ref: str | None
    dir: str | None
    tags: Sequence[str]
    env: Mapping[str, str]
    flags: Sequence[str]
    pgo: Input | None

def go_build(
    package: str,
    *,
    ref: str | None = None,
    dir: str | None = None,
    tags: Sequence[str] = [],
    env: Mapping[str, str] = {},
    flags: Sequence[str] = [],
    pgo: Input | None = None,
) -> GoBuild:
    """A Go program (`go build`) that phaselock builds before the first run.

    Args:
      package: one package as the go tool takes it, `./pkg/parse`, resolved in `dir`.
      ref: a git commit, tag or branch, checked out and built in a folder of its own that is removed afterwards; where left out, the working tree as it is, its uncommitted changes kept as a patch.
      dir: a folder of the module: from the root, or absolute; `..` is fine. The root where left out.
      tags: build tags, one an item.
      env: variables of the build, not of the runs: `GOEXPERIMENT`, `GOAMD64`, `CGO_ENABLED`.
      flags: further flags of `go build`, one an item: `-gcflags=-l`.
      pgo: a CPU profile for profile-guided optimisation; where left out, the go tool's own rule (`default.pgo` in the main package).
    """

class Counterbalanced:
    """Two arms: each order equally often, shuffled; more arms: as `williams`."""

    blocks: int
    seed: int
    nesting: Literal["blocks", "cases"]
    order: Literal["case", "shared"]

def counterbalanced(
    *,
    blocks: int,
    seed: int,
    nesting: Literal["blocks", "cases"] = "blocks",
    order: Literal["case", "shared"] = "case",
) -> Counterbalanced:
    """Two arms: each order equally often, shuffled; more arms: as `williams`.

    Args:
      blocks: how many times every arm runs in every case, one fresh process each; eight is a good start.
      seed: any number; it fixes what is drawn, and there is no default.
      nesting: `blocks`: all cases inside block 1, then all inside block 2, so that drift spreads over the cases; `cases`: one case whole, then the next.
      order: `case`: each case draws its own orders of arms; `shared`: one sequence of orders for all cases.
    """

class Williams:
    """Williams squares: every arm in every position, and after every other arm, equally often; `blocks` is a multiple of the number of arms, of twice that for an odd number."""

    blocks: int
    seed: int
    nesting: Literal["blocks", "cases"]
    order: Literal["case", "shared"]

def williams(
    *,
    blocks: int,
    seed: int,
    nesting: Literal["blocks", "cases"] = "blocks",
    order: Literal["case", "shared"] = "case",
) -> Williams:
    """Williams squares: every arm in every position, and after every other arm, equally often; `blocks` is a multiple of the number of arms, of twice that for an odd number.

    Args:
      blocks: how many times every arm runs in every case, one fresh process each; eight is a good start.
      seed: any number; it fixes what is drawn, and there is no default.
      nesting: `blocks`: all cases inside block 1, then all inside block 2, so that drift spreads over the cases; `cases`: one case whole, then the next.
      order: `case`: each case draws its own orders of arms; `shared`: one sequence of orders for all cases.
    """

class Randomized:
    """Randomised complete blocks: the order of each block is drawn by itself."""

    blocks: int
    seed: int
    nesting: Literal["blocks", "cases"]
    order: Literal["case", "shared"]

def randomized(
    *,
    blocks: int,
    seed: int,
    nesting: Literal["blocks", "cases"] = "blocks",
    order: Literal["case", "shared"] = "case",
) -> Randomized:
    """Randomised complete blocks: the order of each block is drawn by itself.

    Args:
      blocks: how many times every arm runs in every case, one fresh process each; eight is a good start.
      seed: any number; it fixes what is drawn, and there is no default.
      nesting: `blocks`: all cases inside block 1, then all inside block 2, so that drift spreads over the cases; `cases`: one case whole, then the next.
      order: `case`: each case draws its own orders of arms; `shared`: one sequence of orders for all cases.
    """

class Fixed:
    """Orders that the script gives, for all cases or by case."""

    orders: Sequence[Sequence[Arm | str]] | Mapping[Case | str, Sequence[Sequence[Arm | str]]]
    nesting: Literal["blocks", "cases"]

def fixed(
    orders: Sequence[Sequence[Arm | str]] | Mapping[Case | str, Sequence[Sequence[Arm | str]]],
    *,
    nesting: Literal["blocks", "cases"] = "blocks",
) -> Fixed:
    """Orders that the script gives, for all cases or by case.

    Args:
      orders: for each block the arms in the order in which they run, each once: `[["a", "b"], ["b", "a"]]`.
      nesting: `blocks`: all cases inside block 1, then all inside block 2, so that drift spreads over the cases; `cases`: one case whole, then the next.
    """

class BlockRatio:
    """The geometric mean over blocks of arm / base, both medians of a process's samples; 1 is no difference."""

    interval: StudentT | Percentile | SignFlip
    also: Sequence[StudentT | Percentile | SignFlip]

def block_ratio(
    *,
    interval: StudentT | Percentile | SignFlip,
    also: Sequence[StudentT | Percentile | SignFlip] = [],
) -> BlockRatio:
    """The geometric mean over blocks of arm / base, both medians of a process's samples; 1 is no difference.

    Args:
      interval: the registered interval, from which verdicts and gates come.
      also: further registered intervals, printed beside; no verdict comes from them.
    """

class BlockDifference:
    """The mean over blocks of arm - base, in the metric's unit, for metrics that may be zero or negative; 0 is no difference."""

    interval: StudentT | Percentile | SignFlip
    also: Sequence[StudentT | Percentile | SignFlip]

def block_difference(
    *,
    interval: StudentT | Percentile | SignFlip,
    also: Sequence[StudentT | Percentile | SignFlip] = [],
) -> BlockDifference:
    """The mean over blocks of arm - base, in the metric's unit, for metrics that may be zero or negative; 0 is no difference.

    Args:
      interval: the registered interval, from which verdicts and gates come.
      also: further registered intervals, printed beside; no verdict comes from them.
    """

class StudentT:
    """Student's t on the block effects (logs of ratios, or differences); from two blocks."""

    level: float

def student_t(
    level: float,
) -> StudentT:
    """Student's t on the block effects (logs of ratios, or differences); from two blocks.

    Args:
      level: how often the interval should hold the true value: 0.95.
    """

class Percentile:
    """The percentile bootstrap over whole blocks; narrower than its level says below 20 blocks."""

    level: float
    resamples: int
    seed: int

def percentile(
    *,
    level: float,
    resamples: int,
    seed: int,
) -> Percentile:
    """The percentile bootstrap over whole blocks; narrower than its level says below 20 blocks.

    Args:
      level: how often the interval should hold the true value: 0.95.
      resamples: bootstrap resamples; 20000 is usual.
      seed: any number; it fixes what is drawn, and there is no default.
    """

class SignFlip:
    """The interval of the exact sign-flip test on the block effects; at 95% it needs 6 to 20 blocks."""

    level: float

def sign_flip(
    level: float,
) -> SignFlip:
    """The interval of the exact sign-flip test on the block effects; at 95% it needs 6 to 20 blocks.

    Args:
      level: how often the interval should hold the true value: 0.95.
    """

class Metric:
    """What is compared, by the unit that the program prints."""

    unit: str
    better: Literal["lower", "higher"]
    estimand: BlockRatio | BlockDifference | None

def metric(
    unit: str,
    *,
    better: Literal["lower", "higher"],
    estimand: BlockRatio | BlockDifference | None = None,
) -> Metric:
    """What is compared, by the unit that the program prints.

    Args:
      unit: as the program prints it: `ns/op`; values are never rescaled.
      better: which direction is an improvement.
      estimand: its own estimand, `block_difference` for what may be zero; the phase's where left out.
    """

class Constant:
    """What must have one value in all samples of a case: that both arms did the same work."""

    unit: str
    equals: float | Mapping[Case | str, float] | Callable[[Case], float] | None
    confound: str | None

def constant(
    unit: str,
    *,
    equals: float | Mapping[Case | str, float] | Callable[[Case], float] | None = None,
    confound: str | None = None,
) -> Constant:
    """What must have one value in all samples of a case: that both arms did the same work.

    Args:
      unit: as the program prints it: `rows/op`.
      equals: the value that it must have, exactly; where left out, any one value.
      confound: what it would mean if it differed between processes: `physical prefix`; it may then differ, which is a finding.
    """

class Derived:
    """A metric computed as num / den, sample by sample; a zero denominator gives no value, and is counted."""

    name: str
    num: Metric | Constant | Derived | str
    den: Metric | Constant | Derived | str
    better: Literal["lower", "higher"]
    estimand: BlockRatio | BlockDifference | None

def derived(
    name: str,
    *,
    num: Metric | Constant | Derived | str,
    den: Metric | Constant | Derived | str,
    better: Literal["lower", "higher"] = "lower",
    estimand: BlockRatio | BlockDifference | None = None,
) -> Derived:
    """A metric computed as num / den, sample by sample; a zero denominator gives no value, and is counted.

    Args:
      name: its own unit: `allocs/row`.
      num: unit of the numerator.
      den: unit of the denominator.
      better: which direction is an improvement.
      estimand: its own estimand, `block_difference` for what may be zero; the phase's where left out.
    """

class ExpectExit:
    """The exit code that every run must have; 0 where nothing is expected."""

    code: int

class ExpectStdout:
    """What every run must print; exactly one of the two."""

    matches: str | None
    sha256: str | None

class ExpectMetric:
    """The value that a metric must have in every sample."""

    unit: Metric | Constant | Derived | str
    equals: float

class ExpectAudit:
    """Audit lines, JSON objects with `"audit": name`, that a benchmark appends to the file named by `PHASELOCK_AUDIT`, outside its timing."""

    name: str
    per_repeat: int
    where: Mapping[str, Value]

class PrefixConfound:
    """Raises the finding about a confounded constant that differs between the processes of a case."""

    metric: Metric | Constant | Derived | str
    on: Literal["warning", "invalid"]

def prefix_confound(
    metric: Metric | Constant | Derived | str,
    *,
    on: Literal["warning", "invalid"] = "warning",
) -> PrefixConfound:
    """Raises the finding about a confounded constant that differs between the processes of a case.

    Args:
      metric: the constant, declared with `confound`.
      on: severity of the finding; `invalid` makes the exit code 3.
    """

class Complete:
    """Every planned run finished and gave exactly its samples."""

    on: Literal["invalid"]

def complete(
    *,
    on: Literal["invalid"] = "invalid",
) -> Complete:
    """Every planned run finished and gave exactly its samples.

    Args:
      on: severity of the finding; it has no other.
    """

class Gate:
    """A bound for CI on the registered interval of every comparison of a metric; exactly one of the three bounds."""

    metric: Metric | Constant | Derived | str
    max_ratio: float | None
    min_ratio: float | None
    max_difference: float | None
    cases: Sequence[Case | str]
    accept_narrow: bool

def gate(
    metric: Metric | Constant | Derived | str,
    *,
    max_ratio: float | None = None,
    min_ratio: float | None = None,
    max_difference: float | None = None,
    cases: Sequence[Case | str] = [],
    accept_narrow: bool = False,
) -> Gate:
    """A bound for CI on the registered interval of every comparison of a metric; exactly one of the three bounds.

    Args:
      metric: a declared metric or derived metric.
      max_ratio: with `block_ratio`: passes if the whole interval is at or below, fails if the whole is above, else inconclusive; 1.05 allows 5%.
      min_ratio: with `block_ratio`: passes if the whole interval is at or above, fails if the whole is below, else inconclusive.
      max_difference: with `block_difference`, in the metric's unit: as `max_ratio`; 0 allows no increase.
      cases: the cases that it holds for; all where left out.
      accept_narrow: lets a `percentile` interval of fewer than 20 blocks decide; such a gate is else inconclusive.
    """

class Process:
    """How every measured process runs."""

    cpus: str | None
    env: Mapping[str, str]
    netns: Network | str | None
    aslr: bool | None
    nice: int | None
    timeout: str
    limits: Mapping[Literal["as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "stack"], int]
    host: Host | str | None
    pad: bool
    calibrate: str | None

def process(
    *,
    cpus: str | None = None,
    env: Mapping[str, str] = {},
    netns: Network | str | None = None,
    aslr: bool | None = None,
    nice: int | None = None,
    timeout: str = "10m",
    limits: Mapping[Literal["as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "stack"], int] = {},
    host: Host | str | None = None,
    pad: bool = True,
    calibrate: str | None = None,
) -> Process:
    """How every measured process runs.

    Args:
      cpus: CPUs that a process may use: `8-15`, `2,4`, or `auto`, one allowed CPU away from the harness's; where left out, it is not pinned.
      env: environment variables; nothing is inherited, and the harness sets `PATH`, `LANG`, `HOME` and `TMPDIR`.
      netns: the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out.
      aslr: `False` turns the randomisation of addresses off; where left out it stays as the machine has it.
      nice: the priority, lower is more; where left out it stays as it is.
      timeout: how long one run may take, `10m`, `1m30s`; it is ended then, which is a failed run.
      limits: resource limits in the kernel's units: bytes, seconds, counts.
      host: the machine on which every process runs, one of `hosts`; this one where left out.
      pad: pads the environment so that argv, environment and path have one total length in all arms of a case.
      calibrate: a fixed spin before each run, `20ms`; off where left out.
    """

class Service:
    """A program that runs beside the measured processes, from before the first run to after the last."""

    name: str
    command: Sequence[str | File]
    ready: Tcp | None
    cpus: str | None
    env: Mapping[str, str]
    dir: str | None
    netns: Network | str | None
    host: Host | str | None
    grace: str

def service(
    name: str,
    *,
    command: Sequence[str | File],
    ready: Tcp | None = None,
    cpus: str | None = None,
    env: Mapping[str, str] = {},
    dir: str | None = None,
    netns: Network | str | None = None,
    host: Host | str | None = None,
    grace: str = "10s",
) -> Service:
    """A program that runs beside the measured processes, from before the first run to after the last.

    Args:
      name: unique in the phase.
      command: the program and its arguments, one item each, as in `command`; there is no shell.
      ready: when it can be used; as soon as it has started where left out.
      cpus: its CPUs, `2-7`; none of them may be measured on the same machine. Those of the harness where left out.
      env: environment variables; nothing is inherited.
      dir: the working folder, from the root; the root where left out.
      netns: the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out.
      host: the machine, one of `hosts`; this one where left out.
      grace: how long it may take to end once it is asked to; it is ended then.
    """

class Tcp:
    """A service can be used once an address accepts a connection."""

    address: str
    timeout: str

def tcp(
    address: str,
    *,
    timeout: str = "30s",
) -> Tcp:
    """A service can be used once an address accepts a connection.

    Args:
      address: `host:port`, as the service's own machine and namespace reach it; an IPv6 host stands in brackets.
      timeout: how long that may take; the phase does not start then.
    """

class Network:
    """A network namespace that is made before the phase and removed after it; those of one host are joined."""

    name: str
    addresses: Sequence[str]
    delay: str | None
    host: Host | str | None

def network(
    name: str,
    *,
    addresses: Sequence[str],
    delay: str | None = None,
    host: Host | str | None = None,
) -> Network:
    """A network namespace that is made before the phase and removed after it; those of one host are joined.

    Args:
      name: unique in the phase; `netns` of a process, a service or a step names it.
      addresses: the addresses of its interface, each with the length of its prefix: `10.0.0.2/24`.
      delay: what every packet that leaves it is delayed by; nothing where left out.
      host: the machine, one of `hosts`; this one where left out.
    """

class Host:
    """Another machine, reached over SSH with its key known; one program is copied there."""

    name: str
    ssh: str
    port: int | None
    dir: str | None
    housekeeping: str | None

def host(
    name: str,
    *,
    ssh: str,
    port: int | None = None,
    dir: str | None = None,
    housekeeping: str | None = None,
) -> Host:
    """Another machine, reached over SSH with its key known; one program is copied there.

    Args:
      name: unique in the phase; `host` of a process, a service or a step names it.
      ssh: where it is, as ssh takes it: `root@10.0.0.2`.
      port: the port; that of ssh's own configuration where left out.
      dir: an absolute folder there, for what is copied; a new temporary one where left out.
      housekeeping: CPUs of the harness there, `0`; none of them may be measured. Chosen where left out.
    """

class Sampler:
    """Reads what a machine does, at a steady pace through the whole phase."""

    name: str
    reads: Sequence[Literal["cpu", "load", "memory", "disk", "network", "freq"]]
    every: str
    cpus: str | None
    host: Host | str | None

def sampler(
    name: str,
    *,
    reads: Sequence[Literal["cpu", "load", "memory", "disk", "network", "freq"]] = ["cpu", "load", "memory", "disk", "network", "freq"],
    every: str = "1s",
    cpus: str | None = None,
    host: Host | str | None = None,
) -> Sampler:
    """Reads what a machine does, at a steady pace through the whole phase.

    Args:
      name: unique in the phase; a file of the result folder carries it.
      reads: what is read, each once.
      every: the time from one reading to the next.
      cpus: its CPUs, `2-7`; none of them may be measured on the same machine. Those of the harness where left out.
      host: the machine, one of `hosts`; this one where left out.
    """

class Step:
    """A program that runs to its end while nothing is measured; one that fails is a failed run, or ends the phase before it starts."""

    name: str
    command: Sequence[str | File]
    cpus: str | None
    env: Mapping[str, str]
    dir: str | None
    netns: Network | str | None
    host: Host | str | None
    timeout: str

def step(
    name: str,
    *,
    command: Sequence[str | File],
    cpus: str | None = None,
    env: Mapping[str, str] = {},
    dir: str | None = None,
    netns: Network | str | None = None,
    host: Host | str | None = None,
    timeout: str = "1m",
) -> Step:
    """A program that runs to its end while nothing is measured; one that fails is a failed run, or ends the phase before it starts.

    Args:
      name: unique in its list.
      command: the program and its arguments, one item each, as in `command`; there is no shell.
      cpus: its CPUs, `2-7`; none of them may be measured on the same machine. Those of the harness where left out.
      env: environment variables; nothing is inherited.
      dir: the working folder, from the root; the root where left out.
      netns: the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out.
      host: the machine, one of `hosts`; this one where left out.
      timeout: how long it may take; it is ended then, and has failed.
    """

class Ceiling:
    """A program that prints one number, which must not be above `max`; a case with a number above is contaminated."""

    name: str
    command: Sequence[str | File]
    max: float
    cpus: str | None
    env: Mapping[str, str]
    dir: str | None
    netns: Network | str | None
    host: Host | str | None
    timeout: str

def ceiling(
    name: str,
    *,
    command: Sequence[str | File],
    max: float,
    cpus: str | None = None,
    env: Mapping[str, str] = {},
    dir: str | None = None,
    netns: Network | str | None = None,
    host: Host | str | None = None,
    timeout: str = "1m",
) -> Ceiling:
    """A program that prints one number, which must not be above `max`; a case with a number above is contaminated.

    Args:
      name: unique in its list; it names the number.
      command: the program and its arguments, one item each, as in `command`; there is no shell.
      max: the highest number that is no breach.
      cpus: its CPUs, `2-7`; none of them may be measured on the same machine. Those of the harness where left out.
      env: environment variables; nothing is inherited.
      dir: the working folder, from the root; the root where left out.
      netns: the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out.
      host: the machine, one of `hosts`; this one where left out.
      timeout: how long it may take; it is ended then, and has failed.
    """

class FdbClearUserKeys:
    """Clears every user key of a cluster, and waits until its queues and what it moves have fallen."""

    settle: int
    cluster: str | None
    timeout: str

class FdbCeiling:
    """A number of the cluster's status document, which must not be above `max`; a case with a number above is contaminated, and a missing one is unknown, never 0."""

    path: str
    max: float
    cluster: str | None
    timeout: str

class FdbPlacement:
    """Reads on which storage servers an index and its records lie; before and after a run it must be the same."""

    name: str
    index: str
    records: str
    colocated: float | None
    cluster: str | None
    timeout: str

class FdbRequire:
    """What a cluster must be, by its status document; at least one of the parameters."""

    redundancy: Literal["single", "double", "triple", "three_data_hall", "three_datacenter"] | None
    engine: str | None
    version: str | None
    roles: Mapping[Literal["cluster_controller", "commit_proxy", "coordinator", "data_distributor", "grv_proxy", "log", "master", "ratekeeper", "resolver", "storage"], int]
    machines: int | None
    storage: int | None
    cluster: str | None
    timeout: str

class FdbStatus:
    """Keeps the status document of a cluster in the result folder."""

    cluster: str | None
    timeout: str

def cpu_set(
    cpus: str,
) -> Any:
    """A list of CPUs, checked; its value is the string.

    Args:
      cpus: CPUs in the kernel's form, `2-4,7`, or `auto`, one allowed CPU away from the harness's.
    """

def param(
    name: str,
    *,
    default: Scalar,
) -> Any:
    """A parameter of the script; its value is the default, or that of `--set name=value`, and stands in the plan.

    Args:
      name: unique in the script.
      default: the value without `--set`; what `--set` gives is read as its type.
    """

class expect:
    """The builtins whose names start with expect."""

    @staticmethod
    def exit(
        code: int,
    ) -> ExpectExit:
        """The exit code that every run must have; 0 where nothing is expected.

        Args:
          code: the exit code.
        """

    @staticmethod
    def stdout(
        *,
        matches: str | None = None,
        sha256: str | None = None,
    ) -> ExpectStdout:
        """What every run must print; exactly one of the two.

        Args:
          matches: a regular expression (RE2) that is found in it.
          sha256: SHA-256 of the whole output, 64 lower-case hexadecimal digits.
        """

    @staticmethod
    def metric(
        unit: Metric | Constant | Derived | str,
        *,
        equals: float,
    ) -> ExpectMetric:
        """The value that a metric must have in every sample.

        Args:
          unit: a declared metric or constant.
          equals: the value, exactly.
        """

    @staticmethod
    def audit(
        name: str,
        *,
        per_repeat: int = 1,
        where: Mapping[str, Value] = {},
    ) -> ExpectAudit:
        """Audit lines, JSON objects with `"audit": name`, that a benchmark appends to the file named by `PHASELOCK_AUDIT`, outside its timing.

        Args:
          name: the value of `audit` in the lines that are counted.
          per_repeat: how many such lines each repeat writes.
          where: fields that each such line must have, with their values.
        """

class fdb:
    """The builtins whose names start with fdb."""

    @staticmethod
    def clear_user_keys(
        *,
        settle: int = 1000000,
        cluster: str | None = None,
        timeout: str = "10m",
    ) -> FdbClearUserKeys:
        """Clears every user key of a cluster, and waits until its queues and what it moves have fallen.

        Args:
          settle: bytes in the worst queue, and in movement, at which it has settled.
          cluster: the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out.
          timeout: how long that may take; it has failed then.
        """

    @staticmethod
    def ceiling(
        path: str,
        *,
        max: float,
        cluster: str | None = None,
        timeout: str = "1m",
    ) -> FdbCeiling:
        """A number of the cluster's status document, which must not be above `max`; a case with a number above is contaminated, and a missing one is unknown, never 0.

        Args:
          path: where it stands in the document: `cluster.qos.worst_queue_bytes_log_server`.
          max: the highest number that is no breach.
          cluster: the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out.
          timeout: how long it may take; it has failed then.
        """

    @staticmethod
    def placement(
        name: str,
        *,
        index: str,
        records: str,
        colocated: float | None = None,
        cluster: str | None = None,
        timeout: str = "1m",
    ) -> FdbPlacement:
        """Reads on which storage servers an index and its records lie; before and after a run it must be the same.

        Args:
          name: unique in its list; the label that is sealed before timing carries it.
          index: the prefix of the index's keys, in lower-case hexadecimal: `152a`.
          records: the prefix of the records' keys.
          colocated: the least fraction of a row's servers that have its record too; it is recorded alone where left out.
          cluster: the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out.
          timeout: how long it may take; it has failed then.
        """

    @staticmethod
    def require(
        *,
        redundancy: Literal["single", "double", "triple", "three_data_hall", "three_datacenter"] | None = None,
        engine: str | None = None,
        version: str | None = None,
        roles: Mapping[Literal["cluster_controller", "commit_proxy", "coordinator", "data_distributor", "grv_proxy", "log", "master", "ratekeeper", "resolver", "storage"], int] = {},
        machines: int | None = None,
        storage: int | None = None,
        cluster: str | None = None,
        timeout: str = "1m",
    ) -> FdbRequire:
        """What a cluster must be, by its status document; at least one of the parameters.

        Args:
          redundancy: its mode of redundancy.
          engine: its storage engine, as the document names it: `ssd-2`.
          version: the version of every process: `7.3.63`.
          roles: how many processes have a role, exactly: `{"log": 3}`.
          machines: how many machines it has, exactly.
          storage: how many storage servers it has, exactly.
          cluster: the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out.
          timeout: how long it may take; it has failed then.
        """

    @staticmethod
    def status(
        *,
        cluster: str | None = None,
        timeout: str = "1m",
    ) -> FdbStatus:
        """Keeps the status document of a cluster in the result folder.

        Args:
          cluster: the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out.
          timeout: how long it may take; it has failed then.
        """

# @std//checks.star

def usual_checks(*confounds, on = "warning"):
    """Returns `complete()`, and a `prefix_confound` for each of the constants.

    Args:
      *confounds: units of constants that are declared with a confound, `prefix-B` for instance.
      on: the severity of the confounds' findings, `warning` or `invalid`.
    """

def go_passes():
    """Returns the expectations of a Go test binary that did its work: it exits with 0 and prints `PASS`."""

def rows(unit = "rows/op", field = "returned"):
    """Returns the constant that a benchmark prints to show that it did all of its work.

    Args:
      unit: what it prints.
      field: the parameter of each case that says the number.
    """

# @std//fdb.star

def fdbserver(address, *, name = "fdbserver", cluster = "fdb.cluster", data = None, args = [], cpus = None, netns = None, host = None):
    """Returns the `service` of one fdbserver process, which can be used once its address accepts a connection.

    Args:
      address: where it listens, `10.0.0.1:4500`; it stands in the cluster file too.
      name: of the service, where a phase has several.
      cluster: the cluster file, from the root.
      data: its data folder, from the root or absolute; fdbserver's own default where left out.
      args: further arguments: `["-c", "storage"]`.
      cpus: its CPUs, none of which may be measured.
      netns: its network namespace.
      host: its machine, one of the phase's `hosts`.
    """

def queue_ceilings(max_bytes = 100000000, *, cluster = None):
    """Returns the ceilings of the worst queues of the log servers and of the storage servers, for `before_each` and `after_each`.

    A case in which one is passed is contaminated: the cluster was still busy with what went before.

    Args:
      max_bytes: the most bytes that may be queued; 100 MB, well below what makes FoundationDB itself slow down.
      cluster: the cluster file, from the root; that of `FDB_CLUSTER_FILE` where left out.
    """

def no_movement(max_bytes = 0, *, cluster = None):
    """Returns the ceilings of the data that a cluster moves between its servers.

    Args:
      max_bytes: the most bytes that may be in movement, or wait for it.
      cluster: the cluster file, from the root; that of `FDB_CLUSTER_FILE` where left out.
    """

def one_process(engine, *, version = None, cluster = None):
    """Returns the requirement of a cluster of one process: one storage server on one machine, without replication.

    Args:
      engine: its storage engine, as the status document names it: `memory-2`, `ssd-2`.
      version: of the process; any where left out.
      cluster: the cluster file, from the root; that of `FDB_CLUSTER_FILE` where left out.
    """

# @std//go.star

def bench_pattern(name):
    """Returns the `-test.bench` pattern that runs the benchmark of that name and no other.

    Every element is anchored and quoted, since rows10 also matches rows1000.

    Args:
      name: the whole name, `BenchmarkFetch/rows=10/dir=reverse`, as the testing package prints it,
        without the `-8` that it appends for GOMAXPROCS.

    Returns:
      `^BenchmarkFetch$/^rows=10$/^dir=reverse$` for instance.
    """

def gobench(binary, name, *, benchtime = None, args = [], env = {}, dir = None, stdin = None):
    """Returns the command that runs one Go benchmark.

    The host appends `-test.count`, which is the phase's repeats, `-test.run=^$` and `-test.benchmem`.

    Args:
      binary: a `go_test`, or the `binary` of a test that `go test -c` has built.
      name: the whole name of one benchmark, `BenchmarkFetch/rows=10`; see `bench_pattern`.
      benchtime: `3s`, or `100x` for a fixed number of iterations; the testing package's `1s` where left out.
      args: further arguments, behind the benchmark's.
      env: variables that override the arm's and the process's.
      dir: the working folder from the root; a `go_test` runs in its package's folder where left out.
      stdin: an `input` on standard input.

    Returns:
      a `command` of format `gobench` that must give this benchmark and no other.
    """

def ns_op(*, estimand = None):
    """Returns the metric `ns/op`: wall time of an iteration, lower is better.

    Args:
      estimand: its own estimand; the phase's where left out.
    """

def B_op(*, level = 0.95):
    """Returns the metric `B/op`: bytes allocated by an iteration, lower is better.

    It is compared by differences, since a benchmark that allocates nothing has no ratio.

    Args:
      level: of the Student interval.
    """

def allocs_op(*, level = 0.95):
    """Returns the metric `allocs/op`: allocations of an iteration, lower is better.

    It is compared by differences: from 0 to 3 is the most common regression of a Go program, and has no ratio.

    Args:
      level: of the Student interval.
    """

def go_metrics(*, level = 0.95):
    """Returns what every Go benchmark prints with `-test.benchmem`: `ns/op`, `B/op` and `allocs/op`.

    Args:
      level: of the Student intervals of `B/op` and `allocs/op`; `ns/op` has the phase's estimand.
    """

# @std//grid.star

def grid(**axes):
    """Returns every combination of the axes, the last axis fastest.

    Args:
      **axes: a list of values each: `grid(rows = [10, 1000], dir = ["forward", "reverse"])`.

    Returns:
      a list of dicts, `{"rows": 10, "dir": "forward"}` first; `[{}]` without axes.
    """

def where(points, keep):
    """Returns the points of a grid for which keep is true.

    Args:
      points: what `grid` gives.
      keep: a function of a struct with a field for each axis: `lambda p: p.rows < 1000 or p.dir == "forward"`.
    """

def slug(*parts, **fields):
    """Returns a name for a combination: lower-case words, digits, dots and underscores, joined by hyphens.

    Args:
      *parts: words that come first.
      **fields: the combination; `True` stands as the field's name, `False` and `None` are left out, others as name and value:
        `slug("scan", rows = 10, cold = True)` is `scan-rows10-cold`.
    """

def flags(**fields):
    """Returns command-line flags, a list: `flags(rows = 10, cold = True)` is `["--rows=10", "--cold"]`.

    Args:
      **fields: `True` gives the bare flag, `False` and `None` nothing, a list one flag an item; underscores become hyphens.
    """

# @std//pairs.star

def against(base, arms):
    """Returns the contrasts of every arm but the base with the base, in the order of the arms.

    It is what a phase compares anyway where `contrasts` is left out and `base` is its baseline; two such lists make
    two groups: `against("old-amd64", amd64) + against("old-arm64", arm64)`.

    Args:
      base: an `arm` or its name.
      arms: a list of arms or their names; the base may be among them.
    """

def all_pairs(arms):
    """Returns the contrast of every arm with every earlier one: three of three arms, six of four.

    That many comparisons want a `family` in the phase.

    Args:
      arms: a list of at least two arms or their names.
    """
