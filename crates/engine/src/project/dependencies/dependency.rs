//! Dependency as declared in a build file.

use super::local_repositories::Coordinates;
use crate::project::maven::pom::XmlElement;
use std::path::PathBuf;

/// A dependency as a build file declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) coordinates: Coordinates,
    /// `jar`, `pom`, `test-jar` …
    pub(crate) kind: String,
    /// `compile`, `provided`, `runtime`, `test`, `system`, `import`.
    pub(crate) scope: String,
    is_optional: bool,
    /// Excluded groups and artifacts; `*` matches any.
    pub(crate) exclusions: Vec<(String, String)>,
    pub(crate) system_path: Option<PathBuf>,
}

impl Dependency {
    /// Creates a dependency with a scope that is not transitive.
    pub(crate) fn new(group: &str, artifact: &str, version: Option<&str>) -> Self {
        Self {
            coordinates: Coordinates {
                group: group.to_owned(),
                artifact: artifact.to_owned(),
                version: version.map(str::to_owned),
                classifier: None,
            },
            kind: "jar".to_owned(),
            scope: "test".to_owned(),
            is_optional: false,
            exclusions: Vec::new(),
            system_path: None,
        }
    }

    /// Reads a `dependency` element; `interpolate` replaces placeholders in its texts.
    pub(crate) fn from_element(
        element: &XmlElement,
        interpolate: impl Fn(&str) -> String,
    ) -> Option<Self> {
        let text = |name: &str| element.text_at(&[name]).map(&interpolate);
        let kind = text("type").unwrap_or_else(|| "jar".to_owned());
        let test_classifier = (kind == "test-jar").then(|| "tests".to_owned());
        let exclusions =
            element.find_all(&["exclusions", "exclusion"]).into_iter().map(|exclusion| {
                let child_text = |name| interpolate(exclusion.text_at(&[name]).unwrap_or("*"));
                (child_text("groupId"), child_text("artifactId"))
            });
        Some(Self {
            coordinates: Coordinates {
                group: text("groupId")?,
                artifact: text("artifactId")?,
                version: text("version"),
                classifier: text("classifier").or(test_classifier),
            },
            kind,
            scope: text("scope").unwrap_or_default(),
            is_optional: text("optional").as_deref() == Some("true"),
            exclusions: exclusions.collect(),
            system_path: text("systemPath").map(PathBuf::from),
        })
    }

    /// Returns `group:artifact`.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.coordinates.group, self.coordinates.artifact)
    }

    /// Returns the key that is equal for all versions of a library.
    pub(crate) fn key(&self) -> (String, Option<String>, bool) {
        (self.name(), self.coordinates.classifier.clone(), self.kind == "pom")
    }

    /// Fills in missing version, scope and exclusions from the managed dependencies.
    pub(crate) fn apply_managed(&mut self, managed: &[Self]) {
        if let Some(found) = managed.iter().find(|found| found.key() == self.key()) {
            if self.coordinates.version.is_none() {
                self.coordinates.version.clone_from(&found.coordinates.version);
            }
            if self.scope.is_empty() {
                self.scope.clone_from(&found.scope);
            }
            self.exclusions.extend(found.exclusions.iter().cloned());
        }
    }

    /// Returns the same dependency with the coordinates of a relocated library.
    pub(crate) fn relocated_to(&self, coordinates: Coordinates) -> Self {
        Self { coordinates, ..self.clone() }
    }

    /// Returns true if it is transitive: users of the library that has this dependency need it too.
    pub(crate) fn is_transitive(&self) -> bool {
        !self.is_optional && matches!(self.scope.as_str(), "" | "compile" | "runtime")
    }

    /// Returns true if one of the exclusions matches it.
    pub(crate) fn is_excluded_by(&self, exclusions: &[(String, String)]) -> bool {
        let matches = |pattern: &str, text: &str| pattern == "*" || pattern == text;
        exclusions.iter().any(|(group, artifact)| {
            matches(group, &self.coordinates.group) && matches(artifact, &self.coordinates.artifact)
        })
    }
}
