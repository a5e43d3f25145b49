//! Fingerprint of the inputs of an outcome besides the tree, for cache keys.

use super::digest::Digest;
use crate::Environment;
use crate::jdk::environment::RELEVANT_VARIABLES;

/// The commit of this build with its date; "development build" unless it is a release build.
pub const BUILD_COMMIT: &str = env!("GIT_MEND_COMMIT");

/// Returns a digest of the common parts of all engines: this program, and the relevant environment variables.
pub(crate) fn base_digest(environment: &Environment) -> Digest {
    let mut digest = Digest::default();
    // Another commit can produce other outcomes under the same version.
    digest.add("program", env!("CARGO_PKG_VERSION"));
    digest.add("commit", BUILD_COMMIT);
    for name in RELEVANT_VARIABLES {
        if let Some(value) = environment.get(name) {
            digest.add(name, value.as_encoded_bytes());
        }
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevant_variables_are_part_of_the_fingerprint() {
        let hash = |name: &str| base_digest(&[(name, "x")].into_iter().collect()).finish_hex();
        assert_ne!(hash("TZ"), hash("HOSTNAME"));
        assert_eq!(hash("TERM"), hash("HOSTNAME"));
    }
}
