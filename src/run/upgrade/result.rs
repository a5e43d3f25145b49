//! Result of a search for library upgrades.

use super::library_change::LibraryChange;
use super::version_search::VersionBoundary;
use crate::run::patch::verification::WrittenPatch;
use crate::run::session::command_result::{CommandResult, verified_by_fresh_processes};
use crate::run::session::summary::Summary;
use mend_model::format_count;
use mend_report::{RunResult, RunStatus, UpgradeResult};

/// Maximum number of users of a library that the summary names.
const MAX_NAMED_USERS: usize = 3;

/// End of a search for upgrades.
pub(super) enum UpgradeOutcome {
    Found(Upgraded),
    None(NoUpgrade),
}

/// Upgrades that break the tests.
pub(super) struct Upgraded {
    pub(super) upgrades: Vec<FoundUpgrade>,
    /// Number of libraries that differ between good and bad.
    pub(super) changed_libraries: usize,
    /// Number of those that are with the fix as in bad.
    pub(super) kept: Option<usize>,
    pub(super) fix: Option<WrittenPatch>,
}

/// An upgrade that breaks the tests, alone or with others of the same culprit.
pub(super) struct FoundUpgrade {
    /// Number of the culprit, from 1.
    pub(super) culprit: usize,
    pub(super) change: LibraryChange,
    pub(super) boundary: Option<VersionBoundary>,
    /// True if a build file names the library.
    pub(super) is_direct: bool,
    /// Libraries that depend on it.
    pub(super) users: Vec<String>,
}

/// Reason why no upgrade breaks the tests, and the next command.
pub(super) struct NoUpgrade {
    message: String,
    next_command: Option<String>,
}

impl NoUpgrade {
    /// `command_line` is that of the run, if a bisection can continue it.
    pub(super) fn same_libraries(command_line: Option<&[String]>) -> Self {
        let message = "good and bad use the same libraries".to_owned();
        Self { message, next_command: command_line.map(bisect_command) }
    }

    /// `command_line` as for [`NoUpgrade::same_libraries`].
    pub(super) fn other_cause(changed_libraries: usize, command_line: Option<&[String]>) -> Self {
        let message = format!(
            "changed libraries alone ({changed_libraries}) do not break the tests: bad does not pass with those of \
             good, and good does not fail with those of bad"
        );
        Self { message, next_command: command_line.map(bisect_command) }
    }
}

/// Returns the command that searches the same versions for the culprit commit.
fn bisect_command(command_line: &[String]) -> String {
    let mut words = command_line.to_vec();
    if let Some(command) = words.iter_mut().find(|word| *word == "upgrade") {
        "bisect".clone_into(command);
    }
    shell_words::join(words)
}

impl FoundUpgrade {
    fn to_report(&self) -> UpgradeResult {
        UpgradeResult {
            artifact: self.change.name.clone(),
            from: self.change.old_version().map(str::to_owned),
            to: self.change.new_version().map(str::to_owned),
            last_good: self.boundary.as_ref().map(|boundary| boundary.last_good.clone()),
            first_bad: self.boundary.as_ref().map(|boundary| boundary.first_bad.clone()),
            direct: self.is_direct,
            used_by: self.users.clone(),
            culprit: self.culprit,
        }
    }

    /// Returns the sentence about the libraries that bring in a library that no build file names.
    fn origin(&self) -> Option<String> {
        let users = self.users.iter().take(MAX_NAMED_USERS).cloned().collect::<Vec<_>>();
        (!self.is_direct && !users.is_empty())
            .then(|| format!("{} is a dependency of {}", self.change.name, users.join(", ")))
    }
}

impl Upgraded {
    fn sentences(&self) -> Vec<String> {
        let culprits = self.upgrades.last().map_or(0, |upgrade| upgrade.culprit);
        let mut sentences = Vec::new();
        for number in 1..=culprits {
            let members = self.upgrades.iter().filter(|upgrade| upgrade.culprit == number);
            sentences.extend(describe_culprit(&members.collect::<Vec<_>>()));
        }
        sentences.extend(self.upgrades.iter().filter_map(FoundUpgrade::origin));
        sentences.push(self.describe_fix());
        sentences
    }

    fn describe_fix(&self) -> String {
        match self.kept {
            Some(kept) => format!("the fix keeps {kept} of {} upgrades", self.changed_libraries),
            None => "no edit of single versions makes the tests pass: pin a passing version in dependencyManagement \
                     (Maven) or as a constraint (Gradle)"
                .to_owned(),
        }
    }
}

/// Returns the sentences about the members of a culprit: one that breaks the tests alone, or several that do so only
/// together.
fn describe_culprit(members: &[&FoundUpgrade]) -> Vec<String> {
    let boundary = |upgrade: &FoundUpgrade| {
        let VersionBoundary { last_good, first_bad, untested } = upgrade.boundary.as_ref()?;
        let untested = match untested {
            0 => String::new(),
            count => {
                format!(" ({} between them could not be tested)", format_count(*count, "version"))
            }
        };
        Some(format!("{last_good} passes, {first_bad} fails{untested}"))
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
    use crate::run::upgrade::library_change::changes_between;
    use mend_engine::LocalRepositories;

    fn upgrade(culprit: usize, artifact: &str, last_good: &str) -> FoundUpgrade {
        let jar =
            |version: &str| format!("/r/g/{artifact}/{version}/{artifact}-{version}.jar").into();
        let repositories = LocalRepositories { maven: vec!["/r".into()], gradle: vec![] };
        let change = changes_between(&[jar("1")], &[jar("4")], &repositories).remove(0);
        let boundary =
            VersionBoundary { last_good: last_good.into(), first_bad: "3".into(), untested: 0 };
        let users = vec!["app-1".to_owned()];
        FoundUpgrade { culprit, change, boundary: Some(boundary), is_direct: culprit == 1, users }
    }

    #[test]
    fn culprits_of_one_and_of_several_upgrades_are_described() {
        let upgrades = vec![upgrade(1, "a", "2"), upgrade(2, "b", "1"), upgrade(2, "c", "2")];
        let found = Upgraded { upgrades, changed_libraries: 9, kept: Some(6), fix: None };
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
