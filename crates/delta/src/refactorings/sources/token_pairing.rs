//! Pairs tokens of types and members that moved or were renamed.

use crate::refactorings::sources::file_outline::{Member, MemberKind};
use crate::refactorings::sources::versioned_sources::{
    FileVersion, SourceVersion, TokenRef, VersionedSources,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Minimum number of tokens of a member that is matched under another name.
const MIN_MEMBER_TOKENS: usize = 16;

/// Pairs the tokens of declarations that were deleted at one position and inserted at another.
pub(crate) fn pair_moved_declarations(scene: &mut VersionedSources<'_>) {
    for collect_shapes in [types_by_name, types_by_shape, members_by_name, members_by_shape] {
        let old = unique_shapes(collect_shapes(&scene.old));
        let mut new = unique_shapes(collect_shapes(&scene.new));
        for (key, (old_file, old_tokens)) in old {
            let Some((new_file, new_tokens)) = new.remove(&key) else { continue };
            for (old, new) in old_tokens.zip(new_tokens) {
                scene.pair_tokens(
                    TokenRef { file: old_file, token: old },
                    TokenRef { file: new_file, token: new },
                );
            }
        }
    }
}

type ShapeKey = Vec<u8>;
type Shapes = Vec<(ShapeKey, (usize, Range<usize>))>;

/// Returns the keys that occur once.
fn unique_shapes(shapes: Shapes) -> BTreeMap<ShapeKey, (usize, Range<usize>)> {
    let mut counts: HashMap<ShapeKey, usize> = HashMap::new();
    for (key, _) in &shapes {
        *counts.entry(key.clone()).or_default() += 1;
    }
    shapes.into_iter().filter(|(key, _)| counts[key] == 1).collect()
}

/// Returns the text of a declaration without its modifiers, with a placeholder for one name.
fn shape_key(
    file: &FileVersion<'_>,
    tokens: Range<usize>,
    placeholder_name: Option<&[u8]>,
) -> ShapeKey {
    let mut key = Vec::new();
    for token in tokens {
        let text = file.text(token);
        key.extend_from_slice(if Some(text) == placeholder_name { b"?" } else { text });
        key.push(b' ');
    }
    key
}

fn types_by_name(side: &SourceVersion<'_>) -> Shapes {
    type_shapes(side, false)
}

fn types_by_shape(side: &SourceVersion<'_>) -> Shapes {
    type_shapes(side, true)
}

fn type_shapes(side: &SourceVersion<'_>, ignores_name: bool) -> Shapes {
    let mut shapes = Shapes::new();
    for (at, file) in side.java_files() {
        for one in file.outline.types.iter().filter(|one| file.partner[one.name].is_none()) {
            let tokens = one.keyword..file.tokens(one.node).end;
            if !ignores_name || tokens.len() >= MIN_MEMBER_TOKENS {
                let placeholder_name = ignores_name.then(|| file.text(one.name));
                shapes.push((shape_key(file, tokens.clone(), placeholder_name), (at, tokens)));
            }
        }
    }
    shapes
}

fn members_by_name(side: &SourceVersion<'_>) -> Shapes {
    member_shapes(side, false)
}

fn members_by_shape(side: &SourceVersion<'_>) -> Shapes {
    member_shapes(side, true)
}

fn member_shapes(side: &SourceVersion<'_>, ignores_name: bool) -> Shapes {
    let mut shapes = Shapes::new();
    for (at, file) in side.java_files() {
        for member in file.outline.members.iter().filter(|member| is_candidate(file, member)) {
            let tokens = declaration_tokens(file, member);
            if !ignores_name || tokens.len() >= MIN_MEMBER_TOKENS {
                let placeholder_name = ignores_name.then(|| file.text(member.name));
                shapes.push((shape_key(file, tokens.clone(), placeholder_name), (at, tokens)));
            }
        }
    }
    shapes
}

/// Returns a member's tokens without its modifiers.
pub(crate) fn declaration_tokens(file: &FileVersion<'_>, member: &Member) -> Range<usize> {
    member.start..file.tokens(member.node).end
}

/// Returns true for an unpaired member that its name or text identifies: no constructor, and no method without a body.
fn is_candidate(file: &FileVersion<'_>, member: &Member) -> bool {
    file.partner[member.name].is_none()
        && match member.kind {
            MemberKind::Field => true,
            MemberKind::Method => member.body.is_some(),
            MemberKind::Constructor => false,
        }
}
