//! Text that a version inherits from its parent, with the origin of each byte.

use crate::{Delta, HunkId, HunkKind, JavaGranularity};
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Source of a byte; the strongest evidence comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ByteSource {
    /// The old version: file number and offset.
    Old(u32, u32),
    /// An intermediate version, by step.
    Intermediate(u32),
    /// A version outside of the tracked history.
    Outside,
}

/// Origin of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteOrigin {
    pub(super) source: ByteSource,
    /// The last step that moved it inside its file.
    pub(super) move_step: Option<u32>,
}

/// Origins of the bytes of a text.
pub(super) type TextOrigins = Rc<[ByteOrigin]>;

/// Range of bytes in one file.
type FileRange<'a> = (&'a RepoPath, Range<usize>);

/// Text of the changed files that a version inherits from its parent.
pub(super) struct InheritedText<'a> {
    old: HashMap<&'a RepoPath, (&'a [u8], TextOrigins)>,
    /// For each changed file of the version, its text and the origins of the inherited bytes.
    new: HashMap<&'a RepoPath, (&'a [u8], Vec<Option<ByteOrigin>>)>,
}

impl<'a> InheritedText<'a> {
    /// Computes the inherited text. `origins_of` returns the origins of a parent's text; `step` is the step of the
    /// version.
    pub(super) fn new(
        changes: &'a [FileChange],
        mode: JavaGranularity,
        step: Option<u32>,
        origins_of: &dyn Fn(&RepoPath, usize) -> TextOrigins,
    ) -> Self {
        let old = changes.iter().filter_map(|change| path_and_content(change.old.as_ref()));
        let new = changes.iter().filter_map(|change| path_and_content(change.new.as_ref()));
        let mut inherited = Self {
            old: old.map(|(path, old)| (path, (old, origins_of(path, old.len())))).collect(),
            new: new.map(|(path, new)| (path, (new, vec![None; new.len()]))).collect(),
        };
        inherited.inherit_unchanged(changes, mode, step);
        inherited
    }

    /// Returns the origins of a changed file's bytes, `None` for new bytes; `None` if the file is unchanged.
    pub(super) fn origins(&self, path: &RepoPath) -> Option<&[Option<ByteOrigin>]> {
        self.new.get(path).map(|(_, origins)| &origins[..])
    }

    fn inherit_unchanged(
        &mut self,
        changes: &'a [FileChange],
        mode: JavaGranularity,
        step: Option<u32>,
    ) {
        let delta = Delta::between(TreeId(String::new()), changes, mode);
        let is_move = |hunk: HunkId| delta.hunks[hunk].kind == HunkKind::Move;
        // Deleted and inserted ranges of each hunk.
        let mut unmatched: BTreeMap<HunkId, [Vec<FileRange<'a>>; 2]> = BTreeMap::new();
        for (file, change) in delta.files.iter().zip(changes) {
            for range in file.ranges().ranges {
                let old =
                    path_and_content(change.old.as_ref()).map(|(path, _)| path).zip(range.old);
                let new =
                    path_and_content(change.new.as_ref()).map(|(path, _)| path).zip(range.new);
                match (old, new, range.hunk) {
                    (Some(old), Some(new), hunk) => {
                        self.copy_origins(&old, &new, step.filter(|_| hunk.is_some_and(is_move)));
                    }
                    (Some(old), None, Some(hunk)) => {
                        unmatched.entry(hunk).or_default()[0].push(old);
                    }
                    (None, Some(new), Some(hunk)) => {
                        unmatched.entry(hunk).or_default()[1].push(new);
                    }
                    _ => {}
                }
            }
        }
        for [removed, inserted] in unmatched.into_values() {
            self.copy_equal_ranges(&removed, &inserted);
        }
    }

    /// Copies the origins of text that one hunk deletes and inserts again.
    fn copy_equal_ranges(&mut self, removed: &[FileRange<'a>], inserted: &[FileRange<'a>]) {
        let old: Vec<&[u8]> =
            removed.iter().map(|(path, range)| &self.old[path].0[range.clone()]).collect();
        let new: Vec<&[u8]> =
            inserted.iter().map(|(path, range)| &self.new[path].0[range.clone()]).collect();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                for k in 0..len {
                    self.copy_origins(&removed[old_index + k], &inserted[new_index + k], None);
                }
            }
        }
    }

    fn copy_origins(&mut self, old: &FileRange<'a>, new: &FileRange<'a>, move_step: Option<u32>) {
        let (Some((_, from)), Some((_, to))) = (self.old.get(old.0), self.new.get_mut(new.0))
        else {
            return;
        };
        for (to, from) in to[new.1.clone()].iter_mut().zip(&from[old.1.clone()]) {
            *to = Some(ByteOrigin { move_step: move_step.or(from.move_step), ..*from });
        }
    }
}

/// Returns one side of a change.
pub(super) fn path_and_content(side: Option<&(RepoPath, FileState)>) -> Option<(&RepoPath, &[u8])> {
    side.map(|(path, state)| (path, &*state.content))
}
