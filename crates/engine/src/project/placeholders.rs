//! Texts that stand for folders in a project's model, so that one model serves many trees and homes.

/// Placeholder of the tree's folder in options and values.
pub(super) const TREE_PLACEHOLDER: &str = "${tree}";

/// Placeholder of the user's home folder in options and values; in paths it is `~`.
pub(super) const HOME_PLACEHOLDER: &str = "${home}";
