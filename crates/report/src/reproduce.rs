//! Creates the command that repeats a run. Commit ids replace branch names, because branches move.

use crate::run_folder::result::{RunResult, VersionInfo};
use mend_model::without_options;
use std::path::Path;

/// Options that concern only the machine of the run.
const MACHINE_OPTIONS: [&str; 2] = ["--output", "--format"];

/// Flag of a machine without a network, such as a sandbox.
const OFFLINE_FLAG: &str = "--offline";

/// Returns the command that repeats a run on this machine.
pub(super) fn same_machine_command(result: &RunResult) -> Option<String> {
    rewrite_command(result, |ours| ours)
}

/// Returns the command that repeats a run in another clone, without folders of this machine.
pub(super) fn other_clone_command(result: &RunResult) -> Option<String> {
    rewrite_command(result, |mut ours| {
        ours.retain(|word| word != OFFLINE_FLAG);
        without_options(&without_absolute_folder(&ours), &MACHINE_OPTIONS)
    })
}

/// Returns the typed command with its options changed by `change_options`, and with commit ids as versions.
fn rewrite_command(
    result: &RunResult,
    change_options: impl Fn(Vec<String>) -> Vec<String>,
) -> Option<String> {
    let typed_command = result.reproduce.as_deref()?;
    let Ok(words) = shell_words::split(typed_command) else {
        return Some(typed_command.to_owned());
    };
    // Keeps the user's own command, which follows the options.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (ours, command) = words.split_at(end);
    let mut ours = change_options(ours.to_vec());
    for (option, version) in [("--good", &result.good), ("--bad", &result.bad)] {
        if let Some(id) = version.as_ref().and_then(commit_id) {
            set_version_option(&mut ours, option, id);
        }
    }
    Some(shell_words::join(ours.iter().chain(command)))
}

/// Removes an absolute `-C` folder; keeps a relative one.
fn without_absolute_folder(args: &[String]) -> Vec<String> {
    let folder = args.iter().position(|word| word == "-C").and_then(|at| args.get(at + 1));
    match folder {
        Some(folder) if Path::new(folder).is_absolute() => without_options(args, &["-C"]),
        _ => args.to_vec(),
    }
}

fn commit_id(version: &VersionInfo) -> Option<&str> {
    let id = version.revision.as_str();
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

/// Sets a version option to a commit id. Adds `--bad` if it is missing, because its default, the newest commit, may
/// differ in another clone.
fn set_version_option(args: &mut Vec<String>, option: &str, id: &str) {
    let has_joined_value =
        |word: &String| word.split_once('=').is_some_and(|(name, _)| name == option);
    let find_word = |is: &dyn Fn(&String) -> bool| args.iter().position(is);
    let range = match (find_word(&|word| word == option), find_word(&has_joined_value)) {
        (Some(find_word), _) => find_word..args.len().min(find_word + 2),
        (None, Some(find_word)) => find_word..find_word + 1,
        (None, None) if option == "--bad" => args.len()..args.len(),
        (None, None) => return,
    };
    args.splice(range, [option, id].map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    fn sample_result(typed: &str) -> RunResult {
        let version = |digit: &str| VersionInfo { revision: digit.repeat(40), tree: String::new() };
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.reproduce = Some(typed.to_owned());
        (result.good, result.bad) = (Some(version("a")), Some(version("b")));
        result
    }

    fn name_commits(command: Option<String>) -> String {
        command.unwrap().replace(&"a".repeat(40), "GOOD").replace(&"b".repeat(40), "BAD")
    }

    fn other_clone_text(typed: &str) -> String {
        name_commits(other_clone_command(&sample_result(typed)))
    }

    #[test]
    fn same_machine_command_keeps_folders_and_names_commits() {
        assert_eq!(
            name_commits(same_machine_command(&sample_result(
                "git mend -C /till fix --good main~3 --test a.B --output /run"
            ))),
            "git mend -C /till fix --good GOOD --test a.B --output /run --bad BAD"
        );
    }

    #[test]
    fn server_command_can_be_run_in_a_clone() {
        assert_eq!(
            other_clone_text(
                "git mend bisect -C /srv/job-1/repository --good auto --bad HEAD --output /srv/run --format json --offline '--test=*'"
            ),
            "git mend bisect --good GOOD --bad BAD '--test=*'"
        );
    }

    #[test]
    fn other_options_are_kept() {
        assert_eq!(
            other_clone_text(
                "git mend -C core bisect --good=v1 --classpath 'lib/*' --timeout 5m --test a.B#c"
            ),
            "git mend -C core bisect --good GOOD --classpath 'lib/*' --timeout 5m --test 'a.B#c' --bad BAD"
        );
        assert_eq!(
            other_clone_text("git mend bisect --good v1 --bad=main -- mvn --output x test"),
            "git mend bisect --good GOOD --bad BAD -- mvn --output x test"
        );
        assert_eq!(other_clone_text("git mend 'unfinished"), "git mend 'unfinished");
    }

    #[test]
    fn folder_versions_are_unchanged() {
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.reproduce = Some("git mend bisect --good old --bad new".to_owned());
        result.bad = Some(VersionInfo { revision: "new".to_owned(), tree: String::new() });
        assert_eq!(other_clone_command(&result), result.reproduce);
    }
}
