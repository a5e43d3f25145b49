//! Generates shell completions for `git mend` and `git-mend`.

use clap_complete::Shell;

/// Completion function for bash: git's own completion calls `_git_mend`. In zsh and fish it calls the completion of
/// `git-mend`.
const BASH_COMPLETION_FUNCTION: &str = r#"
_git_mend() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=0
    while [ "$at" -lt "$COMP_CWORD" ]; do
        case ${COMP_WORDS[at]} in mend | git-mend | */git-mend) break ;; esac
        at=$((at + 1))
    done
    local words=(gitmend "${COMP_WORDS[@]:at+1}") count=$((COMP_CWORD - at))
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$count
    _gitmend gitmend "$cur" "$prev"
}
complete -F _git_mend -o bashdefault -o default git-mend
"#;

/// Returns the completion script for a shell.
pub(super) fn completion_script(shell: Shell, mut command: clap::Command) -> String {
    // The bash scripts of clap do not find the commands of a program with a hyphen in its name.
    let (name, extra_script) =
        if shell == Shell::Bash { ("gitmend", BASH_COMPLETION_FUNCTION) } else { ("git-mend", "") };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned() + extra_script
}
