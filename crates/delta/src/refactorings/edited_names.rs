//! Names that an edit and a renaming both change: a use of a renamed variable that now means another variable.
//!
//! Each of both changes has its own hunk, and the name in a variant depends on which of them it contains.

use crate::dependencies::name_dependencies::Version;
use crate::hunk::{DependencyRule, Hunk, HunkDependency, HunkId, HunkKind};
use crate::refactorings::sources::file_outline::{
    Member, MemberKind, child_in_field, named_children,
};
use crate::refactorings::sources::versioned_sources::{FileVersion, VersionedSources};
use mend_java::{Definition, DefinitionKind, NodeId};
use std::collections::HashMap;
use std::ops::Range;

/// Another name for a token if a renaming is applied and the edit is not, or the reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameAlternative {
    /// Version of the token.
    pub(crate) version: Version,
    pub(crate) token: usize,
    /// The hunk that renames the variable, or moves code to where it has the other name.
    pub(crate) renaming: HunkId,
    pub(crate) name: Vec<u8>,
}

/// An edit that replaces a variable by another one, with names for each combination with renamings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditedName {
    /// Index of the file in the list of Java files.
    pub(crate) file: usize,
    pub(crate) edit: HunkId,
    pub(crate) alternatives: Vec<NameAlternative>,
    /// Hunks that the edit is independent of, given the alternatives.
    pub(crate) independent: Vec<HunkId>,
    /// Dependency of the old declaration if only the new position of moved code has a variable of its name.
    pub(crate) declaration_needs: Option<HunkDependency>,
}

/// The tokens of a hunk that replaces one name by another.
#[derive(Clone, Copy)]
struct Replacement<'a> {
    hunk: HunkId,
    old_token: usize,
    new_token: usize,
    old: &'a Definition,
    new: &'a Definition,
}

impl Replacement<'_> {
    /// Returns the tokens of both declarations.
    fn variables(&self) -> (usize, usize) {
        (self.old.token, self.new.token)
    }

    /// Returns the token of the declaration in one version.
    fn variable_in(&self, version: Version) -> usize {
        if version == Version::Old { self.old.token } else { self.new.token }
    }

    fn is_declaration(&self) -> bool {
        self.old_token == self.old.token && self.new_token == self.new.token
    }
}

/// Number of votes of an argument, which is more certain than the uses of a variable.
const ARGUMENT_VOTES: usize = 1_000;

/// Returns the parameters of a method with the variables that calls in the same file pass for them, as tokens of their
/// declarations.
fn parameter_arguments(file: &FileVersion<'_>, method: &Member) -> Vec<(usize, usize)> {
    let name = file.text(method.name);
    let uses = file.symbol_index.references.iter().filter(|used| used.name == name);
    let calls = uses.map(|used| file.parent(used.token));
    let argument_lists = calls.filter_map(|call| child_in_field(file.source, call, "arguments"));
    let arguments_of_calls = argument_lists.map(|list| named_children(file.source, list));
    let variable = |argument: NodeId| {
        let tokens = file.tokens(argument);
        (tokens.len() == 1).then(|| file.definition(tokens.start)).flatten()
    };
    arguments_of_calls
        .flat_map(|arguments| {
            let pairs = method.parameters.iter().zip(arguments);
            pairs.filter_map(|(parameter, argument)| {
                Some((parameter.name, variable(argument)?.token))
            })
        })
        .collect()
}

/// Finds the edited names of all files.
pub(super) fn find(sources: &VersionedSources<'_>, hunks: &[Hunk]) -> Vec<EditedName> {
    let files = sources.old.files.iter().zip(&sources.new.files).enumerate();
    files
        .filter_map(|(at, (old, new))| Some((at, old.as_ref()?, new.as_ref()?)))
        .flat_map(|(at, old, new)| FileNames::new(old, new, hunks).find_edited_names(at))
        .collect()
}

/// Replaced names of one file.
struct FileNames<'s, 'a> {
    versions: [&'s FileVersion<'a>; 2],
    replacements: Vec<Replacement<'a>>,
    /// Number of replacements for each pair of variables.
    votes: HashMap<(usize, usize), usize>,
    /// Moves within the file, as token ranges in both versions.
    moves: Vec<(HunkId, [Range<usize>; 2])>,
}

impl<'s, 'a> FileNames<'s, 'a> {
    fn new(old: &'s FileVersion<'a>, new: &'s FileVersion<'a>, hunks: &[Hunk]) -> Self {
        let mut tokens_by_hunk: HashMap<HunkId, [Vec<usize>; 2]> = HashMap::new();
        for (version, file) in [old, new].into_iter().enumerate() {
            for (token, owner) in file.owner.iter().enumerate() {
                if let Some(hunk) = owner {
                    tokens_by_hunk.entry(*hunk).or_default()[version].push(token);
                }
            }
        }
        let variable = |file: &FileVersion<'a>, token: usize| {
            let definition = file.definition(token)?;
            matches!(definition.kind, DefinitionKind::Local | DefinitionKind::Field)
                .then_some(definition)
        };
        let replacement = |(hunk, tokens): (HunkId, [Vec<usize>; 2])| {
            let [[old_token], [new_token]] = [&tokens[0][..], &tokens[1][..]] else { return None };
            let (old_token, new_token) = (*old_token, *new_token);
            let (old, new) = (variable(old, old_token)?, variable(new, new_token)?);
            (hunks[hunk].kind == HunkKind::Relabel).then_some(Replacement {
                hunk,
                old_token,
                new_token,
                old,
                new,
            })
        };
        let mut replacements: Vec<Replacement<'a>> =
            tokens_by_hunk.into_iter().filter_map(replacement).collect();
        replacements.sort_by_key(|one| one.hunk);
        let mut votes = HashMap::new();
        for one in &replacements {
            *votes.entry(one.variables()).or_insert(0) += 1;
        }
        Self { versions: [old, new], moves: Vec::new(), replacements, votes }
            .with_moves(hunks)
            .with_arguments()
    }

    /// Adds the votes of calls of a method that one version only has: an argument of a kept variable takes the place of
    /// the parameter.
    fn with_arguments(mut self) -> Self {
        for version in [Version::Old, Version::New] {
            let file = self.versions[version as usize];
            let methods = file.outline.members.iter().filter(|member| {
                member.kind == MemberKind::Method && file.partner[member.name].is_none()
            });
            let pairs: Vec<(usize, usize)> =
                methods.flat_map(|method| parameter_arguments(file, method)).collect();
            for (parameter, argument) in pairs {
                let Some(kept) = file.partner[argument] else { continue };
                let variables = match version {
                    Version::Old => (parameter, kept.token),
                    Version::New => (kept.token, parameter),
                };
                *self.votes.entry(variables).or_insert(0) += ARGUMENT_VOTES;
            }
        }
        self
    }

    fn with_moves(mut self, hunks: &[Hunk]) -> Self {
        let Some(first) = self.replacements.first().map(|one| one.hunk) else { return self };
        let path = &hunks[first].path;
        let is_here = |hunk: &Hunk| hunk.is_move_within_file() && hunk.path == *path;
        for (hunk, moved) in hunks.iter().enumerate().filter(|(_, hunk)| is_here(hunk)) {
            if let (Some(old), Some(new)) = (&moved.old, &moved.new) {
                let ranges = [(0, old), (1, new)].map(|(version, bytes)| {
                    let tokens = self.versions[version].source.tokens();
                    tokens.partition_point(|token| token.start < bytes.start)
                        ..tokens.partition_point(|token| token.start < bytes.end)
                });
                self.moves.push((hunk, ranges));
            }
        }
        self
    }

    fn find_edited_names(&self, file: usize) -> Vec<EditedName> {
        let names = self.replacements.iter().filter(|one| !one.is_declaration());
        names.filter_map(|one| self.edited_name(file, one)).collect()
    }

    /// Returns the edit of a name, if another name than the new one is expected there.
    fn edited_name(&self, file: usize, edit: &Replacement<'a>) -> Option<EditedName> {
        let mut alternatives = Vec::new();
        let mut independent = Vec::new();
        let mut declaration_needs = None;
        for version in [Version::Old, Version::New] {
            let (token, variable) = match version {
                Version::Old => (edit.old_token, edit.old),
                Version::New => (edit.new_token, edit.new),
            };
            let Some((renaming, other)) = self.renamed_variable(edit, version, variable) else {
                if let Some(moved) = self.move_to_redeclared(edit, version, variable) {
                    let owner = self.versions[version as usize].owner[variable.token];
                    independent.extend(owner);
                    if version == Version::Old {
                        declaration_needs = owner.map(|from| HunkDependency {
                            from,
                            to: vec![edit.hunk, moved],
                            rule: DependencyRule::Use,
                        });
                    }
                }
                continue;
            };
            if other == edit.variable_in(version.opposite()) {
                // The edit is a part of the renaming.
                return None;
            }
            let name = self.versions[version.opposite() as usize].text(other).to_vec();
            alternatives.push(NameAlternative { version, token, renaming, name });
            independent.push(renaming);
            independent.extend(self.versions[version as usize].owner[variable.token]);
        }
        (!independent.is_empty()).then_some(EditedName {
            file,
            edit: edit.hunk,
            alternatives,
            independent,
            declaration_needs,
        })
    }

    /// Returns the hunk that gives a variable another name, and the token of that name in the other version; `None` if
    /// the variable has the same name at this position in both versions.
    fn renamed_variable(
        &self,
        edit: &Replacement<'a>,
        version: Version,
        variable: &Definition,
    ) -> Option<(HunkId, usize)> {
        let in_version = |one: &Replacement<'_>| one.variable_in(version) == variable.token;
        let declaration =
            self.replacements.iter().find(|one| one.is_declaration() && in_version(one));
        if let Some(declaration) = declaration {
            return Some((declaration.hunk, declaration.variable_in(version.opposite())));
        }
        let (moved, tokens) = self.enclosing_move(edit)?;
        let other_version = version.opposite() as usize;
        let is_outside = !tokens[version as usize].contains(&variable.token);
        let is_known = self.is_visible(other_version, &variable.name, tokens[other_version].start);
        if !is_outside || is_known {
            return None;
        }
        let votes = self.votes.iter().filter(|((old, new), _)| {
            variable.token == if version == Version::Old { *old } else { *new }
        });
        let position = tokens[other_version].start;
        let is_in_scope = |other: usize| {
            let definition = self.versions[other_version].definition(other);
            definition.is_some_and(|definition| definition.scope.contains(&position))
        };
        let others = votes
            .map(|((old, new), votes)| (*votes, if version == Version::Old { *new } else { *old }))
            .filter(|(_, other)| is_in_scope(*other));
        let (most_votes, other) = others.max()?;
        let own_votes = self.votes.get(&edit.variables()).copied().unwrap_or(0);
        let is_clear = other == edit.variable_in(version.opposite()) || most_votes >= own_votes;
        is_clear.then_some((*moved, other))
    }

    /// Returns the innermost move that contains an edit in both versions.
    fn enclosing_move(&self, edit: &Replacement<'_>) -> Option<&(HunkId, [Range<usize>; 2])> {
        let moved = self.moves.iter().rfind(|(_, tokens)| tokens[0].contains(&edit.old_token));
        moved.filter(|(_, tokens)| tokens[1].contains(&edit.new_token))
    }

    /// Returns the move around an edit if both of its positions have a variable with the same name.
    fn move_to_redeclared(
        &self,
        edit: &Replacement<'_>,
        version: Version,
        variable: &Definition,
    ) -> Option<HunkId> {
        let other_version = version.opposite() as usize;
        let (moved, tokens) = self.enclosing_move(edit)?;
        let is_redeclared = !tokens[version as usize].contains(&variable.token)
            && self.is_visible(other_version, &variable.name, tokens[other_version].start);
        is_redeclared.then_some(*moved)
    }

    /// Returns true if a variable with this name can be used at a token of a version.
    fn is_visible(&self, version: usize, name: &[u8], token: usize) -> bool {
        self.versions[version].symbol_index.definitions.iter().any(|one| {
            one.name == name
                && one.scope.contains(&token)
                && match one.kind {
                    DefinitionKind::Local => one.token <= token,
                    kind => kind == DefinitionKind::Field,
                }
        })
    }
}
