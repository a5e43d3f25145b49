//! Changes of who may see a type or member.

use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::modifier_tokens;
use crate::refactorings::sources::versioned_sources::{FileVersion, TokenRef, VersionedSources};

const WORDS: [&[u8]; 3] = [b"private", b"protected", b"public"];

/// A declaration with its visibility.
struct DeclaredVisibility<'a> {
    /// The token of the modifier, if there is one.
    token: Option<usize>,
    word: &'a [u8],
}

impl DeclaredVisibility<'_> {
    /// Returns the width of the visibility: 0 for private.
    fn width(&self) -> usize {
        match self.word {
            b"private" => 0,
            b"protected" => 2,
            b"public" => 3,
            _ => 1,
        }
    }
}

/// Finds methods that are hidden, and other changes of visibility.
pub(crate) fn find(scene: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for (file, old) in scene.old.java_files() {
        let types = old.outline.types.iter().map(|one| (one.name, one.node));
        let members = old.outline.members.iter().map(|one| (one.name, one.node));
        for (name, node) in types.chain(members) {
            let spot = TokenRef { file, token: name };
            found.extend(scene.old.partner(spot).and_then(|new| changed(scene, spot, node, new)));
        }
    }
    found
}

fn changed(
    scene: &VersionedSources<'_>,
    old: TokenRef,
    old_node: usize,
    new: TokenRef,
) -> Option<Refactoring> {
    let (old_file, new_file) = (scene.old.file(old.file)?, scene.new.file(new.file)?);
    let member = scene.new.member(new);
    let new_type = new_file.type_around(new.token).filter(|one| one.name == new.token);
    let new_node = member.map(|one| one.node).or(new_type.map(|one| one.node))?;
    let (before, after) =
        (declared_visibility(old_file, old_node), declared_visibility(new_file, new_node));
    let is_always_public = is_of_interface(old_file, old) || is_of_interface(new_file, new);
    if before.width() == after.width() || is_always_public {
        return None;
    }
    let is_method = old_file.kind(old_node) == "method_declaration";
    let hides = is_method && after.width() < before.width();
    let core = TokenChange {
        old: before.token.map(|token| TokenRef { file: old.file, token }).into_iter().collect(),
        new: after.token.map(|token| TokenRef { file: new.file, token }).into_iter().collect(),
    };
    let words = |seen: &DeclaredVisibility<'_>| String::from_utf8_lossy(seen.word).into_owned();
    let what = format!(
        "{} {}: {} → {}",
        old_file.kind(old_node).trim_end_matches("_declaration"),
        String::from_utf8_lossy(new_file.text(new.token)),
        words(&before),
        words(&after)
    );
    let name = if hides { "hide method" } else { "change visibility" };
    Some(Refactoring::new(name, what, core, TokenChange::default()))
}

fn declared_visibility<'a>(file: &FileVersion<'a>, node: usize) -> DeclaredVisibility<'a> {
    let token = modifier_tokens(file.source, node).find(|token| WORDS.contains(&file.text(*token)));
    DeclaredVisibility { token, word: token.map_or(b"package", |token| file.text(token)) }
}

/// Returns true if a member is public regardless of its modifiers.
fn is_of_interface(file: &FileVersion<'_>, name: TokenRef) -> bool {
    let member = file.member_around(name.token).filter(|member| member.name == name.token);
    member.and_then(|member| file.owner_type(member)).is_some_and(|owner| owner.is_interface)
}
