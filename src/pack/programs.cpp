#include "pack/programs.h"

#include "core/thread_guard.h"
#include "jit/build.h"
#include "jit/builders.h"
#include "jit/compile_process.h"
#include "plan/program_key.h"
#include "predict/select.h"
#include "spec/config.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace warptune {
namespace {

constexpr double kBuildTimeout = 600; // seconds; a build command may hang

using Found = std::optional<CubinRecord>;

bool is_usable(const CubinRecord& cubin, const PackProgram& program) {
  return cubin.arch == program.arch && !cubin.image.empty() &&
         cubin.lowered_names.size() == program.request.name_expressions.size();
}

// Programs of the tuning compilers come first: another compiler would make a different program from the same source.
Result<Found> find_stored(const PackProgram& program, const Reader& reader, const CubinCache& cache) {
  std::vector<std::string> compilers = program.compilers;
  compilers.push_back(compiler_name());
  std::vector<std::string> hashes;
  for (const std::string& compiler : compilers) hashes.push_back(session_key(program.request, compiler));
  if (program.request.build) hashes.push_back(last_build_key(program.request));
  for (const std::string& hash : hashes) {
    WT_TRY(auto cubin, reader.cubin(hash));
    if (cubin && is_usable(*cubin, program)) return cubin;
    if (const auto cached = cache.find(hash); cached && cached->has_value()) {
      CubinRecord record{hash, program.arch, (*cached)->image, (*cached)->lowered_names};
      if (is_usable(record, program)) return record;
    }
  }
  return Found();
}

struct Task {
  std::string key;
  const PackProgram* program;
  std::optional<Result<CompileResult>> result;
};

// Adds the program that this configuration needs. Returns the program's key; empty if the configuration needs no
// program; nullopt if it cannot be launched. `compiler` is the one that it was tuned with; may be empty.
std::optional<std::string> add_program(Programs& programs, const PackedKernel& kernel, const Problem& problem,
                                       const Config& config, const DeviceInfo& device, const std::string& compiler) {
  if (check_config(kernel.spec, problem, device, config)) return std::nullopt;
  const auto plan = make_plan(kernel.spec, problem, config, device);
  if (!plan) return std::nullopt;
  if (!plan->has_program()) return std::string();
  auto request = make_compile_request(kernel.spec, kernel.sources, problem, config, device, *plan);
  if (!request) return std::nullopt;
  std::string key = program_key(*request);
  PackProgram& program = programs.try_emplace(key, PackProgram{std::move(*request), device.arch, {}}).first->second;
  if (!compiler.empty() &&
      std::find(program.compilers.begin(), program.compilers.end(), compiler) == program.compilers.end())
    program.compilers.push_back(compiler);
  return key;
}

// Adds the programs that a dispatcher falls back to: those of the default or its replacement, also for badly aligned
// buffers if the kernel declares alignments.
void add_fallbacks(Programs& programs, const PackedKernel& kernel, const Problem& problem, const DeviceInfo& device) {
  const auto says_alignment = [](const Argument& argument) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    return buffer != nullptr && buffer->align.has_value();
  };
  const auto& all = kernel.spec.implementations;
  const bool is_said = std::any_of(all.begin(), all.end(), [&](const Implementation& implementation) {
    return std::any_of(implementation.arguments.begin(), implementation.arguments.end(), says_alignment);
  });
  SelectOptions options;
  options.refuse = [&](const Config& config) -> std::optional<std::string> {
    if (!kernel.spec.calls_libraries(config)) return std::nullopt;
    return "it calls a library, and applications may forbid that";
  };
  for (; options.alignment > 0; options.alignment /= 2) {
    if (const auto fallback = select(kernel.spec, {}, problem, device, options))
      add_program(programs, kernel, problem, fallback->config, device, {});
    if (!is_said) return;
  }
}

// Suite problems with the variant's dtype and flags; other entries are left out.
std::vector<Problem> suite_problems(const PackedKernel& kernel, const MeasuredVariant& variant) {
  const Problem& tuned = variant.shapes.front().problem;
  std::vector<Problem> problems;
  for (const auto& [name, entries] : kernel.spec.suites)
    for (const SuiteEntry& entry : entries)
      if (auto problem = suite_problem(kernel.spec, entry, tuned.dtype, tuned.flags))
        problems.push_back(std::move(*problem));
  return problems;
}

std::string first_lines(const std::string& log) {
  return log.substr(0, log.find('\n', std::min<std::size_t>(200, log.size())));
}

// The sources may come from an untrusted database, so compile in a separate process: a compiler crash must not end
// pack.
Result<CompileResult> make(const std::filesystem::path& program, const CubinCache& cache,
                           const CompileRequest& request) {
  if (!request.build) return compile_apart(program, cache, request);
  CompileRequest allowed = request;
  WT_CHECK(allow_builder(allowed));
  return make_program(cache, allowed, kBuildTimeout);
}

// Explains why a program is missing.
std::string why_missing(const PackProgram& program, const CubinOptions& options) {
  const bool needs_leave = program.request.build && options.compile;
  return fmt::format("a cubin of {} for {} is neither in the database nor in the cache{}",
                     program.request.name_expressions.front(), program.arch,
                     needs_leave ? ", and its build command runs only with --allow-build" : "");
}

} // namespace

std::vector<std::optional<std::string>>
add_shape_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                   const std::vector<std::pair<std::size_t, std::size_t>>& picks) {
  std::vector<std::optional<std::string>> keys;
  for (const auto& [s, config] : picks) {
    const MeasuredShape& shape = variant.shapes[s];
    const std::string& compiler = shape.session.identity.compiler;
    keys.push_back(add_program(programs, kernel, shape.problem, variant.configs[config], variant.device, compiler));
    add_program(programs, kernel, shape.problem, variant.configs[variant.default_of(shape)], variant.device, compiler);
    add_fallbacks(programs, kernel, shape.problem, variant.device);
  }
  return keys;
}

void add_suite_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                        const std::vector<std::size_t>& configs) {
  for (const Problem& problem : suite_problems(kernel, variant)) {
    // Configurations that do not fit this shape are skipped; that is not an error.
    for (const std::size_t c : configs) add_program(programs, kernel, problem, variant.configs[c], variant.device, {});
    add_fallbacks(programs, kernel, problem, variant.device);
  }
}

void add_chosen_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const Choose& choose) {
  for (const Problem& problem : suite_problems(kernel, variant))
    if (const auto config = choose(problem, [](const Config&) { return true; }))
      add_program(programs, kernel, problem, *config, variant.device, {});
}

void add_probed_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const ProbeTable& table, const std::vector<std::size_t>& picked) {
  for (const std::size_t i : picked) {
    const ProbedProgram& program = table.programs[i];
    add_program(programs, kernel, table.probes[program.probe], variant.configs[program.config], variant.device, {});
  }
}

Result<Cubins> find_cubins(const Programs& programs, const Reader& reader, const CubinOptions& options) {
  Cubins cubins;
  const CubinCache cache;
  std::vector<Task> tasks;
  for (const auto& [key, program] : programs) {
    WT_TRY(auto found, find_stored(program, reader, cache));
    if (found) {
      found->hash = key;
      cubins.by_key.emplace(key, std::move(*found));
    } else if (options.compile && (!program.request.build || options.allow_build)) {
      tasks.push_back({key, &program, std::nullopt});
    } else {
      cubins.missing.push_back(why_missing(program, options));
    }
  }
  cubins.stored = cubins.by_key.size();

  const auto program = find_compile_program();
  if (!tasks.empty() && !program)
    return fail(ErrorKind::internal, "cubins are compiled by the program warptune, which was not found; set "
                                     "WARPTUNE_PROGRAM to its path, or use --no-compile");

  std::atomic<std::size_t> next{0}, done{0};
  std::mutex reporting;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      if (auto error = run_guarded([&] { tasks[i].result = make(*program, cache, tasks[i].program->request); }))
        tasks[i].result = fail(std::move(*error));
      const std::lock_guard lock(reporting);
      ++done;
      if (options.progress) options.progress(done, tasks.size());
    }
  };
  const std::size_t asked = options.workers > 0 ? static_cast<std::size_t>(options.workers)
                                                : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  // If no more threads can be started, the existing ones do all the work.
  run_guarded([&] {
    for (std::size_t i = 1; i < std::min(asked, tasks.size()); ++i) threads.emplace_back(work);
  });
  work();
  for (std::thread& thread : threads) thread.join();

  for (Task& task : tasks) {
    WT_CHECK(*task.result);
    CompileResult& compiled = **task.result;
    if (!compiled) {
      cubins.missing.push_back(fmt::format("{} does not compile for {}: {}",
                                           task.program->request.name_expressions.front(), task.program->arch,
                                           first_lines(compiled.error().log)));
      continue;
    }
    ++cubins.compiled;
    cubins.by_key.emplace(task.key, CubinRecord{task.key, task.program->arch, std::move(compiled->image),
                                                std::move(compiled->lowered_names)});
  }
  return cubins;
}

} // namespace warptune
