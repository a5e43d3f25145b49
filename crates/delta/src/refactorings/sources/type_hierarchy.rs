//! Type hierarchy, according to the changed files.

use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    FileVersion, SourceVersion, VersionedSources,
};
use std::collections::{BTreeSet, HashMap};

/// Longer chains of supertypes are not followed.
const MOST: usize = 100;

/// The supertypes of each type in either version, by simple names.
pub(crate) struct TypeHierarchy<'a> {
    supertypes: HashMap<&'a [u8], BTreeSet<&'a [u8]>>,
}

impl<'a> TypeHierarchy<'a> {
    pub(crate) fn new(scene: &VersionedSources<'a>) -> Self {
        let mut supertypes: HashMap<&[u8], BTreeSet<&[u8]>> = HashMap::new();
        for (_, file) in scene.old.java_files().chain(scene.new.java_files()) {
            for one in &file.outline.types {
                let supers = one.supertypes.iter().map(|token| simple(file.text(*token)));
                supertypes.entry(file.text(one.name)).or_default().extend(supers);
            }
        }
        Self { supertypes }
    }

    /// Returns true if `one` is a subtype of `other`.
    pub(crate) fn is_below(&self, one: &[u8], other: &[u8]) -> bool {
        let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
        let mut open: Vec<&[u8]> =
            self.supertypes.get(one).into_iter().flatten().copied().collect();
        while let Some(next) = open.pop() {
            if next == other {
                return true;
            }
            if seen.len() < MOST && seen.insert(next) {
                open.extend(self.supertypes.get(next).into_iter().flatten());
            }
        }
        false
    }
}

/// Returns the last part of a qualified name.
pub(crate) fn simple(text: &[u8]) -> &[u8] {
    text.rsplit(|byte| *byte == b'.').next().unwrap_or(text).trim_ascii()
}

/// Returns a type, with its package and imports if it is the only one in its file.
pub(crate) fn with_file(side: &SourceVersion<'_>, at: usize, node: usize) -> Option<TokenRange> {
    let file = side.file(at)?;
    let tokens = file.tokens(node);
    let is_alone = file.outline.types.iter().all(|one| {
        let inner = file.tokens(one.node);
        tokens.start <= inner.start && inner.end <= tokens.end
    });
    let is_whole =
        file.owner.iter().all(|owner| owner.is_some() && *owner == file.owner[tokens.start]);
    let tokens = if is_alone && is_whole { 0..file.partner.len() } else { tokens };
    Some(TokenRange { file: at, tokens })
}

/// Returns the tokens with which a type names one of its supertypes, if only its version has them.
pub(crate) fn clause(file: &FileVersion<'_>, node: usize, body: usize, name: &[u8]) -> Vec<usize> {
    let tokens = file.tokens(node).start..file.tokens(body).start;
    let words: [&[u8]; 4] = [b"implements", b"extends", b",", name];
    let is_part =
        |token: &usize| words.contains(&file.text(*token)) && file.owner[*token].is_some();
    tokens.filter(is_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_below_the_supertypes_of_its_supertypes() {
        let supertypes = HashMap::from([
            (&b"A"[..], BTreeSet::from([&b"B"[..]])),
            (&b"B"[..], BTreeSet::from([&b"C"[..], b"A"])),
        ]);
        let kinship = TypeHierarchy { supertypes };
        assert!(kinship.is_below(b"A", b"C"));
        assert!(!kinship.is_below(b"C", b"A"));
    }
}
