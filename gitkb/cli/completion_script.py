"""What makes bash, zsh and fish complete `gitkb` and `git kb`.

Each asks `gitkb completion SHELL -- WORD…` for what could stand in place of the last word: lines of a word,
a tab, and what it is about; `:files` or `:folders` leave it to the shell.
"""

from __future__ import annotations

BASH = r"""# bash completion of gitkb, and of git kb where git's own completion is loaded.
#   gitkb completion bash > ~/.local/share/bash-completion/completions/gitkb
_gitkb_ask() {
    local cur=$1 line quote=
    shift
    local asked=("${@:1:$#-1}") last=${*: -1}
    case $last in  # as it was typed
        [\"\']*) quote=${last:0:1} last=${last:1} ;;  # bash keeps the sign, and closes it
        *) last=${last//\\/} ;;
    esac
    asked+=("$last")
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        case $line in
            :files) compopt -o filenames 2>/dev/null
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
            :folders) compopt -o filenames 2>/dev/null
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$cur") ;;
            *) [[ $quote ]] || line=$(printf %q "$line")
                COMPREPLY+=("$line") ;;
        esac
    done < <(command gitkb completion bash -- "${asked[@]}" 2>/dev/null)
}
_gitkb() {
    local words=() i
    # bash cuts at every =: what belongs together is put together.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == "=" && ${#words[@]} -gt 0 && ${words[-1]} == --* ]]; then
            words[-1]+="="
        elif [[ ${#words[@]} -gt 0 && ${words[-1]} == --*= && ${COMP_WORDS[i-1]} == "=" ]]; then
            words[-1]+="${COMP_WORDS[i]}"
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    local cur=${COMP_WORDS[COMP_CWORD]}
    [[ $cur == "=" ]] && cur=
    _gitkb_ask "$cur" "${words[@]}"
    if [[ ${words[-1]} == --*=* ]]; then  # only what stands behind the = is replaced
        COMPREPLY=("${COMPREPLY[@]#*=}")
    fi
}
_git_kb() {  # called by git's completion, with its words, cword and cur
    local i
    for ((i = 1; i < cword; i++)); do
        [[ ${words[i]} == kb ]] && break
    done
    _gitkb_ask "$cur" "${words[@]:i+1:cword-i}"
}
complete -F _gitkb gitkb git-kb
"""

ZSH = r"""#compdef gitkb git-kb
# zsh completion of gitkb and git kb.
#   gitkb completion zsh > "${fpath[1]}/_git-kb"
# Under this name git's own completion finds it too, for git kb.
_gitkb() {
    local line word about
    local -a asked shown
    asked=("${(@Q)words[2,CURRENT]}")
    (( ${#asked} )) || asked=("")
    while IFS= read -r line; do
        word=${line%%$'\t'*}
        about=${line#"$word"}
        about=${about#$'\t'}
        case $word in
            :files) _files; return ;;
            :folders) _files -/; return ;;
        esac
        shown+=("${word//:/\\:}${about:+:$about}")
    done < <(command gitkb completion zsh -- "${asked[@]}" 2>/dev/null)
    (( ${#shown} )) && _describe -V gitkb shown
}
_git-kb() { _gitkb "$@" }
case $funcstack[1] in
    _gitkb|_git-kb) _gitkb "$@" ;;
    *) compdef _gitkb gitkb git-kb ;;
esac
"""

FISH = r"""# fish completion of gitkb and git kb.
#   gitkb completion fish > ~/.config/fish/conf.d/gitkb.fish
# Not among the completions: what lies there is read for its own command alone, and not for git kb.
function __gitkb_ask
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    if test "$argv[1]" = git
        while test (count $words) -gt 1; and test "$words[1]" != kb
            set -e words[1]
        end
        set -e words[1]
    end
    set -l last $words[-1]
    for line in (command gitkb completion fish -- $words 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $last)
            case ':folders*'
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $last)
            case '*'
                echo $line
        end
    end
end
complete -c gitkb -f -k -a '(__gitkb_ask)'
complete -c git-kb -f -k -a '(__gitkb_ask)'
complete -c git -n '__fish_seen_subcommand_from kb' -f -k -a '(__gitkb_ask git)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
