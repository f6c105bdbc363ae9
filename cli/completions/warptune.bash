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

# Sets `plain` to the text that the shell reads from a word, and `quote` to the quote that the word leaves open.
_warptune_unquote() {
  local char i
  plain='' quote=''
  for ((i = 0; i < ${#1}; i++)); do
    char=${1:i:1}
    if [[ $char == "$quote" ]]; then
      quote=''
    elif [[ -z $quote && $char == [\"\'] ]]; then
      quote=$char
    elif [[ $char == \\ && $quote != \' ]]; then
      plain+=${1:$((++i)):1}
    else
      plain+=$char
    fi
  done
}

_warptune() {
  local cur words cword word help broken plain quote asked=() raw
  _warptune_words
  for raw in "${words[@]:1:cword}"; do
    _warptune_unquote "$raw"
    asked+=("$plain")
  done
  # Of a word with '=' or ':' bash replaces only what follows the last of them, and of a quoted word the quoted text.
  cur=${words[cword]%%[\"\']*}
  broken=
  [[ $cur == *[=:]* ]] && broken=${cur%"${cur##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    if [[ $word == :files ]]; then
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${plain#"$broken"}")
    else
      word=${word#"$broken"}
      # bash closes an open quote itself.
      [[ -z $quote && $word == *[^[:alnum:]_.,:=/@%+-]* ]] && printf -v word %q "$word"
      COMPREPLY+=("$word")
    fi
  done < <("${words[0]}" __complete "${asked[@]}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _warptune warptune
