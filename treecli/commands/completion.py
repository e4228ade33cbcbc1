"""Print a script for completion in a shell."""

from __future__ import annotations

import click

from treecli import options

SHELLS = ("bash", "zsh", "fish")

VARIABLE = "_TREECLI_COMPLETE"
"""Where click looks for the shell that asks for completions."""

# click's own script for bash completes nothing after `--option=`, because bash makes a word of its own of each `=`.
BASH = f"""\
_treecli_completion() {{
    local IFS=$'\\n' kind value answer
    local -i index place=0
    local -a words=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
        if [[ ${{COMP_WORDS[index]}} != "=" || $index -eq $COMP_CWORD ]]; then
            words+=("${{COMP_WORDS[index]}}")
        fi
    done
    place=$((${{#words[@]}} - 1))
    COMPREPLY=()
    answer=$(env COMP_WORDS="${{words[*]}}" COMP_CWORD="$place" {VARIABLE}=bash_complete "$1")
    while IFS=, read -r kind value; do
        case $kind in
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$answer"
}}
complete -o nosort -F _treecli_completion treecli
"""


@click.command(cls=options.Command)
@click.argument("shell", metavar="SHELL", type=options.OneOf(SHELLS))
@options.voice
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, choices and file names in SHELL: bash, zsh or fish.

    Bash needs version 4.4 or newer. To load the script in every new shell:

    \b
    echo 'eval "$(treecli completion bash)"' >> ~/.bashrc
    echo 'eval "$(treecli completion zsh)"' >> ~/.zshrc    # below compinit
    treecli completion fish > ~/.config/fish/completions/treecli.fish
    """
    from click.shell_completion import get_completion_class

    if shell == "bash":
        click.echo(BASH, nl=False)
        return
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(context.find_root().command, {}, "treecli", VARIABLE).source(), nl=False)
