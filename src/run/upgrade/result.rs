//! Result of a search for library upgrades.

use super::build_change::BuildChange;
use super::version_search::{OtherParts, VersionBoundary};
use crate::run::patch::verification::WrittenPatch;
use crate::run::session::command_result::{CommandResult, verified_by_fresh_processes};
use crate::run::session::summary::Summary;
use mend_model::{format_count, list_first, without_options};
use mend_report::{
    CommitInfo, LibraryHistoryResult, PatchResult, RunResult, RunStatus, UpgradeResult,
};

/// Maximum number of users of a library that the summary names.
const MAX_NAMED_USERS: usize = 3;

/// Maximum number of commits of a library that a sentence names.
const MAX_NAMED_COMMITS: usize = 5;

/// Maximum number of files of a library that a sentence names.
const MAX_NAMED_FILES: usize = 3;

/// End of a search for upgrades.
pub(super) enum UpgradeOutcome {
    Found(Upgraded),
    None(NoUpgrade),
}

/// Upgrades that break the tests.
pub(super) struct Upgraded {
    pub(super) upgrades: Vec<FoundUpgrade>,
    /// Number of parts of the build that differ between good and bad.
    pub(super) change_count: usize,
    /// Number of those that are with the fix as in bad.
    pub(super) kept: Option<usize>,
    pub(super) fix: Option<WrittenPatch>,
}

/// An upgrade that breaks the tests, alone or with others of the same culprit.
pub(super) struct FoundUpgrade {
    /// Number of the culprit, from 1.
    pub(super) culprit: usize,
    /// Number of the change among the changed libraries.
    pub(super) number: usize,
    pub(super) change: BuildChange,
    pub(super) boundary: Option<VersionBoundary>,
    /// True if a build file names it.
    pub(super) is_direct: bool,
    /// Libraries that depend on it.
    pub(super) users: Vec<String>,
    /// Changes without which it does not work.
    pub(super) needed: Vec<BuildChange>,
    /// Result of searching the library's own history.
    pub(super) history: Option<LibraryHistoryResult>,
}

/// Reason why no upgrade breaks the tests, and the next command.
pub(super) struct NoUpgrade {
    message: String,
    next_command: Option<String>,
}

impl NoUpgrade {
    /// `command_line` is that of the run, if a bisection can continue it.
    pub(super) fn same_versions(command_line: Option<&[String]>) -> Self {
        let message =
            "good and bad have the same libraries, code generators and Java version".to_owned();
        Self { message, next_command: command_line.map(bisect_command) }
    }

    /// `changes` counts the changes, `command_line` is as for [`NoUpgrade::same_versions`].
    pub(super) fn other_cause(changes: &str, command_line: Option<&[String]>) -> Self {
        let message = format!(
            "upgrades alone ({changes}) do not break the tests: bad does not pass with the versions of good, and good \
             does not fail with those of bad"
        );
        Self { message, next_command: command_line.map(bisect_command) }
    }
}

/// Returns the command that searches the same versions for the culprit commit.
fn bisect_command(command_line: &[String]) -> String {
    let mut words = without_options(command_line, &["--library-source"]);
    if let Some(command) = words.iter_mut().find(|word| *word == "upgrade") {
        "bisect".clone_into(command);
    }
    shell_words::join(words)
}

impl FoundUpgrade {
    fn to_report(&self) -> UpgradeResult {
        UpgradeResult {
            artifact: self.change.name.clone(),
            kind: self.change.kind(),
            from: self.change.old_version().map(str::to_owned),
            to: self.change.new_version().map(str::to_owned),
            last_good: self.boundary.as_ref().map(|boundary| boundary.last_good.clone()),
            first_bad: self.boundary.as_ref().map(|one| one.first_failing().to_owned()),
            other_message: self.boundary.as_ref().is_some_and(|one| one.first_similar.is_some()),
            direct: self.is_direct,
            used_by: self.users.clone(),
            needs: self.needed.iter().map(|change| change.name.clone()).collect(),
            culprit: self.culprit,
            library_history: self.history.clone(),
        }
    }

    /// Returns the sentence about the libraries that bring in a library that no build file names.
    fn origin(&self) -> Option<String> {
        let users = self.users.iter().take(MAX_NAMED_USERS).cloned().collect::<Vec<_>>();
        (!self.is_direct && !users.is_empty())
            .then(|| format!("{} is a dependency of {}", self.change.name, users.join(", ")))
    }

    /// Returns the sentence about the upgrades that it needs.
    fn describe_needed(&self) -> Option<String> {
        let needed: Vec<_> = self.needed.iter().map(BuildChange::describe).collect();
        (!needed.is_empty())
            .then(|| format!("{} needs {}", self.change.name, list_first(&needed, MAX_NAMED_USERS)))
    }
}

impl FoundUpgrade {
    /// Returns the sentences about the library's own history.
    fn describe_history(&self) -> Vec<String> {
        let Some(history) = &self.history else { return Vec::new() };
        let name = &self.change.name;
        let mut sentences = Vec::new();
        match (&history.culprit_info, &history.suspects[..]) {
            (Some(CommitInfo { short_id, author, date, summary }), _) => {
                let link = history.link.as_ref().map(|link| format!(": {link}"));
                let link = link.unwrap_or_default();
                sentences.push(format!(
                    "culprit commit of {name}: {short_id} {summary} ({author}, {date}){link}"
                ));
            }
            (None, [_, ..]) => sentences.push(format!(
                "culprit of {name}: one of {} between {} and {}: {}",
                format_count(history.suspects.len(), "commit"),
                history.good_tag,
                history.bad_tag,
                list_commits(&history.suspects)
            )),
            (None, []) => {}
        }
        if let Some(PatchResult { tokens, files, patch, .. }) = &history.culprit {
            let (tokens, files) =
                (format_count(*tokens, "token"), list_first(files, MAX_NAMED_FILES));
            let patch = format!("{}/{patch}", history.run_folder);
            sentences.push(format!("minimal culprit of {name}: {tokens} in {files} ({patch})"));
        }
        if !history.skipped.is_empty() {
            let count = format_count(history.skipped.len(), "commit");
            sentences.push(format!(
                "{count} of {name} could not be tested: {}",
                list_commits(&history.skipped)
            ));
        }
        sentences
    }
}

fn list_commits(ids: &[String]) -> String {
    let short = |id: &String| id.get(..10).unwrap_or(id).to_owned();
    list_first(&ids.iter().map(short).collect::<Vec<_>>(), MAX_NAMED_COMMITS)
}

impl Upgraded {
    fn sentences(&self) -> Vec<String> {
        let culprits = self.upgrades.last().map_or(0, |upgrade| upgrade.culprit);
        let mut sentences = Vec::new();
        for number in 1..=culprits {
            let members = self.upgrades.iter().filter(|upgrade| upgrade.culprit == number);
            sentences.extend(describe_culprit(&members.collect::<Vec<_>>()));
        }
        sentences.extend(self.upgrades.iter().filter_map(FoundUpgrade::describe_needed));
        sentences.extend(self.upgrades.iter().filter_map(FoundUpgrade::origin));
        sentences.extend(self.upgrades.iter().flat_map(FoundUpgrade::describe_history));
        sentences.push(self.describe_fix());
        sentences
    }

    fn describe_fix(&self) -> String {
        match self.kept {
            Some(kept) => format!("the fix keeps {kept} of {} upgrades", self.change_count),
            None => "no fix was found: pin a version that passes in the build file".to_owned(),
        }
    }
}

/// Returns the sentences about the members of a culprit: one that breaks the tests alone, or several that do so only
/// together.
fn describe_culprit(members: &[&FoundUpgrade]) -> Vec<String> {
    let boundary = |upgrade: &FoundUpgrade| {
        let boundary = upgrade.boundary.as_ref()?;
        let VersionBoundary { last_good, first_bad, first_similar, untested, others, .. } =
            boundary;
        let first_failing = boundary.first_failing();
        let message = match first_similar {
            Some(_) => format!(" with another message than {first_bad}"),
            None => String::new(),
        };
        let untested = match untested {
            0 => String::new(),
            count => {
                format!(" ({} between them could not be tested)", format_count(*count, "version"))
            }
        };
        let others = match others {
            OtherParts::OfBad => "",
            OtherParts::OfGood => " with the other libraries of good",
        };
        Some(format!("{last_good} passes, {first_failing} fails{message}{others}{untested}"))
    };
    if let [one] = members {
        let boundary = boundary(one).map(|text| format!(": {text}")).unwrap_or_default();
        return vec![format!("{} breaks the tests{boundary}", one.change.describe())];
    }
    let names: Vec<_> = members.iter().map(|one| one.change.describe()).collect();
    let together = format!("{} break the tests only together", names.join(" and "));
    let boundaries =
        members.iter().filter_map(|one| Some(format!("{}: {}", one.change.name, boundary(one)?)));
    std::iter::once(together).chain(boundaries).collect()
}

impl CommandResult for UpgradeOutcome {
    fn status(&self) -> RunStatus {
        match self {
            Self::Found(_) => RunStatus::Found,
            Self::None(_) => RunStatus::None,
        }
    }

    fn write_to(&self, document: &mut RunResult) {
        let mut summary = Summary::default();
        match self {
            Self::Found(found) => {
                summary.extend(found.sentences());
                document.upgrades = found.upgrades.iter().map(FoundUpgrade::to_report).collect();
                document.fix = found.fix.as_ref().map(|fix| fix.result.clone());
                document.confirmed = found.fix.as_ref().map(|_| verified_by_fresh_processes(true));
            }
            Self::None(none) => {
                summary.extend([none.message.clone()]);
                document.next_command.clone_from(&none.next_command);
            }
        }
        summary.write_to(document);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::upgrade::build_change::changes_between;
    use crate::run::upgrade::build_reader::BuildParts;
    use mend_engine::LocalRepositories;
    use std::path::PathBuf;

    fn upgrade(culprit: usize, artifact: &str, last_good: &str) -> FoundUpgrade {
        let jar = |version: &str| -> PathBuf {
            format!("/r/g/{artifact}/{version}/{artifact}-{version}.jar").into()
        };
        let repositories = LocalRepositories { maven: vec!["/r".into()], gradle: vec![] };
        let parts = |version: &str| BuildParts::of_libraries(&[jar(version)]);
        let change = changes_between(&parts("1"), &parts("4"), &repositories).remove(0);
        let boundary = VersionBoundary {
            last_good: last_good.into(),
            first_bad: "3".into(),
            first_similar: None,
            untested: 0,
            others: OtherParts::OfBad,
            upgraded: Vec::new(),
        };
        let users = vec!["app-1".to_owned()];
        let (number, needed, history) = (0, Vec::new(), None);
        let (boundary, is_direct) = (Some(boundary), culprit == 1);
        FoundUpgrade { culprit, number, change, boundary, is_direct, users, needed, history }
    }

    #[test]
    fn history_of_a_library_is_described() {
        let found = upgrade(1, "a", "2");
        let commit = |digit: char| digit.to_string().repeat(40);
        let history = LibraryHistoryResult {
            source: "../a".to_owned(),
            good_tag: "v2".to_owned(),
            bad_tag: "v3".to_owned(),
            culprit_commit: Some(commit('a')),
            culprit_info: Some(CommitInfo {
                short_id: "aaaaaaaaaa".to_owned(),
                author: "Bruno Teig".to_owned(),
                date: "2025-04-22".to_owned(),
                summary: "tidy up".to_owned(),
            }),
            link: Some("https://x/1".to_owned()),
            suspects: Vec::new(),
            skipped: vec![commit('b')],
            culprit: None,
            run_folder: "libraries/g.a".to_owned(),
        };
        let describe = |history: LibraryHistoryResult| {
            let culprit = FoundUpgrade { history: Some(history), ..upgrade(1, "a", "2") };
            culprit.describe_history()
        };
        assert!(found.describe_history().is_empty());
        assert_eq!(
            describe(history.clone()),
            [
                "culprit commit of g:a: aaaaaaaaaa tidy up (Bruno Teig, 2025-04-22): https://x/1",
                "1 commit of g:a could not be tested: bbbbbbbbbb",
            ]
        );
        let suspects = vec![commit('a'), commit('b')];
        let uncertain = LibraryHistoryResult { culprit_info: None, suspects, ..history };
        assert_eq!(
            describe(uncertain)[0],
            "culprit of g:a: one of 2 commits between v2 and v3: aaaaaaaaaa, bbbbbbbbbb"
        );
    }

    #[test]
    fn culprits_of_one_and_of_several_upgrades_are_described() {
        let upgrades = vec![upgrade(1, "a", "2"), upgrade(2, "b", "1"), upgrade(2, "c", "2")];
        let found = Upgraded { upgrades, change_count: 9, kept: Some(6), fix: None };
        assert_eq!(
            found.sentences(),
            [
                "g:a 1 → 4 breaks the tests: 2 passes, 3 fails",
                "g:b 1 → 4 and g:c 1 → 4 break the tests only together",
                "g:b: 1 passes, 3 fails",
                "g:c: 2 passes, 3 fails",
                "g:b is a dependency of app-1",
                "g:c is a dependency of app-1",
                "the fix keeps 6 of 9 upgrades",
            ]
        );
    }
}
