//! Settings of the user's repository that change the bytes of a checkout.

use crate::{Git, Repository};
use mend_model::{Problem, Result};
use std::fs;
use std::path::Path;

/// Settings for line ends, which change how git writes text files.
const LINE_END_SETTINGS: [&str; 3] = ["core.autocrlf", "core.eol", "core.attributesFile"];

/// Settings and attributes that are not part of a commit but change what a checkout of it writes. A checkout uses
/// those of the user's repository, so that the tests see the same bytes as in the user's work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckoutSettings {
    /// Names and values.
    settings: Vec<(&'static str, String)>,
    /// Content of `info/attributes`.
    attributes: Vec<u8>,
}

impl CheckoutSettings {
    /// Reads them from the user's repository.
    pub(super) fn read(repository: &Repository) -> Result<Self> {
        let mut settings = Vec::new();
        for name in LINE_END_SETTINGS {
            settings.extend(repository.read_setting(name)?.map(|value| (name, value)));
        }
        let attributes = repository.git_dir().join("info/attributes");
        Ok(Self { settings, attributes: fs::read(attributes).unwrap_or_default() })
    }

    /// Writes them to the git folder of a scratch tree.
    ///
    /// # Errors
    /// [`Problem::DiskFull`] and other failures to write.
    pub(super) fn write_to(&self, git_dir: &Path) -> Result<()> {
        for (name, value) in &self.settings {
            Git::for_git_dir(git_dir).args(["config", name, value]).stdout()?;
        }
        if self.attributes.is_empty() {
            return Ok(());
        }
        let file = git_dir.join("info/attributes");
        fs::create_dir_all(git_dir.join("info"))
            .and_then(|()| fs::write(&file, &self.attributes))
            .map_err(|error| Problem::io(error, file))
    }

    /// Returns a text for cache keys, different for settings that may lead to different bytes; empty for the defaults.
    pub(super) fn fingerprint(&self) -> String {
        let settings = self.settings.iter().map(|(name, value)| format!("{name}={value}\n"));
        settings.collect::<String>() + &String::from_utf8_lossy(&self.attributes)
    }
}
