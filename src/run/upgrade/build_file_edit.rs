//! Edits of versions in build files.

use super::library_change::LibraryChange;
use super::managed_dependency::manage_version;
use crate::run::session::versions::ResolvedVersion;
use mend_engine::is_build_file;
use mend_git::ObjectStore;
use mend_model::{FileState, Problem, RepoPath, Result, TreeEdit, TreeId};
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
}

/// A library, the version that an edit gives it, and a way to read the effect of edits.
struct ChangedVersion<'a> {
    change: &'a LibraryChange,
    version: &'a str,
    changes_of: &'a dyn Fn(&TreeId) -> Result<Vec<LibraryChange>>,
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

    /// Returns true if a build file names the library.
    pub(super) fn declare(&self, change: &LibraryChange) -> bool {
        let Some(coordinates) = change.coordinates() else { return false };
        let artifact = &coordinates.artifact;
        let notations = [
            format!("<artifactId>{artifact}</artifactId>"),
            format!("{}:{artifact}", coordinates.group),
            format!("name: '{artifact}'"),
            format!("name: \"{artifact}\""),
            format!("name = \"{artifact}\""),
        ];
        self.files.values().any(|file| {
            let text = String::from_utf8_lossy(&file.content);
            notations.iter().any(|notation| !find_whole(&text, notation).is_empty())
        })
    }

    /// Gives a library another version by an edit of one place. `changes_of` returns how the libraries of a tree differ
    /// from those of bad. Of the places with this effect, the one with the fewest other changes is used. Returns `None`
    /// if there is none.
    pub(super) fn set_version(
        &self,
        change: &LibraryChange,
        version: &str,
        changes_of: &dyn Fn(&TreeId) -> Result<Vec<LibraryChange>>,
    ) -> Result<Option<Self>> {
        let Some(current) = change.new_version() else { return Ok(None) };
        let places = self.places_of(change, current).into_iter().take(MAX_PLACES);
        let edits = places.map(|place| self.replace(&place, version));
        self.choose_edit(edits, &ChangedVersion { change, version, changes_of })
    }

    /// Gives a library another version by a managed version in a POM. Otherwise as [`Self::set_version`].
    pub(super) fn manage_version(
        &self,
        change: &LibraryChange,
        version: &str,
        changes_of: &dyn Fn(&TreeId) -> Result<Vec<LibraryChange>>,
    ) -> Result<Option<Self>> {
        let Some(library) = change.coordinates() else { return Ok(None) };
        let poms = self.files.iter().filter_map(|(path, state)| {
            let text = std::str::from_utf8(&state.content).ok()?;
            let is_pom = path.to_string().rsplit('/').next() == Some("pom.xml");
            Some((path, manage_version(text, library, version).filter(|_| is_pom)?))
        });
        let mut poms: Vec<_> = poms.collect();
        // The top one has the versions of the others.
        poms.sort_by_key(|(path, _)| path.to_string().len());
        let edits = poms
            .into_iter()
            .take(MAX_PLACES)
            .map(|(path, text)| self.write(path, text.into_bytes()));
        self.choose_edit(edits, &ChangedVersion { change, version, changes_of })
    }

    /// Returns the edit that changes the version with the fewest other changes.
    fn choose_edit(
        &self,
        edits: impl Iterator<Item = Result<Self>>,
        wanted: &ChangedVersion<'_>,
    ) -> Result<Option<Self>> {
        let ChangedVersion { change, version, changes_of } = wanted;
        let is_wanted =
            |one: &LibraryChange| one.name == change.name && one.new_version() == Some(version);
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
            let is_other = |one: &&LibraryChange| one.name != change.name && !earlier.contains(one);
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
    fn places_of(&self, change: &LibraryChange, version: &str) -> Vec<Place> {
        let artifact = change.coordinates().map_or("", |one| &one.artifact);
        let places = self.files.iter().flat_map(|(path, state)| {
            // Places in another encoding would be wrong.
            let text = std::str::from_utf8(&state.content).unwrap_or_default();
            let find = |range: Range<usize>| {
                let name = text[..range.start].rfind(artifact);
                Place { path: path.clone(), distance: name.map(|at| range.start - at), range }
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

/// Returns the places of a version or name in a text that are not parts of longer ones.
fn find_whole(text: &str, word: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_whole = |range: &Range<usize>| {
        !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part)
    };
    let matches = text.match_indices(word).map(|(at, found)| at..at + found.len());
    matches.filter(is_whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_as_whole_words() {
        let text = "<v>1.2</v> 1.2.3 a-1.2 'g:a:1.2'";
        assert_eq!(find_whole(text, "1.2"), [3..6, 28..31]);
    }
}
