//! Types and members that are the same thing in another place or under another name.

use crate::refactorings::sources::file_outline::{Member, MemberKind};
use crate::refactorings::sources::versioned_sources::{
    FileVersion, SourceVersion, TokenRef, VersionedSources,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Minimum number of tokens of a member that is recognised under another name.
const LEAST: usize = 16;

/// Pairs tokens that were deleted at one place and inserted at another.
pub(crate) fn pair_unpaired(scene: &mut VersionedSources<'_>) {
    for shape in [types_by_name, types_by_shape, members_by_name, members_by_shape] {
        let old = unique(shape(&scene.old));
        let mut new = unique(shape(&scene.new));
        for (key, (old_file, old_tokens)) in old {
            let Some((new_file, new_tokens)) = new.remove(&key) else { continue };
            for (old, new) in old_tokens.zip(new_tokens) {
                scene.pair(
                    TokenRef { file: old_file, token: old },
                    TokenRef { file: new_file, token: new },
                );
            }
        }
    }
}

type ShapeKey = Vec<u8>;
type Shapes = Vec<(ShapeKey, (usize, Range<usize>))>;

/// Returns the shapes that occur once.
fn unique(shapes: Shapes) -> BTreeMap<ShapeKey, (usize, Range<usize>)> {
    let mut counts: HashMap<ShapeKey, usize> = HashMap::new();
    for (key, _) in &shapes {
        *counts.entry(key.clone()).or_default() += 1;
    }
    shapes.into_iter().filter(|(key, _)| counts[key] == 1).collect()
}

/// Returns the text of a declaration without its modifiers, with a placeholder for one name.
fn shape(file: &FileVersion<'_>, tokens: Range<usize>, open: Option<&[u8]>) -> ShapeKey {
    let mut key = Vec::new();
    for token in tokens {
        let text = file.text(token);
        key.extend_from_slice(if Some(text) == open { b"?" } else { text });
        key.push(b' ');
    }
    key
}

fn types_by_name(side: &SourceVersion<'_>) -> Shapes {
    types(side, false)
}

fn types_by_shape(side: &SourceVersion<'_>) -> Shapes {
    types(side, true)
}

fn types(side: &SourceVersion<'_>, is_open: bool) -> Shapes {
    let mut shapes = Shapes::new();
    for (at, file) in side.java_files() {
        for one in file.outline.types.iter().filter(|one| file.partner[one.name].is_none()) {
            let tokens = one.keyword..file.tokens(one.node).end;
            if !is_open || tokens.len() >= LEAST {
                let open = is_open.then(|| file.text(one.name));
                shapes.push((shape(file, tokens.clone(), open), (at, tokens)));
            }
        }
    }
    shapes
}

fn members_by_name(side: &SourceVersion<'_>) -> Shapes {
    members(side, false)
}

fn members_by_shape(side: &SourceVersion<'_>) -> Shapes {
    members(side, true)
}

fn members(side: &SourceVersion<'_>, is_open: bool) -> Shapes {
    let mut shapes = Shapes::new();
    for (at, file) in side.java_files() {
        for member in file.outline.members.iter().filter(|member| is_candidate(file, member)) {
            let tokens = declaration(file, member);
            if !is_open || tokens.len() >= LEAST {
                let open = is_open.then(|| file.text(member.name));
                shapes.push((shape(file, tokens.clone(), open), (at, tokens)));
            }
        }
    }
    shapes
}

/// Returns a member's tokens without its modifiers.
pub(crate) fn declaration(file: &FileVersion<'_>, member: &Member) -> Range<usize> {
    member.start..file.tokens(member.node).end
}

/// Constructors are named after their type, and an abstract method's signature alone says nothing.
fn is_candidate(file: &FileVersion<'_>, member: &Member) -> bool {
    file.partner[member.name].is_none()
        && match member.kind {
            MemberKind::Field => true,
            MemberKind::Method => member.body.is_some(),
            MemberKind::Constructor => false,
        }
}
