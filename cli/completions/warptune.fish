# fish completion of warptune. What may come next is asked of the program itself.
function __warptune_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c warptune -f -a '(__warptune_complete)'
