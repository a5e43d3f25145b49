//! Command that repeats a run, with commit ids in place of branches that may move.

use crate::run_folder::result::{RunResult, VersionInfo};
use mend_model::without_options;
use std::path::Path;

/// Options that concern only the machine of the run.
const OF_THE_MACHINE: [&str; 2] = ["--output", "--format"];

/// Returns the command that repeats a run on the same machine.
pub(super) fn same_machine_command(result: &RunResult) -> Option<String> {
    again(result, |ours| ours)
}

/// Returns the command that repeats a run in another clone: without folders of the machine of the run.
pub(super) fn elsewhere(result: &RunResult) -> Option<String> {
    again(result, |ours| without_options(&without_far_folder(&ours), &OF_THE_MACHINE))
}

/// Returns the typed command with `change` applied to our options, and versions named by commit id.
fn again(result: &RunResult, change: impl Fn(Vec<String>) -> Vec<String>) -> Option<String> {
    let typed = result.reproduce.as_deref()?;
    let Ok(words) = shell_words::split(typed) else { return Some(typed.to_owned()) };
    // The user's own command follows.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (ours, command) = words.split_at(end);
    let mut ours = change(ours.to_vec());
    for (option, version) in [("--good", &result.good), ("--bad", &result.bad)] {
        if let Some(id) = version.as_ref().and_then(commit) {
            name(&mut ours, option, id);
        }
    }
    Some(shell_words::join(ours.iter().chain(command)))
}

/// Removes an absolute `-C` folder; keeps a relative one.
fn without_far_folder(words: &[String]) -> Vec<String> {
    let folder = words.iter().position(|word| word == "-C").and_then(|at| words.get(at + 1));
    match folder {
        Some(folder) if Path::new(folder).is_absolute() => without_options(words, &["-C"]),
        _ => words.to_vec(),
    }
}

fn commit(version: &VersionInfo) -> Option<&str> {
    let id = version.revision.as_str();
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

/// Sets a version option to a commit id. Adds `--bad` if it is missing: its default, the newest commit, may differ
/// elsewhere.
fn name(words: &mut Vec<String>, option: &str, id: &str) {
    let is_joined = |word: &String| word.split_once('=').is_some_and(|(name, _)| name == option);
    let at = |is: &dyn Fn(&String) -> bool| words.iter().position(is);
    let place = match (at(&|word| word == option), at(&is_joined)) {
        (Some(at), _) => at..words.len().min(at + 2),
        (None, Some(at)) => at..at + 1,
        (None, None) if option == "--bad" => words.len()..words.len(),
        (None, None) => return,
    };
    words.splice(place, [option, id].map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    fn result(typed: &str) -> RunResult {
        let version = |digit: &str| VersionInfo { revision: digit.repeat(40), tree: String::new() };
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.reproduce = Some(typed.to_owned());
        (result.good, result.bad) = (Some(version("a")), Some(version("b")));
        result
    }

    fn named(command: Option<String>) -> String {
        command.unwrap().replace(&"a".repeat(40), "GOOD").replace(&"b".repeat(40), "BAD")
    }

    fn repeated(typed: &str) -> String {
        named(elsewhere(&result(typed)))
    }

    #[test]
    fn on_the_same_machine_folders_are_kept_and_commits_are_named() {
        assert_eq!(
            named(same_machine_command(&result(
                "git mend -C /till fix --good main~3 --test a.B --output /run"
            ))),
            "git mend -C /till fix --good GOOD --test a.B --output /run --bad BAD"
        );
    }

    #[test]
    fn the_command_of_a_server_can_be_run_in_a_clone() {
        assert_eq!(
            repeated(
                "git mend bisect -C /srv/job-1/repository --good auto --bad HEAD --output /srv/run --format json '--test=*'"
            ),
            "git mend bisect --good GOOD --bad BAD '--test=*'"
        );
    }

    #[test]
    fn other_options_are_kept_and_commits_are_named() {
        assert_eq!(
            repeated(
                "git mend -C core bisect --good=v1 --classpath 'lib/*' --timeout 5m --test a.B#c"
            ),
            "git mend -C core bisect --good GOOD --classpath 'lib/*' --timeout 5m --test 'a.B#c' --bad BAD"
        );
        assert_eq!(
            repeated("git mend bisect --good v1 --bad=main -- mvn --output x test"),
            "git mend bisect --good GOOD --bad BAD -- mvn --output x test"
        );
        assert_eq!(repeated("git mend 'unfinished"), "git mend 'unfinished");
    }

    #[test]
    fn a_version_that_is_a_folder_is_unchanged() {
        let mut result = RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default());
        result.reproduce = Some("git mend bisect --good old --bad new".to_owned());
        result.bad = Some(VersionInfo { revision: "new".to_owned(), tree: String::new() });
        assert_eq!(elsewhere(&result), result.reproduce);
    }
}
