#!/usr/bin/env bash
# tools.sh <work folder>: tests the command line from its package: its data, its manual, and its completions in each
# shell.
work=$1
source "$(dirname "$0")/support.sh"
usr=$work/root/usr
export HOME=$work WARPTUNE_DB=$work/tools.db PATH=$usr/bin:$PATH
unset WARPTUNE_TEMPLATES WARPTUNE_RECORDINGS

expect softmax warptune kernels
expect "certified" warptune tune axpy --shape n=67108864 --device replay --budget 20

# The manual: a page for each command, which roff accepts without a warning.
for command in "" $(warptune __complete "" | cut -f1 | grep -v help); do
  page=$usr/share/man/man1/warptune${command:+-$command}.1.gz
  [[ -f $page ]] || { echo "no page for '$command'"; exit 1; }
  if command -v man >/dev/null; then
    warnings=$(MANWIDTH=100 man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
    [[ -z $warnings ]] || { echo "$page: $warnings"; exit 1; }
  fi
  if command -v mandoc >/dev/null; then  # the page of a build has no date
    warnings=$(mandoc -Tlint -W warning "$page" | grep -v "missing date" || true)
    [[ -z $warnings ]] || { echo "$warnings"; exit 1; }
  fi
done

# Values that completion has hard-coded still exist.
while read -r word line; do
  # shellcheck disable=SC2086 # words
  offered=$(warptune __complete $line "" | cut -f1)
  grep -qx -- "$word" <<<"$offered" || { echo "no '$word' after: warptune $line"; exit 1; }
done <<'EOF'
edp tune axpy --objective
all sweep --profile
recorded tune axpy --device
all sweep --devices
prior tune axpy --knowledge
default profile axpy --config
best why axpy
recording import f.json --format
t4 export axpy --format
trials show
list pack
fish completion
roofline metrics --metric-set
genetic strategies
genetic replay --strategy
llm sweep
sm_80 explain axpy --arch
lean tune axpy --metrics
axpy show best --kernel
softmax pack --kernels
sm_80 pack --gpus
16 explain axpy --align
EOF

# Test the shells that are installed.
completions=$usr/share
bash -n "$completions/bash-completion/completions/warptune"
if command -v zsh >/dev/null; then
  in_zsh() { timeout 60 zsh -f "$(dirname "$0")/complete.zsh" "$completions/zsh/vendor-completions" "$@"; }
  in_zsh "warptune tune so" "*ftmax*"
  in_zsh "warptune tune softmax --dtype=b" "*f16*"
  in_zsh "warptune tune softmax --set log=" "*log-softmax*"
  in_zsh "warptune explain axpy --device NVIDIA\\ H" "*200*"
  in_zsh "warptune explain axpy --device \"NVIDIA H" "*200*"
fi
if command -v fish >/dev/null; then
  fish -n "$completions/fish/vendor_completions.d/warptune.fish"
  in_fish() { fish -N -c "source $completions/fish/vendor_completions.d/warptune.fish; complete -C '$1'"; }
  expect softmax in_fish "warptune tune "
  expect "NVIDIA H200" in_fish "warptune explain axpy --device \"NVIDIA H"
fi
cat >"$work/complete.bash" <<'EOF'
# bash's completions for the typed line, asked for as readline does, without the package bash-completion.
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9 COMP_KEY=9
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 == *[\ =] ]] && { [[ $2 == *= ]] || COMP_WORDS+=(""); }
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }  # bash allows it only while readline completes
_warptune
printf '%s\n' "${COMPREPLY[@]}"
EOF
in_bash() { bash --norc "$work/complete.bash" "$completions/bash-completion/completions/warptune" "$1"; }
expect tune in_bash "warptune tu"
expect --resume in_bash "warptune tune --re"
expect softmax in_bash "warptune tune so"
expect bf16 in_bash "warptune tune softmax --dtype "
expect cols= in_bash "warptune tune softmax --shape rows=1,co"
expect ops.db in_bash "warptune show best --db $work/op"
expect sessions in_bash "warptune show se"
