//! Detects renamed classes, methods, fields, variables and parameters.

use crate::dependencies::name_dependencies::IndexedFile;
use crate::refactorings::refactoring::{Refactoring, RefactoringNote, TokenChange};
use crate::refactorings::sources::versioned_sources::{SourceVersion, TokenRef, VersionedSources};
use mend_java::{Definition, DefinitionKind, Reference, ReferenceKind};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum share of the tokens of a method or class that remain after a rename, in tenths.
const MIN_COMMON_TOKENS_IN_TENTHS: usize = 5;

/// Minimum number of body tokens; the body of a shorter method must be equal.
const MIN_BODY_TOKENS: usize = 16;

/// Key of a rename: the kind and both names. For a local variable, it includes the declaration.
type RenameKey<'a> = (RenamedKind, &'a [u8], &'a [u8], Option<TokenRef>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RenamedKind {
    Class,
    Method,
    Field,
    Local,
}

/// Detects all renames.
pub(crate) fn find(sources: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let mut groups: BTreeMap<RenameKey<'_>, Vec<(TokenRef, TokenRef)>> = BTreeMap::new();
    for (file, side) in sources.old.java_files() {
        for definition in &side.symbol_index.definitions {
            let old = TokenRef { file, token: definition.token };
            if let Some((key, new)) = find_rename(sources, old, definition) {
                groups.entry(key).or_default().push((old, new));
            }
        }
    }
    groups
        .into_iter()
        .filter_map(|(key, pairs)| detect_rename(sources, files, key, &pairs))
        .collect()
}

fn find_rename<'a>(
    sources: &VersionedSources<'a>,
    old: TokenRef,
    definition: &'a Definition,
) -> Option<(RenameKey<'a>, TokenRef)> {
    let new = sources.old.partner(old)?;
    let other = sources.new.definition(new).filter(|other| other.token == new.token)?;
    let (kind, other_kind) = (renamed_kind(definition)?, self::renamed_kind(other)?);
    let declaration = (kind == RenamedKind::Local).then_some(old);
    (kind == other_kind && definition.name != other.name)
        .then_some(((kind, &definition.name, &other.name, declaration), new))
}

fn renamed_kind(definition: &Definition) -> Option<RenamedKind> {
    match definition.kind {
        DefinitionKind::Type => Some(RenamedKind::Class),
        DefinitionKind::Method(_) => Some(RenamedKind::Method),
        DefinitionKind::Field => Some(RenamedKind::Field),
        DefinitionKind::Local => Some(RenamedKind::Local),
        DefinitionKind::TypeParameter | DefinitionKind::Import => None,
    }
}

fn detect_rename(
    sources: &VersionedSources<'_>,
    files: &[IndexedFile],
    key: RenameKey<'_>,
    pairs: &[(TokenRef, TokenRef)],
) -> Option<Refactoring> {
    let (kind, old_name, new_name, _) = key;
    if kind == RenamedKind::Local && is_name_taken(&sources.old, pairs[0].0, new_name) {
        return None;
    }
    let core = TokenChange {
        old: pairs.iter().map(|(old, _)| *old).collect(),
        new: pairs.iter().map(|(_, new)| *new).collect(),
    };
    let has_body = matches!(kind, RenamedKind::Class | RenamedKind::Method);
    let uses = uses(sources, key, pairs);
    let is_unused = uses.is_empty() && pairs.len() == 1;
    let versions = (&sources.old, &sources.new);
    if has_body && !pairs.iter().any(|pair| are_similar(versions, kind, *pair, is_unused)) {
        return None;
    }
    if kind == RenamedKind::Local && !are_all_uses_renamed(sources, pairs[0], uses.len()) {
        return None;
    }
    if kind == RenamedKind::Field
        && uses.is_empty()
        && !pairs.iter().all(|pair| are_equal_unused_fields(sources, *pair))
    {
        return None;
    }
    let place_count = pairs.len() + uses.len();
    let rest = TokenChange {
        old: uses.iter().map(|(old, _)| *old).collect(),
        new: uses.iter().map(|(_, new)| *new).collect(),
    };
    let name = refactoring_name(sources, kind, pairs[0].0);
    let description = format!(
        "rename of {} {} to {}, {}",
        name.trim_start_matches("rename "),
        String::from_utf8_lossy(old_name),
        String::from_utf8_lossy(new_name),
        if place_count == 1 { "1 place".to_owned() } else { format!("{place_count} places") },
    );
    let files = if kind == RenamedKind::Class {
        file_rename_hunks(files, old_name, pairs)
    } else {
        Vec::new()
    };
    Some(Refactoring { note: RefactoringNote { name, description }, core, rest, file_hunks: files })
}

/// Returns true if two unused fields have values and differ only in their names.
fn are_equal_unused_fields(
    sources: &VersionedSources<'_>,
    (old, new): (TokenRef, TokenRef),
) -> bool {
    let declaration_texts = |side: &SourceVersion<'_>, spot: TokenRef| {
        let (file, member) = (side.file(spot.file)?, side.member(spot)?);
        member.body.filter(|_| local_uses(side, spot).is_empty())?;
        let tokens =
            (member.start..file.tokens(member.node).end).filter(|token| *token != spot.token);
        Some(tokens.map(|token| file.text(token).to_vec()).collect::<Vec<_>>())
    };
    let old_texts = declaration_texts(&sources.old, old);
    old_texts.is_some() && old_texts == declaration_texts(&sources.new, new)
}

/// Returns true if all kept uses of one variable become uses of the other, and at least half of all uses are kept.
/// Inserted and deleted code can use the variable, too.
fn are_all_uses_renamed(
    sources: &VersionedSources<'_>,
    (old, new): (TokenRef, TokenRef),
    renamed_count: usize,
) -> bool {
    let is_renamed = |side: &SourceVersion<'_>, name: TokenRef| {
        let uses = local_uses(side, name);
        let kept_count = uses.iter().filter(|spot| side.partner(**spot).is_some()).count();
        kept_count == renamed_count && uses.len() <= 2 * renamed_count
    };
    is_renamed(&sources.old, old) && is_renamed(&sources.new, new)
}

/// Returns true if two methods are so similar that one can be the other with another name.
pub(crate) fn are_similar_methods(
    versions: (&SourceVersion<'_>, &SourceVersion<'_>),
    pair: (TokenRef, TokenRef),
) -> bool {
    are_similar(versions, RenamedKind::Method, pair, false)
}

/// Returns true if two methods or classes have most of their tokens in common. Short methods, and those without other
/// uses (mostly tests), must have equal bodies.
fn are_similar(
    (one_version, other_version): (&SourceVersion<'_>, &SourceVersion<'_>),
    kind: RenamedKind,
    (old, new): (TokenRef, TokenRef),
    is_unused: bool,
) -> bool {
    let both = || {
        let (before, after) = (one_version.file(old.file)?, other_version.file(new.file)?);
        let (one, other) = if kind == RenamedKind::Class {
            (before.enclosing_type(old.token)?.node, after.enclosing_type(new.token)?.node)
        } else {
            let (one, other) = (one_version.member(old)?, other_version.member(new)?);
            let (body, other_body) =
                (one.body.unwrap_or(one.node), other.body.unwrap_or(other.node));
            let (words, other_words) = (before.tokens(body).len(), after.tokens(other_body).len());
            let is_short = is_unused || words.min(other_words) < MIN_BODY_TOKENS;
            if one.body.is_some() && is_short {
                let texts = before.texts(before.tokens(body));
                return Some(texts == after.texts(after.tokens(other_body)));
            }
            (one.node, other.node)
        };
        let (one, other) = (before.tokens(one), after.tokens(other));
        let is_common = |token: &usize| {
            before.partner[*token]
                .is_some_and(|spot| spot.file == new.file && other.contains(&spot.token))
        };
        let common = one.clone().filter(is_common).count();
        Some(common * 10 >= one.len().max(other.len()) * MIN_COMMON_TOKENS_IN_TENTHS)
    };
    both().unwrap_or(false)
}

fn refactoring_name(
    sources: &VersionedSources<'_>,
    kind: RenamedKind,
    old: TokenRef,
) -> &'static str {
    match kind {
        RenamedKind::Class => "rename class",
        RenamedKind::Method => "rename method",
        RenamedKind::Field => "rename field",
        RenamedKind::Local if is_parameter(&sources.old, old) => "rename parameter",
        RenamedKind::Local => "rename variable",
    }
}

fn is_parameter(side: &SourceVersion<'_>, token_ref: TokenRef) -> bool {
    side.file(token_ref.file).is_some_and(|file| {
        let member = file.enclosing_member(token_ref.token);
        member.is_some_and(|member| member.parameters.iter().any(|one| one.name == token_ref.token))
    })
}

/// Returns true if the new name has another meaning in the variable's scope.
fn is_name_taken(side: &SourceVersion<'_>, old: TokenRef, new_name: &[u8]) -> bool {
    let (Some(file), Some(definition)) = (side.file(old.file), side.definition(old)) else {
        return true;
    };
    let (start, end) = (definition.scope.start, definition.scope.end);
    let uses = &file.symbol_index.references;
    let scope_uses = uses.partition_point(|used| used.token < start)
        ..uses.partition_point(|used| used.token < end);
    let is_used = |used: &Reference| {
        used.kind == ReferenceKind::SimpleName
            && used.name == new_name
            && file.text(used.token.saturating_sub(1)) != b"."
    };
    let is_declared =
        |other: &Definition| other.kind == DefinitionKind::Local && other.name == new_name;
    uses[scope_uses].iter().any(is_used)
        || file.definitions_in(&(start..end)).iter().any(is_declared)
}

/// Returns the uses that are renamed with the declarations.
fn uses(
    sources: &VersionedSources<'_>,
    key: RenameKey<'_>,
    pairs: &[(TokenRef, TokenRef)],
) -> Vec<(TokenRef, TokenRef)> {
    let (kind, old_name, new_name, _) = key;
    let is_name_unique =
        is_unambiguous(&sources.old, old_name, kind, pairs.iter().map(|pair| pair.0))
            && is_unambiguous(&sources.new, new_name, kind, pairs.iter().map(|pair| pair.1));
    let declarations: BTreeSet<(TokenRef, TokenRef)> = pairs.iter().copied().collect();
    let all = if kind == RenamedKind::Local {
        local_uses(&sources.old, pairs[0].0)
    } else {
        sources.old.uses.get(old_name).cloned().unwrap_or_default()
    };
    all.into_iter()
        .filter_map(|old| {
            let new = sources.old.partner(old)?;
            let text = sources.new.text(new);
            let simple = text.rsplit(|byte| *byte == b'.').next()?;
            let meaning_of = |side: &SourceVersion<'_>, spot: TokenRef| {
                let definition = side.definition(spot)?;
                (definition.kind != DefinitionKind::Import)
                    .then_some(TokenRef { file: spot.file, token: definition.token })
            };
            let is_renamed = match (meaning_of(&sources.old, old), meaning_of(&sources.new, new)) {
                (Some(old), Some(new)) => declarations.contains(&(old, new)),
                (None, None) => {
                    kind != RenamedKind::Local && is_name_unique && can_refer_to(sources, old, kind)
                }
                _ => false,
            };
            (simple.trim_ascii() == new_name && is_renamed).then_some((old, new))
        })
        .collect()
}

/// Returns the uses of a variable.
fn local_uses(side: &SourceVersion<'_>, name: TokenRef) -> Vec<TokenRef> {
    let uses = || {
        let file = side.file(name.file)?;
        let uses = file.resolution.uses_of(file.resolution.definition_at(name.token)?);
        Some(uses.iter().map(|token| TokenRef { file: name.file, token: *token }).collect())
    };
    uses().unwrap_or_default()
}

/// Returns true if no other declaration of the kind has the name.
fn is_unambiguous(
    side: &SourceVersion<'_>,
    name: &[u8],
    expected_kind: RenamedKind,
    renamed: impl Iterator<Item = TokenRef>,
) -> bool {
    let renamed: BTreeSet<TokenRef> = renamed.collect();
    let all = side.declarations.get(name).into_iter().flatten();
    all.filter(|spot| side.definition(**spot).and_then(renamed_kind) == Some(expected_kind))
        .all(|spot| renamed.contains(spot))
}

/// Returns true if a use that is unresolved in its file can refer to a member or type of the kind.
fn can_refer_to(sources: &VersionedSources<'_>, token_ref: TokenRef, kind: RenamedKind) -> bool {
    let Some(file) = sources.old.file(token_ref.file) else { return false };
    let at = file.symbol_index.references.partition_point(|used| used.token < token_ref.token);
    file.symbol_index.references.get(at).is_some_and(|used| {
        matches!(
            (used.kind, kind),
            (ReferenceKind::Method { .. }, RenamedKind::Method)
                | (
                    ReferenceKind::FieldAccess | ReferenceKind::SimpleName,
                    RenamedKind::Field | RenamedKind::Class
                )
                | (ReferenceKind::Type | ReferenceKind::ImportedType, RenamedKind::Class)
        )
    })
}

/// Returns the hunks that rename the files of public classes.
fn file_rename_hunks(
    files: &[IndexedFile],
    old_name: &[u8],
    pairs: &[(TokenRef, TokenRef)],
) -> Vec<usize> {
    let hunks = pairs.iter().filter_map(|(old, _)| {
        let (path, _, hunk) = files.get(old.file)?.rename.as_ref()?;
        let stem = path.file_name().split(|byte| *byte == b'.').next()?;
        (stem == old_name).then_some(*hunk)
    });
    hunks.collect()
}
