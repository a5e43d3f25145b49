//! Detects extracted interfaces and superclasses, and extracted and inlined classes.

use crate::refactorings::detectors::member_in_version::{MemberInVersion, are_equal_members};
use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::{
    Member, MemberKind, TypeDeclaration, child_in_field,
};
use crate::refactorings::sources::token_range::TokenRange;
use crate::refactorings::sources::type_hierarchy::{
    simple, supertype_clause_tokens, type_range_with_imports,
};
use crate::refactorings::sources::versioned_sources::{
    DirectedChange, FileVersion, TokenRef, VersionedSources,
};
use std::collections::{BTreeSet, HashMap};

/// Detects all of these refactorings.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for change in sources.directions() {
        let subtypes_by_name =
            if change.is_forward { index_subtypes(&change) } else { SubtypesByName::new() };
        for (at, file) in change.to.java_files() {
            for declaration in file
                .outline
                .types
                .iter()
                .filter(|declaration| file.partner[declaration.name].is_none())
            {
                if change.is_forward {
                    refactorings.extend(detect_supertype(
                        &change,
                        at,
                        file,
                        declaration,
                        &subtypes_by_name,
                    ));
                }
                refactorings.extend(detect_component_class(&change, at, file, declaration));
            }
        }
    }
    refactorings
}

/// Types of the second version that name a supertype, with their files.
type SubtypesByName<'s, 'a> =
    HashMap<&'a [u8], Vec<(usize, &'s FileVersion<'a>, &'s TypeDeclaration)>>;

fn index_subtypes<'s, 'a>(change: &DirectedChange<'s, 'a>) -> SubtypesByName<'s, 'a> {
    let mut subtypes_by_name = SubtypesByName::new();
    for (at, file) in change.to.java_files() {
        for class in &file.outline.types {
            let names: BTreeSet<&[u8]> =
                class.supertypes.iter().map(|token| simple(file.text(*token))).collect();
            for name in names {
                subtypes_by_name.entry(name).or_default().push((at, file, class));
            }
        }
    }
    subtypes_by_name
}

fn token_refs(
    file: usize,
    tokens: impl IntoIterator<Item = usize>,
) -> impl Iterator<Item = TokenRef> {
    tokens.into_iter().map(move |token| TokenRef { file, token })
}

/// Detects a new supertype whose members all come from a class that now has it as its supertype.
fn detect_supertype(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    declaration: &TypeDeclaration,
    subtypes_by_name: &SubtypesByName<'_, '_>,
) -> Option<Refactoring> {
    let name = file.text(declaration.name);
    let (mut core, mut rest) = (TokenChange::default(), TokenChange::default());
    let mut classes = 0;
    for (class_file_index, class_file, class) in subtypes_by_name.get(name).into_iter().flatten() {
        let old = change.to.partner(TokenRef { file: *class_file_index, token: class.name });
        let Some(old) = old else { continue };
        let members = members_moved_from_class(change, file_index, file, declaration, old)?;
        core.add(
            change,
            members,
            token_refs(
                *class_file_index,
                supertype_clause_tokens(class_file, class.node, class.body, name),
            ),
        );
        rest.add(
            change,
            [],
            override_annotations(file, declaration, *class_file_index, class_file, class),
        );
        classes += 1;
    }
    if classes == 0 {
        return None;
    }
    core.add(
        change,
        [],
        type_range_with_imports(change.to, file_index, declaration.node)?.token_refs(),
    );
    let kind = if declaration.is_interface { "extract interface" } else { "extract superclass" };
    let description =
        format!("{} with {} members", String::from_utf8_lossy(name), declaration.members.len());
    Some(Refactoring::new(kind, description, core, rest))
}

/// Returns the members that move from the class to its new supertype; `None` if the supertype has a member of its own.
fn members_moved_from_class(
    change: &DirectedChange<'_, '_>,
    at: usize,
    file: &FileVersion<'_>,
    declaration: &TypeDeclaration,
    old_class: TokenRef,
) -> Option<Vec<TokenRef>> {
    let old = change.from.file(old_class.file)?;
    let class = old.enclosing_type(old_class.token)?;
    let mut moved_members = Vec::new();
    for member in declaration.members.iter().map(|at| &file.outline.members[*at]) {
        let old_member = class.members.iter().map(|at| &old.outline.members[*at]).find(|other| {
            other.kind == member.kind && signature_text(old, other) == signature_text(file, member)
        });
        let partner = change.to.partner(TokenRef { file: at, token: member.name });
        let is_moved = partner.zip(old_member).is_some_and(|(spot, old_member)| {
            spot == TokenRef { file: old_class.file, token: old_member.name }
        });
        if is_moved {
            let old_version =
                MemberInVersion { file_index: old_class.file, file: old, member: old_member? };
            let new_version = MemberInVersion { file_index: at, file, member };
            are_equal_members(old_version, new_version, (&[], &[])).then_some(())?;
            moved_members.extend(old_version.token_refs());
        } else if member.kind != MemberKind::Method || member.body.is_some() || old_member.is_none()
        {
            return None;
        }
    }
    let is_empty = declaration.members.is_empty();
    let has_moved = declaration.is_interface || !moved_members.is_empty();
    (!is_empty && has_moved).then_some(moved_members)
}

/// Returns a member's name, and its parameters and type as written.
fn signature_text<'a>(file: &FileVersion<'a>, member: &Member) -> Vec<&'a [u8]> {
    let mut words = vec![file.text(member.name)];
    for field in ["type", "parameters"] {
        if let Some(node) = child_in_field(file.source, member.node, field) {
            let tokens = file.tokens(node);
            words.extend(tokens.map(|token| file.text(token)).filter(|word| *word != b"final"));
        }
    }
    words
}

/// Collects new `@Override` annotations on members that the supertype declares.
fn override_annotations(
    file: &FileVersion<'_>,
    declaration: &TypeDeclaration,
    home: usize,
    side: &FileVersion<'_>,
    class: &TypeDeclaration,
) -> Vec<TokenRef> {
    let signatures: Vec<Vec<&[u8]>> = declaration
        .members
        .iter()
        .map(|at| signature_text(file, &file.outline.members[*at]))
        .collect();
    let mut annotation_tokens = Vec::new();
    for member in class.members.iter().map(|at| &side.outline.members[*at]) {
        if signatures.contains(&signature_text(side, member)) {
            let tokens = side.tokens(member.node).start..member.start;
            let is_override_annotation = |token: &usize| {
                let at = if side.text(*token) == b"@" { token + 1 } else { *token };
                side.text(at) == b"Override" && side.owner[*token].is_some()
            };
            annotation_tokens.extend(token_refs(home, tokens.filter(is_override_annotation)));
        }
    }
    annotation_tokens
}

/// Detects a new class whose members all come from one class with a new field of it, and the reverse.
fn detect_component_class(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    file: &FileVersion<'_>,
    declaration: &TypeDeclaration,
) -> Option<Refactoring> {
    let members: Vec<&Member> =
        declaration.members.iter().map(|file_index| &file.outline.members[*file_index]).collect();
    let first = change.to.partner(TokenRef { file: file_index, token: members.first()?.name })?;
    let old = change.from.file(first.file)?;
    let class = old.owner_type(change.from.member(first)?)?;
    let mut core = TokenChange::default();
    for member in &members {
        let token_ref = change.to.partner(TokenRef { file: file_index, token: member.name })?;
        let old_member =
            change.from.member(token_ref).filter(|old_member| old_member.owner.is_some())?;
        let is_in_class =
            token_ref.file == first.file && old.owner_type(old_member)?.name == class.name;
        let old_version =
            MemberInVersion { file_index: token_ref.file, file: old, member: old_member };
        let is_same = is_in_class
            && are_equal_members(
                old_version,
                MemberInVersion { file_index, file, member },
                (&[], &[]),
            );
        is_same.then_some(())?;
        core.add(change, old_version.token_refs(), []);
    }
    core.add(
        change,
        [],
        type_range_with_imports(change.to, file_index, declaration.node)?.token_refs(),
    );
    let user_ref = change.from.partner(TokenRef { file: first.file, token: class.name })?;
    let side = change.to.file(user_ref.file)?;
    let user_class = side.enclosing_type(user_ref.token)?;
    let name = file.text(declaration.name);
    let field =
        user_class.members.iter().map(|file_index| &side.outline.members[*file_index]).find(
            |member| {
                let has_type = child_in_field(side.source, member.node, "type")
                    .is_some_and(|node| side.texts(side.tokens(node)) == [name]);
                member.kind == MemberKind::Field && has_type && side.partner[member.name].is_none()
            },
        )?;
    core.add(change, [], token_refs(user_ref.file, side.tokens(field.node)));
    let mut rest = TokenChange::default();
    add_delegations(change, user_ref.file, side, side.text(field.name), &mut rest);
    let (kind, verb) =
        if change.is_forward { ("extract class", "from") } else { ("inline class", "into") };
    let description = format!(
        "{} {verb} {}, {} members",
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(old.text(class.name)),
        members.len()
    );
    Some(Refactoring::new(kind, description, core, rest))
}

/// Collects the field of the other class that is added before the names of moved members.
fn add_delegations(
    change: &DirectedChange<'_, '_>,
    file_index: usize,
    side: &FileVersion<'_>,
    field: &[u8],
    rest: &mut TokenChange,
) {
    for token in 0..side.partner.len().saturating_sub(2) {
        let is_delegation = side.text(token) == field && side.text(token + 1) == b".";
        if !is_delegation || side.owner[token].is_none() {
            continue;
        }
        let unit = TokenRange { file: file_index, tokens: token..token + 3 };
        let text = [side.text(token + 2)];
        if side.partner[token + 2].is_some() {
            rest.add(change, [], token_refs(file_index, token..token + 2));
        } else if let Some(old) = change.find_replaced(&unit, &text, &[]) {
            rest.add(change, old.token_refs(), unit.token_refs());
        }
    }
}
