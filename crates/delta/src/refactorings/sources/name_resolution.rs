//! Resolves simple names to declarations of the same file.

use mend_java::{Definition, DefinitionKind, ParsedSource, Reference, ReferenceKind, SymbolIndex};
use std::collections::HashMap;

/// More declarations of one name around one use than this are not looked through.
const DEEPEST: usize = 64;

/// The uses of a file with the declarations that they mean, both as places in [`SymbolIndex`].
#[derive(Debug, Default)]
pub(crate) struct NameResolution {
    /// For the token of a use its declaration.
    meaning: HashMap<usize, usize>,
    /// For each declaration the tokens of its uses, in order.
    uses: Vec<Vec<usize>>,
    /// For the token of a declaration its place.
    declared: HashMap<usize, usize>,
}

impl NameResolution {
    pub(crate) fn new(names: &SymbolIndex, source: &ParsedSource) -> Self {
        let mut by_name: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, definition) in names.definitions.iter().enumerate() {
            by_name.entry(&definition.name).or_default().push(at);
        }
        for list in by_name.values_mut() {
            list.sort_by_key(|at| {
                let scope = &names.definitions[*at].scope;
                (scope.start, std::cmp::Reverse(scope.end), names.definitions[*at].token)
            });
        }
        let mut resolved =
            Self { uses: vec![Vec::new(); names.definitions.len()], ..Self::default() };
        for (at, definition) in names.definitions.iter().enumerate() {
            resolved.declared.insert(definition.token, at);
        }
        for used in &names.uses {
            let Some(list) = by_name.get(used.name.as_slice()) else { continue };
            let is_of_this = used.token > 0 && source.token(used.token - 1) == b".";
            if let Some(at) = innermost(&names.definitions, list, used, is_of_this) {
                resolved.meaning.insert(used.token, at);
                resolved.uses[at].push(used.token);
            }
        }
        resolved
    }

    /// Returns the declaration that the name at a token means.
    pub(crate) fn meaning(&self, token: usize) -> Option<usize> {
        self.meaning.get(&token).copied()
    }

    /// Returns the tokens that mean a declaration.
    pub(crate) fn uses(&self, definition: usize) -> &[usize] {
        &self.uses[definition]
    }

    /// Returns the declaration whose name is at a token.
    pub(crate) fn declared(&self, token: usize) -> Option<usize> {
        self.declared.get(&token).copied()
    }
}

/// Returns the declaration of the innermost scope around a use. The declarations are sorted by the start of their
/// scopes.
fn innermost(
    definitions: &[Definition],
    sorted: &[usize],
    used: &Reference,
    is_of_this: bool,
) -> Option<usize> {
    let end = sorted.partition_point(|at| definitions[*at].scope.start <= used.token);
    sorted[..end].iter().rev().take(DEEPEST).copied().find(|at| {
        let definition = &definitions[*at];
        let is_local = definition.kind == DefinitionKind::Local;
        definition.scope.contains(&used.token)
            && (!is_local || (!is_of_this && definition.token < used.token))
            && fits(used.kind, definition.kind)
    })
}

fn fits(used: ReferenceKind, defined: DefinitionKind) -> bool {
    use DefinitionKind::{Field, Local, Method, Type, TypeParameter};
    match (used, defined) {
        (ReferenceKind::Method { qualified: false, arguments }, Method(parameters)) => {
            arguments.is_none() || parameters.is_none() || arguments == parameters
        }
        (ReferenceKind::Type, Type | TypeParameter)
        | (ReferenceKind::SimpleName, Local | Field | Type) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_java::ParsedSource;

    #[test]
    fn a_name_means_the_innermost_declaration() {
        let text = "class A { int x; int m() { x = 1; int x = 2; { f(x); } return this.x; }
                    int n() { return x; } }";
        let source = ParsedSource::parse(text.as_bytes().into()).unwrap();
        let names = SymbolIndex::from_source(&source);
        let resolved = NameResolution::new(&names, &source);
        let uses = |at: usize| resolved.uses(at).len();
        let of_kind = |kind| {
            names.definitions.iter().position(|one| one.kind == kind && one.name == b"x").unwrap()
        };
        assert_eq!(uses(of_kind(DefinitionKind::Local)), 1);
        assert_eq!(uses(of_kind(DefinitionKind::Field)), 3);
    }
}
