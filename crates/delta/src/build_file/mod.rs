//! Division of the changes of a build file: each version declaration and each XML element is a change of its own.

mod declaration_lines;
mod version_declarations;
mod xml_elements;

use crate::text_part::TextPart;
use mend_model::RepoPath;

/// Format of a build file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BuildFileFormat {
    Xml,
    /// Gradle script, version catalogue or properties file: usually a declaration per line.
    Lines,
}

/// Divides the changed parts of a build file. Returns the parts of other files as they are.
pub(crate) fn divide_build_file(
    path: &RepoPath,
    old: &[u8],
    new: &[u8],
    parts: Vec<TextPart>,
) -> Vec<TextPart> {
    let Some(format) = BuildFileFormat::for_path(path) else { return parts };
    let parts = match format {
        BuildFileFormat::Xml => xml_elements::align_with_elements(old, new, parts),
        BuildFileFormat::Lines => parts,
    };
    let parts = version_declarations::divide(old, new, parts);
    match format {
        BuildFileFormat::Xml => {
            let parts = number(xml_elements::divide(old, new, parts));
            xml_elements::join_unbalanced(old, new, parts)
        }
        BuildFileFormat::Lines => number(declaration_lines::divide(old, new, parts)),
    }
}

impl BuildFileFormat {
    fn for_path(path: &RepoPath) -> Option<Self> {
        let path = path.to_string();
        let name = path.rsplit('/').next().unwrap_or_default();
        let ends_with = |end: &&str| name.ends_with(*end);
        if name == "gradle-wrapper.properties" {
            // The address and the checksum of a distribution belong together.
            return None;
        }
        if name == "pom.xml" || path.ends_with(".mvn/extensions.xml") {
            Some(Self::Xml)
        } else if [".gradle", ".gradle.kts", ".versions.toml", ".properties"].iter().any(ends_with)
        {
            Some(Self::Lines)
        } else {
            None
        }
    }
}

/// Gives each changed part its own number.
fn number(mut parts: Vec<TextPart>) -> Vec<TextPart> {
    let changed = parts.iter_mut().filter_map(|part| part.change.as_mut());
    changed.enumerate().for_each(|(number, change)| *change = number);
    parts
}

#[cfg(test)]
mod tests;
