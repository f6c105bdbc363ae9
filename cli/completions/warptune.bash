# bash completion of warptune. What may come next is asked of the program itself. Needs no other completion files.

# Sets `words` and `cword` as the shell splits a command at blanks. bash also splits it at '=' and ':'.
_warptune_words() {
  local line=${COMP_LINE:0:COMP_POINT} piece gap before i
  words=() cword=-1 before=
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${line%%[![:space:]]*}
    line=${line#"$gap"}
    piece=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && piece=$line # only what is before the cursor
    line=${line#"$piece"}
    if [[ -z $gap && $cword -ge 0 && ($before == *[=:] || $piece == [=:]*) ]]; then
      words[cword]+=$piece
    else
      words[++cword]=$piece
    fi
    before=$piece
  done
}

_warptune() {
  local cur words cword word help broken
  _warptune_words
  cur=${words[cword]}
  # Of a word with '=' or ':' bash replaces only what follows the last of them.
  broken=
  [[ $cur == *[=:]* ]] && broken=${cur%"${cur##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    if [[ $word == :files ]]; then
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${cur#"$broken"}")
    else
      COMPREPLY+=("${word#"$broken"}")
    fi
  done < <("${words[0]}" __complete "${words[@]:1:cword}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _warptune warptune
