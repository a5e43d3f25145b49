//! Places of refactorings: lines of the old and of the new version.

use std::ops::RangeInclusive;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLines {
    pub(crate) path: String,
    pub(crate) lines: RangeInclusive<usize>,
}

impl FileLines {
    fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path
            && self.lines.start() <= other.lines.end()
            && other.lines.start() <= self.lines.end()
    }
}

/// Lines of both versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) old: Vec<FileLines>,
    pub(crate) new: Vec<FileLines>,
}

impl Place {
    /// Returns true if two places have common lines in each version in which both have lines, and in at least one.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let versions = [(&self.old, &other.old), (&self.new, &other.new)];
        let mut shared = versions.iter().filter(|(one, two)| !one.is_empty() && !two.is_empty());
        let has_common_lines = |(one, two): &(&Vec<FileLines>, &Vec<FileLines>)| {
            one.iter().any(|lines| two.iter().any(|other| lines.overlaps(other)))
        };
        let first = shared.next().is_some_and(has_common_lines);
        first && shared.all(has_common_lines)
    }

    /// Describes the first lines of each version.
    pub(crate) fn describe(&self) -> String {
        let first = |lines: &[FileLines]| {
            lines.first().map_or_else(
                || "-".to_owned(),
                |one| format!("{}:{}-{}", one.path, one.lines.start(), one.lines.end()),
            )
        };
        format!("{} > {}", first(&self.old), first(&self.new))
    }
}
