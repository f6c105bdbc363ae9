"""The content of the wheel; stubs, exports and documents agree."""
import ast
import os
import subprocess
import sys
import unittest
from pathlib import Path

import warptune
from warptune import _core

PACKAGE = Path(warptune.__file__).parent


class PackageTest(unittest.TestCase):
    def test_brings_its_own_library_program_and_templates(self):
        maps = Path("/proc/self/maps").read_text()
        loaded = {line.split()[-1] for line in maps.splitlines() if "libwarptune.so" in line}
        self.assertEqual({Path(path).parent for path in loaded}, {PACKAGE / "lib"})
        self.assertEqual(warptune.program(), str(PACKAGE / "bin" / "warptune"))
        self.assertTrue((PACKAGE / "share" / "warptune" / "kernel_templates" / "softmax" / "spec.json").exists())
        said = subprocess.run([warptune.program(), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(warptune.version(), said)

    def test_versions_agree(self):
        from importlib.metadata import version
        self.assertEqual(version("warptune"), warptune.__version__)
        self.assertEqual(warptune.__version__, _core.version())

    def test_stubs_name_what_there_is(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        tree = ast.parse((PACKAGE / "_core.pyi").read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.assertTrue(hasattr(_core, node.name), node.name)
            if isinstance(node, ast.ClassDef):
                stubbed = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
                real = {n for n in vars(getattr(_core, node.name)) if not n.startswith("_")}
                self.assertEqual({n for n in stubbed if not n.startswith("_")}, real, node.name)

    def test_everything_public_has_words(self):
        for name in warptune.__all__:
            self.assertTrue(getattr(warptune, name).__doc__, name)

    def test_needs_no_torch(self):
        code = "import sys, warptune; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 0)

    def test_torch_module_compiles_and_says_what_it_lacks(self):
        for path in (PACKAGE / "torch").glob("*.py"):
            compile(path.read_text(), str(path), "exec")
        code = "import warptune.torch"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                               env={**os.environ, "PYTHONPATH": ""})
        if found.returncode != 0:
            self.assertIn("No module named 'torch'", found.stderr)


if __name__ == "__main__":
    unittest.main()
