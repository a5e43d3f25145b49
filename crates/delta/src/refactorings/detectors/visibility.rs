//! Changes of who may see a type or member.

use crate::refactorings::refactoring::{Part, Refactoring};
use crate::refactorings::sources::file_outline::modifier_tokens;
use crate::refactorings::sources::versioned_sources::{FileSide, Scene, Spot};

const WORDS: [&[u8]; 3] = [b"private", b"protected", b"public"];

/// A declaration with its visibility.
struct Seen<'a> {
    /// The token of the modifier, if there is one.
    token: Option<usize>,
    word: &'a [u8],
}

impl Seen<'_> {
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
pub(crate) fn find(scene: &Scene<'_>) -> Vec<Refactoring> {
    let mut found = Vec::new();
    for (file, old) in scene.old.all() {
        let types = old.outline.types.iter().map(|one| (one.name, one.node));
        let members = old.outline.members.iter().map(|one| (one.name, one.node));
        for (name, node) in types.chain(members) {
            let spot = Spot { file, token: name };
            found.extend(scene.old.partner(spot).and_then(|new| changed(scene, spot, node, new)));
        }
    }
    found
}

fn changed(scene: &Scene<'_>, old: Spot, old_node: usize, new: Spot) -> Option<Refactoring> {
    let (old_file, new_file) = (scene.old.file(old.file)?, scene.new.file(new.file)?);
    let member = scene.new.member(new);
    let new_type = new_file.type_around(new.token).filter(|one| one.name == new.token);
    let new_node = member.map(|one| one.node).or(new_type.map(|one| one.node))?;
    let (before, after) = (seen(old_file, old_node), seen(new_file, new_node));
    let is_always_public = is_of_interface(old_file, old) || is_of_interface(new_file, new);
    if before.width() == after.width() || is_always_public {
        return None;
    }
    let is_method = old_file.kind(old_node) == "method_declaration";
    let hides = is_method && after.width() < before.width();
    let core = Part {
        old: before.token.map(|token| Spot { file: old.file, token }).into_iter().collect(),
        new: after.token.map(|token| Spot { file: new.file, token }).into_iter().collect(),
    };
    let words = |seen: &Seen<'_>| String::from_utf8_lossy(seen.word).into_owned();
    let what = format!(
        "{} {}: {} → {}",
        old_file.kind(old_node).trim_end_matches("_declaration"),
        String::from_utf8_lossy(new_file.text(new.token)),
        words(&before),
        words(&after)
    );
    let name = if hides { "hide method" } else { "change visibility" };
    Some(Refactoring::new(name, what, core, Part::default()))
}

fn seen<'a>(file: &FileSide<'a>, node: usize) -> Seen<'a> {
    let token = modifier_tokens(file.source, node).find(|token| WORDS.contains(&file.text(*token)));
    Seen { token, word: token.map_or(b"package", |token| file.text(token)) }
}

/// Returns true if a member is public regardless of its modifiers.
fn is_of_interface(file: &FileSide<'_>, name: Spot) -> bool {
    let member = file.member_around(name.token).filter(|member| member.name == name.token);
    member.and_then(|member| file.owner_type(member)).is_some_and(|owner| owner.is_interface)
}
