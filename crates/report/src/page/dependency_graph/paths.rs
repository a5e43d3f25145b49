//! File paths in pictures of a delta.

use crate::delta::ComponentView;

/// Returns the path of a component's file.
pub(crate) fn component_file(component: &ComponentView) -> String {
    let first = component.hunks.first().map(|hunk| hunk.path.to_string());
    first.or_else(|| component.files.first().map(ToString::to_string)).unwrap_or_default()
}

/// Truncates a path at its beginning.
pub(super) fn truncate_path(path: &str, width: usize) -> String {
    let count = path.chars().count();
    if count <= width {
        return path.to_owned();
    }
    std::iter::once('…').chain(path.chars().skip(count + 1 - width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_path_keeps_its_end() {
        assert_eq!(truncate_path("src/main/java/Till.java", 10), "…Till.java");
        assert_eq!(truncate_path("Till.java", 10), "Till.java");
    }
}
