#!/usr/bin/env bash
# Prints the table of figures in README: tunes each operator on this machine's GPU with a cold L2, compares it with roofs
# measured in the same run, and compares sgemm with cuBLAS.
# Usage: figures.sh WARPTUNE_BINARY VENDOR_SGEMM_BINARY [DATABASE]
set -euo pipefail
warptune=$1
vendor_sgemm=$2
export WARPTUNE_DB=${3:-$(mktemp -d)/figures.db}

tune() { "$warptune" tune "$@" --device cuda:0; }
tune axpy --shape n=268435456 --dtype fp32
tune reduce_sum --shape n=268435456 --dtype fp32
tune softmax --shape rows=32768,cols=4096 --dtype bf16
tune softmax --shape rows=1024,cols=131072 --dtype bf16
tune transpose --shape rows=16384,cols=16384 --dtype bf16
tune sgemm --shape m=4096,n=4096,k=4096 --dtype fp32

json=$(mktemp -d)
"$warptune" show best --json >"$json/best.json"
"$warptune" show devices --json >"$json/devices.json"
"$(dirname "$0")/figures_table.py" "$json/best.json" "$json/devices.json"
echo
"$vendor_sgemm" "$WARPTUNE_DB"
