#include "cli/man_page.h"

#include "cli/help_format.h"
#include "core/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

// Escapes the characters that are special in roff.
std::string escape(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out = "\\&";
  for (const char c : text) {
    switch (c) {
    case '\\':
      out += "\\e";
      break;
    case '-':
      out += "\\-";
      break;
    case '\'':
      out += "\\(aq";
      break;
    case '`':
      out += "\\(ga";
      break;
    case '^':
      out += "\\(ha";
      break;
    case '~':
      out += "\\(ti";
      break;
    default:
      out += c;
    }
  }
  return out;
}

// Makes `words` in backticks bold if the backticks of the line are paired.
std::string prose(std::string_view text) {
  if (std::count(text.begin(), text.end(), '`') % 2 != 0) return escape(text);
  std::string out;
  bool bold = false;
  for (std::size_t at = 0; at <= text.size(); bold = !bold) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    const std::string piece = escape(text.substr(at, end - at));
    out += bold ? "\\fB" + piece + "\\fR" : piece;
    at = end + 1;
  }
  return out;
}

// prose() in lines of at most 78 bytes, where words allow. A line that begins with a dot would be a roff request.
std::string filled(std::string_view text) {
  std::string out, line;
  const std::string roff = prose(text);
  for (const std::string_view word : split(roff, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > 78) {
      out += line + "\n";
      line.clear();
    }
    if (line.empty() && word.front() == '.') line = "\\&";
    if (!line.empty() && line != "\\&") line += ' ';
    line += word;
  }
  return out + line + "\n";
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

std::string heading(const std::string& page, const std::string& version) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.ad l\n.nh\n", escape(upper(page)), escape(version));
}

std::string option_terms(const OptionDoc& option) {
  std::string out;
  for (const std::string& name : option.names)
    out += fmt::format("{}\\fB{}\\fR", out.empty() ? "" : ", ", escape(name));
  if (option.is_positional()) out = "\\fI" + escape(option.positional) + "\\fR";
  if (!option.value.empty() && !option.is_positional()) out += " \\fI" + escape(option.value) + "\\fR";
  return out;
}

std::string options_of(const CommandDoc& command) {
  std::string out;
  for (const OptionDoc& option : command.options)
    out += fmt::format(".TP\n{}\n{}", option_terms(option),
                       filled(option.help + (option.required && !option.is_positional() ? " (required)" : "")));
  return out;
}

std::string synopsis(const CommandDoc& command) {
  std::string out = fmt::format(".B warptune {}\n", escape(command.name));
  for (const OptionDoc& option : command.options)
    if (option.required && !option.is_positional()) out += fmt::format("{}\n", option_terms(option));
  out += "[\\fIOPTIONS\\fR]\n";
  for (const OptionDoc& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string word = option_terms(option) + (option.repeated ? " ..." : "");
    out += option.required ? word + "\n" : "[" + word + "]\n";
  }
  return out;
}

// An indented line of a help text: a command or word, then its meaning after two or more spaces.
std::string entry(std::string_view line) {
  const std::size_t gap = line.find("  ");
  const std::string term = escape(trim(line.substr(0, gap)));
  const auto meaning = gap == std::string_view::npos ? std::string_view() : trim(line.substr(gap));
  if (meaning.empty()) return fmt::format(".HP\n\\fB{}\\fR\n", term);
  return fmt::format(".TP\n\\fB{}\\fR\n{}", term, filled(meaning));
}

struct Section {
  std::string title, text;
};

// The help text below the options. Headings ("Examples:", then indented lines) become sections; the rest becomes the
// description, which comes first.
std::vector<Section> sections_of(const CommandDoc& command) {
  std::vector<Section> sections{{"DESCRIPTION", {}}};
  std::size_t current = 0;
  std::string paragraph;
  const auto end_paragraph = [&] {
    std::string& text = sections[current].text;
    if (!paragraph.empty()) text += (text.empty() ? "" : ".PP\n") + filled(paragraph);
    paragraph.clear();
  };
  const auto lines = lines_of(command.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const bool titled = i + 1 < lines.size() && lines[i + 1].rfind("  ", 0) == 0 && line.ends_with(':');
    const bool plain = !line.empty() && line.front() != ' ';
    if (!plain || titled || line.rfind("--", 0) == 0) end_paragraph(); // sentences about an option are a paragraph
    if (titled && plain) {
      const auto title = line.substr(0, line.size() - 1);
      sections.push_back({title == "Exit codes" ? "EXIT STATUS" : escape(upper(title)), {}});
      current = sections.size() - 1;
    } else if (line.rfind("More: ", 0) == 0) {
      end_paragraph();
      sections.push_back({"SEE ALSO", filled(line.substr(6))});
    } else if (line.empty()) {
      current = 0;
    } else if (plain) {
      paragraph += std::string(paragraph.empty() ? "" : " ") + std::string(line);
    } else if (line.rfind("   ", 0) == 0) { // continues the meaning of the line above
      sections[current].text += filled(trim(line));
    } else {
      sections[current].text += entry(trim(line));
    }
  }
  end_paragraph();
  return sections;
}

std::string render(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections)
    if (!section.text.empty()) out += fmt::format(".SH {}\n{}", section.title, section.text);
  return out;
}

} // namespace

std::string man_page(const ProgramDoc& program, const CommandDoc& command) {
  const std::string page = "warptune-" + command.name;
  std::vector<Section> sections = sections_of(command);
  sections.insert(sections.begin(), {{"NAME", fmt::format("{} \\- {}\n", escape(page), escape(command.summary))},
                                     {"SYNOPSIS", synopsis(command)}});
  sections.insert(sections.begin() + 3, {"OPTIONS", options_of(command)});
  if (sections.back().title == "SEE ALSO") sections.back().text = ".BR warptune (1);\n" + sections.back().text;
  return heading(page, program.version) + render(sections);
}

std::string man_page(const ProgramDoc& program) {
  std::vector<Section> sections = sections_of(program.main);
  sections.front().text = filled(program.main.summary) + ".PP\n" + sections.front().text;
  std::string commands;
  for (const CommandDoc& command : program.commands)
    commands += fmt::format(".TP\n.BR warptune\\-{} (1)\n{}", escape(command.name), filled(command.summary));
  sections.insert(sections.begin(), {{"NAME", "warptune \\- GPU kernel autotuner\n"},
                                     {"SYNOPSIS", ".B warptune\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"}});
  sections.insert(sections.begin() + 3, {{"COMMANDS", commands}, {"OPTIONS", options_of(program.main)}});
  return heading("warptune", program.version) + render(sections);
}

} // namespace warptune::cli
