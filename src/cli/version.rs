//! What the program says of itself.

use std::sync::LazyLock;

/// For `git mend -V`.
pub(super) const SHORT: &str = env!("CARGO_PKG_VERSION");

/// For `git mend --version`: also what it was built from and with.
pub(super) static LONG: LazyLock<String> = LazyLock::new(|| {
    let (commit, target) = (env!("GIT_MEND_COMMIT"), env!("GIT_MEND_TARGET"));
    let (profile, rustc) = (env!("GIT_MEND_PROFILE"), env!("GIT_MEND_RUSTC"));
    format!("{SHORT} ({commit})\nbuilt for {target}, {profile}, by {rustc}")
});
