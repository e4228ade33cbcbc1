"""Print a completion script for a shell."""

from __future__ import annotations

import click

from treecli.cli import options

VARIABLE = "_TREECLI_COMPLETE"
"""The variable in which click looks for the shell that requests completions."""

# click's own scripts mishandle `--option=VALUE`: bash and fish complete nothing there, zsh removes the option. The
# replies are click's: one line per completion in bash and fish, three lines in zsh.
BASH = f"""\
_treecli_completion() {{
    local IFS=$'\\n' kind value answer
    local -i index
    local -a words=()
    # Bash makes a separate word of each '='.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        if [[ ${{COMP_WORDS[index]}} != "=" || $index -eq $COMP_CWORD ]]; then
            words+=("${{COMP_WORDS[index]}}")
        fi
    done
    COMPREPLY=()
    answer=$(env COMP_WORDS="${{words[*]}}" COMP_CWORD=$((${{#words[@]}} - 1)) {VARIABLE}=bash_complete "$1")
    while IFS=, read -r kind value; do
        case $kind in
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$answer"
}}
complete -o nosort -F _treecli_completion treecli
"""

ZSH = f"""\
#compdef treecli
_treecli_completion() {{
    local kind value about
    local -a answer found described
    answer=("${{(@f)$(env COMP_WORDS="${{(j: :)words[1,CURRENT]}}" COMP_CWORD=$((CURRENT - 1)) \\
        {VARIABLE}=zsh_complete $words[1])}}")
    [[ $PREFIX == --*=* ]] && compset -P '*='
    for kind value about in "${{answer[@]}}"; do
        case $kind in
            file) _files ;;
            plain) if [[ $about == _ ]]; then found+=("$value"); else described+=("$value:$about"); fi ;;
        esac
    done
    (( $#described )) && _describe -V treecli described
    (( $#found )) && compadd -V treecli -a found
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _treecli_completion "$@"
else
    compdef _treecli_completion treecli
fi
"""

FISH = f"""\
function _treecli_completion
    set -l token (commandline -t)
    set -l option (string match -r -- '^--[^=]+=' $token)
    set -l answer (env {VARIABLE}=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=$token treecli)
    for line in $answer
        set -l part (string split -m 1 , -- $line)
        switch $part[1]
            case file
                set -l begun (string replace -- "$option" '' $token)
                __fish_complete_path $begun | string replace -r '^' -- "$option"
            case plain
                echo -- "$option$part[2]"
        end
    end
end
complete --command treecli --no-files --arguments '(_treecli_completion)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@click.command(cls=options.Command)
@click.argument("shell", metavar="SHELL", type=options.OneOf(tuple(SCRIPTS)))
@options.voice
def command(shell: str) -> None:
    """Print a script that completes commands, options, choices and file names in SHELL: bash, zsh or fish.

    Add the line of your shell from the examples to get completion in every new shell. Bash needs version 4.4 or newer.

    \b
    source <(treecli completion bash)    # a line of ~/.bashrc
    source <(treecli completion zsh)     # a line of ~/.zshrc, below compinit
    treecli completion fish > ~/.config/fish/completions/treecli.fish
    """
    click.echo(SCRIPTS[shell], nl=False)
