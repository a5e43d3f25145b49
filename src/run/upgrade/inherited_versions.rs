//! Overrides versions in a POM that come from its parents or from imported bills of materials.

use super::level_declarations::rewrite_property;
use super::managed_dependency::manage_version;
use super::pom_text::{content_start, find_child, indentation_unit, line_end_of};
use mend_engine::Coordinates;
use mend_report::UpgradeKind;
use roxmltree::Document;

/// A part of the build in its current version.
pub(super) struct PomPart<'a> {
    pub(super) kind: UpgradeKind,
    pub(super) coordinates: &'a Coordinates,
    pub(super) version: &'a str,
}

/// Returns POMs that may give a part another version: each has another value for a property that it inherits, and one has
/// all of these if they are versions of Java. For a library, the last one has a managed version.
pub(super) fn override_in_pom(
    pom: &str,
    part: &PomPart<'_>,
    inherited: &[(String, String)],
    version: &str,
) -> Vec<String> {
    let is_java = part.kind == UpgradeKind::Java;
    let new_value = |name: &str, value: &str| {
        if is_java {
            rewrite_property(name, value, part.version, version)
        } else {
            (value == part.version).then(|| version.to_owned())
        }
    };
    let new_values: Vec<(&str, String)> = inherited
        .iter()
        .filter_map(|(name, value)| Some((&name[..], new_value(name, value)?)))
        .collect();
    let set = |pom: &str, (name, value): &(&str, String)| set_property(pom, name, value);
    let mut poms: Vec<String> =
        new_values.iter().filter_map(|new_value| set(pom, new_value)).collect();
    if is_java && poms.len() > 1 {
        let mut values = new_values.iter();
        poms.extend(values.try_fold(pom.to_owned(), |pom, new_value| set(&pom, new_value)));
    }
    if part.kind == UpgradeKind::Library {
        poms.extend(manage_version(pom, part.coordinates, version));
    }
    poms
}

/// Returns a POM that sets a property. Returns `None` if it has no place for one.
fn set_property(pom: &str, name: &str, value: &str) -> Option<String> {
    let document = Document::parse(pom).ok()?;
    let project = document.root_element();
    let (unit, end) = (indentation_unit(pom), line_end_of(pom));
    let property = format!("{end}{unit}{unit}<{name}>{value}</{name}>");
    let (at, text) = if let Some(section) = find_child(project, "properties") {
        (content_start(pom, section)?, property)
    } else {
        let parent = find_child(project, "parent")?.range().end;
        let section = format!("<properties>{property}{end}{unit}</properties>");
        (parent, format!("{end}{unit}{section}"))
    };
    Some(format!("{}{text}{}", &pom[..at], &pom[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POM: &str =
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <parent>\n  </parent>\n</project>\n";

    fn override_version(kind: UpgradeKind, from: &str, to: &str, names: &[&str]) -> Vec<String> {
        let coordinates = Coordinates {
            group: "g".to_owned(),
            artifact: "a".to_owned(),
            version: None,
            classifier: None,
        };
        let part = PomPart { kind, coordinates: &coordinates, version: from };
        let properties: Vec<_> =
            names.iter().map(|name| ((*name).to_owned(), from.to_owned())).collect();
        override_in_pom(POM, &part, &properties, to)
    }

    #[test]
    fn inherited_property_is_set_after_the_parent_or_among_the_others() {
        let set = set_property(POM, "a.version", "1").unwrap();
        let section = "  <properties>\n    <a.version>1</a.version>\n  </properties>\n";
        let at = POM.find("</project>").unwrap();
        assert_eq!(set, format!("{}{section}{}", &POM[..at], &POM[at..]));
        let both = set_property(&set, "b", "2").unwrap();
        let first = "<properties>\n    <b>2</b>\n    <a.version>1</a.version>\n";
        assert!(both.contains(first), "{both}");
        assert_eq!(set_property("<project><properties/></project>", "b", "2"), None);
        assert_eq!(set_property("<project></project>", "b", "2"), None);
    }

    #[test]
    fn each_property_with_the_version_and_a_managed_version_are_tried() {
        let poms = override_version(UpgradeKind::Library, "4", "2", &["a.version", "b.version"]);
        assert_eq!(poms.len(), 3);
        assert!(poms[0].contains("<a.version>2</a.version>"), "{}", poms[0]);
        assert!(poms[2].contains("<dependencyManagement>"), "{}", poms[2]);
        assert_eq!(override_version(UpgradeKind::Plugin, "4", "2", &["a.version"]).len(), 1);
    }

    #[test]
    fn java_versions_are_set_alone_and_together() {
        let names = ["java.version", "maven.compiler.target", "limit"];
        let poms = override_version(UpgradeKind::Java, "17", "11", &names);
        assert_eq!(poms.len(), 3);
        let together = ["<java.version>11<", "<maven.compiler.target>11<"];
        assert!(together.iter().all(|part| poms[2].contains(part)), "{}", poms[2]);
        assert!(!poms[2].contains("limit"), "{}", poms[2]);
    }
}
