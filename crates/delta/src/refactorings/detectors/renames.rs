//! Renames of classes, methods, fields, variables and parameters.

use crate::dependencies::name_dependencies::IndexedFile;
use crate::refactorings::refactoring::{Refactoring, RefactoringNote, TokenChange};
use crate::refactorings::sources::versioned_sources::{SourceVersion, TokenRef, VersionedSources};
use mend_java::{Definition, DefinitionKind, Reference, ReferenceKind};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum share of the tokens of a method or class that remain after a rename, in tenths.
const LEAST_COMMON: usize = 5;

/// The body of a shorter method has to be the same.
const LEAST_BODY: usize = 16;

/// Key of a rename: the kind and both names. For a local variable, it includes the declaration.
type RenameKey<'a> = (RenamedKind, &'a [u8], &'a [u8], Option<TokenRef>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RenamedKind {
    Class,
    Method,
    Field,
    Local,
}

/// Finds all renames.
pub(crate) fn find(scene: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let mut groups: BTreeMap<RenameKey<'_>, Vec<(TokenRef, TokenRef)>> = BTreeMap::new();
    for (file, side) in scene.old.java_files() {
        for definition in &side.names.definitions {
            let old = TokenRef { file, token: definition.token };
            if let Some((key, new)) = renamed(scene, old, definition) {
                groups.entry(key).or_default().push((old, new));
            }
        }
    }
    groups.into_iter().filter_map(|(key, pairs)| rename(scene, files, key, &pairs)).collect()
}

fn renamed<'a>(
    scene: &VersionedSources<'a>,
    old: TokenRef,
    definition: &'a Definition,
) -> Option<(RenameKey<'a>, TokenRef)> {
    let new = scene.old.partner(old)?;
    let other = scene.new.definition(new).filter(|other| other.token == new.token)?;
    let (kind, other_kind) = (kind(definition)?, self::kind(other)?);
    let is_place = (kind == RenamedKind::Local).then_some(old);
    (kind == other_kind && definition.name != other.name)
        .then_some(((kind, &definition.name, &other.name, is_place), new))
}

fn kind(definition: &Definition) -> Option<RenamedKind> {
    match definition.kind {
        DefinitionKind::Type => Some(RenamedKind::Class),
        DefinitionKind::Method(_) => Some(RenamedKind::Method),
        DefinitionKind::Field => Some(RenamedKind::Field),
        DefinitionKind::Local => Some(RenamedKind::Local),
        DefinitionKind::TypeParameter | DefinitionKind::Import => None,
    }
}

fn rename(
    scene: &VersionedSources<'_>,
    files: &[IndexedFile],
    key: RenameKey<'_>,
    pairs: &[(TokenRef, TokenRef)],
) -> Option<Refactoring> {
    let (kind, old_name, new_name, _) = key;
    if kind == RenamedKind::Local && is_captured(&scene.old, pairs[0].0, new_name) {
        return None;
    }
    let core = TokenChange {
        old: pairs.iter().map(|(old, _)| *old).collect(),
        new: pairs.iter().map(|(_, new)| *new).collect(),
    };
    let has_body = matches!(kind, RenamedKind::Class | RenamedKind::Method);
    let uses = uses(scene, key, pairs);
    let is_alone = uses.is_empty() && pairs.len() == 1;
    if has_body && !pairs.iter().any(|pair| is_similar(scene, kind, *pair, is_alone)) {
        return None;
    }
    if kind == RenamedKind::Local && !is_complete(scene, pairs[0], uses.len()) {
        return None;
    }
    if kind == RenamedKind::Field
        && uses.is_empty()
        && !pairs.iter().all(|pair| is_same_alone(scene, *pair))
    {
        return None;
    }
    let places = pairs.len() + uses.len();
    let rest = TokenChange {
        old: uses.iter().map(|(old, _)| *old).collect(),
        new: uses.iter().map(|(_, new)| *new).collect(),
    };
    let name = name(scene, kind, pairs[0].0);
    let what = format!(
        "rename of {} {} to {}, {}",
        name.trim_start_matches("rename "),
        String::from_utf8_lossy(old_name),
        String::from_utf8_lossy(new_name),
        if places == 1 { "1 place".to_owned() } else { format!("{places} places") },
    );
    let files =
        if kind == RenamedKind::Class { renamed_files(files, old_name, pairs) } else { Vec::new() };
    Some(Refactoring { note: RefactoringNote { name, what }, core, rest, files })
}

/// Returns true if two unused fields differ only in their names, and their values show that they are the same.
fn is_same_alone(scene: &VersionedSources<'_>, (old, new): (TokenRef, TokenRef)) -> bool {
    let declared = |side: &SourceVersion<'_>, spot: TokenRef| {
        let (file, member) = (side.file(spot.file)?, side.member(spot)?);
        member.body.filter(|_| local_uses(side, spot).is_empty())?;
        let tokens =
            (member.start..file.tokens(member.node).end).filter(|token| *token != spot.token);
        Some(tokens.map(|token| file.text(token).to_vec()).collect::<Vec<_>>())
    };
    let before = declared(&scene.old, old);
    before.is_some() && before == declared(&scene.new, new)
}

/// Returns true if all uses of one variable become uses of the other.
fn is_complete(
    scene: &VersionedSources<'_>,
    (old, new): (TokenRef, TokenRef),
    places: usize,
) -> bool {
    let uses = |side: &SourceVersion<'_>, spot: TokenRef| {
        let file = side.file(spot.file)?;
        Some(file.resolved.uses(file.resolved.declared(spot.token)?).len())
    };
    uses(&scene.old, old) == Some(places) && uses(&scene.new, new) == Some(places)
}

/// Returns true if two methods or classes have most of their tokens in common. Short methods, and those without other
/// uses (mostly tests), must have equal bodies.
fn is_similar(
    scene: &VersionedSources<'_>,
    kind: RenamedKind,
    (old, new): (TokenRef, TokenRef),
    is_alone: bool,
) -> bool {
    let both = || {
        let (before, after) = (scene.old.file(old.file)?, scene.new.file(new.file)?);
        let (one, other) = if kind == RenamedKind::Class {
            (before.type_around(old.token)?.node, after.type_around(new.token)?.node)
        } else {
            let (one, other) = (scene.old.member(old)?, scene.new.member(new)?);
            let (body, other_body) =
                (one.body.unwrap_or(one.node), other.body.unwrap_or(other.node));
            let (words, other_words) = (before.tokens(body).len(), after.tokens(other_body).len());
            let is_short = is_alone || words.min(other_words) < LEAST_BODY;
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
        Some(common * 10 >= one.len().max(other.len()) * LEAST_COMMON)
    };
    both().unwrap_or(false)
}

fn name(scene: &VersionedSources<'_>, kind: RenamedKind, old: TokenRef) -> &'static str {
    match kind {
        RenamedKind::Class => "rename class",
        RenamedKind::Method => "rename method",
        RenamedKind::Field => "rename field",
        RenamedKind::Local if is_parameter(&scene.old, old) => "rename parameter",
        RenamedKind::Local => "rename variable",
    }
}

fn is_parameter(side: &SourceVersion<'_>, spot: TokenRef) -> bool {
    side.file(spot.file).is_some_and(|file| {
        let member = file.member_around(spot.token);
        member.is_some_and(|member| member.parameters.iter().any(|one| one.name == spot.token))
    })
}

/// Returns true if the new name has another meaning in the variable's scope.
fn is_captured(side: &SourceVersion<'_>, old: TokenRef, new_name: &[u8]) -> bool {
    let (Some(file), Some(definition)) = (side.file(old.file), side.definition(old)) else {
        return true;
    };
    let (start, end) = (definition.scope.start, definition.scope.end);
    let uses = &file.names.uses;
    let inside = uses.partition_point(|used| used.token < start)
        ..uses.partition_point(|used| used.token < end);
    let is_used = |used: &Reference| {
        used.kind == ReferenceKind::SimpleName
            && used.name == new_name
            && file.text(used.token.saturating_sub(1)) != b"."
    };
    let is_declared =
        |other: &Definition| other.kind == DefinitionKind::Local && other.name == new_name;
    uses[inside].iter().any(is_used) || file.definitions_in(&(start..end)).iter().any(is_declared)
}

/// Returns the uses that are renamed with the declarations.
fn uses(
    scene: &VersionedSources<'_>,
    key: RenameKey<'_>,
    pairs: &[(TokenRef, TokenRef)],
) -> Vec<(TokenRef, TokenRef)> {
    let (kind, old_name, new_name, _) = key;
    let is_sure = is_unambiguous(&scene.old, old_name, kind, pairs.iter().map(|pair| pair.0))
        && is_unambiguous(&scene.new, new_name, kind, pairs.iter().map(|pair| pair.1));
    let known: BTreeSet<(TokenRef, TokenRef)> = pairs.iter().copied().collect();
    let all = if kind == RenamedKind::Local {
        local_uses(&scene.old, pairs[0].0)
    } else {
        scene.old.uses.get(old_name).cloned().unwrap_or_default()
    };
    all.into_iter()
        .filter_map(|old| {
            let new = scene.old.partner(old)?;
            let text = scene.new.text(new);
            let simple = text.rsplit(|byte| *byte == b'.').next()?;
            let means = |side: &SourceVersion<'_>, spot: TokenRef| {
                let definition = side.definition(spot)?;
                (definition.kind != DefinitionKind::Import)
                    .then_some(TokenRef { file: spot.file, token: definition.token })
            };
            let is_meant = match (means(&scene.old, old), means(&scene.new, new)) {
                (Some(old), Some(new)) => known.contains(&(old, new)),
                (None, None) => kind != RenamedKind::Local && is_sure && fits(scene, old, kind),
                _ => false,
            };
            (simple.trim_ascii() == new_name && is_meant).then_some((old, new))
        })
        .collect()
}

/// Returns the uses of a variable.
fn local_uses(side: &SourceVersion<'_>, name: TokenRef) -> Vec<TokenRef> {
    let uses = || {
        let file = side.file(name.file)?;
        let uses = file.resolved.uses(file.resolved.declared(name.token)?);
        Some(uses.iter().map(|token| TokenRef { file: name.file, token: *token }).collect())
    };
    uses().unwrap_or_default()
}

/// Returns true if no other declaration of the kind has the name.
fn is_unambiguous(
    side: &SourceVersion<'_>,
    name: &[u8],
    of: RenamedKind,
    renamed: impl Iterator<Item = TokenRef>,
) -> bool {
    let renamed: BTreeSet<TokenRef> = renamed.collect();
    let all = side.globals.get(name).into_iter().flatten();
    all.filter(|spot| side.definition(**spot).and_then(kind) == Some(of))
        .all(|spot| renamed.contains(spot))
}

/// Returns true if a use that its file does not resolve can mean a member or type of the kind.
fn fits(scene: &VersionedSources<'_>, spot: TokenRef, kind: RenamedKind) -> bool {
    let Some(file) = scene.old.file(spot.file) else { return false };
    let at = file.names.uses.partition_point(|used| used.token < spot.token);
    file.names.uses.get(at).is_some_and(|used| {
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
fn renamed_files(
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
