#!/usr/bin/env python3
"""Each check of lint.py finds what it should, and accepts a tree that keeps the rules."""
import argparse
import fnmatch
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lint

GOOD = {
    "src/spec/CMakeLists.txt": "wt_library(wt_spec SOURCES spec.cpp spec_json.cpp)\n",
    "src/spec/spec.h": "#include <vector>\n",
    "src/spec/spec.cpp": '#include "spec/spec.h"\n',
    "src/spec/spec_json.cpp": '#include "spec/spec.h"\n#include <nlohmann/json.hpp>\n',
    "db/CMakeLists.txt": "wt_library(wt_db_reader SOURCES reader.cpp)\nwt_library(wt_db SOURCES writer.cpp)\n",
    "db/reader.h": '#include "spec/spec.h"\n',
    "db/reader.cpp": '#include "db/reader.h"\n#include <SQLiteCpp/SQLiteCpp.h>\n',
    "db/writer.h": "",
    "db/writer.cpp": '#include "db/reader.h"\n#include "db/writer.h"\n'
                     "Result<void> Writer::record(RowId row,\n                            int x) const {\n}\n",
    "src/runtime/CMakeLists.txt": "add_library(wt_runtime SHARED capi.cpp)\n",
    "src/runtime/capi.cpp": '#include "db/reader.h"\n#include "warptune/build_config.h"\n',
    "README.md": "| record | `Trial` -> row | `Writer::record` | db/writer.cpp |\n[spec](src/spec/spec.h)\n",
}


class LintTest(unittest.TestCase):
    def findings(self, check, changes, **args):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("@ROOT@", str(Path(folder).resolve())))
            arguments = argparse.Namespace(**{"build": folder, "binary": None, **args})
            return list(lint.CHECKS[check](lint.Tree(folder), arguments))

    def expect(self, check, changes, part):
        found = self.findings(check, changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_good_tree_passes(self):
        for check in ("layers", "definitions", "early", "sources", "length", "paths", "documents"):
            self.assertEqual(self.findings(check, {}), [], check)

    def test_layers(self):
        self.expect("layers", {"src/spec/spec.cpp": '#include "db/reader.h"\n'}, "spec must not include db_reader")
        self.expect("layers", {"src/runtime/capi.cpp": '#include "db/writer.h"\n'}, "runtime must not include db")
        self.expect("layers", {"db/reader.cpp": '#include "db/writer.h"\n', "db/writer.cpp": ""},
                    "db_reader must not include db")
        self.expect("layers", {"src/spec/spec.cpp": '#include "core/absent.h"\n'}, "not a file of this tree")

    def test_definitions(self):
        one = "namespace warptune {\nclass SpecReader {\n};\n} // namespace warptune\n"
        self.expect("definitions", {"src/spec/parts.h": one, "db/spec_reader.h": one},
                    "src/spec/parts.h:2: warptune::SpecReader is defined in db/spec_reader.h too")
        for other in (one.replace("class SpecReader {", "class SpecReader;"),
                      one.replace("{\nclass", "{\nnamespace {\nclass"),
                      one.replace("{\nclass", "{\ninline namespace v0 {\nclass")):
            self.assertEqual(self.findings("definitions", {"src/spec/parts.h": other, "db/spec_reader.h": one}), [], other)

    def test_early(self):
        kernel = ("template <int N>\n__global__ void __launch_bounds__(256)\n    k(int* x) {\n  static_assert(N > 0, \"some\");\n  "
                  "wt::wait_for_earlier_work();\n  x[0] = N;\n}\n")
        folder, spec = "kernel_templates/op", '// a comment\n{"launches": [{"kernel": "k", "early": true}]}'
        good = {f"{folder}/spec.json": spec, f"{folder}/kernel.cu": kernel}
        in_header = {f"{folder}/spec.json": "{}", f"{folder}/one/implementation.json": spec, f"{folder}/own.cuh": kernel, f"{folder}/one/kernel.cu": ""}
        for tree in (good, in_header):
            self.assertEqual(self.findings("early", tree), [])
        computes = kernel.replace("  wt::wait_for_earlier_work()", "  const int y = f(N / 3);\n  // loads follow\n  wt::wait_for_earlier_work_after(g(y) ^ 1)")
        self.assertEqual(self.findings("early", {**good, f"{folder}/kernel.cu": computes}), [])
        wait = "  wt::wait_for_earlier_work();\n"
        for before in ("int y = x[1];", "const int y = *x;", "if (N > 1) return;", "const V v = wt::load<V>(x);", "if constexpr (N > 1)\n  ",
                       "const int y = row->first;", "atomicAdd(x, 1);"):
            self.expect("early", {**good, f"{folder}/kernel.cu": kernel.replace(wait, f"  {before}\n{wait}")}, "k may start early, so it must wait")
        self.expect("early", {**good, f"{folder}/kernel.cu": kernel.replace(wait, f"  {{\n  {wait}  }}\n")}, "k may start early, so it must wait")
        late = kernel.replace(wait, f"  int y = x[1];\n{wait}")
        self.expect("early", {**good, f"{folder}/kernel.cu": late}, f"{folder}/kernel.cu:3: k may start early, so it must wait")
        self.expect("early", {**in_header, f"{folder}/own.cuh": late}, f"{folder}/own.cuh:3: k may start early")
        self.expect("early", {**good, f"{folder}/kernel.cu": ""}, "no file of the folder defines it")
        self.expect("early", {**good, f"{folder}/spec.json": spec.replace("true", "false")}, 'but no launch of it has "early"')

    def test_programmatic(self):
        spec = '{"launches": [{"kernel": "first"}, {"kernel": "then", "programmatic": true}]}'
        own = "__global__ void first(int* x) {\n}\n__global__ void __launch_bounds__(32) then(int* x) {\n  @\n}\n"
        helper = "template <int N> __device__ void sums(int* x) {\n  wt::wait_for_predecessor();\n}\n"
        folder = "kernel_templates/op"
        for call in ("wt::wait_for_predecessor();", "sums<3>(x);"):
            tree = {f"{folder}/spec.json": spec, f"{folder}/kernel.cu": own.replace("@", call), "kernel_templates/common/sums.cuh": helper}
            self.assertEqual(self.findings("early", tree), [])
        for text in (own.replace("@", "x[0] = 1;"), own.replace("{\n}", "{\n  wt::wait_for_predecessor();\n}", 1).replace("@", "")):
            self.expect("early", {f"{folder}/spec.json": spec, f"{folder}/kernel.cu": text},
                        "then may start before the previous launch has ended, but does not wait")

    def test_calls(self):
        self.assertEqual(self.findings("layers", {"db/stored_values.cpp": "parse_config(spec, text);\n"}), [])
        self.expect("layers", {"db/writer.cpp": "\nparse_config(spec, text);\n"}, "db/writer.cpp:2: parse_config( is called in")

    def test_tiers(self):
        below = {"src/cuda/verifier.h": "", "src/cuda/candidate.h": '#include "cuda/verifier.h"\n'}
        self.assertEqual(self.findings("layers", below), [])
        for file in ("src/cuda/verifier.h", "src/cuda/verifier.cpp"):
            above = {file: '\n#include "cuda/candidate.h"\n', "src/cuda/candidate.h": ""}
            self.expect("layers", above, f"{file}:2: includes src/cuda/candidate.h, which is of a higher tier of cuda")
        for room, folder in lint.rules.UNITS.items():
            self.expect("layers", {f"{folder}/news.cpp": ""}, f"no tier of {room} in tests/lint/rules.py lists it")

    def test_a_name_counts_before_a_pattern(self):
        tiers = [["all_*"], ["all_but", "rest"]]
        self.assertEqual([lint.tier_of(s, tiers) for s in ("all_of", "all_but", "rest", "none")], [0, 1, 1, None])

    def test_every_room_has_tiers(self):
        self.assertEqual(set(lint.rules.TIERS), set(lint.rules.UNITS))

    def test_a_file_is_in_one_tier(self):
        for room, tiers in lint.rules.TIERS.items():
            named = [stem for tier in tiers for stem in tier]
            self.assertEqual(sorted(named), sorted(set(named)), room)

    def test_tiers_name_files_of_the_tree(self):
        tree = lint.Tree(Path(__file__).resolve().parents[2])
        for room, tiers in lint.rules.TIERS.items():
            folder = lint.rules.UNITS[room]
            stems = [lint.stem_of(f)[len(folder) + 1:] for f in lint.room_files(tree, folder)]
            names = [(i, n) for i, tier in enumerate(tiers) for n in tier]
            idle = [n for i, n in names if not any(fnmatch.fnmatchcase(s, n) and lint.tier_of(s, tiers) == i for s in stems)]
            self.assertEqual(idle, [], room)

    def test_cycles(self):
        a, b, c = (f"search/strategies/{name}" for name in "abc")
        through_headers = {f"{a}.h": '#include "b.h"\n', f"{b}.h": '#include "c.h"\n', f"{c}.h": '#include "a.h"\n'}
        self.expect("layers", through_headers, f"include cycle: {a} -> {b} -> {c} -> {a}")
        through_a_source = {f"{a}.cpp": '#include "b.h"\n', f"{a}.h": "", f"{b}.h": '#include "a.h"\n'}
        self.expect("layers", through_a_source, f"{a} -> {b} -> {a}")
        one_thing = {"db/writer_impl.h": '#include "db/writer.h"\n',
                     "db/writer.cpp": GOOD["db/writer.cpp"] + '#include "db/writer_impl.h"\n'}
        self.assertEqual(self.findings("layers", one_thing), [])

    def test_third_party_headers_stay_home(self):
        self.expect("layers", {"src/spec/spec.cpp": "\n#include <nlohmann/json.hpp>\n"}, "spec.cpp:2")
        self.expect("layers", {"src/spec/spec.h": "#include <chrono>\n"}, "chrono")
        self.expect("layers", {"src/runtime/capi.cpp": "#include <cupti_target.h>\n"}, "profiler/")
        self.expect("layers", {"src/runtime/include/warptune/warptune.h": "#include <tl/expected.hpp>\n"}, "public header")

    def test_sources(self):
        self.expect("sources", {"src/spec/more.cpp": ""}, "src/spec/more.cpp: not listed")
        self.expect("sources", {"db/schema/0002_x.sql": ""}, "0002_x.sql")
        self.expect("sources", {"src/spec/pec.cpp": ""}, "pec.cpp")  # spec.cpp is listed, pec.cpp is not

    def test_length(self):
        self.assertEqual(self.findings("length", {"src/spec/spec.h": "\n" * 500}), [])
        self.expect("length", {"src/spec/spec.h": "\n" * 501}, "501 lines")

    def test_device_code(self):
        compiled = json.dumps([{"file": "/x/kernel.cu", "command": "c++ -c kernel.cu"}])
        self.expect("device_code", {"compile_commands.json": compiled}, "kernel.cu")
        self.expect("device_code", {"compile_commands.json": "[]", "CMakeLists.txt": "project(x LANGUAGES CXX CUDA)"},
                    "CUDA language")

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_binaries(self):
        header = "WT_API const char* wt_declared(void); WT_API int wt_both(int);"
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder, "libwarptune.so")
            source = "int wt_both(int x) { return x; } int wt_extra; int other; const char* s = \"libcupti.so\";"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library],
                           input=source, text=True, check=True, capture_output=True)
            found = "\n".join(self.findings("binaries", {"src/runtime/include/warptune/warptune.h": header},
                                            binary=[str(library)]))
        for part in ("exports other", "exports s", "wt_declared is declared", "wt_extra is exported", "libcupti"):
            self.assertIn(part, found)
        self.assertNotIn("wt_both", found)

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_abi(self):
        header = "WT_API int wt_kept(int); WT_API int wt_new(int);"
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder, "libwarptune.so")
            Path(folder, "map").write_text("WARPTUNE_0 { global: wt_kept; local: wt_hidden; };")
            source = "int wt_kept(int x) { return x; } int wt_new(int x) { return x; } char big[5000000] = {1};"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library, "-Wl,-soname,libwarptune.so.1",
                            "-Wl,-rpath,/opt/lib", f"-Wl,--version-script={folder}/map"],
                           input=source, text=True, check=True, capture_output=True)
            tree = {"src/runtime/include/warptune/warptune.h": header,
                    "src/runtime/abi.txt": "# title\nsoname libwarptune.so.0\nwt_gone@@WARPTUNE_0\nwt_kept@@WARPTUNE_0\n"}
            found = "\n".join(self.findings("binaries", tree, binary=[str(library)]))
        for part in ("soname libwarptune.so.0 is in", "soname libwarptune.so.1 is not in", "wt_gone@@WARPTUNE_0 is in",
                     "wt_new is not in", "wt_new has no version", "/opt/lib", "the limit is"):
            self.assertIn(part, found)
        self.assertNotIn("wt_kept", found)

    def test_paths(self):
        self.expect("paths", {"docs/x.md": "see @ROOT@\n"}, "docs/x.md:1")
        self.expect("paths", {"docs/x.md": "\n/home/" + "someone/x\n"}, "docs/x.md:2")

    def test_words(self):
        self.expect("words", {"docs/x.md": "fine\nthe oracle says\n"}, "docs/x.md:2: 'oracle'")
        self.expect("words", {"README.md": "It Goes on.\n"}, "README.md:1")
        self.expect("words", {"cli/help_text.h": 'x = R"(Examples:\n  it ends in 4\n)";\n'}, "cli/help_text.h:2")
        self.expect("words", {"src/a/b.cpp": 'f("one");\nf("nobody reads it");\n'}, "src/a/b.cpp:2")
        fine = {"docs/x.md": "```\nthe oracle\n```\n`goes on` there is no GPU\n", "docs/notes/x.md": "nobody knows\n",
                "src/a/b.cpp": '// nobody\nf("evidence", "SELECT evidence FROM trials");\n'}
        self.assertEqual(self.findings("words", fine), [])

    def test_words_of_public_headers_and_names(self):
        header = {"src/runtime/include/warptune/x.h": "int x; // compares with the oracle\n/* alone */\n"}
        self.assertEqual(len(self.findings("words", header)), 2)
        self.assertEqual(self.findings("words", {"src/runtime/x.h": "// compares with the oracle\n"}), [])
        self.expect("words", {"src/spec/x.cpp": "constexpr int kMostDims = 8;\n"}, "kMostDims: name it kMax...")

    def test_documents(self):
        self.expect("documents", {"docs/x.md": "[a](absent.md)", "README.md": ""}, "absent.md")
        row = "| record | `Trial` -> row | `%s` | %s |\n"
        self.expect("documents", {"README.md": row % ("Writer::record", "db/absent.cpp")}, "does not exist")
        for text in ("", "// Writer::record(row) {\n", "Result<void> Writer::record(RowId);\n",
                     "void f() {\n  Writer::record(1);\n}\n", "void Writer::recorded() {\n}\n"):
            self.expect("documents", {"db/writer.cpp": text}, "db/writer.cpp has no Writer::record")

    def test_links_to_headings(self):
        page = ("# The *fast* `row_norm`: what's new, and [why](why.md) _it_ is\n## C++ & `__compile <x>` / 2^3 ##\n"
                "## Run\n\n## Run\n```\n# In code\n```\n~~~~ x\n```\n# Inside\n~~~~\n")
        tree = {"docs/x.md": page, "docs/why.md": "", "docs/sub/README.md": "# Übersicht é²\n"}
        for link in ("x.md#the-fast-row_norm-whats-new-and-why-it-is", "x.md#c--__compile-x--23", "x.md#run", "x.md#run-1",
                     "#own", "x.md", "https://x.org/y.md#z", "sub#übersicht-é", "sub/README.md#%C3%BCbersicht-%C3%A9",
                     "../db/reader.h#L1"):
            self.assertEqual(self.findings("documents", {**tree, "docs/y.md": f"# Own\n[a\nb]({link})"}), [], link)
        for link in ("x.md#The-fast", "x.md#run-2", "x.md#in-code", "x.md#inside", "x.md#own", "#run", "sub#run",
                     "../db#run"):
            self.expect("documents", {**tree, "docs/y.md": f"# Own\n[a\nb]({link})"}, f"docs/y.md:3: link to {link}, but ")
        self.expect("documents", {"docs/y.md": "[a](absent.md#run)"}, "docs/y.md:1: link to absent.md, which does not")

    def test_a_numbered_anchor_can_be_taken(self):
        found = lint.links.anchors_of("# Run 1\n# Run\n# Run\n# `a_b_c` _d_\n")
        self.assertEqual(found, {"run", "run-1", "run-2", "a_b_c-d"})

    def test_documents_name_tests_that_exist(self):
        tests = {"tests/unit/x_test.cpp": "TEST_F(Table, IsCut) {}\n", "tests/browser/page.test.mjs": "test('in print', f);\n"}
        for text in ("`Table.IsCut`, `Table.Is*`, `Table.*`", '`page.test.mjs`, "in print"', "`README.md`"):
            self.assertEqual(self.findings("documents", {**tests, "docs/notes/first-hour.md": text}), [], text)
        for text in ("`Table.IsC`", "`Tables.*`", '`page.test.mjs`, "on paper"'):
            self.expect("documents", {**tests, "docs/notes/first-hour.md": "\n" + text}, "first-hour.md:2: test ")

    def test_documents_find_methods_in_their_class(self):
        row = {"README.md": "| x | a -> b | `A::go` | src/spec/spec.h |\n| x | a -> b | `A::go` | src/spec/spec.cpp |\n"}
        inside = {"src/spec/spec.h": "class A {\n  virtual int go(int x) = 0;\n};\n",
                  "src/spec/spec.cpp": "class A final : public B {\n  int go(int x) override {\n  }\n};\n"}
        self.assertEqual(self.findings("documents", {**row, **inside}), [])
        other = {name: text.replace("class A", "class B") for name, text in inside.items()}
        self.assertEqual(len(self.findings("documents", {**row, **other})), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
