//! Trees of a version with other parts of its build.

use super::build_change::{BuildChange, BuildPart, PartKind, file_of};
use crate::run::session::versions::ResolvedVersion;
use crate::run::subject::test_overlay::to_repo_path;
use anyhow::Context as _;
use mend_engine::{BUILD_OVERRIDES_FILE, BuildOverrides, LevelOverride, PathOverrides};
use mend_git::ObjectStore;
use mend_model::{FileMode, FileState, Result, TreeEdit, TreeId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which of the two versions gives the sources of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Bad,
    Good,
}

/// Trees of a version that differ in parts of their builds only.
#[derive(Clone)]
pub(super) struct VariantTrees {
    pub(super) store: Arc<ObjectStore>,
    pub(super) good: ResolvedVersion,
    pub(super) bad: ResolvedVersion,
    pub(super) changes: Arc<[BuildChange]>,
    pub(super) base: Base,
}

/// Changed parts of the build as a variant has them; `None` if it lacks the part.
pub(super) type VariantParts = Vec<Option<BuildPart>>;

impl VariantTrees {
    /// Returns the parts of a variant with these upgrades.
    pub(super) fn select_parts(&self, is_upgraded: impl Fn(usize) -> bool) -> VariantParts {
        let part = |(at, change): (usize, &BuildChange)| {
            if is_upgraded(at) { change.new.clone() } else { change.old.clone() }
        };
        self.changes.iter().enumerate().map(part).collect()
    }

    /// Returns the version that gives the sources.
    pub(super) fn version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.bad,
            Base::Good => &self.good,
        }
    }

    fn other_version(&self) -> &ResolvedVersion {
        match self.base {
            Base::Bad => &self.good,
            Base::Good => &self.bad,
        }
    }

    /// Writes the tree of the variant with these parts.
    pub(super) fn write_tree(&self, parts: &VariantParts) -> Result<TreeId> {
        let tree = &self.version().overlaid_tree;
        let overrides = self.overrides(parts);
        if overrides == BuildOverrides::default() {
            return Ok(tree.clone());
        }
        let json = serde_json::to_vec(&overrides).context("writing JSON")?;
        let state = FileState { mode: FileMode::Regular, content: json.into() };
        let mut changes = BTreeMap::from([(BUILD_OVERRIDES_FILE.into(), Some(state))]);
        let store = &self.store;
        let files = parts.iter().filter_map(|part| file_of(part.as_ref()));
        for file in files.filter(|file| file.is_relative()) {
            let path = to_repo_path(file);
            // A jar that the other version has in its tree.
            if store.read_file(tree, &path)?.is_none() {
                let jar = store.read_file(&self.other_version().overlaid_tree, &path)?;
                changes.insert(path, jar);
            }
        }
        store.write_tree(&TreeEdit { base: tree.clone(), changes })
    }

    fn overrides(&self, parts: &VariantParts) -> BuildOverrides {
        let mut overrides = BuildOverrides::default();
        for (change, part) in self.changes.iter().zip(parts) {
            let own = match self.base {
                Base::Bad => &change.new,
                Base::Good => &change.old,
            };
            if own != part {
                add_override(&mut overrides, own.as_ref(), part.as_ref());
            }
        }
        overrides
    }
}

/// Adds the difference between a part of the build and that of a variant.
fn add_override(
    overrides: &mut BuildOverrides,
    own: Option<&BuildPart>,
    wanted: Option<&BuildPart>,
) {
    match wanted.or(own).map(|part| &part.kind) {
        Some(PartKind::Level { level, sources }) => {
            let level_at = |module_sources| LevelOverride { level: *level, module_sources };
            overrides.levels.extend(sources.iter().cloned().map(level_at));
        }
        Some(PartKind::Plugin) => {
            let coordinates = wanted.map(|part| &part.coordinates);
            let plugin = coordinates.and_then(|one| Some((one.name(), one.version.clone()?)));
            overrides.plugins.extend(plugin);
        }
        Some(PartKind::Library(_)) => add_file(&mut overrides.libraries, own, wanted),
        Some(PartKind::Processor(_)) => add_file(&mut overrides.processors, own, wanted),
        None => {}
    }
}

fn add_file(path: &mut PathOverrides, own: Option<&BuildPart>, wanted: Option<&BuildPart>) {
    let file = file_of(wanted).map(ToOwned::to_owned);
    match file_of(own) {
        Some(own) => {
            path.replacements.insert(own.to_owned(), file);
        }
        None => path.additions.extend(file),
    }
}
