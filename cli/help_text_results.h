// Help texts as in help_text.h, for commands that work on stored results and other files.
#pragma once

namespace warptune::cli {

inline constexpr const char* kVerifyHelp = R"(Examples:
  warptune recheck                                   up to 100 certified results of this GPU
  warptune recheck --kernel softmax --dtype bf16 --sample 10%
  warptune recheck --device none                     only find what has changed; no GPU needed
  warptune recheck --json | jq '.results[] | select(.fine | not)'

Each result is compiled from its original sources and checked with new data. Then it is timed in
rounds that alternate with the default. The L2 cache is cold or warm, as when the result was tuned.
  holds                correct and as fast as stored
  moved                time differs by more than --tolerance, and the 95 % intervals do not overlap
  slower than default  no longer faster than the default
  wrong, failed        wrong, or does not compile or launch; applications no longer get it
  not timed            no GPU, the device was too hot or at its power cap, or the recording lacks
                       the configuration; applications still get the result
`stale` says what has changed: the kernel's sources, the driver, the compiler, or warptune. Every
finding is added to the database; `show best` and `explain` show the newest finding. To update a
result, tune again.
Without a GPU, nothing is timed, and the command exits with 3. With --device none, nothing is timed
either, but this is not an error.
--device recorded checks the results of `tune --device recorded` against the recordings. After
Ctrl-C, finished checks stay stored. Exits with 0 if all checked results still hold. Exits with 1 if
a result moved, is wrong, failed, is slower than the default, or is stale and was not timed.
)";

inline constexpr const char* kRoofsHelp = R"(Examples:
  warptune roofs
  warptune roofs --device cuda:1 --remeasure
  warptune roofs --json | jq '.devices[].roofs[] | {label, measured, unit, share}'

A roof is the highest rate that the GPU reached in a dedicated test: the bandwidth of DRAM, L2 and
L1/shared memory, and the rates of the arithmetic pipes and tensor cores. `tune`, `run` and `report`
compare a kernel with these roofs. Each roof is measured by its own kernel on random data, with the
same timer as candidates. `theoretical` is computed from the highest clocks and the number of units
of the GPU; `-` means that the needed numbers are not published. Tensor cores need so much power
that the clock falls. `SM clock` is the clock during the test. `share at that clock` is the roof
divided by the theoretical rate at this clock. Measuring takes seconds and needs a GPU. Roofs are
stored for each device, and measured again when the driver changes, when an older version of
warptune measured fewer roofs, or after 30 days. Without a GPU, or with --device recorded, the
stored roofs of all devices are shown; the command exits with 3 if there are none, and with 5 if the
file that --db names does not exist. `tune --device recorded` stores the roofs that the recording
contains.
)";

inline constexpr const char* kRecordHelp = R"(Examples:
  warptune record softmax                              the newest finished session of softmax
  warptune record softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune record --session 3 -o recordings/softmax.json
  warptune tune softmax --shape rows=32768,cols=4096 --device recorded:recordings/softmax.json
  warptune record --seal old.json older.json           add the missing checksum

A recording is one file with the trials, device, driver, source hash and date of a session. Machines
without a GPU can tune from it. Record exhaustive sessions, because a configuration that was not
recorded has no time.
An existing recording is replaced; any other existing file needs --force.
--seal checks the whole file and adds the checksum; it changes no other byte. The checksum shows
whether the file has changed since then. It does not certify times or their origin.
)";

inline constexpr const char* kReportHelp = R"(Examples:
  warptune report                                        report.html: all results of the database
  warptune report --kernel softmax -o softmax.html
  warptune report --kernel softmax --shape rows=32768,cols=4096 --dtype bf16 --svg softmax.svg
  warptune report --csv trials.csv --json report.json    only these files, no page
  warptune report --json | jq '.views[].bound.sentence'
  warptune report --db monday.db --with friday.db        results of two databases side by side

The page is one file that needs no network and no server. For each result it shows four parts: the
roofline of the device, the progress of the search, the effect of each parameter, and all trials.
One sentence says what limits the winner (docs/report.md). Numbers of bytes come from counters if
the session has them (`tune --profile`); otherwise they come from the model: the minimum traffic
stated in the kernel's spec. The page says whether it uses counters or the model. The page also
compares the winner with the default (as `warptune why` does), and shows the source and the SASS of
configurations that `warptune profile --source` sampled. If there are several results, a list at the
top ranks them by the possible gain (1 minus the share of the roof) and links to all results of each
kernel. An existing file that `warptune report` made is replaced; any other file needs --force.
)";

inline constexpr const char* kCompareHelp = R"(Examples:
  warptune compare monday.db friday.db
  warptune compare tune.db --session 3 --session 7
  warptune compare main.db branch.db --fail-slower 3%    exit with 1 if a result is slower

For each kernel, problem and device that is in both A and B, the command shows the time of the
configuration that an application would launch. It also shows the ratio B/A with its 95 % interval,
and whether the time changed.
A time counts as changed if it differs by more than 1 % and p < 0.05 after a correction for the
number of comparisons; p is the probability of such a difference by chance. The largest effect comes
first. Other differences (configuration, driver, compiler, clock) and results that only A or only B
has are shown too (docs/report.md).
)";

inline constexpr const char* kBackupHelp = R"(Examples:
  warptune backup team.db team-2026-11-22.db
  warptune backup "$WARPTUNE_DB" /backup/warptune.db && rsync -a /backup/ host:

Copies the current state of DB into one file, checks the copy, and renames it to FILE when it is
complete. Other programs may read and write DB during the copy. A plain copy of DB may be incomplete
while a program has DB open: newer data is in DB-wal (docs/database.md).
)";

inline constexpr const char* kMergeHelp = R"(Examples:
  warptune merge -o team.db gpu1.db gpu2.db
  warptune merge -o team.db gpu*.db --dry-run        show new and conflicting rows
  warptune merge -o llm.db /shared/llm               the results of `sweep llm --run /shared/llm`
  warptune merge -o team.db gpu3.db --json | jq '.conflicts'

Adds everything in the named databases to the output, which is created if it does not exist. An
existing output keeps its content; do not name the output as an input too. The same command can be
repeated while machines continue to measure; it then adds only the new rows. No measurement is lost:
if two machines measured the same problem, the output has both sessions with all samples. Two copies
of one session become one session with the trials of both. If the copies conflict, the newer value
wins, and the older one is kept in the table merge_conflicts. Inputs are never changed; they may
have older schemas or be in read-only folders. If the command is interrupted, the output is either
unchanged or complete. Other programs that write to the output wait until the merge is done
(docs/database.md).
)";

inline constexpr const char* kPackHelp = R"(Examples:
  warptune pack -o ops.wtpack                                    everything in the database
  warptune pack --db team.db --kernels softmax,sgemm --gpus "NVIDIA H200" --cover 1% -o ops.wtpack
  warptune pack list ops.wtpack                                  its kernels; slowdown over winners
  warptune pack check ops.wtpack                                 check all bytes and consistency
  warptune pack diff old.wtpack ops.wtpack

An application opens a pack instead of the database. For each GPU and each kernel with its dtype and
flags, the pack holds the smallest set of configurations that serves every tuned shape with a
slowdown of at most --cover. The pack also holds the cubins, the times, the sources, and a SHA-256
over everything. The default configuration is always included; a shape gets the default if no
configuration was certified to be faster. `guarded` counts these shapes. `untuned` estimates the
slowdown on untuned shapes: each tuned shape was treated as untuned once. `served` and `as chosen`
are shares of up to 2048 untuned shapes, which warptune samples. `served`: the pack has a cubin for
the shape. `as chosen`: for the shape, applications with and without a compiler get the same
configuration. See also the option --programs. Packing the same database again gives an identical
file. Cubins come from the database or the cubin cache, or are compiled with NVRTC; no GPU
is needed (docs/pack.md). --kernels NAME --also DIR packs the results of `tune NAME --also DIR`.
`pack list` and `pack check` exit with 1 if the pack is inconsistent, `pack diff` if the packs
differ, and `pack -o` if the pack has no cubin.
)";

inline constexpr const char* kMetricsHelp = R"(Examples:
  warptune metrics                                     the sets, and the number of passes of each
  warptune metrics --metric-set roofline --dtype bf16  the metrics of a set, and their meaning
  warptune metrics --metrics lean,dram__throughput.avg.pct_of_peak_sustained_elapsed
  warptune metrics --filter "bank conflict"            the metrics with these words
  warptune metrics --chip AD102 --json | jq '.sets[] | {name, passes}'

Hardware counters show what limits a kernel. --metrics takes sets and full names of metrics, here
and in other commands. Those commands run a kernel once for each pass, so fewer passes take less
time. `warptune metrics` itself needs CUPTI (part of the CUDA Toolkit, 12.6 or newer) but no GPU.
Metrics that a chip lacks are left out of a set. If a name is unknown, the command exits with 2 and
lists the nearest names.
)";

inline constexpr const char* kStrategiesHelp = R"(Examples:
  warptune strategies                the strategies of `tune` and `replay`
  warptune strategies random         this strategy, its options, their defaults and ranges
  warptune strategies --json | jq -r '.strategies[].name'

docs/search-strategies.md says what each strategy does and when to use it. docs/search.md compares
the strategies.
)";

inline constexpr const char* kReplayHelp = R"(Examples:
  warptune replay recordings/spaces                       every strategy, 30 seeds, 400 evaluations
  warptune replay gemm__A100.json.gz --strategy random,genetic,genetic:population=50 --seeds 5
  warptune replay spaces/ -o traces.jsonl                 write one run per line: [tries, best ms]
  warptune replay recordings/sgemm*.json --knowledge all  with the knowledge that `tune` uses
  warptune replay spaces/ peers.jsonl.gz --per-space      add runs of other tuners to the table

A recorded space is a file with a time for each configuration: a Kernel Tuner cache, a T4 file, or a
warptune recording, plain or gzip. The columns `25`, `50`, `100`, `200` and `400` show the optimum
divided by the best time after this many evaluations, averaged over seeds and then over spaces.
Columns beyond --budget are empty. `worst at 100` is the lowest value of a single space after 100
evaluations.
`evals to 95 %` is the number of evaluations needed to reach 95 % of the optimum: the evaluations of
all seeds, divided by the number of seeds that reached 95 %. A run that does not reach 95 % adds 400
evaluations, or its budget if the budget is smaller. If no run in a space reaches 95 %, the number
is a lower bound and begins with `>`. `99 %` is the same number for 99 % of the optimum.
`time to 95 %` is the tuning time of the evaluations in `evals to 95 %`, on the recorded device.
`strategy ms per eval` is the strategy's own computing time per evaluation. A trace is left out,
with a note, if its space was not named. A GPU is not needed.
--knowledge gives strategies the same knowledge as `tune`: expected times, and hints from the other
named recordings of the kernel (docs/knowledge.md). The table then calls a strategy
`STRATEGY with KNOWLEDGE`. --knowledge needs warptune recordings.
-o replaces an existing file of traces; any other existing file needs --force.
After Ctrl-C, the completed runs are written and shown, and the command exits with 130.
)";

inline constexpr const char* kImportHelp = R"(Examples:
  warptune import gemm__A100.json.gz -o recordings/gemm.json            a Kernel Tuner cache
  warptune import results_T4.json -o r.json --kernel axpy --problem 'n=67108864;fp32' --arch sm_80
  warptune import caches/ -o t4/ --format t4                            all files of a folder
  warptune import results_T4.json -o cache.json --format kernel-tuner   for Kernel Tuner (cache=)

`replay` reads all of these files directly. For `tune --device recorded:FILE`, convert a file with
--arch; its kernel, problem and parameters must have the same names as in warptune.
A recording stores rounded times, up to 15 samples per configuration, and parameter values as whole
numbers (booleans become 0 and 1) or labels. Conversion between caches and T4 files keeps all data
that both can represent (docs/interchange.md). A truncated file is read up to its last complete
entry. An existing file of the output format is replaced; any other existing file needs --force.
)";

inline constexpr const char* kCompletionHelp = R"(Examples:
  source <(warptune completion bash)                            in ~/.bashrc
  warptune completion zsh > "${fpath[1]}/_warptune"             once
  warptune completion fish > ~/.config/fish/completions/warptune.fish
  warptune completion bash --json

The packages install the scripts for all three shells (docs/install.md). The scripts call warptune
to complete names of kernels, devices and other values.
)";

inline constexpr const char* kExportHelp = R"(Examples:
  warptune export softmax --format kernel-tuner -o cache.json    the newest finished session
  warptune export softmax --shape rows=32768,cols=4096 --format t4 -o softmax_T4.json.gz
  warptune export --session 3 --db team.db --format t4 -o session3.json
  warptune export --recording recordings/sgemm.json --format kernel-tuner -o sgemm_cache.json

Times are in milliseconds, as both formats require; a configuration's time is its median. Some
statuses are mapped: in files for Kernel Tuner, `timed out`, `wrong result` and `unstable` become
RuntimeFailedConfig (docs/interchange.md). The files follow the schemas of the formats.
An existing file of the output format is replaced; any other existing file needs --force.
)";

} // namespace warptune::cli
