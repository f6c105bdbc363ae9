// The text of `warptune COMMAND --help` below the options: examples and the meaning of the output. exit_codes.h makes
// the end of this text.
#pragma once

namespace warptune::cli {

inline constexpr const char* kDescription =
    "warptune tunes CUDA kernels: it compiles the configurations of a kernel, checks and times each\n"
    "of them, stores the results in one database, and selects the configuration that an application\n"
    "launches.";

inline constexpr const char* kMainHelp = R"(A first session:
  warptune doctor                                        check what works on this machine
  warptune kernels                                       list the kernels that can be tuned
  warptune tune softmax --shape rows=32768,cols=4096     find and store the fastest configuration
  warptune show best                                     show the best results
  warptune explain softmax --shape rows=30000,cols=4096  show what an application would launch
  warptune report                                        write report.html with all results
  warptune recheck                                       check stored results again

Without a GPU, `tune --device recorded` replays recordings: the stored times of sessions on a GPU.
Help for a command: warptune COMMAND --help, or man warptune-COMMAND.

Environment:
  WARPTUNE_DB          the database; default $XDG_DATA_HOME/warptune/warptune.db or, if
                       XDG_DATA_HOME is not set, ~/.local/share/warptune/warptune.db
  WARPTUNE_DB_TIMEOUT  seconds to wait while another program writes to the database; default 10
  WARPTUNE_TEMPLATES   folders that hold kernel folders, separated by colons; searched before the
                       shipped kernels; each must exist
  WARPTUNE_INCLUDE     folders of headers that kernels include, separated by colons; --include adds
                       to them
  WARPTUNE_RECORDINGS  the folder of the recordings, for `--device recorded` and for hints
  WARPTUNE_NVRTC       the NVRTC library to use; default: the first one found
  WARPTUNE_ALLOW_VENDOR
                       1: applications may launch configurations that call vendor libraries
  WARPTUNE_DISABLE_LIBRARIES
                       vendor libraries to treat as missing, separated by commas
  WARPTUNE_LIBCUPTI    the CUPTI library for hardware counters, or its folder
  CUDA_HOME            the folder of the CUDA Toolkit
  XDG_CACHE_HOME       the folder in which compiled kernels are kept; default ~/.cache
  NO_COLOR             any non-empty value: no colours on terminals
)";

inline constexpr const char* kDoctorHelp = R"(Examples:
  warptune doctor
  warptune doctor --json | jq '.checks[] | select(.ok | not)'

Each line says `ok` or `missing`; the line below a missing part says how to fix it. Measuring needs
a GPU. Everything else (space, explain, tuning from a recording) works without one, so a missing GPU
is not a failure: the command exits with 0 when the kernels and the database are usable.
)";

inline constexpr const char* kKernelsHelp = R"(Examples:
  warptune kernels               the shipped kernels, each with its dims and summary
  warptune kernels softmax       its dims, flags, parameters, constraints and suites of shapes
  warptune kernels ./my_kernel   the same for your own kernel folder

By default, a kernel uses its first dtype and each flag's first value. A configuration has one value
for each parameter, and is valid if it meets every constraint. Each constraint states its reason.
)";

inline constexpr const char* kSpaceHelp = R"(Examples:
  warptune space softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune space sgemm --shape m=4096,n=4096,k=4096 --arch sm_80 --limit 20
  warptune space gemm_milo.json                 a space of another tuner, as a T1 file

`product` counts all combinations of values; for a kernel with several implementations, `sum` adds
up the products of all implementations. `valid` counts the configurations that meet every constraint
for this problem on this device; `tune` measures the valid configurations. `rejected` counts the
partial configurations that a constraint rejected. A partial configuration has values for only some
of the parameters, so one rejection may exclude many configurations. Without --device and --arch,
the constraints use the limits of the first GPU, or of an H200 if there is no GPU. --device recorded
uses the GPU of the shipped recordings; --device recorded:PATH uses the GPU of the recordings at
PATH. A T1 file (docs/interchange.md) contains its problem, so do not combine it with the options
--shape, --dtype, --set, --device, --arch or --db.
)";

inline constexpr const char* kCheckHelp = R"(Examples:
  warptune check ./my_kernel
  warptune check softmax --dtype bf16 --arch sm_80,sm_90a,sm_100a --device none
  warptune check ./my_kernel --shape n=1000000 --sample all
  warptune check ./my_kernel --sanitize racecheck --allow nondeterminism --json

Lists mistakes and suspicious parts of a kernel folder. Each finding has a place, a kind and a
remedy; docs/check.md explains every kind.
Some mistakes are found without a GPU: params, macros and dims that have no effect; redundant
constraints; values that are never valid; spills; compiler warnings; blocks that exceed
__launch_bounds__; and __constant__ variables that nothing fills.
Up to --sample configurations are compiled: first the defaults, then configurations with values that
have not occurred yet, then random ones. `refused` counts configurations that cannot be launched,
because they need too many registers or threads or too much shared memory; `tune` skips them.
`check` also compiles the reference, and compares the arguments of each launch with the parameters
of its kernel. The table shows the worst configurations first. Its columns are registers and spills
(bytes of stores/loads) per thread, shared memory per block (static+dynamic bytes), blocks per
multiprocessor, the resource that limits this number of blocks, and resident warps (in % of the
maximum).
On a GPU, `check` examines the defaults, the best configuration in the database and some of the
sampled configurations. `check` launches each of these configurations twice on the same inputs, and
compares the results with those of the reference: on usual, NaN, infinite, denormal, zero and large
inputs, with shifted buffers, and with NaNs left in shared memory. Then compute-sanitizer, if it is
installed, examines one launch of each of these configurations.
Without --shape, `check` uses the first shape of the suite `default` in spec.json (a suite is a list
of shapes), or the smallest shape if there is no such suite. Without --dtype, it uses all dtypes.
Without --arch, it uses the architecture of the first GPU, or sm_90a if there is no GPU.
Exits with 0 if every configuration compiles or is refused, and there are no warnings (notes do not
count). Exits with 1 if a configuration or the reference does not compile, if a formula of `cost`
cannot be evaluated, or if there is a warning. Exits with 4 if a problem has no configuration that
can be launched.
--allow KIND turns the warnings of a kind into notes. --seed N draws another sample.
)";

inline constexpr const char* kCaptureHelp = R"(Examples:
  warptune capture --list -- ./app --steps 10       rank the kernels by device time
  warptune capture --kernel 'scale|blur' -o mine -- ./app --steps 10
  warptune capture --records mine/records -o again  make the folders again without the app

Runs an application unchanged and observes its kernels through CUPTI. Writes one kernel folder into
DIR (--output) for each kernel that the application compiled with NVRTC. The folder contains the
kernel's source, compile options and shapes. Kernels that were compiled with nvcc or come from a
library are listed, but warptune sees only their SASS, so it cannot tune them. The REGEX of --kernel
is an extended regular expression. It may match any part of a kernel's name, mangled or not. The
records of all launches stay in DIR/records, even if the application crashes. With --json, the
application's output goes to standard error.
Exits with 1 if the application failed or a matching kernel has no folder. Exits with 3 if the
application ran no kernel, CUPTI is missing, or another tool uses CUPTI. Exits with 4 if no kernel
matches, or no matching kernel has a known source.
)";

inline constexpr const char* kNewHelp = R"(Examples:
  warptune new scale --from scale.cu
  warptune new scale --from scale.cu --dims n=1048576 --buffer x=n,y=n --scalar alpha=1.5 \
      --values BLOCK=64,128,256 --grid 'ceil_div(n, BLOCK)' --block BLOCK
  warptune new my_softmax --template softmax

Reads the macros of a kernel from its source, and the types of its function parameters through
NVRTC. Writes DIR with kernel.cu, reference.cu and spec.json. On a terminal, `new` asks for facts
that the source does not contain. Without a terminal, an error message lists the missing options,
and nothing is written. In lists, commas separate the entries. Pointers to const are inputs; other
pointers are outputs unless --input or --inout names them. If a macro or an integer function
parameter has the name of a dim, it gets the value of that dim.
Without --values, a macro between #ifndef and #endif gets values around its default. If --values
gives only one value, the macro is fixed at that value. If --values names a macro that the source
defines without #ifndef, the copy gets an #ifndef around this definition. The reference is a copy of
the kernel with its defaults, so the comparison only shows that all configurations agree. Replace
the reference with a slow kernel that is obviously right. Finally, `new` runs
`warptune check DIR --sample 16` and exits with the exit code of `check`. To compile up to 64
configurations, run `warptune check DIR` yourself.

With --template, `new` only copies the folder of a shipped kernel; it runs no check and needs no
NVRTC.
)";

inline constexpr const char* kTuneHelp = R"(Examples:
  warptune tune softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune tune sgemm --shape m=4096,n=4096,k=4096 --strategy random --budget 10% --seed 1
  warptune tune ./my_kernel --shape n=1000000 --budget 200,60s --target 95%
  warptune tune ./my_groups --shape 'rows=zipf(64,4096,1)'    a list of 64 sizes; or rows=[128,64]
  warptune tune axpy --shape n=67108864 --device recorded     no GPU needed
  warptune tune softmax --shape rows=32768,cols=4096 --devices all    use all GPUs of this machine

Each configuration is compiled, launched once and checked against the reference. Correct
configurations are timed, with a cold L2 cache unless --warm-l2 is given. In the finals, the fastest
configurations (the finalists) are measured again, interleaved, because the fastest of many single
measurements is partly luck. `tie set` counts the fastest finalist and the finalists that cannot be
distinguished from it (docs/certified.md). `roofline` is the shortest time that the device's roofs
(highest rates, see `warptune roofs`) allow, divided by the measured time.
--budget is a number of configurations (200), a time (60s) or a share of the space (10%). If several
budgets are given, the search ends at the first budget that it reaches. Without --budget, --target
and --stop-below, all configurations are tried in order. Strategies use two kinds of knowledge: the
expected time of each configuration (prior) and good configurations of similar problems in the
database and in the shipped recordings (hints); see --knowledge and docs/knowledge.md.
--device recorded uses the recordings shipped with warptune ($WARPTUNE_RECORDINGS names another
folder). --device recorded:PATH uses a file or a folder.
--profile reads hardware counters in separate runs after timing. `best` profiles the winner and the
default; `all` profiles every correct configuration. `warptune report` then says what limits a
kernel. --profile with --resume adds counters to a finished session. If reading counters is not
permitted, the session still completes, with a note.
--objective energy chooses the finalist with the least energy per launch; --objective edp chooses
the finalist with the least energy x time. The energy of up to 3 x --finalists configurations is
measured, which takes about a minute.
--energy measures the finalists' energy without changing the choice. The Pareto set contains the
finalists that no other finalist beats in both time and energy (docs/energy.md).
--devices all, or --split 4, shares the problem between GPUs of one model; one GPU runs the finals.
--run DIR shares the problem between processes of several machines: on each machine, start the same
command with --split N, where N is the number of GPUs of all machines.
`warptune sweep --status DIR` shows the run, `warptune sweep --cancel DIR` ends it, and
`warptune merge -o all.db DIR` collects the result (docs/cluster.md).
Ctrl-C stops the command and stores its measurements; the same command with --resume continues. A
second Ctrl-C ends the command at once.
)";

inline constexpr const char* kSweepHelp = R"(Examples:
  warptune sweep --list                            the shipped sweeps
  warptune sweep llm --dry-run                     show its jobs and space sizes; no GPU needed
  warptune sweep llm --devices all --db llm.db     use all GPUs of this machine
  warptune sweep cnn --only softmax --budget 30s
  warptune sweep ./nightly.json --resume           continue a stopped or killed sweep
  warptune sweep llm --run /shared/llm             share the jobs with other machines
  warptune sweep --status /shared/llm              show what these machines have done so far
  warptune sweep llm --run /shared/llm --slurm --partition gpu --time 4:00:00 --shards 64

A sweep file names kernels, shapes, dtypes and flags. Each combination is a job, tuned and stored as
with `warptune tune` (docs/sweep.md). If a job fails, the sweep reports it, continues with the next
job, and exits with 1.
With --devices cuda:0,1, GPUs of one model share the jobs. If the GPUs are of several models, each
model runs all jobs. --devices recorded replays recordings, and leaves out problems without one.
Ctrl-C stops the sweep and stores its measurements. The same command with --resume reports finished
jobs as `known`, and continues the stopped job with its next configuration. A second Ctrl-C ends the
sweep at once.

--run DIR shares the sweep between processes of several machines (docs/cluster.md): start the same
command on each machine. The processes claim jobs in DIR, the longest first, and publish their
results there. Each process gets its number from --shard I/N. Without --shard, the number comes from
Slurm (SLURM_ARRAY_TASK_ID for a task of an array, SLURM_PROCID for a process of a task) or from
Kubernetes (JOB_COMPLETION_INDEX; also give --shards N). The number decides only which jobs a
process claims first. `warptune merge -o all.db DIR` collects the results.
--status DIR shows jobs, devices, speed and failures; --cancel DIR ends the sweep on all machines.
With --resume, failed jobs are tried again and a cancelled sweep continues.

--slurm copies the sweep, its kernels and warptune itself into DIR, writes DIR/array.sh and
DIR/merge.sh, and submits both scripts: an array of N tasks (--shards N), then a job that merges
their results into DIR/merged.db. With --dry-run, the scripts are only printed. With --resume, only
tasks for the missing jobs are submitted.
)";

inline constexpr const char* kShowHelp = R"(Examples:
  warptune show best                       the best result of each kernel, problem and device
  warptune show sessions --kernel softmax  the sessions, with date and state
  warptune show trials --session 3 --limit 50
  warptune show trials --json | jq '.trials[] | select(.status != "ok") | .evidence'
  warptune show devices                    the GPUs that have results

`trials` lists the trials of the newest session, or of the session that --session names. Correct
configurations come first, from fast to slow. Failed configurations follow, with the first line of
the diagnostic (docs/failures.md). `roofline` is the shortest time that the device's roofs allow,
divided by the measured time. `certified` means that the fastest configurations were measured again,
in at least five interleaved rounds (docs/certified.md). `finals median` comes from these rounds,
and `search median` from the search before them. `re-checked` is the newest outcome of `warptune
recheck`.
)";

inline constexpr const char* kExplainHelp = R"(Examples:
  warptune explain softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune explain softmax --shape rows=30000,cols=4000 --device "NVIDIA H200"
  warptune explain softmax --shape rows=32768,cols=4096 --arch sm_80  for a GPU without results
  warptune explain axpy --shape n=1000003 --align 4                   for buffers aligned to 4 bytes

Shows which configuration the runtime library would launch. `match` names the rule that chose it:
`exact` (this problem, this device), `learned rule` (learned from the times of all configurations
for other shapes on this device; shown with the expected slowdown), `nearest shape` (this device),
`same architecture` (another device), `expected time` (a shipped kernel's shortest expected time),
`default` (nothing else fits). A choice that is not exact was checked against the constraints of
this problem and this device. If no configuration may be launched for buffers aligned to --align
bytes, `match` is `none` and the command exits with 4. The command then also shows the smallest
alignment that works, and the configuration for this alignment.
`explain` needs neither a GPU nor a database.
Without --device and --arch, `explain` uses the first GPU. Without a GPU, it uses the device in the
database (of several, the only one with results of the kernel; if several have results of it,
choose with --device), or the limits of an H200 if the database has no device.
--device recorded uses the GPU of the problem's shipped recording; --device recorded:PATH uses the
GPU of the problem's recording at PATH.
)";

inline constexpr const char* kRunHelp = R"(Examples:
  warptune run softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune run ./my_kernel --shape n=1000000 --device cuda:1

Selects the configuration that an application would get (see `warptune explain`), and compiles it if
it is not in the cache. Launches it on the GPU, checks its result against the reference, and times
it. The line `stored` compares the measured time with the interval of the stored time. `run` needs a
GPU. It exits with 4 if the result is wrong.
--once launches the configuration once, and neither checks nor times it. With --once, buffers have
exactly their declared sizes, and the kernel has line information, for tools such as
compute-sanitizer: `compute-sanitizer warptune run ./my_kernel --once` (see also `check`).
)";

inline constexpr const char* kProfileHelp = R"(Examples:
  warptune profile softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune profile sgemm --shape m=4096,n=4096,k=4096 --config default --metrics stalls
  warptune profile axpy --shape n=67108864 --config '{"UNROLL": 4}' --metrics stalls,lean --json
  warptune profile sgemm --shape m=4096,n=4096,k=4096 --source

Launches the configuration, checks and times it, and then runs it once for each pass of the
counters. Before each pass, inputs are restored and, unless --warm-l2 is given, the L2 cache is
emptied. The values are sums over all kernels of the configuration; `model` is the minimum traffic
and work stated in the kernel's spec. `best` is the configuration that
`warptune explain --allow-vendor` shows, or the default if nothing was tuned. Counters and samples
are stored with the session that tuned this configuration, if there is one; `warptune report` and
`warptune why` use them. `warptune metrics` lists sets and metrics. If counters cannot be read (no
permission, no CUPTI, a recording without counters), the command says why and exits with 4;
`warptune doctor` says how to get permission.

--source compiles with -lineinfo and samples instructions: how often warps were at each source line
and each SASS instruction, and what the warps waited for. One more run counts how often each
instruction is executed, and finds the memory accesses that have bank conflicts or touch more
sectors than necessary. With --source, counters are read only if --metrics is given.
The CUDA Toolkit's nvdisasm disassembles the instructions; $WARPTUNE_NVDISASM names another program
for this.
)";

inline constexpr const char* kWhyHelp = R"(Examples:
  warptune why softmax --shape rows=32768,cols=4096 --dtype bf16 --device recorded
  warptune why softmax --shape rows=32768,cols=4096 --dtype bf16 best default --profile
  warptune why axpy --shape n=67108864 '{"UNROLL": 1}' '{"UNROLL": 4}' --device recorded --json

Shows how the configurations A and B differ in their params, in their launches, in the work of each
resource, and in the reasons why warps wait. `busy` is the time that a resource needs for its work
at its measured roof. `explains` is the share of the difference in run time that a resource or a
stall accounts for: the difference of its times in A and B, divided by the difference of their run
times. Resources work at the same time, so a share can exceed 100 %. The verdict says which resource
limits A, which limits B, and which would be the next limit. It also says what explains the
difference of the run times, or that the counters do not explain this difference. Times and counters
come from the database or, with --device recorded, from a recording, so no GPU is needed. --profile
measures missing times and counters on a GPU.
)";

} // namespace warptune::cli
