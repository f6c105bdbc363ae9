#include "capture/records.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<unsigned char> bytes_of(const std::string& hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
  return bytes;
}

CapturedProgram program_of(const json& line) {
  return {line.at("name"),
          line.at("source"),
          line.at("headers").get<std::vector<std::pair<std::string, std::string>>>(),
          line.at("options"),
          line.at("images"),
          line.at("kernels"),
          line.at("result").get<int>() == 0};
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

CapturedArgument argument_of(const json& line, const fs::path& folder) {
  CapturedArgument argument{bytes_of(line.at("value")), std::nullopt};
  const auto buffer = line.find("buffer");
  if (buffer == line.end()) return argument;
  const std::string file = buffer->value("contents", "");
  argument.buffer =
      CapturedBuffer{buffer->at("bytes"), buffer->at("memory"), is_plain_name(file) ? folder / file : fs::path()};
  return argument;
}

CapturedCase case_of(const json& line, const fs::path& folder) {
  CapturedCase one;
  one.grid = line.at("grid");
  one.block = line.at("block");
  one.cluster = line.at("cluster");
  one.shared = line.at("shared");
  one.is_cooperative = line.at("cooperative");
  one.is_graph = line.at("graph");
  one.has_arguments = !line.at("args").is_null();
  if (one.has_arguments)
    for (const json& argument : line.at("args")) one.arguments.push_back(argument_of(argument, folder));
  return one;
}

DeviceTimes times_of(const json& line) {
  return {line.at("calls"), line.at("ns"), line.at("min_ns"), line.at("max_ns")};
}

// Equal for launches of the same problem: a pointer counts only by the number of bytes after it.
std::string key_of(const CapturedCase& one) {
  std::string key = fmt::format("{} {}", one.kernel, one.image);
  for (const auto* numbers : {&one.grid, &one.block, &one.cluster})
    for (const std::int64_t number : *numbers) key += fmt::format(" {}", number);
  key += fmt::format(" {}", one.shared);
  for (const CapturedArgument& argument : one.arguments) {
    key += argument.buffer ? fmt::format(" b{}", argument.buffer->bytes) : " ";
    if (!argument.buffer) key.append(argument.value.begin(), argument.value.end());
  }
  return key;
}

std::string launch_key(const std::string& name, const std::array<std::int64_t, 3>& grid,
                       const std::array<std::int64_t, 3>& block, std::int64_t shared) {
  return fmt::format("{} {} {} {} {} {} {} {}", name, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared);
}

template <class Rows> void sort_by_time(Rows& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.times.ns > b.times.ns; });
}

class RecordReader {
 public:
  explicit RecordReader(fs::path folder) : folder_(std::move(folder)) {}

  void read(const fs::path& file) {
    process_ = records_.processes.size();
    records_.processes.emplace_back();
    kernels_.clear();
    case_places_.clear();
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      try {
        take(json::parse(line));
      } catch (const std::exception&) {
        ++records_.skipped_lines;
      }
    }
    give_times();
  }

  CaptureRecords finish() {
    for (auto& [name, kernel] : all_kernels_) records_.kernels.push_back(std::move(kernel));
    sort_by_time(records_.kernels);
    sort_by_time(records_.cases);
    return std::move(records_);
  }

 private:
  struct Timed {
    std::string launch;
    int a_case = -1;
    DeviceTimes times;
  };

  void take(const json& line) {
    CapturedProcess& process = records_.processes[process_];
    if (line.contains("capture")) {
      process.pid = line.at("pid");
      process.program = line.at("program");
    } else if (line.contains("cuda")) {
      process.has_cuda = true;
    } else if (line.contains("problem")) {
      process.problems.push_back(line.at("problem"));
    } else if (line.contains("dropped")) {
      process.dropped += line.at("dropped").get<std::int64_t>();
    } else if (line.contains("end")) {
      process.has_ended = true;
    } else if (line.contains("program")) {
      take_program(program_of(line.at("program")));
    } else if (line.contains("kernel")) {
      const json& kernel = line.at("kernel");
      kernels_[kernel.at("id")] = {kernel.at("name"), kernel.at("image")};
    } else if (line.contains("case")) {
      take_case(line.at("case"));
    } else if (line.contains("times")) {
      take_times(line.at("times"));
    } else {
      ++records_.skipped_lines;
    }
  }

  void take_program(CapturedProgram program) {
    const auto same = [&](const CapturedProgram& other) {
      return other.source == program.source && other.options == program.options && other.headers == program.headers &&
             other.images == program.images;
    };
    if (std::none_of(records_.programs.begin(), records_.programs.end(), same))
      records_.programs.push_back(std::move(program));
  }

  void take_case(const json& line) {
    CapturedCase one = case_of(line, folder_);
    std::tie(one.kernel, one.image) = kernels_.at(line.at("kernel"));
    const auto [place, is_new] = all_cases_.try_emplace(key_of(one), records_.cases.size());
    if (is_new) records_.cases.push_back(std::move(one));
    case_places_[line.at("id")] = place->second;
  }

  void take_times(const json& line) {
    const json& kernel = line.at("kernel");
    const std::string name = kernel.at("name");
    const DeviceTimes times = times_of(line);
    CapturedKernel& known = all_kernels_[name];
    known.name = name;
    known.registers = kernel.at("registers");
    known.is_graph = known.is_graph || kernel.at("graph").get<bool>();
    known.times.add(times);
    timed_.push_back(
        {launch_key(name, kernel.at("grid"), kernel.at("block"), kernel.at("shared")), kernel.at("case"), times});
  }

  // A launch from a graph has no case number: its time goes to the first case with the same geometry.
  void give_times() {
    std::map<std::string, std::size_t> by_launch;
    for (const auto& [id, place] : case_places_) {
      const CapturedCase& one = records_.cases[place];
      by_launch.try_emplace(launch_key(one.kernel, one.grid, one.block, one.shared), place);
    }
    for (const Timed& timed : timed_) {
      const auto known = case_places_.find(timed.a_case);
      const auto similar = by_launch.find(timed.launch);
      if (known != case_places_.end())
        records_.cases[known->second].times.add(timed.times);
      else if (similar != by_launch.end())
        records_.cases[similar->second].times.add(timed.times);
    }
    timed_.clear();
  }

  fs::path folder_;
  CaptureRecords records_;
  std::size_t process_ = 0;
  std::map<int, std::pair<std::string, std::string>> kernels_; // kernels of this process: name, image
  std::map<int, std::size_t> case_places_;                     // cases of this process: places in records_.cases
  std::vector<Timed> timed_;
  std::map<std::string, std::size_t> all_cases_;
  std::map<std::string, CapturedKernel> all_kernels_;
};

} // namespace

void DeviceTimes::add(const DeviceTimes& other) {
  if (other.calls == 0) return;
  min_ns = calls == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  calls += other.calls;
  ns += other.ns;
}

Result<CaptureRecords> read_capture_records(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".jsonl") files.push_back(at->path());
  if (failed)
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the records in {}: {}", quote(folder.string()), failed.message()));
  std::sort(files.begin(), files.end());
  RecordReader reader(folder);
  for (const fs::path& file : files) reader.read(file);
  return reader.finish();
}

} // namespace warptune
