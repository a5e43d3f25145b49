//! Detects changed visibility of types and members.

use crate::refactorings::refactoring::{Refactoring, TokenChange};
use crate::refactorings::sources::file_outline::modifier_tokens;
use crate::refactorings::sources::versioned_sources::{FileVersion, TokenRef, VersionedSources};

const ACCESS_MODIFIERS: [&[u8]; 3] = [b"private", b"protected", b"public"];

/// A declaration with its visibility.
struct DeclaredVisibility<'a> {
    /// The token of the modifier, if there is one.
    token: Option<usize>,
    modifier: &'a [u8],
}

impl DeclaredVisibility<'_> {
    /// Returns the width of the visibility: 0 for private.
    fn access_level(&self) -> usize {
        match self.modifier {
            b"private" => 0,
            b"protected" => 2,
            b"public" => 3,
            _ => 1,
        }
    }
}

/// Detects hidden methods, and other changes of visibility.
pub(crate) fn find(sources: &VersionedSources<'_>) -> Vec<Refactoring> {
    let mut refactorings = Vec::new();
    for (file, old) in sources.old.java_files() {
        let types = old.outline.types.iter().map(|one| (one.name, one.node));
        let members = old.outline.members.iter().map(|one| (one.name, one.node));
        for (name, node) in types.chain(members) {
            let token_ref = TokenRef { file, token: name };
            refactorings.extend(
                sources
                    .old
                    .partner(token_ref)
                    .and_then(|new| detect_change(sources, token_ref, node, new)),
            );
        }
    }
    refactorings
}

fn detect_change(
    sources: &VersionedSources<'_>,
    old: TokenRef,
    old_node: usize,
    new: TokenRef,
) -> Option<Refactoring> {
    let (old_file, new_file) = (sources.old.file(old.file)?, sources.new.file(new.file)?);
    let member = sources.new.member(new);
    let new_type = new_file.enclosing_type(new.token).filter(|one| one.name == new.token);
    let new_node = member.map(|one| one.node).or(new_type.map(|one| one.node))?;
    let (old_visibility, new_visibility) =
        (declared_visibility(old_file, old_node), declared_visibility(new_file, new_node));
    let is_always_public = is_interface_member(old_file, old) || is_interface_member(new_file, new);
    if old_visibility.access_level() == new_visibility.access_level() || is_always_public {
        return None;
    }
    let is_method = old_file.kind(old_node) == "method_declaration";
    let is_hidden = is_method && new_visibility.access_level() < old_visibility.access_level();
    let core = TokenChange {
        old: old_visibility
            .token
            .map(|token| TokenRef { file: old.file, token })
            .into_iter()
            .collect(),
        new: new_visibility
            .token
            .map(|token| TokenRef { file: new.file, token })
            .into_iter()
            .collect(),
    };
    let modifier_text =
        |seen: &DeclaredVisibility<'_>| String::from_utf8_lossy(seen.modifier).into_owned();
    let description = format!(
        "{} {}: {} → {}",
        old_file.kind(old_node).trim_end_matches("_declaration"),
        String::from_utf8_lossy(new_file.text(new.token)),
        modifier_text(&old_visibility),
        modifier_text(&new_visibility)
    );
    let name = if is_hidden { "hide method" } else { "change visibility" };
    Some(Refactoring::new(name, description, core, TokenChange::default()))
}

fn declared_visibility<'a>(file: &FileVersion<'a>, node: usize) -> DeclaredVisibility<'a> {
    let token = modifier_tokens(file.source, node)
        .find(|token| ACCESS_MODIFIERS.contains(&file.text(*token)));
    DeclaredVisibility { token, modifier: token.map_or(b"package", |token| file.text(token)) }
}

/// Returns true if a member is public regardless of its modifiers.
fn is_interface_member(file: &FileVersion<'_>, name: TokenRef) -> bool {
    let member = file.enclosing_member(name.token).filter(|member| member.name == name.token);
    member.and_then(|member| file.owner_type(member)).is_some_and(|owner| owner.is_interface)
}
