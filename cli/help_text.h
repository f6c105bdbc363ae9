// What `warptune COMMAND --help` says below the options: examples, what the output means, exit codes. Text only.
#pragma once

namespace warptune::cli {

inline constexpr const char* kDescription =
    "warptune tunes CUDA kernels: it compiles a kernel's configurations, checks and times each of\n"
    "them, keeps the results in one database, and tells an application which one to launch.";

inline constexpr const char* kHelpEnd = R"(
Exit codes:
  0    done
  1    done but not all is well (jobs of a sweep failed; check: something does not compile;
       recheck: something no longer holds; compare --fail-slower;
       pack list, check and diff: something found)
  2    bad usage or input
  3    no such device (recheck: no GPU, so nothing was timed)
  4    no valid candidate
  5    database
  6    internal, or output that could not be written
  130  interrupted

With --json an error is also printed as {"error": {"kind", "code", "message"}} on standard output.
More: README.md; docs/spec.md (how a kernel is described)
)";

inline constexpr const char* kMainHelp = R"(A first session:
  warptune doctor                                        what works on this machine
  warptune kernels                                       what can be tuned
  warptune tune softmax --shape rows=32768,cols=4096     find and store the fastest configuration
  warptune show best                                     what was found
  warptune explain softmax --shape rows=30000,cols=4096  what an application would get, and why
  warptune report                                        report.html: what bounds each result
  warptune recheck                                       whether it still holds

Without a GPU, `tune --device recorded` replays sweeps that were recorded on one.
Each command explains itself: warptune COMMAND --help, or man warptune-COMMAND.

Environment:
  WARPTUNE_DB          the database; default ~/.local/share/warptune/warptune.db, or below
                       $XDG_DATA_HOME
  WARPTUNE_DB_TIMEOUT  seconds to wait while another program writes to the database; default 10
  WARPTUNE_TEMPLATES   folders that hold kernel folders, separated by colons; searched before the
                       shipped ones
  WARPTUNE_INCLUDE     folders of headers that kernels include, separated by colons; --include adds
                       to them
  WARPTUNE_RECORDINGS  the folder of the recordings that `--device recorded` takes
  WARPTUNE_NVRTC       the compiler's library, instead of the one that is found
  WARPTUNE_ALLOW_VENDOR
                       1: configurations that call libraries of vendors may be chosen
  WARPTUNE_DISABLE_LIBRARIES
                       such libraries, separated by commas, that count as missing
  WARPTUNE_LIBCUPTI    the library of the hardware counters, or its folder
  CUDA_HOME            where the CUDA Toolkit lies
  XDG_CACHE_HOME       below it compiled kernels are kept; default ~/.cache
  NO_COLOR             no colours on terminals
)";

inline constexpr const char* kDoctorHelp = R"(Examples:
  warptune doctor
  warptune doctor --json | jq '.checks[] | select(.ok | not)'

Each line says `ok` or `missing`; a missing part is followed by what to do. Only a GPU can measure,
but everything else (space, explain, tuning from a recording) works without one, so a missing GPU is
no failure: the command ends in 0 when the kernels and the database are usable.
)";

inline constexpr const char* kKernelsHelp = R"(Examples:
  warptune kernels               one line for each shipped kernel
  warptune kernels softmax       its dims, flags, parameters, constraints and shape suites
  warptune kernels ./my_kernel   the same for a folder of one's own

A dtype or flag value that stands first is the default. A configuration is one value of each
parameter; it is valid when every constraint holds, and each constraint says why it is there.
)";

inline constexpr const char* kSpaceHelp = R"(Examples:
  warptune space softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune space sgemm --shape m=4096,n=4096,k=4096 --arch sm_80 --limit 20
  warptune space gemm_milo.json                 a T1 file of another tuner

`product` counts all combinations of values, `valid` those that meet every constraint for this
problem on this device: what `tune` measures. `rejected` says how many partial configurations a
constraint cut off; one of them may stand for many full ones. Without --device and --arch: the first
GPU, else the limits of an H200.
A T1 file has its problem in it: --shape, --dtype, --set, --device and --arch do not go with it.
)";

inline constexpr const char* kCheckHelp = R"(Examples:
  warptune check ./my_kernel
  warptune check softmax --dtype bf16 --arch sm_80,sm_90a,sm_100a
  warptune check ./my_kernel --shape n=1000000 --sample all

Compiles configurations and launches nothing: needs NVRTC, and no GPU. The sample holds the default
of each implementation and, as far as --sample allows, every value of every parameter. `refused`
counts configurations that the device cannot launch (registers, shared memory, threads); `tune`
skips them. The reference is compiled too. Without --shape: the first shape of the suite `default`,
else the smallest; without --dtype: each dtype; without --arch: the first GPU's, else sm_90a.
Exits with 0 when every sampled configuration compiles or is refused, with 1 when one does not
compile (or the reference, or a formula of `cost` fails), with 4 when a problem has no configuration
that can be launched. --seed N takes another sample.
)";

inline constexpr const char* kTuneHelp = R"(Examples:
  warptune tune softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune tune sgemm --shape m=4096,n=4096,k=4096 --strategy random --budget 10% --seed 1
  warptune tune ./my_kernel --shape n=1000000 --budget 200,60s --target 95%
  warptune tune ./my_groups --shape 'rows=zipf(64,4096,1)'    (a list of 64 sizes; or rows=[128,64])
  warptune tune axpy --shape n=67108864 --device recorded  (no GPU needed)

Each configuration is compiled, launched once, checked against the reference and only then timed,
with a cold L2 cache unless --warm-l2. The fastest are measured again, interleaved, so that chance
does not choose the winner: `tie set` counts those that cannot be told from it. `roofline` is the
share of the shortest time that the device's roofs allow.
A budget is a number of configurations (200), seconds (60s) or a share of the space (10%), or
several: whichever comes first. Without one, and without --target and --stop-below, all
configurations are tried in order. A strategy is told what is known beforehand: the expected time of
each configuration (prior) and what was good for similar problems in the database (hints); see
--knowledge and docs/knowledge.md.
--device recorded takes the recordings that come with warptune ($WARPTUNE_RECORDINGS names
another folder), recorded:PATH a file or folder.
--profile reads hardware counters in runs of their own once everything is timed, so that `warptune
report` can say what bounds a kernel: best of the winner and the default configuration, all of every
correct one. With --resume they are added to a session that is finished. Without the permission to
read them the session ends as usual, with a note.
--objective energy chooses the finalist whose launch takes the least energy, edp the one with the
least energy x time; there are up to three times as many finalists, and reading them takes about a
minute. --energy only measures what the finalists of a search by time draw. The Pareto set are those
that no other beats in both time and energy (docs/energy.md).
Ctrl-C stores what was measured; the same command with --resume continues. A second Ctrl-C ends at
once.
)";

inline constexpr const char* kSweepHelp = R"(Examples:
  warptune sweep --list                            the sweeps that come with warptune
  warptune sweep llm --dry-run                     its jobs and the sizes of their spaces; no GPU
  warptune sweep llm --devices all --db llm.db     all GPUs of this machine work through it
  warptune sweep cnn --only softmax --budget 30s
  warptune sweep ./nightly.json --resume           goes on where it was stopped or killed

A file names kernels, shapes, dtypes and flags; each combination is a job, tuned and stored as
`warptune tune` does (docs/sweep.md). A job that fails is reported and the sweep goes on; it then
ends in 1. --devices cuda:0,1 shares the jobs between GPUs of one model; different models do all
jobs each. --devices replay takes recorded sweeps, and needs one of each problem.
Ctrl-C stores what was measured; the same command with --resume continues: finished jobs are only
reported, the one that was stopped goes on with its next configuration. A second Ctrl-C ends at
once.
)";

inline constexpr const char* kShowHelp = R"(Examples:
  warptune show best                       the fastest of each kernel, problem and device
  warptune show sessions --kernel softmax  what was tuned when, and how far it came
  warptune show trials --session 3 --limit 50
  warptune show trials --json | jq '.trials[] | select(.status != "ok") | .evidence'
  warptune show devices                    GPUs that results came from

`trials` lists the newest session unless --session names one: correct configurations from fast to
slow, then the failed ones with the first line of the evidence. `roofline` is the share of the
device's limit that was reached; `certified` means that the finalists were measured again in turns.
)";

inline constexpr const char* kExplainHelp = R"(Examples:
  warptune explain softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune explain softmax --shape rows=30000,cols=4000 --device "NVIDIA H200"
  warptune explain softmax --shape rows=32768,cols=4096 --arch sm_80      a GPU never seen
  warptune explain axpy --shape n=1000003 --align 4                       buffers at multiples of 4

Shows what the runtime library would launch. `match` is the rule that chose: `exact` (this problem,
this device), `learned rule` (from the times of all configurations on other shapes of this device,
with the loss to expect), `nearest shape` (this device), `same architecture` (another device),
`default` (nothing fits). What is not exact was checked against the constraints of this problem and
this device. Needs neither a GPU nor a database.
Without --device and --arch: the first GPU, else the only device in the database, else the limits of
an H200.
)";

inline constexpr const char* kRunHelp = R"(Examples:
  warptune run softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune run ./my_kernel --shape n=1000000 --device cuda:1

Picks the configuration as an application would (see `warptune explain`), compiles it if it is not
in the cache, launches it on the GPU, checks the result against the reference and times it. Needs a
GPU. A wrong result ends in 4.
)";

inline constexpr const char* kProfileHelp = R"(Examples:
  warptune profile softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune profile sgemm --shape m=4096,n=4096,k=4096 --config default --metrics stalls
  warptune profile axpy --shape n=67108864 --config '{"VEC": 4}' --metrics stalls,lean --json

Launches the configuration, checks and times it, and then runs it again once for each pass of the
counters, with inputs restored and a cold L2 cache before each. What is printed is the sum over all
of the configuration's kernels; `model` is what the kernel's spec says it must move and compute.
`best` is what an application would get (see `warptune explain`): the default where nothing was
tuned. The counters are kept for `warptune report` with the session that tuned this configuration,
where there is one. `warptune metrics` lists sets and metrics.
Where nothing can be counted (no permission, no CUPTI, a recording without counters) the command
says why and ends in 4; `warptune doctor` says how to get the permission.
)";

inline constexpr const char* kVerifyHelp = R"(Examples:
  warptune recheck                                   all certified results of the GPU at hand
  warptune recheck --kernel softmax --dtype bf16 --sample 10%
  warptune recheck --device none                     only what has changed since; no GPU needed
  warptune recheck --json | jq '.results[] | select(.fine | not)'

Each result is compiled from the sources it was tuned from, checked with data it never saw and timed
in turns with the default, with the L2 cache as it was. `holds`: correct and as fast as stored;
`moved`: the time differs by more than --tolerance and the 95 % intervals do not overlap; `slower
than default`: no advantage is left; `wrong` and `failed` (does not compile or launch any more):
applications are no longer given it. `stale` says what has changed since: the kernel's sources, the
driver, the compiler, warptune. Every finding is added to the database; `show best` and `explain`
repeat the newest. To renew a result, tune again.
Without a GPU nothing is timed, and the command exits with 3, unless --device none asked for that.
--device recorded checks replayed results against the recordings. Ctrl-C keeps what is finished.
Exits with 0 when nothing speaks against any result, with 1 when one
moved, is slower than the default, wrong or failed, or is stale and was not timed.
)";

inline constexpr const char* kRoofsHelp = R"(Examples:
  warptune roofs
  warptune roofs --device cuda:1 --remeasure
  warptune roofs --json | jq '.devices[].ceilings[] | {label, measured, unit, share}'

The roofs under which `tune` and `run` judge a kernel: bandwidth of DRAM, L2 and L1/shared
memory, and the rates of the arithmetic pipes and tensor cores, reached by kernels that do nothing
else (random data, the timer of every candidate). `theoretical` follows from the highest clocks and
the units of the architecture; `-` is not published. Tensor cores draw so much power that the clock
falls while they work: `SM clock` is what it was, and `share at that clock` what the units did with
it. Takes seconds and needs a GPU. The result is stored for each device and measured again when the
driver has changed, when an older version of warptune measured fewer, or after 30 days. Without a
GPU, or with --device recorded, the stored ones of all devices are shown (those of a recording are
stored when it is tuned from); it ends in 3 when there are none.
)";

inline constexpr const char* kRecordHelp = R"(Examples:
  warptune record softmax                              the newest finished session of softmax
  warptune record softmax --shape rows=32768,cols=4096 --dtype bf16
  warptune record --session 3 -o recordings/softmax.json
  warptune tune softmax --shape rows=32768,cols=4096 --device recorded:recordings/softmax.json

A recording is one session's trials with the device, driver, sources' hash and date they came from,
in one file. It lets machines without a GPU tune from what was measured here. Record exhaustive
sessions: a replay knows only what was recorded.
An existing file is replaced when it is a recording; any other needs --force.
)";

inline constexpr const char* kReportHelp = R"(Examples:
  warptune report                                        report.html: all results of the database
  warptune report --kernel softmax -o softmax.html
  warptune report --kernel softmax --shape rows=32768,cols=4096 --dtype bf16 --svg softmax.svg
  warptune report --csv trials.csv --json report.json    without a page, since files are named
  warptune report --json | jq '.views[].bound.sentence'

The page needs no network and no server: open it, mail it. It shows each result under the roofs of
its device (roofline), the search, the effect of each parameter, every trial, and says in one
sentence what bounds the winner (docs/report.md). Bytes come from counters where the session has
some (`tune --profile`), else from the model, which is what the kernel's spec says it must move; the
page says which.
An existing file is replaced when `warptune report` made it; any other needs --force.
)";

inline constexpr const char* kCompareHelp = R"(Examples:
  warptune compare monday.db friday.db
  warptune compare tune.db --session 3 --session 7
  warptune compare main.db branch.db --fail-slower 3%    ends in 1 when something is slower by more

Of each kernel, problem and device that both hold: the times of the results in use, the ratio B/A
with its 95 % interval, and whether it changed: by more than 1 %, with p < 0.05 after a correction
for the number of comparisons. The largest effect comes first. Also shown: what else differs
(configuration, driver, compiler, clock) and what only one of them holds (docs/report.md).
)";

inline constexpr const char* kBackupHelp = R"(Examples:
  warptune backup team.db team-2026-11-22.db
  warptune backup "$WARPTUNE_DB" /backup/warptune.db && rsync -a /backup/ host:

Copies the database as it is at this moment into one file, checks the copy and gives it its name
when it is whole. Programs that read or write the database go on meanwhile. A plain copy of the file
alone may lack what is in FILE-wal while a program has the database open (docs/database.md).
)";

inline constexpr const char* kMergeHelp = R"(Examples:
  warptune merge -o team.db gpu1.db gpu2.db
  warptune merge -o team.db gpu*.db --dry-run        what would be new, and what contradicts
  warptune merge -o team.db gpu3.db --json | jq '.conflicts'

Adds everything in the named databases to the output, which is made where there is none. An output
that exists keeps what it holds and is named with -o alone, so the same command can be repeated as
machines go on measuring: what came before is not doubled. Nothing is lost: two machines that
measured the same keep two sessions with both sets of samples. Two copies of one session become one
with the trials of both; where they contradict one another the later word counts, and the other is
kept in the table merge_conflicts. The inputs are not changed, older schemas and read-only folders
included. The output is as before or complete, whenever the command ends. Programs that write to the
output meanwhile wait (docs/database.md).
)";

inline constexpr const char* kPackHelp = R"(Examples:
  warptune pack -o ops.wtpack                                    everything in the database
  warptune pack --db team.db --kernels softmax,sgemm --gpus "NVIDIA H200" --cover 1% -o ops.wtpack
  warptune pack list ops.wtpack                                  what it holds, and how well
  warptune pack check ops.wtpack                                 every byte, and whether all fits
  warptune pack diff old.wtpack ops.wtpack

A pack is what an application opens instead of the database: for each kernel, dtype, flags and GPU
as few configurations as serve every tuned shape within --cover of the fastest, compiled, with their
times, the sources and a SHA-256 over all of it. The default configuration is always in it, and a
shape for which nothing was certified faster gets the default (`guarded`). `untuned` is the loss of
shapes that were left out while the rule for them was learned; `served`, `as chosen` are the shares
of untuned shapes that have a program, and that have the one which would be chosen with a compiler
(--programs). The same database gives the same bytes. Programs come from the database and the cubin
cache, else from NVRTC; no GPU is needed (docs/pack.md).
--kernels NAME --also DIR packs results of the sources that `tune --also DIR` measured.
list, check and diff exit with 1 when they find something, -o when the pack holds no program.
)";

inline constexpr const char* kMetricsHelp = R"(Examples:
  warptune metrics                                     the sets, and the passes of each
  warptune metrics --metric-set roofline --dtype bf16  what a set counts, and what it means
  warptune metrics --metrics lean,dram__throughput.avg.pct_of_peak_sustained_elapsed
  warptune metrics --filter "bank conflict"            every metric of the chip with these words
  warptune metrics --chip AD102 --json | jq '.sets[] | {name, passes}'

Hardware counters say why a kernel is as fast as it is. `--metrics` of other commands takes the same
lists: names of sets and full names of metrics, mixed. A kernel runs once for each pass; the fewer,
the cheaper. Needs CUPTI (it comes with the CUDA Toolkit, 12.6 or newer) but no GPU; what a set
names and a chip lacks is left out of it. Unknown names end in 2 with the nearest ones.
)";

inline constexpr const char* kStrategiesHelp = R"(Examples:
  warptune strategies                what `tune --strategy` and `replay --strategy` take
  warptune strategies random         one of them, with its options, their defaults and ranges
  warptune strategies --json | jq -r '.strategies[].name'

docs/search-strategies.md says what each does and when to use it, docs/search.md how good they are.
)";

inline constexpr const char* kReplayHelp = R"(Examples:
  warptune replay recordings/spaces                       every strategy, 30 seeds, 400 tries each
  warptune replay gemm__A100.json.gz --strategy random,genetic,genetic:population=50 --seeds 5
  warptune replay spaces/ -o traces.jsonl                 one run a line: [tries, best ms], ...
  warptune replay recordings/sgemm*.json --knowledge all  told what `tune` would be told
  warptune replay spaces/ peers.jsonl.gz --per-space      runs of other tuners in the same table

A recorded space holds the time of each of its configurations: a cache file of Kernel Tuner, a T4
file, or a recording of ours, plain or gzip. The table's numbers under 25 to 400 are optimum / best
found after so many configurations, averaged over seeds and then over spaces, and empty
beyond --budget; `worst at 100` is the space with the lowest. `evals to 95 %` are configurations
until a time within 95 % of the optimum, unsuccessful runs included; `time to 95 %` is what tuning
took until then on the device that was recorded. Traces of spaces that were not named are left out,
with a note. Needs no GPU.
--knowledge tells strategies what `tune` would tell them of recordings of ours: expected times, and
hints from the other recordings of the kernel that are named (docs/knowledge.md).
They are then called `NAME told PARTS`. Of other tuners' spaces nothing is known.
-o replaces a file of traces; any other file needs --force.
Ctrl-C ends the runs under way; those that are complete are written and shown, and it ends in 130.
)";

inline constexpr const char* kImportHelp = R"(Examples:
  warptune import gemm__A100.json.gz -o recordings/gemm.json            a Kernel Tuner cache
  warptune import results_T4.json -o r.json --kernel axpy --problem 'n=67108864;fp32' --arch sm_80
  warptune import caches/ -o t4/ --format t4                            every file of a folder
  warptune import results_T4.json -o cache.json --format kernel-tuner   for Kernel Tuner's cache=

`replay` takes all of these files as they are; a recording serves `tune --device recorded:FILE` too,
if its kernel, problem and parameters have the names of a kernel of ours and --arch says what the
device allows. A recording holds whole numbers (booleans become 0 and 1), times to five digits of
the fastest and 15 samples; between the other two formats nothing that both have is lost
(docs/interchange.md). A file that is cut off counts as far as it goes.
An existing file is replaced when it has the format that is written; any other needs --force.
)";

inline constexpr const char* kCompletionHelp = R"(Examples:
  source <(warptune completion bash)                            in ~/.bashrc
  warptune completion zsh > "${fpath[1]}/_warptune"             once
  warptune completion fish > ~/.config/fish/completions/warptune.fish
  warptune completion bash --json

The packages install all three (docs/install.md). The scripts hold no names: they ask the program.
)";

inline constexpr const char* kExportHelp = R"(Examples:
  warptune export softmax --format kernel-tuner -o cache.json    the newest finished session
  warptune export softmax --shape rows=32768,cols=4096 --format t4 -o softmax_T4.json.gz
  warptune export --session 3 --db team.db --format t4 -o session3.json
  warptune export --recording recordings/sgemm.json --format kernel-tuner -o sgemm_cache.json

Times are in milliseconds, as both formats have them; the time of a configuration is its median. Our
statuses become theirs: `timed out`, `wrong result` and `unstable` are RuntimeFailedConfig for
Kernel Tuner (docs/interchange.md). Files are by the public schemas.
An existing file is replaced when it has the format that is written; any other needs --force.
)";

} // namespace warptune::cli
