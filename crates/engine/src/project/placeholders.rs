//! Placeholders for folders in a project model, so that one model is valid for many trees and home folders.

/// Placeholder of the tree's folder in options and values.
pub(super) const TREE_PLACEHOLDER: &str = "${tree}";

/// Placeholder of the user's home folder in options and values; in paths it is `~`.
pub(super) const HOME_PLACEHOLDER: &str = "${home}";
