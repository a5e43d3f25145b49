//! Environment variables as a value, so that tests can set them.

use crate::cache::digest::Digest;
use mend_model::Secrets;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Environment variables that affect javac, the JVM or tests.
pub(crate) const RELEVANT_VARIABLES: [&str; 8] = [
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JDK_JAVAC_OPTIONS",
    "MAVEN_OPTS",
    "TZ",
    "LANG",
    "LC_ALL",
    "CLASSPATH",
];

/// Variables of an environment. Code that depends on them takes this value as a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Reads the environment of this process.
    pub fn from_process() -> Self {
        std::env::vars_os().collect()
    }

    /// Returns a variable's value; an empty one counts as unset.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Returns the variables whose names and values are UTF-8.
    pub(crate) fn utf8_variables(&self) -> impl Iterator<Item = (&str, String)> {
        self.0.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?.to_owned())))
    }

    /// Returns the variables that affect javac, the JVM or tests, and these variables.
    pub fn relevant_variables<'a>(
        &self,
        more: impl IntoIterator<Item = &'a str>,
    ) -> BTreeMap<String, String> {
        let names = RELEVANT_VARIABLES.into_iter().chain(more);
        let value = |name: &str| Some((name.to_owned(), self.get(name)?.to_str()?.to_owned()));
        names.filter_map(value).collect()
    }

    /// Returns the secrets in the environment, which must not be printed.
    pub fn secrets(&self) -> Secrets {
        Secrets::from_environment(self.utf8_variables())
    }

    /// Returns digests of the values of some variables.
    pub(crate) fn digest_variables(&self, names: &BTreeSet<String>) -> VariableDigests {
        VariableDigests(names.iter().map(|name| (name.clone(), self.value_digest(name))).collect())
    }

    fn value_digest(&self, name: &str) -> Option<String> {
        let mut digest = Digest::default();
        digest.add("value", self.0.get(OsStr::new(name))?.as_encoded_bytes());
        Some(digest.finish_hex())
    }

    /// Returns a variable's value as a path.
    pub fn path_variable(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }
}

/// Environment variables that a result depends on, each with a digest of its value: values may be secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableDigests(BTreeMap<String, Option<String>>);

impl VariableDigests {
    /// Returns true if there are no variables.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if all variables have the same values in an environment.
    pub fn matches(&self, environment: &Environment) -> bool {
        self.0.iter().all(|(name, digest)| environment.value_digest(name) == *digest)
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_of_digested_variables_are_detected() {
        let names = ["A", "B"].map(str::to_owned).into();
        let environment = |variables: &[(&str, &str)]| variables.iter().copied().collect();
        let first: Environment = environment(&[("A", "1"), ("C", "1")]);
        let variables = first.digest_variables(&names);
        assert!(variables.matches(&environment(&[("A", "1"), ("C", "2")])));
        for other in [&[("A", "2")][..], &[("A", "1"), ("B", "")], &[]] {
            assert!(!variables.matches(&environment(other)), "{other:?}");
        }
    }
}
