# fish completion of warptune. What may come next is asked of the program itself.
function __warptune_complete
    # The text that the shell reads from the last word, which may have an open quote.
    set -l last (commandline -ct)
    set -l word (string unescape -- $last; or string replace -r '^["\']' '' -- $last)
    set -l words (commandline -opc) "$word"
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c warptune -f -a '(__warptune_complete)'
