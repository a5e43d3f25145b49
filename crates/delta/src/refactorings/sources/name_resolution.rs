//! Resolution of simple names to declarations of the same file.

use mend_java::{Definition, DefinitionKind, ParsedSource, Reference, ReferenceKind, SymbolIndex};
use std::collections::HashMap;

/// Maximum number of declarations of one name that are searched for one use.
const MAX_SEARCHED_DECLARATIONS: usize = 64;

/// Uses of a file with their declarations, as indexes in [`SymbolIndex`].
#[derive(Debug, Default)]
pub(crate) struct NameResolution {
    /// Declaration of each use, by token.
    definition_by_use: HashMap<usize, usize>,
    /// Tokens of the uses of each declaration, in order.
    uses_by_definition: Vec<Vec<usize>>,
    /// Index of each declaration, by token.
    definition_by_token: HashMap<usize, usize>,
}

impl NameResolution {
    pub(crate) fn new(names: &SymbolIndex, source: &ParsedSource) -> Self {
        let mut definitions_by_name: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, definition) in names.definitions.iter().enumerate() {
            definitions_by_name.entry(&definition.name).or_default().push(at);
        }
        for list in definitions_by_name.values_mut() {
            list.sort_by_key(|at| {
                let scope = &names.definitions[*at].scope;
                (scope.start, std::cmp::Reverse(scope.end), names.definitions[*at].token)
            });
        }
        let mut resolution = Self {
            uses_by_definition: vec![Vec::new(); names.definitions.len()],
            ..Self::default()
        };
        for (at, definition) in names.definitions.iter().enumerate() {
            resolution.definition_by_token.insert(definition.token, at);
        }
        for reference in &names.references {
            let Some(list) = definitions_by_name.get(reference.name.as_slice()) else { continue };
            let is_after_dot =
                reference.token > 0 && source.token_text(reference.token - 1) == b".";
            if let Some(at) = find_innermost(&names.definitions, list, reference, is_after_dot) {
                resolution.definition_by_use.insert(reference.token, at);
                resolution.uses_by_definition[at].push(reference.token);
            }
        }
        resolution
    }

    /// Returns the declaration that the name at a token refers to.
    pub(crate) fn definition_of(&self, token: usize) -> Option<usize> {
        self.definition_by_use.get(&token).copied()
    }

    /// Returns the tokens that refer to a declaration.
    pub(crate) fn uses_of(&self, definition: usize) -> &[usize] {
        &self.uses_by_definition[definition]
    }

    /// Returns the declaration whose name is at a token.
    pub(crate) fn definition_at(&self, token: usize) -> Option<usize> {
        self.definition_by_token.get(&token).copied()
    }
}

/// Returns the declaration with the innermost scope around a use. The declarations are sorted by the start of their
/// scopes.
fn find_innermost(
    definitions: &[Definition],
    sorted: &[usize],
    reference: &Reference,
    is_after_dot: bool,
) -> Option<usize> {
    let end = sorted.partition_point(|at| definitions[*at].scope.start <= reference.token);
    sorted[..end].iter().rev().take(MAX_SEARCHED_DECLARATIONS).copied().find(|at| {
        let definition = &definitions[*at];
        let is_local = definition.kind == DefinitionKind::Local;
        definition.scope.contains(&reference.token)
            && (!is_local || (!is_after_dot && definition.token < reference.token))
            && can_refer_to(reference.kind, definition.kind)
    })
}

fn can_refer_to(used: ReferenceKind, defined: DefinitionKind) -> bool {
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
    fn name_resolves_to_innermost_declaration() {
        let text = "class A { int x; int m() { x = 1; int x = 2; { f(x); } return this.x; }
                    int n() { return x; } }";
        let source = ParsedSource::parse(text.as_bytes().into()).unwrap();
        let names = SymbolIndex::from_source(&source);
        let resolved = NameResolution::new(&names, &source);
        let uses = |at: usize| resolved.uses_of(at).len();
        let of_kind = |kind| {
            names.definitions.iter().position(|one| one.kind == kind && one.name == b"x").unwrap()
        };
        assert_eq!(uses(of_kind(DefinitionKind::Local)), 1);
        assert_eq!(uses(of_kind(DefinitionKind::Field)), 3);
    }
}
