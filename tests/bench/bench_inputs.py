"""Checks the inputs of the benchmarks: programs, Python packages, kernel folders and databases. If an input is missing, a function prints one
sentence and ends the script with the exit code 2."""
import argparse
import importlib.util
import os
import shutil
import sqlite3
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent


def fail(message):
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def need_program(path, instead):
    """`instead`: what the user can do without the program."""
    if not shutil.which(path):
        fail(f"the program {path} does not exist; {instead}")


def need_warptune(path):
    need_program(path, "run this script in the tree of `make dist`, or name the program with --warptune")


def need_packages():
    """Refuses to start without PyTorch or the Python package of warptune."""
    for package in ("torch", "warptune"):
        if not importlib.util.find_spec(package):
            fail(f"the Python package {package} is not installed; install it in the Python that runs this script (warptune: "
                 "`WARPTUNE_PREFIX=$PWD pip install share/warptune/python` in the tree of `make dist`)")


def kernel_templates():
    """Returns the folder of the shipped kernels, in the tree of make dist or in the sources."""
    folders = [share / "kernel_templates" for share in (TREE / "share" / "warptune", TREE.parent)]
    found = [folder for folder in folders if folder.is_dir()]
    return found[0] if found else fail(f"the kernel folders are neither at {folders[0]} nor at {folders[1]}; run this script in the tree "
                                       "of `make dist`")


def need_database_to_show(options):
    """Refuses --show without an existing --db."""
    if options.show and not options.db:
        fail("--show needs --db with the database whose results it shows")
    if options.show:
        open_database(options.db).close()


def open_database(path):
    """Returns a connection to an existing database of warptune."""
    if not os.path.isfile(path):
        fail(f"the database {path} does not exist; give an existing one with --db")
    try:
        db = sqlite3.connect(path)
        db.execute("SELECT 1 FROM best LIMIT 1")
    except sqlite3.Error as error:
        fail(f"{path} is not a database of warptune ({error}); give another one with --db")
    return db


def positive(text):
    """For argparse: a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def dtypes(text):
    """For argparse: dtypes, separated by commas."""
    names, known = text.split(","), ("bf16", "fp16", "fp32")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(known)}")
    return names
