//! Moved members and classes.

use crate::dependencies::name_dependencies::IndexedFile;
use crate::refactorings::detectors::member_in_version::{MemberInVersion, are_same};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{Member, MemberKind, TypeDeclaration};
use crate::refactorings::sources::token_pairing::declaration;
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::type_hierarchy::{TypeHierarchy, simple, with_file};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use mend_java::ReferenceKind;
use std::collections::{BTreeMap, HashMap};

/// A field with fewer tokens than this moves only to a relative, or with a companion.
const LEAST_FIELD: usize = 8;

/// Finds moved members and classes.
pub(crate) fn find(scene: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let kinship = TypeHierarchy::new(scene);
    let mut found = classes(scene, files);
    let moved = moved_members(scene);
    let mut counts = HashMap::new();
    for one in &moved {
        *counts.entry(one.homes()).or_insert(0) += 1;
    }
    for one in &moved {
        found.extend(member(scene, &kinship, one, counts[&one.homes()] > 1));
    }
    for view in scene.ways() {
        found.extend(shared_members(&view, &kinship));
    }
    found
}

/// A member that is in another type.
struct MovedMember<'s, 'a> {
    old: (MemberInVersion<'s, 'a>, &'s TypeDeclaration),
    new: (MemberInVersion<'s, 'a>, &'s TypeDeclaration),
}

impl MovedMember<'_, '_> {
    /// Returns the types that it leaves and enters.
    fn homes(&self) -> ((usize, usize), (usize, usize)) {
        ((self.old.0.at, self.old.1.name), (self.new.0.at, self.new.1.name))
    }
}

fn moved_members<'s, 'a>(scene: &'s VersionedSources<'a>) -> Vec<MovedMember<'s, 'a>> {
    let mut found = Vec::new();
    for (at, old) in scene.old.java_files() {
        for member in old.outline.members.iter().filter(|one| one.kind != MemberKind::Constructor) {
            let name = TokenRef { file: at, token: member.name };
            let moved = || {
                let spot = scene.old.partner(name)?;
                let (new, other) = (scene.new.file(spot.file)?, scene.new.member(spot)?);
                let owners = (old.owner_type(member)?, new.owner_type(other)?);
                let home = scene.old.partner(TokenRef { file: at, token: owners.0.name });
                let texts = (old.text(owners.0.name), new.text(owners.1.name));
                let one = MemberInVersion { at, file: old, member };
                let two = MemberInVersion { at: spot.file, file: new, member: other };
                let is_moved = home != Some(TokenRef { file: spot.file, token: owners.1.name })
                    && old.text(member.name) == new.text(other.name)
                    && other.kind == member.kind
                    && are_same(one, two, texts);
                is_moved.then_some(MovedMember { old: (one, owners.0), new: (two, owners.1) })
            };
            found.extend(moved());
        }
    }
    found
}

fn member(
    scene: &VersionedSources<'_>,
    kinship: &TypeHierarchy<'_>,
    one: &MovedMember<'_, '_>,
    has_companion: bool,
) -> Option<Refactoring> {
    let ((old, left), (new, entered)) = (one.old, one.new);
    let (from, to) = (old.file.text(left.name), new.file.text(entered.name));
    let is_field = old.member.kind == MemberKind::Field;
    let name = match (kinship.is_below(from, to), kinship.is_below(to, from), is_field) {
        (true, _, true) => "pull up field",
        (true, _, false) => "pull up method",
        (_, true, true) => "push down field",
        (_, true, false) => "push down method",
        (_, _, true) => "move field",
        (_, _, false) => "move method",
    };
    let is_small = declaration(old.file, old.member).len() < LEAST_FIELD;
    if name == "move field" && is_small && !has_companion {
        return None;
    }
    let core = TokenChange { old: old.spots(), new: new.spots() };
    let text = old.file.text(old.member.name);
    let mut rest = qualifiers(scene, text, from, to);
    rest.old.extend(old.qualifiers(to));
    rest.new.extend(new.qualifiers(from));
    let what = moved_text(is_field, text, from, to);
    Some(Refactoring::new(name, what, core, rest))
}

fn moved_text(is_field: bool, name: &[u8], from: &[u8], to: &[u8]) -> String {
    format!(
        "{} {} from {} to {}",
        if is_field { "field" } else { "method" },
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(from),
        String::from_utf8_lossy(to)
    )
}

/// Collects changed class qualifiers of a static member, from the old class to the new one.
fn qualifiers(scene: &VersionedSources<'_>, name: &[u8], from: &[u8], to: &[u8]) -> TokenChange {
    let mut part = TokenChange::default();
    for old in scene.old.uses.get(name).into_iter().flatten() {
        let Some(new) = scene.old.partner(*old) else { continue };
        let before = |file: Option<&FileVersion<'_>>, spot: TokenRef, class: &[u8]| {
            let file = file?;
            let at = spot.token.checked_sub(2)?;
            let is_class = file.text(at + 1) == b"." && file.text(at) == class;
            is_class.then_some([at, at + 1].map(|token| TokenRef { file: spot.file, token }))
        };
        let old_class = before(scene.old.file(old.file), *old, from);
        let new_class = before(scene.new.file(new.file), new, to);
        if let Some(new_class) = new_class {
            part.old.extend(old_class.into_iter().flatten());
            part.new.extend(new_class);
        }
    }
    part
}

/// Members that were the same in several subclasses and are one in the superclass, and the reverse.
fn shared_members(view: &DirectedChange<'_, '_>, kinship: &TypeHierarchy<'_>) -> Vec<Refactoring> {
    let mut many: HashMap<Vec<&[u8]>, Vec<(usize, &Member)>> = HashMap::new();
    for (at, file) in view.from.java_files() {
        for member in file.outline.members.iter().filter(|one| is_free(file, one)) {
            many.entry(file.texts(declaration(file, member))).or_default().push((at, member));
        }
    }
    let mut found = Vec::new();
    for (at, file) in view.to.java_files() {
        for member in file.outline.members.iter().filter(|one| is_free(file, one)) {
            let alike = many.get(&file.texts(declaration(file, member)));
            found.extend(alike.and_then(|alike| shared(view, kinship, at, member, alike)));
        }
    }
    found
}

fn is_free(file: &FileVersion<'_>, member: &Member) -> bool {
    file.partner[member.name].is_none()
        && member.owner.is_some()
        && member.kind != MemberKind::Constructor
}

fn shared(
    view: &DirectedChange<'_, '_>,
    kinship: &TypeHierarchy<'_>,
    at: usize,
    member: &Member,
    alike: &[(usize, &Member)],
) -> Option<Refactoring> {
    let file = view.to.file(at)?;
    let one = file.text(file.owner_type(member)?.name);
    let relatives: Vec<TokenRange> = alike
        .iter()
        .filter_map(|(at, other)| {
            let home = view.from.file(*at)?;
            let owner = home.text(home.owner_type(other)?.name);
            let tokens = home.tokens(other.node);
            kinship.is_below(owner, one).then_some(TokenRange { file: *at, tokens })
        })
        .collect();
    if relatives.len() < 2 {
        return None;
    }
    let mut core = TokenChange::default();
    let region = TokenRange { file: at, tokens: file.tokens(member.node) };
    core.add(view, relatives.iter().flat_map(TokenRange::spots), region.spots());
    let is_field = member.kind == MemberKind::Field;
    let name = match (view.is_forward, is_field) {
        (true, true) => "pull up field",
        (true, false) => "pull up method",
        (false, true) => "push down field",
        (false, false) => "push down method",
    };
    let what = format!(
        "{} {} moved between {} and {} subclasses",
        if is_field { "field" } else { "method" },
        String::from_utf8_lossy(file.text(member.name)),
        String::from_utf8_lossy(one),
        relatives.len()
    );
    Some(Refactoring::new(name, what, core, TokenChange::default()))
}

/// Detects classes in another package, another class or another file.
fn classes(scene: &VersionedSources<'_>, files: &[IndexedFile]) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for (at, old) in scene.old.java_files() {
        for one in &old.outline.types {
            let name = TokenRef { file: at, token: one.name };
            let moved = || {
                let spot = scene.old.partner(name)?;
                let new = scene.new.file(spot.file)?;
                let other = new.type_around(spot.token).filter(|two| two.name == spot.token)?;
                let is_same_name = old.text(one.name) == new.text(other.name);
                (is_same_name && spot.file != at)
                    .then(|| other_file(scene, (at, one.node), (spot.file, other.node)))
                    .or_else(|| is_same_name.then(|| renamed_folder(scene, files, at, one)))?
            };
            found.extend(moved().map(|core| {
                let text = String::from_utf8_lossy(old.text(one.name)).into_owned();
                let (core, files, paths) = core;
                let rest = imports(scene, &paths);
                let what =
                    format!("class {text} from {} to {}", to_text(&paths.0), to_text(&paths.1));
                Refactoring { files, ..Refactoring::new("move class", what, core, rest) }
            }));
        }
    }
    found
}

/// The old and the new full name of a class.
type FullNames = (Vec<u8>, Vec<u8>);

fn to_text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

type MovedClass = Option<(TokenChange, Vec<usize>, FullNames)>;

fn other_file(
    scene: &VersionedSources<'_>,
    old: (usize, usize),
    new: (usize, usize),
) -> MovedClass {
    let (before, after) = (scene.old.file(old.0)?, scene.new.file(new.0)?);
    let core = TokenChange {
        old: with_file(&scene.old, old.0, old.1)?.spots().collect(),
        new: with_file(&scene.new, new.0, new.1)?.spots().collect(),
    };
    Some((core, Vec::new(), (full_name(before, old.1), full_name(after, new.1))))
}

/// Detects a top-level class in a renamed file of another package.
fn renamed_folder(
    scene: &VersionedSources<'_>,
    files: &[IndexedFile],
    at: usize,
    one: &TypeDeclaration,
) -> MovedClass {
    let (_, _, hunk) = files.get(at)?.rename.as_ref()?;
    let (old, new) = (scene.old.file(at)?, scene.new.file(at)?);
    let spot = scene.old.partner(TokenRef { file: at, token: one.name })?;
    let other = new.type_around(spot.token)?;
    let is_top = |file: &FileVersion<'_>, node: usize| file.source.node(node).parent == 0;
    let paths = (full_name(old, one.node), full_name(new, other.node));
    if !is_top(old, one.node) || !is_top(new, other.node) || paths.0 == paths.1 {
        return None;
    }
    let package = |file: &FileVersion<'_>| {
        let node = file.source.children(0).find(|id| file.kind(*id) == "package_declaration");
        let tokens = node.map_or(0..0, |id| file.tokens(id));
        tokens.map(|token| TokenRef { file: at, token }).collect()
    };
    Some((TokenChange { old: package(old), new: package(new) }, vec![*hunk], paths))
}

/// Returns a type's name with its package and enclosing types.
fn full_name(file: &FileVersion<'_>, node: usize) -> Vec<u8> {
    let package = file.source.children(0).find(|id| file.kind(*id) == "package_declaration");
    let package = package.map(|id| file.text(file.tokens(id).end - 2)).into_iter();
    let around = file.source.ancestors(node).chain([node]);
    let mut outer: BTreeMap<usize, &[u8]> = BTreeMap::new();
    for id in around {
        if let Some(one) = file.outline.types.iter().find(|one| one.node == id) {
            outer.insert(id, file.text(one.name));
        }
    }
    let parts: Vec<&[u8]> = package.chain(outer.into_values()).collect();
    parts.join(&b'.')
}

/// Collects the imports of the class, under its old and its new full name.
fn imports(scene: &VersionedSources<'_>, (old, new): &FullNames) -> TokenChange {
    let all = |side: &crate::refactorings::sources::versioned_sources::SourceVersion<'_>,
               path: &[u8]| {
        let uses = side.uses.get(simple(path)).into_iter().flatten();
        let imported = uses.filter_map(|spot| {
            let file = side.file(spot.file)?;
            let at = file.names.uses.partition_point(|used| used.token < spot.token);
            let is_import = file.names.uses.get(at)?.kind == ReferenceKind::ImportedType;
            (is_import && file.text(spot.token) == path).then(|| {
                let statement = file.tokens(file.parent(spot.token));
                TokenRange { file: spot.file, tokens: statement }
            })
        });
        imported.flat_map(|region| region.spots()).collect()
    };
    TokenChange { old: all(&scene.old, old), new: all(&scene.new, new) }
}
