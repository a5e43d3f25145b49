//! Inputs of an outcome besides the tree, as a cache key.

use super::digest::Digest;
use crate::Environment;

/// The commit of this build with its date; "development build" unless it is a release build.
pub const BUILD_COMMIT: &str = env!("GIT_MEND_COMMIT");

/// The variables that change how javac, the JVM or a test behaves.
const RELEVANT_VARIABLES: [&str; 8] = [
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JDK_JAVAC_OPTIONS",
    "MAVEN_OPTS",
    "TZ",
    "LANG",
    "LC_ALL",
    "CLASSPATH",
];

/// Returns the parts that every engine has: this program, and the environment that matters.
pub(crate) fn base_digest(environment: &Environment) -> Digest {
    let mut digest = Digest::default();
    // What a build of another commit saw may be another thing, whatever its version is called.
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
