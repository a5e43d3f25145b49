//! Runs `git mend upgrade`, from the request to the result.

use super::build_change::{BuildChange, changes_between};
use super::build_file_edit::BuildFiles;
use super::build_reader::{BuildParts, BuildReader};
use super::build_variants::BuildVariants;
use super::fix_search::FixSearch;
use super::library_history::{LibraryHistories, ProjectSymptom};
use super::result::{FoundUpgrade, NoUpgrade, UpgradeOutcome, Upgraded};
use super::upgrade_search::{UpgradeCulprit, find_culprits};
use super::variant_trees::VariantTrees;
use super::version_search::{CulpritChanges, VersionSearch};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::session::request::{BisectRequest, Context, LibrarySource, UpgradeRequest};
use crate::run::session::{FinishedRun, PreparedRun, Session, repository_of};
use mend_git::Repository;
use mend_model::{Problem, ProgressEvent, Result, Symptom, TreeId, Verdict, format_count};
use mend_report::UpgradeKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Finds the library upgrades between good and bad that break the tests.
///
/// # Errors
/// Problems before the run folder exists. The result contains later problems.
pub fn upgrade(request: &UpgradeRequest, context: &Context) -> Result<FinishedRun> {
    let BisectRequest { subject, goal, good, .. } = &request.search;
    check_library_sources(request)?;
    let session = Session::open("upgrade", *goal, subject, context, repository_of(subject)?)?;
    let prepared = session.prepare(Some(good));
    session.finish(prepared.and_then(|prepared| search_upgrades(request, &session, prepared)))
}

/// Returns an error if the sources of a library are in no repository.
fn check_library_sources(request: &UpgradeRequest) -> Result<()> {
    let dir = &request.search.subject.dir;
    let open = |folder: PathBuf| {
        if folder.is_dir() {
            Repository::open_in_folder(&folder)
        } else {
            Err(Problem::NotARepository(folder))
        }
    };
    let check = |source: &LibrarySource| match open(dir.join(&source.dir)) {
        Ok(repository) => check_top_folder(&repository, &dir.join(&source.dir)),
        Err(problem @ Problem::NotARepository(_)) => Err(Problem::Usage {
            message: format!("--library-source: {problem}"),
            remedy: "clone the library with its tags, and pass the folder of the clone".to_owned(),
        }),
        Err(problem) => Err(problem),
    };
    request.library_sources.iter().try_for_each(check)
}

/// Returns an error if a folder is inside a repository but not its top: an empty submodule is inside the project's.
fn check_top_folder(repository: &Repository, folder: &Path) -> Result<()> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match repository.work_tree() {
        Some(top) if canonical(top) != canonical(folder) => Err(Problem::Usage {
            message: format!(
                "--library-source: {} is not a repository, but a folder of {}",
                folder.display(),
                top.display()
            ),
            remedy: "clone the library with its tags, and pass the folder of the clone".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn search_upgrades(
    request: &UpgradeRequest,
    session: &Session<'_>,
    prepared: PreparedRun,
) -> Result<UpgradeOutcome> {
    let setup = SearchSetup::new(&request.search, session, &prepared)?;
    let (found, trees) = match search_published_versions(session, &setup, &prepared)? {
        Ok(found) => found,
        Err(none) => return Ok(UpgradeOutcome::None(none)),
    };
    if request.library_sources.is_empty() {
        return Ok(UpgradeOutcome::Found(found));
    }
    let symptom = ProjectSymptom::from(setup.oracle);
    LibraryHistories::new(request, session, symptom, prepared, trees)?.search(found)
}

/// Finds the culprits, their published versions and the fix, and the trees of the variants. `Err` inside is the reason
/// why there are none.
fn search_published_versions(
    session: &Session<'_>,
    setup: &SearchSetup<'_>,
    prepared: &PreparedRun,
) -> Result<std::result::Result<(Upgraded, VariantTrees), NoUpgrade>> {
    let reader = BuildReader::new(session, prepared)?;
    let (good, bad) = (&setup.good, &prepared.bad);
    let old = reader.read(&good.overlaid_tree)?;
    let new = reader.read(&bad.overlaid_tree)?;
    for [from, to, used] in old.unknown_levels(&new) {
        session.run_log.note_unchecked(format!(
            "Java {from} → {to}: this JDK compiles for Java {used} in both versions; set JAVA_HOME to a JDK for both"
        ))?;
    }
    let changes = changes_between(&old, &new, &reader.attribution.options.repositories);
    // A bisection cannot test a version that does not compile.
    let is_compile_error = matches!(setup.oracle.symptom.current(), Symptom::CompileErrors(_));
    let command_line = Some(&session.subject.command_line[..]).filter(|_| !is_compile_error);
    if changes.is_empty() {
        return Ok(Err(NoUpgrade::same_versions(command_line)));
    }
    let stage = format!("searching {}", count_changes(&changes));
    session.run_log.emit(ProgressEvent::Stage(stage))?;
    let Some(variants) = find_base(session, setup, &changes)? else {
        return Ok(Err(NoUpgrade::other_cause(&count_changes(&changes), command_line)));
    };
    let changes = Arc::clone(&variants.trees.changes);
    let finder = UpgradeFinder { session, setup, reader, variants };
    let found = finder.find(&changes, &new)?;
    Ok(Ok((found, finder.variants.trees)))
}

/// Finds the version whose tests the changes alone break, or, if there is none, the libraries alone: new code may need
/// the new Java version or plugin.
fn find_base<'a>(
    session: &Session<'_>,
    setup: &'a SearchSetup<'a>,
    changes: &[BuildChange],
) -> Result<Option<BuildVariants<'a>>> {
    let found = BuildVariants::find_base(setup, changes)?;
    let (libraries, others): (Vec<_>, Vec<_>) =
        changes.iter().cloned().partition(BuildChange::is_library);
    if found.is_some() || libraries.is_empty() || others.is_empty() {
        return Ok(found);
    }
    let found = BuildVariants::find_base(setup, &libraries)?;
    if found.is_some() {
        let names = others.iter().map(BuildChange::describe).collect::<Vec<_>>().join(", ");
        let note = format!(
            "upgrades other than libraries ({names}): bad does not pass with all versions of good, so only the versions \
             of libraries were varied"
        );
        session.run_log.note_unchecked(note)?;
    }
    Ok(found)
}

/// Counts the changes of each kind.
fn count_changes(changes: &[BuildChange]) -> String {
    let count_of = |kind: UpgradeKind, name: &str| {
        let count = changes.iter().filter(|change| change.kind() == kind).count();
        (count > 0).then(|| format_count(count, name))
    };
    let counts = [
        count_of(UpgradeKind::Library, "changed library"),
        count_of(UpgradeKind::Processor, "changed annotation processor"),
        count_of(UpgradeKind::Plugin, "changed plugin"),
        count_of(UpgradeKind::Java, "changed Java version"),
    ];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Finds the culprits, their versions and the fix.
struct UpgradeFinder<'a> {
    session: &'a Session<'a>,
    setup: &'a SearchSetup<'a>,
    reader: BuildReader<'a>,
    variants: BuildVariants<'a>,
}

impl UpgradeFinder<'_> {
    fn find(&self, changes: &[BuildChange], new: &BuildParts) -> Result<Upgraded> {
        let interrupt = &self.session.context.interrupt;
        let culprits = find_culprits(&self.variants, interrupt, self.session.subject.jobs)?;
        self.note_untestable_rest(&culprits)?;
        let build_files = BuildFiles::read(&self.setup.prepared.store, &self.setup.prepared.bad)?;
        let attribution = self.reader.attribution;
        let versions = VersionSearch { variants: &self.variants, attribution, setup: self.setup };
        let mut upgrades = Vec::new();
        for (number, changed) in culprits.iter().enumerate() {
            let others = culprits.iter().filter(|other| *other != changed).flatten();
            let reverted: Vec<usize> = others.copied().collect();
            let culprit = UpgradeCulprit::new(&self.variants, changed.clone())?;
            let range = CulpritChanges { changes: changed, reverted: &reverted };
            for member in culprit.members() {
                let change = &changes[member];
                upgrades.push(FoundUpgrade {
                    culprit: number + 1,
                    number: member,
                    change: change.clone(),
                    boundary: versions.find_boundary(member, &range)?,
                    is_direct: build_files.declare(change),
                    users: change.users_among(change.path_in(new)),
                    needed: culprit.needed.iter().map(|needed| changes[*needed].clone()).collect(),
                    history: None,
                });
            }
        }
        let fix = FixSearch { reader: &self.reader, versions: &versions, new };
        let fix = fix.write_fix(&upgrades, &build_files)?;
        let kept = fix.as_ref().map(|fix| self.count_kept(changes, new, &fix.tree)).transpose()?;
        Ok(Upgraded { upgrades, change_count: changes.len(), kept, fix })
    }

    /// Notes that there may be further culprits if the upgrades outside of those found cannot be tested.
    fn note_untestable_rest(&self, culprits: &[Vec<usize>]) -> Result<()> {
        let parts = self
            .variants
            .trees
            .select_parts(|change| !culprits.iter().any(|one| one.contains(&change)));
        if let Verdict::Unresolved(_) = self.variants.judge(&parts, "without the culprits", None)? {
            let note =
                "further upgrades that break the tests: without those found, there is no verdict";
            self.session.run_log.note_unchecked(note.to_owned())?;
        }
        Ok(())
    }

    /// Returns the number of changes that a tree has as bad has them.
    fn count_kept(
        &self,
        changes: &[BuildChange],
        new: &BuildParts,
        tree: &TreeId,
    ) -> Result<usize> {
        let repositories = &self.reader.attribution.options.repositories;
        let reverted = changes_between(new, &self.reader.read(tree)?, repositories);
        let is_kept = |change: &&BuildChange| !reverted.iter().any(|other| other.overlaps(change));
        Ok(changes.iter().filter(is_kept).count())
    }
}
