//! Type hierarchy of the changed files, by simple name.

use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::versioned_sources::{
    FileVersion, SourceVersion, VersionedSources,
};
use std::collections::{BTreeSet, HashMap};

/// Maximum number of supertypes that are followed.
const MAX_SUPERTYPES: usize = 100;

/// Supertypes of each type in either version, by simple names.
pub(crate) struct TypeHierarchy<'a> {
    supertypes: HashMap<&'a [u8], BTreeSet<&'a [u8]>>,
}

impl<'a> TypeHierarchy<'a> {
    pub(crate) fn new(sources: &VersionedSources<'a>) -> Self {
        let mut supertypes: HashMap<&[u8], BTreeSet<&[u8]>> = HashMap::new();
        for (_, file) in sources.old.java_files().chain(sources.new.java_files()) {
            for one in &file.outline.types {
                let supers = one.supertypes.iter().map(|token| simple(file.text(*token)));
                supertypes.entry(file.text(one.name)).or_default().extend(supers);
            }
        }
        Self { supertypes }
    }

    /// Returns true if one type is a subtype of another.
    pub(crate) fn is_subtype(&self, subtype: &[u8], supertype: &[u8]) -> bool {
        let mut visited: BTreeSet<&[u8]> = BTreeSet::new();
        let mut worklist: Vec<&[u8]> =
            self.supertypes.get(subtype).into_iter().flatten().copied().collect();
        while let Some(next) = worklist.pop() {
            if next == supertype {
                return true;
            }
            if visited.len() < MAX_SUPERTYPES && visited.insert(next) {
                worklist.extend(self.supertypes.get(next).into_iter().flatten());
            }
        }
        false
    }
}

/// Returns the last component of a qualified name.
pub(crate) fn simple(text: &[u8]) -> &[u8] {
    text.rsplit(|byte| *byte == b'.').next().unwrap_or(text).trim_ascii()
}

/// Returns the tokens of a type, with package and imports if it is the only type in its file.
pub(crate) fn type_range_with_imports(
    side: &SourceVersion<'_>,
    file_index: usize,
    node: usize,
) -> Option<TokenRange> {
    let file = side.file(file_index)?;
    let tokens = file.tokens(node);
    let is_only_type = file.outline.types.iter().all(|one| {
        let inner = file.tokens(one.node);
        tokens.start <= inner.start && inner.end <= tokens.end
    });
    let has_single_owner =
        file.owner.iter().all(|owner| owner.is_some() && *owner == file.owner[tokens.start]);
    let tokens = if is_only_type && has_single_owner { 0..file.partner.len() } else { tokens };
    Some(TokenRange { file: file_index, tokens })
}

/// Returns the tokens by which a type names one of its supertypes, if only its version has them.
pub(crate) fn supertype_clause_tokens(
    file: &FileVersion<'_>,
    node: usize,
    body: usize,
    name: &[u8],
) -> Vec<usize> {
    let tokens = file.tokens(node).start..file.tokens(body).start;
    let words: [&[u8]; 4] = [b"implements", b"extends", b",", name];
    let is_clause_token =
        |token: &usize| words.contains(&file.text(*token)) && file.owner[*token].is_some();
    tokens.filter(is_clause_token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtyping_is_transitive() {
        let supertypes = HashMap::from([
            (&b"A"[..], BTreeSet::from([&b"B"[..]])),
            (&b"B"[..], BTreeSet::from([&b"C"[..], b"A"])),
        ]);
        let type_hierarchy = TypeHierarchy { supertypes };
        assert!(type_hierarchy.is_subtype(b"A", b"C"));
        assert!(!type_hierarchy.is_subtype(b"C", b"A"));
    }
}
