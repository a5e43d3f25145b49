//! Edits of versions in build files.

use super::build_change::{BuildChange, plugin_id};
use super::build_reader::InheritedProperties;
use super::declarations::{find_whole, is_declared_in_pom, is_declared_in_script};
use super::inherited_versions::{PomPart, override_in_pom};
use super::level_declarations::{LevelText, levels_in_pom, levels_in_script};
use crate::run::session::versions::ResolvedVersion;
use mend_engine::is_build_file;
use mend_git::ObjectStore;
use mend_model::{FileState, Problem, RepoPath, Result, TreeEdit, TreeId};
use mend_report::UpgradeKind;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of places in build files that are tried as the declaration of a version.
const MAX_PLACES: usize = 20;

/// The build files of a tree.
#[derive(Clone)]
pub(super) struct BuildFiles {
    pub(super) tree: TreeId,
    files: BTreeMap<RepoPath, FileState>,
    store: Arc<ObjectStore>,
}

/// Place of a version in a build file.
struct Place {
    path: RepoPath,
    range: Range<usize>,
    /// Number of bytes after the name of the library, if that precedes it in the file.
    distance: Option<usize>,
    /// True if it is the version of a parent POM.
    is_of_parent: bool,
}

/// A part of the build, the version that an edit gives it, and a way to read the effect of edits.
struct ChangedVersion<'a> {
    change: &'a BuildChange,
    version: &'a str,
    changes_of: &'a dyn Fn(&TreeId) -> Result<Vec<BuildChange>>,
}

impl BuildFiles {
    /// Reads the build files of a version.
    pub(super) fn read(store: &Arc<ObjectStore>, version: &ResolvedVersion) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in store.read_tree(&version.original_tree)?.into_keys() {
            if is_build_file(&path.to_string())
                && let Some(state) = store.read_file(&version.original_tree, &path)?
            {
                files.insert(path, state);
            }
        }
        let tree = version.overlaid_tree.clone();
        Ok(Self { tree, files, store: Arc::clone(store) })
    }

    /// Returns true if a build file names the part.
    pub(super) fn declare(&self, change: &BuildChange) -> bool {
        let Some(part) = change.new.as_ref().or(change.old.as_ref()) else { return false };
        let kind = change.kind();
        self.files.iter().any(|(path, file)| {
            let text = String::from_utf8_lossy(&file.content);
            if kind == UpgradeKind::Java {
                change.new_version().is_some_and(|one| !levels_in(path, &text, one, one).is_empty())
            } else if is_pom(path) {
                is_declared_in_pom(&text, &part.coordinates, kind)
            } else {
                is_declared_in_script(&text, &part.coordinates)
            }
        })
    }

    /// Gives a part another version by an edit of one place, or of all that name the version of Java. `changes_of` returns
    /// how the build of a tree differs from that of bad. Of the places with this effect, the one with the fewest other
    /// changes is used. Returns `None` if there is none. The version of a parent stays: see [`Self::set_parent_version`].
    pub(super) fn set_version(
        &self,
        change: &BuildChange,
        version: &str,
        changes_of: &dyn Fn(&TreeId) -> Result<Vec<BuildChange>>,
    ) -> Result<Option<Self>> {
        let Some(current) = change.new_version() else { return Ok(None) };
        let wanted = ChangedVersion { change, version, changes_of };
        if !change.level_sources().is_empty() {
            let edits = self.level_edits(current, version)?.into_iter().map(Ok);
            return self.choose_edit(edits, &wanted);
        }
        self.edit_places(current, false, &wanted)
    }

    /// Gives a part another version by the version of a parent POM, if that is the same. Otherwise as
    /// [`Self::set_version`].
    pub(super) fn set_parent_version(
        &self,
        change: &BuildChange,
        version: &str,
        changes_of: &dyn Fn(&TreeId) -> Result<Vec<BuildChange>>,
    ) -> Result<Option<Self>> {
        let Some(current) = change.new_version() else { return Ok(None) };
        self.edit_places(current, true, &ChangedVersion { change, version, changes_of })
    }

    fn edit_places(
        &self,
        current: &str,
        is_of_parent: bool,
        wanted: &ChangedVersion<'_>,
    ) -> Result<Option<Self>> {
        let places = self.places_of(wanted.change, current).into_iter();
        let places = places.filter(|place| place.is_of_parent == is_of_parent).take(MAX_PLACES);
        self.choose_edit(places.map(|place| self.replace(&place, wanted.version)), wanted)
    }

    /// Returns edits of the version of Java: of each build file alone, then of all together.
    fn level_edits(&self, current: &str, version: &str) -> Result<Vec<Self>> {
        let mut edits = Vec::new();
        let mut all = self.clone();
        for (path, state) in &self.files {
            // Places in another encoding would be wrong.
            let text = std::str::from_utf8(&state.content).unwrap_or_default();
            let mut content = text.to_owned();
            for LevelText { range, replacement } in
                levels_in(path, text, current, version).into_iter().rev()
            {
                content.replace_range(range, &replacement);
            }
            if content != text {
                edits.push(self.write(path, content.clone().into_bytes())?);
                all = all.write(path, content.into_bytes())?;
            }
        }
        edits.truncate(MAX_PLACES);
        if edits.len() > 1 {
            edits.push(all);
        }
        Ok(edits)
    }

    /// Returns the paths of the POMs; the top one, which has the versions of the others, first.
    pub(super) fn poms(&self) -> Vec<RepoPath> {
        let mut poms: Vec<_> = self.files.keys().filter(|path| is_pom(path)).cloned().collect();
        poms.sort_by_key(|path| path.to_string().len());
        poms
    }

    /// Gives a part that no build file gives its version another one, in a POM: by a property that the POM inherits, or,
    /// for a library, by a managed version. Otherwise as [`Self::set_version`].
    pub(super) fn override_version(
        &self,
        change: &BuildChange,
        version: &str,
        inherited: &InheritedProperties,
        changes_of: &dyn Fn(&TreeId) -> Result<Vec<BuildChange>>,
    ) -> Result<Option<Self>> {
        let (Some(part), Some(current)) = (change.coordinates(), change.new_version()) else {
            return Ok(None);
        };
        let poms = self.poms();
        let edits = poms.iter().flat_map(|path| {
            let content = self.files.get(path).map(|state| &state.content[..]).unwrap_or_default();
            let text = std::str::from_utf8(content).unwrap_or_default();
            let properties = inherited.get(path).map(Vec::as_slice).unwrap_or_default();
            let part = PomPart { kind: change.kind(), coordinates: part, version: current };
            let edited = override_in_pom(text, &part, properties, version);
            edited.into_iter().map(move |text| self.write(path, text.into_bytes()))
        });
        let wanted = ChangedVersion { change, version, changes_of };
        self.choose_edit(edits.take(MAX_PLACES), &wanted)
    }

    /// Returns the edit that changes the version with the fewest other changes.
    fn choose_edit(
        &self,
        edits: impl Iterator<Item = Result<Self>>,
        wanted: &ChangedVersion<'_>,
    ) -> Result<Option<Self>> {
        let ChangedVersion { change, version, changes_of } = wanted;
        let is_wanted =
            |one: &BuildChange| one.covers(change) && one.new_version() == Some(version);
        let earlier = changes_of(&self.tree)?;
        if earlier.iter().any(is_wanted) {
            return Ok(Some(self.clone()));
        }
        let mut best: Option<(usize, Self)> = None;
        for edited in edits {
            let edited = edited?;
            let changes = match changes_of(&edited.tree) {
                Ok(changes) => changes,
                Err(Problem::Interrupted) => return Err(Problem::Interrupted),
                // The edit breaks the build.
                Err(_) => continue,
            };
            let is_other = |one: &&BuildChange| !one.overlaps(change) && !earlier.contains(one);
            let others = changes.iter().filter(is_other).count();
            let is_better = best.as_ref().is_none_or(|(fewest, _)| others < *fewest);
            if changes.iter().any(is_wanted) && is_better {
                best = Some((others, edited));
            }
            if best.as_ref().is_some_and(|(others, _)| *others == 0) {
                break;
            }
        }
        Ok(best.map(|(_, edited)| edited))
    }

    /// Returns the places of a version, those shortly after the name of the library first.
    fn places_of(&self, change: &BuildChange, version: &str) -> Vec<Place> {
        let name = |one| plugin_id(one).unwrap_or(&one.artifact);
        let artifact = change.coordinates().map_or("", name);
        let places = self.files.iter().flat_map(|(path, state)| {
            // Places in another encoding would be wrong.
            let text = std::str::from_utf8(&state.content).unwrap_or_default();
            let find = |range: Range<usize>| {
                let name = text[..range.start].rfind(artifact);
                let distance = name.map(|at| range.start - at);
                let before = &text[..range.start];
                let is_of_parent =
                    is_pom(path) && before.rfind("<parent>") > before.rfind("</parent>");
                Place { path: path.clone(), distance, range, is_of_parent }
            };
            find_whole(text, version).into_iter().map(find).collect::<Vec<_>>()
        });
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|place| place.distance.unwrap_or(usize::MAX));
        places
    }

    fn replace(&self, place: &Place, version: &str) -> Result<Self> {
        let Some(state) = self.files.get(&place.path) else { return Ok(self.clone()) };
        let mut content = state.content.to_vec();
        content.splice(place.range.clone(), version.bytes());
        self.write(&place.path, content)
    }

    fn write(&self, path: &RepoPath, content: impl Into<Arc<[u8]>>) -> Result<Self> {
        let mut edited = self.clone();
        let Some(state) = edited.files.get_mut(path) else { return Ok(edited) };
        state.content = content.into();
        let changes = BTreeMap::from([(path.clone(), Some(state.clone()))]);
        edited.tree = self.store.write_tree(&TreeEdit { base: self.tree.clone(), changes })?;
        Ok(edited)
    }
}

fn is_pom(path: &RepoPath) -> bool {
    path.to_string().rsplit('/').next() == Some("pom.xml")
}

/// Returns the places of a version of Java in a build file, in order, with the text of another version.
fn levels_in(path: &RepoPath, text: &str, version: &str, other: &str) -> Vec<LevelText> {
    let (Ok(version), Ok(other)) = (version.parse(), other.parse()) else { return Vec::new() };
    if is_pom(path) {
        levels_in_pom(text, version, other)
    } else {
        levels_in_script(text, version, other)
    }
}
