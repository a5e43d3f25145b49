//! Runs `git mend delta`: splits a change into components and applies any subset of them.

use super::session::{allow_downloads, home_of, is_writable};
use crate::run::judge::executor::ScratchPool;
use crate::run::session::request::{Context, DownloadOptions};
use crate::run::session::versions::{ResolvedVersion, resolve_version};
use crate::run::subject::attribution::{Attribution, DecomposedChange, WholeChange};
use crate::run::subject::search_units::to_search_units;
use anyhow::Context as _;
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{Environment, Jdk, ModelSource, ProjectOptions, SupervisedLauncher, Toolchain};
use mend_git::{ObjectStore, Repository};
use mend_model::{FileChange, Problem, Result};
use mend_process::Supervisor;
use mend_search::Subset;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use tempfile::TempDir;

/// Change from one version to another.
pub struct VersionDelta {
    /// Change, split into components.
    pub delta: Delta,
    /// Changed files.
    pub changes: Vec<FileChange>,
    store: Arc<ObjectStore>,
    /// Folder that contains the object store. Dropping it removes it.
    _temporary_folder: TempDir,
}

/// Request to split the diff between two versions.
#[derive(Clone, Debug)]
pub struct DeltaRequest {
    /// Working folder of the user.
    pub dir: PathBuf,
    /// Old version: a revision or a folder.
    pub old: String,
    /// New version: a revision or a folder.
    pub new: String,
    /// Granularity of the diff of Java files: syntax tree or lines.
    pub java: JavaGranularity,
    /// Options of the project.
    pub project: ProjectOptions,
    /// Downloads that are forbidden or allowed.
    pub downloads: DownloadOptions,
}

/// Splits the change between two versions into components.
///
/// # Errors
/// [`Problem::UnknownRevision`], [`Problem::NotARepository`], and errors of reading the versions.
pub fn compare_versions(request: &DeltaRequest, context: &Context) -> Result<VersionDelta> {
    let are_folders =
        [&request.old, &request.new].iter().all(|spec| request.dir.join(spec).is_dir());
    let repository = match Repository::open(&request.dir) {
        Ok(repository) => Some(repository),
        Err(Problem::NotARepository(_)) => None,
        Err(Problem::UnsupportedRepository { .. } | Problem::UnreadableRepository { .. })
            if are_folders =>
        {
            None
        }
        Err(problem) => return Err(problem),
    };
    let temporary_folder = tempfile::tempdir().context("making a temporary folder")?;
    let cache_folder = repository
        .as_ref()
        .map(|known| home_of(Some(known), &request.dir))
        .filter(|folder| is_writable(folder))
        .unwrap_or_else(|| temporary_folder.path().to_owned());
    let allow = |known| allow_downloads(known, request.downloads, &cache_folder, context);
    let repository = repository.map(allow).transpose()?;
    let store =
        Arc::new(ObjectStore::create(&temporary_folder.path().join("store"), repository.as_ref())?);
    let tree = |spec: &str| {
        let version: ResolvedVersion =
            resolve_version(spec, &request.dir, repository.as_ref(), &store)?;
        Ok::<_, Problem>(version.original_tree)
    };
    let (old, new) = (tree(&request.old)?, tree(&request.new)?);
    let changes = store.diff_trees(&old, &new)?;
    let pool = ScratchPool::new(Arc::clone(&store), temporary_folder.path().join("trees"));
    let change = WholeChange { pool: &pool, base: &old, target: &new, files: &changes };
    let by_names = change.decompose_by_names(request.java);
    let decomposition = if request.java == JavaGranularity::Ast && by_names.may_have_dependencies()
    {
        match start_attribution(request, temporary_folder.path(), &cache_folder, context) {
            Ok(attribution) => attribution.decompose(&change, by_names)?,
            Err(problem) => {
                DecomposedChange { failure_reason: Some(problem.to_string()), ..by_names }
            }
        }
    } else {
        by_names
    };
    decomposition.notice().into_iter().for_each(|notice| context.progress.handle(notice));
    let delta = decomposition.delta;
    Ok(VersionDelta { delta, changes, store, _temporary_folder: temporary_folder })
}

/// Creates the attribution. `ceiling` is a folder for this comparison. `cache_folder` outlives the comparison if
/// possible.
fn start_attribution(
    request: &DeltaRequest,
    ceiling: &Path,
    cache_folder: &Path,
    context: &Context,
) -> Result<Attribution> {
    let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: ceiling.to_owned() });
    let jdk = Jdk::find(&Environment::from_process(), &*launcher)?;
    let mut options = request.project.clone();
    if options.model == ModelSource::Auto {
        // A comparison of two versions runs none of their code, and a build tool may.
        options.model = ModelSource::Files;
    }
    let interrupt = context.interrupt.clone();
    let tools = Toolchain::new(jdk, launcher, cache_folder);
    Ok(Attribution { tools, options, includes_test_code: true, interrupt })
}

impl VersionDelta {
    /// Writes the version with the chosen components and their dependencies to `output_folder`. Returns the numbers of
    /// these components, counted from 1.
    ///
    /// # Errors
    /// [`Problem::Usage`] if a component does not exist or the folder is not empty; I/O errors.
    pub fn apply(&self, choice: &ComponentChoice, output_folder: &Path) -> Result<Vec<usize>> {
        let units = to_search_units(&self.delta, None)?;
        let applied = units.constraints().closure(&choice.to_subset(units.len())?);
        let includes_layout = matches!(choice, ComponentChoice::All);
        let edit = self.delta.render_components(&|unit| applied.contains(unit), includes_layout);
        self.store.export(&self.store.write_tree(&edit)?, output_folder)?;
        Ok(applied.ones().map(|unit| unit + 1).collect())
    }
}

/// Components to apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentChoice {
    /// All components, and changes of the layout.
    All,
    /// No component.
    None,
    /// Ranges of component numbers, counted from 1.
    Ranges(Vec<RangeInclusive<usize>>),
}

impl ComponentChoice {
    fn to_subset(&self, len: usize) -> Result<Subset> {
        let mut subset = Subset::with_capacity(len);
        match self {
            Self::All => subset.insert_range(..),
            Self::None => {}
            Self::Ranges(ranges) => {
                if let Some(wrong) = ranges.iter().find(|range| *range.end() > len) {
                    return Err(Problem::Usage {
                        message: format!("there is no component {}", wrong.end()),
                        remedy: format!("choose components from 1 to {len}"),
                    });
                }
                for range in ranges {
                    subset.insert_range(range.start() - 1..*range.end());
                }
            }
        }
        Ok(subset)
    }
}

impl FromStr for ComponentChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let usage_message = || "pass `all`, `none` or component numbers such as `3,7-9`".to_owned();
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| usage_message());
        let range = |part: &str| {
            let (start, end) = part.split_once('-').unwrap_or((part, part));
            let (start, end) = (number(start)?, number(end)?);
            if start == 0 || end < start { Err(usage_message()) } else { Ok(start..=end) }
        };
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => {
                text.split(',').map(range).collect::<std::result::Result<_, _>>().map(Self::Ranges)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_choices_parse() {
        assert_eq!("all".parse(), Ok(ComponentChoice::All));
        assert_eq!("3,7-9".parse(), Ok(ComponentChoice::Ranges(vec![3..=3, 7..=9])));
        for wrong in ["", "0", "9-7", "x", "1,,2"] {
            assert!(wrong.parse::<ComponentChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn missing_component_is_rejected() {
        let choice = ComponentChoice::Ranges(vec![2..=4]);
        assert!(matches!(choice.to_subset(3), Err(Problem::Usage { .. })));
        assert_eq!(choice.to_subset(4).unwrap().ones().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
