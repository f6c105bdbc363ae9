#!/usr/bin/env python3
"""Checks the output of `warptune import` and `export` against the public schemas of tests/data/schemas.

    schema_check.py WARPTUNE RECORDINGS SCHEMAS

Exits with 77, which CTest counts as skipped, if python3-jsonschema is not installed.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return json.load(file)


def main():
    warptune, recordings, schemas = sys.argv[1:]
    formats = {"kernel-tuner": load(f"{schemas}/kernel_tuner_cache.json"), "t4": load(f"{schemas}/t4_results.json")}
    ours = f"{recordings}/sgemm__m_1024_n_1024_k_1024__fp32.json"
    theirs = f"{recordings}/spaces/convolution_milo__A100.json.gz"
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, schema in formats.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            out, back = f"{folder}/{name}.json.gz", f"{folder}/{name}_again.json"
            for words in (["export", "--recording", ours], ["import", theirs]):
                subprocess.run([warptune, *words, "--format", name, "-o", out], check=True, stdout=subprocess.DEVNULL)
                subprocess.run([warptune, "import", out, "--format", name, "-o", back], check=True, stdout=subprocess.DEVNULL)
                for path in (out, back):
                    document = load(path)
                    errors = [e.message[:200] for e in validator.iter_errors(document)]
                    if errors:
                        sys.exit(f"{' '.join(words)} as {name}: {errors[0]}")
                    rows = len(document["cache" if name == "kernel-tuner" else "results"])
                    if rows == 0:
                        sys.exit(f"{os.path.basename(path)} holds nothing")
                    checked += rows
                broken = dict(document)  # check that the schema can refuse a document
                broken.update({"cache": {"x": {}}} if name == "kernel-tuner" else {"results": [{}]})
                if validator.is_valid(broken):
                    sys.exit(f"the schema of {name} accepts anything")
    print(f"{checked} entries are by the schemas")


if __name__ == "__main__":
    main()
