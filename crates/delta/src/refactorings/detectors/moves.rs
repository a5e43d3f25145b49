//! Detects moved members and classes.

use crate::dependencies::name_dependencies::IndexedFile;
use crate::refactorings::detectors::member_in_version::{MemberInVersion, are_equal_members};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, TypeDeclaration};
use crate::refactorings::sources::token_pairing::declaration_tokens;
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::type_hierarchy::{
    TypeHierarchy, simple, type_range_with_imports,
};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::ReferenceKind;
use std::collections::{BTreeMap, HashMap};

/// Minimum number of tokens of a moved field, unless it moves to a supertype or subtype, or with another member.
const MIN_FIELD_TOKENS: usize = 8;

/// Finds moved members and classes.
pub(crate) fn find(sources: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let type_hierarchy = TypeHierarchy::new(sources);
    let mut refactorings = detect_moved_classes(sources, files);
    let moved = find_moved_members(sources);
    let mut counts = HashMap::new();
    for moved_member in &moved {
        *counts.entry(moved_member.type_pair()).or_insert(0) += 1;
    }
    for moved_member in &moved {
        refactorings.extend(detect_moved_member(
            sources,
            &type_hierarchy,
            moved_member,
            counts[&moved_member.type_pair()] > 1,
        ));
    }
    for change in sources.directions() {
        refactorings.extend(detect_shared_members(&change, &type_hierarchy));
    }
    refactorings
}

/// A member that is in another type in the new version.
struct MovedMember<'s, 'a> {
    old: (MemberInVersion<'s, 'a>, &'s TypeDeclaration),
    new: (MemberInVersion<'s, 'a>, &'s TypeDeclaration),
}

impl MovedMember<'_, '_> {
    /// Returns the old and the new type.
    fn type_pair(&self) -> ((usize, usize), (usize, usize)) {
        ((self.old.0.file_index, self.old.1.name), (self.new.0.file_index, self.new.1.name))
    }
}

fn find_moved_members<'s, 'a>(scene: &'s VersionedSources<'a>) -> Vec<MovedMember<'s, 'a>> {
    let mut member_moves = Vec::new();
    for (at, old) in scene.old.java_files() {
        for member in old.outline.members.iter().filter(|one| one.kind != MemberKind::Constructor) {
            let name = TokenRef { file: at, token: member.name };
            let find_move = || {
                let token_ref = scene.old.partner(name)?;
                let (new, other) = (scene.new.file(token_ref.file)?, scene.new.member(token_ref)?);
                let owners = (old.owner_type(member)?, new.owner_type(other)?);
                let new_home = scene.old.partner(TokenRef { file: at, token: owners.0.name });
                let texts = (old.text(owners.0.name), new.text(owners.1.name));
                let one = MemberInVersion { file_index: at, file: old, member };
                let two = MemberInVersion { file_index: token_ref.file, file: new, member: other };
                let is_moved = new_home
                    != Some(TokenRef { file: token_ref.file, token: owners.1.name })
                    && old.text(member.name) == new.text(other.name)
                    && other.kind == member.kind
                    && are_equal_members(one, two, texts);
                is_moved.then_some(MovedMember { old: (one, owners.0), new: (two, owners.1) })
            };
            member_moves.extend(find_move());
        }
    }
    member_moves
}

fn detect_moved_member(
    sources: &VersionedSources<'_>,
    type_hierarchy: &TypeHierarchy<'_>,
    moved_member: &MovedMember<'_, '_>,
    has_companion: bool,
) -> Option<Refactoring> {
    let ((old, old_type), (new, new_type)) = (moved_member.old, moved_member.new);
    let (from, to) = (old.file.text(old_type.name), new.file.text(new_type.name));
    let is_field = old.member.kind == MemberKind::Field;
    let name = match (
        type_hierarchy.is_subtype(from, to),
        type_hierarchy.is_subtype(to, from),
        is_field,
    ) {
        (true, _, true) => "pull up field",
        (true, _, false) => "pull up method",
        (_, true, true) => "push down field",
        (_, true, false) => "push down method",
        (_, _, true) => "move field",
        (_, _, false) => "move method",
    };
    let is_small = declaration_tokens(old.file, old.member).len() < MIN_FIELD_TOKENS;
    if name == "move field" && is_small && !has_companion {
        return None;
    }
    let core = TokenChange { old: old.token_refs(), new: new.token_refs() };
    let text = old.file.text(old.member.name);
    let mut rest = changed_qualifiers(sources, text, from, to);
    rest.old.extend(old.class_qualifiers(to));
    rest.new.extend(new.class_qualifiers(from));
    let description = describe_move(is_field, text, from, to);
    Some(Refactoring::new(name, description, core, rest))
}

fn describe_move(is_field: bool, name: &[u8], from: &[u8], to: &[u8]) -> String {
    format!(
        "{} {} from {} to {}",
        if is_field { "field" } else { "method" },
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(from),
        String::from_utf8_lossy(to)
    )
}

/// Collects changed class qualifiers of a static member, from the old class to the new one.
fn changed_qualifiers(
    sources: &VersionedSources<'_>,
    name: &[u8],
    from: &[u8],
    to: &[u8],
) -> TokenChange {
    let mut change = TokenChange::default();
    for old in sources.old.uses.get(name).into_iter().flatten() {
        let Some(new) = sources.old.partner(*old) else { continue };
        let qualifier_before = |file: Option<&FileVersion<'_>>, spot: TokenRef, class: &[u8]| {
            let file = file?;
            let at = spot.token.checked_sub(2)?;
            let is_class = file.text(at + 1) == b"." && file.text(at) == class;
            is_class.then_some([at, at + 1].map(|token| TokenRef { file: spot.file, token }))
        };
        let old_class = qualifier_before(sources.old.file(old.file), *old, from);
        let new_class = qualifier_before(sources.new.file(new.file), new, to);
        if let Some(new_class) = new_class {
            change.old.extend(old_class.into_iter().flatten());
            change.new.extend(new_class);
        }
    }
    change
}

/// Detects members that several subclasses had and one superclass now has, and the reverse.
fn detect_shared_members(
    change: &DirectedChange<'_, '_>,
    type_hierarchy: &TypeHierarchy<'_>,
) -> Vec<Refactoring> {
    let mut members_by_text: HashMap<Vec<&[u8]>, Vec<(usize, &Member)>> = HashMap::new();
    for (at, file) in change.from.java_files() {
        for member in file.outline.members.iter().filter(|one| is_unmatched_member(file, one)) {
            members_by_text
                .entry(file.texts(declaration_tokens(file, member)))
                .or_default()
                .push((at, member));
        }
    }
    let mut refactorings = Vec::new();
    for (at, file) in change.to.java_files() {
        for member in file.outline.members.iter().filter(|one| is_unmatched_member(file, one)) {
            let equal_members = members_by_text.get(&file.texts(declaration_tokens(file, member)));
            refactorings.extend(equal_members.and_then(|equal_members| {
                detect_shared_member(change, type_hierarchy, at, member, equal_members)
            }));
        }
    }
    refactorings
}

fn is_unmatched_member(file: &FileVersion<'_>, member: &Member) -> bool {
    file.partner[member.name].is_none()
        && member.owner.is_some()
        && member.kind != MemberKind::Constructor
}

fn detect_shared_member(
    change: &DirectedChange<'_, '_>,
    type_hierarchy: &TypeHierarchy<'_>,
    at: usize,
    member: &Member,
    equal_members: &[(usize, &Member)],
) -> Option<Refactoring> {
    let file = change.to.file(at)?;
    let type_name = file.text(file.owner_type(member)?.name);
    let relatives: Vec<TokenRange> = equal_members
        .iter()
        .filter_map(|(at, other)| {
            let subclass_file = change.from.file(*at)?;
            let owner = subclass_file.text(subclass_file.owner_type(other)?.name);
            let tokens = subclass_file.tokens(other.node);
            type_hierarchy.is_subtype(owner, type_name).then_some(TokenRange { file: *at, tokens })
        })
        .collect();
    if relatives.len() < 2 {
        return None;
    }
    let mut core = TokenChange::default();
    let region = TokenRange { file: at, tokens: file.tokens(member.node) };
    core.add(change, relatives.iter().flat_map(TokenRange::token_refs), region.token_refs());
    let is_field = member.kind == MemberKind::Field;
    let name = match (change.is_forward, is_field) {
        (true, true) => "pull up field",
        (true, false) => "pull up method",
        (false, true) => "push down field",
        (false, false) => "push down method",
    };
    let description = format!(
        "{} {} moved between {} and {} subclasses",
        if is_field { "field" } else { "method" },
        String::from_utf8_lossy(file.text(member.name)),
        String::from_utf8_lossy(type_name),
        relatives.len()
    );
    Some(Refactoring::new(name, description, core, TokenChange::default()))
}

/// Detects classes that are in another package, outer class or file.
fn detect_moved_classes(sources: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for (at, old) in sources.old.java_files() {
        for class in &old.outline.types {
            let name = TokenRef { file: at, token: class.name };
            let find_move = || {
                let token_ref = sources.old.partner(name)?;
                let new = sources.new.file(token_ref.file)?;
                let other = new
                    .enclosing_type(token_ref.token)
                    .filter(|two| two.name == token_ref.token)?;
                let is_same_name = old.text(class.name) == new.text(other.name);
                (is_same_name && token_ref.file != at)
                    .then(|| {
                        moved_to_other_file(sources, (at, class.node), (token_ref.file, other.node))
                    })
                    .or_else(|| {
                        is_same_name.then(|| moved_to_other_package(sources, files, at, class))
                    })?
            };
            refactorings.extend(find_move().map(|core| {
                let text = String::from_utf8_lossy(old.text(class.name)).into_owned();
                let (core, files, paths) = core;
                let rest = import_changes(sources, &paths);
                let what =
                    format!("class {text} from {} to {}", to_text(&paths.0), to_text(&paths.1));
                Refactoring {
                    file_hunks: files,
                    ..Refactoring::new("move class", what, core, rest)
                }
            }));
        }
    }
    refactorings
}

/// The old and the new full name of a class.
type FullNames = (Vec<u8>, Vec<u8>);

fn to_text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

type MovedClass = Option<(TokenChange, Vec<usize>, FullNames)>;

fn moved_to_other_file(
    sources: &VersionedSources<'_>,
    old: (usize, usize),
    new: (usize, usize),
) -> MovedClass {
    let (before, after) = (sources.old.file(old.0)?, sources.new.file(new.0)?);
    let core = TokenChange {
        old: type_range_with_imports(&sources.old, old.0, old.1)?.token_refs().collect(),
        new: type_range_with_imports(&sources.new, new.0, new.1)?.token_refs().collect(),
    };
    Some((core, Vec::new(), (full_name(before, old.1), full_name(after, new.1))))
}

/// Detects a top-level class whose file moved to another package.
fn moved_to_other_package(
    sources: &VersionedSources<'_>,
    files: &[IndexedFile],
    file_index: usize,
    declaration: &TypeDeclaration,
) -> MovedClass {
    let (_, _, hunk) = files.get(file_index)?.rename.as_ref()?;
    let (old, new) = (sources.old.file(file_index)?, sources.new.file(file_index)?);
    let token_ref = sources.old.partner(TokenRef { file: file_index, token: declaration.name })?;
    let other = new.enclosing_type(token_ref.token)?;
    let is_top_level = |file: &FileVersion<'_>, node: usize| file.source.node(node).parent == 0;
    let paths = (full_name(old, declaration.node), full_name(new, other.node));
    if !is_top_level(old, declaration.node) || !is_top_level(new, other.node) || paths.0 == paths.1
    {
        return None;
    }
    let package = |file: &FileVersion<'_>| {
        let node = file.source.children(0).find(|id| file.kind(*id) == "package_declaration");
        let tokens = node.map_or(0..0, |id| file.tokens(id));
        tokens.map(|token| TokenRef { file: file_index, token }).collect()
    };
    Some((TokenChange { old: package(old), new: package(new) }, vec![*hunk], paths))
}

/// Returns a type's name with its package and enclosing types.
fn full_name(file: &FileVersion<'_>, node: usize) -> Vec<u8> {
    let package = file.source.children(0).find(|id| file.kind(*id) == "package_declaration");
    let package = package.map(|id| file.text(file.tokens(id).end - 2)).into_iter();
    let enclosing = file.source.ancestors(node).chain([node]);
    let mut type_names: BTreeMap<usize, &[u8]> = BTreeMap::new();
    for id in enclosing {
        if let Some(one) = file.outline.types.iter().find(|one| one.node == id) {
            type_names.insert(id, file.text(one.name));
        }
    }
    let parts: Vec<&[u8]> = package.chain(type_names.into_values()).collect();
    parts.join(&b'.')
}

/// Collects the imports of the class, under its old and its new full name.
fn import_changes(sources: &VersionedSources<'_>, (old, new): &FullNames) -> TokenChange {
    let import_tokens =
        |side: &crate::refactorings::sources::versioned_sources::SourceVersion<'_>, path: &[u8]| {
            let uses = side.uses.get(simple(path)).into_iter().flatten();
            let imported = uses.filter_map(|spot| {
                let file = side.file(spot.file)?;
                let at =
                    file.symbol_index.references.partition_point(|used| used.token < spot.token);
                let is_import =
                    file.symbol_index.references.get(at)?.kind == ReferenceKind::ImportedType;
                (is_import && file.text(spot.token) == path).then(|| {
                    let statement = file.tokens(file.parent(spot.token));
                    TokenRange { file: spot.file, tokens: statement }
                })
            });
            imported.flat_map(|region| region.token_refs()).collect()
        };
    TokenChange { old: import_tokens(&sources.old, old), new: import_tokens(&sources.new, new) }
}
