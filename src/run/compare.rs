//! `git mend delta`: two versions taken apart, and any part of the change applied.

use super::units::units;
use super::versions::{Version, resolve};
use crate::delta::{Delta, JavaMode};
use crate::git::{Repository, Store};
use crate::model::{FileChange, Problem, Result};
use crate::search::Subset;
use anyhow::Context as _;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use tempfile::TempDir;

/// The change from one version to another.
pub struct Comparison {
    /// The change, taken apart.
    pub delta: Delta,
    /// The files that differ.
    pub changes: Vec<FileChange>,
    store: Store,
    /// Holds the store, and goes with it.
    _home: TempDir,
}

/// Takes apart the change between two versions, each a revision or a folder.
///
/// # Errors
/// [`Problem::UnknownRevision`], [`Problem::NotARepository`], and what reading the versions may give.
pub fn compare(dir: &Path, old: &str, new: &str, mode: JavaMode) -> Result<Comparison> {
    let repository = match Repository::open(dir) {
        Ok(repository) => Some(repository),
        Err(Problem::NotARepository(_)) => None,
        Err(problem) => return Err(problem),
    };
    let home = tempfile::tempdir().context("making a temporary folder")?;
    let store = Store::create(&home.path().join("store"), repository.as_ref())?;
    let tree = |spec: &str| {
        let version: Version = resolve(spec, dir, repository.as_ref(), &store)?;
        Ok::<_, Problem>(version.original)
    };
    let (old, new) = (tree(old)?, tree(new)?);
    let changes = store.changes(&old, &new)?;
    let delta = Delta::between(old, &changes, mode);
    Ok(Comparison { delta, changes, store, _home: home })
}

impl Comparison {
    /// Writes the version that has the chosen components, with what they need, into the folder `to`.
    /// Gives the numbers of the components, counted from 1, that are in it.
    ///
    /// # Errors
    /// [`Problem::Usage`] if a component does not exist or the folder is not empty; failures to write.
    pub fn apply(&self, choice: &Choice, to: &Path) -> Result<Vec<usize>> {
        let units = units(&self.delta)?;
        let on = units.constraints().closure(&choice.subset(units.len())?);
        let layout = matches!(choice, Choice::All);
        let edit = self.delta.render_components(&|unit| on.contains(unit), layout);
        self.store.export(&self.store.write(&edit)?, to)?;
        Ok(on.ones().map(|unit| unit + 1).collect())
    }
}

/// Which components to apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every one, and the layout.
    All,
    /// None.
    None,
    /// These, counted from 1.
    Some(Vec<RangeInclusive<usize>>),
}

impl Choice {
    fn subset(&self, len: usize) -> Result<Subset> {
        let mut subset = Subset::with_capacity(len);
        match self {
            Self::All => subset.insert_range(..),
            Self::None => {}
            Self::Some(ranges) => {
                if let Some(wrong) = ranges.iter().find(|range| *range.end() > len) {
                    return Err(Problem::Usage {
                        message: format!("there is no component {}", wrong.end()),
                        remedy: format!("name components from 1 to {len}"),
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

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let fault = || "write all, none, or numbers such as 3,7-9".to_owned();
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| fault());
        let range = |part: &str| {
            let (start, end) = part.split_once('-').unwrap_or((part, part));
            let (start, end) = (number(start)?, number(end)?);
            if start == 0 || end < start { Err(fault()) } else { Ok(start..=end) }
        };
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => text.split(',').map(range).collect::<std::result::Result<_, _>>().map(Self::Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_words_numbers_and_ranges() {
        assert_eq!("all".parse(), Ok(Choice::All));
        assert_eq!("3,7-9".parse(), Ok(Choice::Some(vec![3..=3, 7..=9])));
        for wrong in ["", "0", "9-7", "x", "1,,2"] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_component_that_is_not_there_is_refused() {
        let choice = Choice::Some(vec![2..=4]);
        assert!(matches!(choice.subset(3), Err(Problem::Usage { .. })));
        assert_eq!(choice.subset(4).unwrap().ones().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
