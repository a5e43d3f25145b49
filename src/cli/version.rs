//! Version texts for `-V` and `--version`.

use std::sync::LazyLock;

/// Version for `git mend -V`.
pub(super) const SHORT_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version for `git mend --version`, with commit, target and compiler.
pub(super) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let (commit, target) = (mend_engine::BUILD_COMMIT, env!("GIT_MEND_TARGET"));
    let (profile, rustc) = (env!("GIT_MEND_PROFILE"), env!("GIT_MEND_RUSTC"));
    format!("{SHORT_VERSION} ({commit})\nbuilt for {target}, {profile}, by {rustc}")
});
