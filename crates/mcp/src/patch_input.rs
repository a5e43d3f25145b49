//! Patches that a caller submits as text.

use crate::argument_check::InvalidArguments;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Maximum number of patches in a call.
const MAX_PATCHES: usize = 50;

/// Maximum size of a patch, in bytes.
const MAX_PATCH_BYTES: usize = 1 << 20;

/// Maximum length of a name, in characters.
const MAX_NAME_CHARS: usize = 80;

/// Folder of the patches in the run folder.
pub(crate) const PATCH_FOLDER: &str = "patches";

/// Extension of the patch files.
const PATCH_EXTENSION: &str = ".patch";

/// A patch
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchInput {
    /// Name in the answer: letters, digits, `.`, `_` and `-` [default: patch-1, patch-2, ...]
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// Unified diff, as `git diff` prints it, for the tested version
    pub(crate) diff: String,
}

/// File that a run reads: path in the run folder, and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFile {
    pub(crate) path: String,
    pub(crate) content: String,
}

/// Returns the patches as files of the run folder.
pub(crate) fn to_patch_files(patches: &[PatchInput]) -> Result<Vec<InputFile>, InvalidArguments> {
    if patches.is_empty() || patches.len() > MAX_PATCHES {
        let message = format!("`patches` has {} patches", patches.len());
        return Err(InvalidArguments::new(message, format!("give 1 to {MAX_PATCHES} patches")));
    }
    let mut names = BTreeSet::new();
    let mut files = Vec::new();
    for (number, patch) in (1..).zip(patches) {
        let name = match &patch.name {
            Some(name) => name.strip_suffix(PATCH_EXTENSION).unwrap_or(name).to_owned(),
            None => format!("patch-{number}"),
        };
        check_name(&name)?;
        if !names.insert(name.clone()) {
            let message = format!("two patches have the name `{name}`");
            return Err(InvalidArguments::new(message, "give each patch its own name"));
        }
        let path = format!("{PATCH_FOLDER}/{name}{PATCH_EXTENSION}");
        files.push(InputFile { path, content: to_patch_text(&patch.diff)? });
    }
    Ok(files)
}

/// Returns the text of a diff as a file: with a line end at its end, which callers often omit.
pub(crate) fn to_patch_text(diff: &str) -> Result<String, InvalidArguments> {
    let help = "give a unified diff, as `git diff` prints it";
    if diff.trim().is_empty() {
        return Err(InvalidArguments::new("a patch is empty", help));
    }
    if diff.len() > MAX_PATCH_BYTES {
        return Err(InvalidArguments::new("a patch is larger than 1 MiB", help));
    }
    Ok(if diff.ends_with('\n') { diff.to_owned() } else { format!("{diff}\n") })
}

/// Returns the name of a patch without the extension of its file.
pub(crate) fn patch_name(file_name: &str) -> &str {
    file_name.strip_suffix(PATCH_EXTENSION).unwrap_or(file_name)
}

/// Returns the path of a patch in the run folder.
pub(crate) fn patch_path(file_name: &str) -> String {
    format!("{PATCH_FOLDER}/{file_name}")
}

fn check_name(name: &str) -> Result<(), InvalidArguments> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_valid = !name.is_empty()
        && name.len() <= MAX_NAME_CHARS
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_allowed);
    if is_valid {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    Err(InvalidArguments::new(
        format!("`{}` cannot be the name of a patch", shown.escape_debug()),
        "use up to 80 letters, digits, `.`, `_` and `-`, and start with a letter or digit",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(name: Option<&str>, diff: &str) -> PatchInput {
        PatchInput { name: name.map(str::to_owned), diff: diff.to_owned() }
    }

    #[test]
    fn patches_become_files_with_default_names() {
        let files = to_patch_files(&[patch(None, "x"), patch(Some("mine.patch"), "y\n")]).unwrap();
        let expected = [("patches/patch-1.patch", "x\n"), ("patches/mine.patch", "y\n")];
        let expected = expected
            .map(|(path, content)| InputFile { path: path.into(), content: content.into() });
        assert_eq!(files, expected);
    }

    #[test]
    fn unsafe_names_and_empty_patches_are_rejected() {
        for name in ["../x", "", ".hidden", "a/b", "-x", "a b", "ä"] {
            let error = to_patch_files(&[patch(Some(name), "x")]).unwrap_err();
            assert!(error.message.contains("cannot be the name"), "{name}: {}", error.message);
        }
        assert!(to_patch_files(&[]).is_err());
        assert!(to_patch_files(&[patch(None, " \n")]).is_err());
        let same = [patch(Some("a"), "x"), patch(Some("a.patch"), "x")];
        assert!(to_patch_files(&same).unwrap_err().message.contains("two patches"));
    }
}
