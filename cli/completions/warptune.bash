# bash completion of warptune. What may come next is asked of the program itself.
_warptune() {
  local cur prev words cword word help broken
  _get_comp_words_by_ref -n =: cur prev words cword || return
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
