//! Digest of named parts, for cache keys.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::Path;

/// Digest of named parts. Different lists of parts have different digests.
#[derive(Clone, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    pub(crate) fn add(&mut self, name: &str, value: impl AsRef<[u8]>) {
        for part in [name.as_bytes(), value.as_ref()] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Adds a file by path, size and time of change; folders by path alone.
    pub(crate) fn add_file(&mut self, path: &Path) {
        self.add("file", path.as_os_str().as_encoded_bytes());
        let Ok(metadata) = path.metadata() else { return };
        if metadata.is_file() {
            self.add("size", metadata.len().to_le_bytes());
            let modified = metadata.modified().ok();
            let since_epoch =
                modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            self.add("changed", since_epoch.unwrap_or_default().as_nanos().to_le_bytes());
        }
    }

    pub(crate) fn finish_hex(self) -> String {
        self.0.finalize().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_boundaries_change_the_digest() {
        let hash = |parts: [(&str, &str); 2]| {
            let mut digest = Digest::default();
            for (name, value) in parts {
                digest.add(name, value);
            }
            digest.finish_hex()
        };
        assert_ne!(hash([("a", "bc"), ("d", "")]), hash([("a", "b"), ("cd", "")]));
    }
}
