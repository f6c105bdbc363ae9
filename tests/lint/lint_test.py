#!/usr/bin/env python3
"""Each check of lint.py finds what it is there to find, and lets a tree that keeps the rules pass."""
import argparse
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
    "db/writer.cpp": '#include "db/reader.h"\n#include "db/writer.h"\n',
    "src/runtime/CMakeLists.txt": "add_library(wt_runtime SHARED api.cpp)\n",
    "src/runtime/api.cpp": '#include "db/reader.h"\n#include "warptune/build_config.h"\n',
    "README.md": "| record | `Trial` -> row | `Writer::record` | src/spec/spec.cpp |\n[spec](src/spec/spec.h)\n",
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
        readme = {"README.md": GOOD["README.md"].replace("Writer::record", "include")}
        for check in ("layers", "sources", "length", "paths", "documents"):
            self.assertEqual(self.findings(check, readme), [], check)

    def test_layers(self):
        self.expect("layers", {"src/spec/spec.cpp": '#include "db/reader.h"\n'}, "spec must not include db_reader")
        self.expect("layers", {"src/runtime/api.cpp": '#include "db/writer.h"\n'}, "runtime must not include db")
        self.expect("layers", {"db/reader.cpp": '#include "db/writer.h"\n'}, "db_reader must not include db")
        self.expect("layers", {"src/spec/spec.cpp": '#include "core/absent.h"\n'}, "no file of this tree")

    def test_third_party_headers_stay_home(self):
        self.expect("layers", {"src/spec/spec.cpp": "\n#include <nlohmann/json.hpp>\n"}, "spec.cpp:2")
        self.expect("layers", {"src/spec/spec.h": "#include <chrono>\n"}, "chrono")
        self.expect("layers", {"src/runtime/api.cpp": "#include <cupti_target.h>\n"}, "profiler/")
        self.expect("layers", {"src/runtime/include/warptune/warptune.h": "#include <tl/expected.hpp>\n"}, "public header")

    def test_sources(self):
        self.expect("sources", {"src/spec/more.cpp": ""}, "src/spec/more.cpp: not listed")
        self.expect("sources", {"db/schema/0002_x.sql": ""}, "0002_x.sql")
        self.expect("sources", {"src/spec/pec.cpp": ""}, "pec.cpp")  # spec.cpp is listed, this is not

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

    def test_documents(self):
        self.expect("documents", {"docs/x.md": "[a](absent.md)", "README.md": ""}, "absent.md")
        self.expect("documents", {}, "has no Writer::record")


if __name__ == "__main__":
    unittest.main(verbosity=2)
