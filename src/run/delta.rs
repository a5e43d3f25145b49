//! `git mend delta`: splits a change into components and applies any subset of them.

use super::session::{home_of, is_writable};
use crate::run::judge::executor::ScratchPool;
use crate::run::session::request::Context;
use crate::run::session::versions::{ResolvedVersion, resolve};
use crate::run::subject::attribution::{Attribution, DecomposedChange, WholeChange};
use crate::run::subject::search_units::units;
use anyhow::Context as _;
use mend_delta::{Delta, JavaGranularity};
use mend_engine::{Environment, Jdk, ProjectOptions, SupervisedLauncher, Toolchain};
use mend_git::{ObjectStore, Repository};
use mend_model::{FileChange, Problem, Result};
use mend_process::Supervisor;
use mend_search::Subset;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use tempfile::TempDir;

/// The change from one version to another.
pub struct VersionDelta {
    /// The change, split into components.
    pub delta: Delta,
    /// The files that differ.
    pub changes: Vec<FileChange>,
    store: Arc<ObjectStore>,
    /// Holds the store, and goes with it.
    _home: TempDir,
}

/// Request to split the diff between two versions.
#[derive(Clone, Debug)]
pub struct DeltaRequest {
    /// Working folder of the user.
    pub dir: PathBuf,
    /// The old version, a revision or a folder.
    pub old: String,
    /// The new version, a revision or a folder.
    pub new: String,
    /// Granularity of the diff of Java files: syntax tree or lines.
    pub java: JavaGranularity,
    /// Options of the project.
    pub project: ProjectOptions,
}

/// Splits the change between two versions into components.
///
/// # Errors
/// [`Problem::UnknownRevision`], [`Problem::NotARepository`], and what reading the versions may give.
pub fn compare(request: &DeltaRequest, context: &Context) -> Result<VersionDelta> {
    let repository = match Repository::open(&request.dir) {
        Ok(repository) => Some(repository),
        Err(Problem::NotARepository(_)) => None,
        Err(problem) => return Err(problem),
    };
    let home = tempfile::tempdir().context("making a temporary folder")?;
    let store = Arc::new(ObjectStore::create(&home.path().join("store"), repository.as_ref())?);
    let tree = |spec: &str| {
        let version: ResolvedVersion = resolve(spec, &request.dir, repository.as_ref(), &store)?;
        Ok::<_, Problem>(version.original)
    };
    let (old, new) = (tree(&request.old)?, tree(&request.new)?);
    let changes = store.changes(&old, &new)?;
    let pool = ScratchPool::new(Arc::clone(&store), home.path().join("trees"));
    let whole = WholeChange { pool: &pool, base: &old, target: &new, files: &changes };
    let taken = if request.java == JavaGranularity::Ast && whole.has_java() {
        let kept = repository.as_ref().map(|known| home_of(Some(known), &request.dir));
        let kept = kept.filter(|home| is_writable(home)).unwrap_or_else(|| home.path().to_owned());
        match attribution(request, home.path(), &kept, context) {
            Ok(attribution) => attribution.take_apart(&whole)?,
            Err(problem) => DecomposedChange {
                obstacle: Some(problem.to_string()),
                ..whole.by_names(request.java)
            },
        }
    } else {
        whole.by_names(request.java)
    };
    taken.notice().into_iter().for_each(|notice| context.progress.event(notice));
    let delta = taken.delta;
    Ok(VersionDelta { delta, changes, store, _home: home })
}

/// `ceiling` is a folder for this comparison, and `kept` one that outlives it where there is any.
fn attribution(
    request: &DeltaRequest,
    ceiling: &Path,
    kept: &Path,
    context: &Context,
) -> Result<Attribution> {
    let supervisor = Supervisor::start(context.interrupt.clone(), &context.program)?;
    let launcher = Arc::new(SupervisedLauncher { supervisor, ceiling: ceiling.to_owned() });
    let jdk = Jdk::find(&Environment::of_this_process(), &*launcher)?;
    let options = request.project.clone();
    let interrupt = context.interrupt.clone();
    let tools = Toolchain::new(jdk, launcher, kept);
    Ok(Attribution { tools, options, with_tests: true, interrupt })
}

impl VersionDelta {
    /// Writes the version with the chosen components and their dependencies to the folder `to`. Returns the numbers of
    /// these components, counted from 1.
    ///
    /// # Errors
    /// [`Problem::Usage`] if a component does not exist or the folder is not empty; failures to write.
    pub fn apply(&self, choice: &ComponentChoice, to: &Path) -> Result<Vec<usize>> {
        let units = units(&self.delta, None)?;
        let on = units.constraints().closure(&choice.subset(units.len())?);
        let layout = matches!(choice, ComponentChoice::All);
        let edit = self.delta.render_components(&|unit| on.contains(unit), layout);
        self.store.export(&self.store.write(&edit)?, to)?;
        Ok(on.ones().map(|unit| unit + 1).collect())
    }
}

/// Components to apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentChoice {
    /// Every one, and the layout.
    All,
    /// None.
    None,
    /// Ranges of component numbers, counted from 1.
    Ranges(Vec<RangeInclusive<usize>>),
}

impl ComponentChoice {
    fn subset(&self, len: usize) -> Result<Subset> {
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
        let fault = || "pass `all`, `none` or component numbers such as `3,7-9`".to_owned();
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| fault());
        let range = |part: &str| {
            let (start, end) = part.split_once('-').unwrap_or((part, part));
            let (start, end) = (number(start)?, number(end)?);
            if start == 0 || end < start { Err(fault()) } else { Ok(start..=end) }
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
    fn choices_are_words_numbers_and_ranges() {
        assert_eq!("all".parse(), Ok(ComponentChoice::All));
        assert_eq!("3,7-9".parse(), Ok(ComponentChoice::Ranges(vec![3..=3, 7..=9])));
        for wrong in ["", "0", "9-7", "x", "1,,2"] {
            assert!(wrong.parse::<ComponentChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_component_that_is_not_there_is_refused() {
        let choice = ComponentChoice::Ranges(vec![2..=4]);
        assert!(matches!(choice.subset(3), Err(Problem::Usage { .. })));
        assert_eq!(choice.subset(4).unwrap().ones().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
