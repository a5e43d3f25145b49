//! Adds managed versions of libraries to POMs.

use super::pom_text::{
    content_start, find_child, indent, indentation_unit, line_end_of, line_start,
};
use mend_engine::Coordinates;
use roxmltree::Document;

const SECTION: &str = "dependencyManagement";
const LIST: &str = "dependencies";

/// Returns a POM that manages the version of a library: dependencies of dependencies get it, too. Returns `None` if the
/// POM has no place for it.
pub(super) fn manage_version(pom: &str, library: &Coordinates, version: &str) -> Option<String> {
    let document = Document::parse(pom).ok()?;
    let project = document.root_element();
    let unit = indentation_unit(pom);
    let mut lines = vec!["<dependency>".to_owned()];
    let names = [("groupId", &library.group[..]), ("artifactId", &library.artifact)];
    let classifier = library.classifier.as_deref().map(|classifier| ("classifier", classifier));
    for (name, value) in names.into_iter().chain([("version", version)]).chain(classifier) {
        lines.push(format!("{unit}<{name}>{value}</{name}>"));
    }
    lines.push("</dependency>".to_owned());
    let end = line_end_of(pom);
    if let Some(section) = find_child(project, SECTION) {
        let list = content_start(pom, find_child(section, LIST)?)?;
        indent(&mut lines, &unit.repeat(3));
        let text: String = lines.iter().flat_map(|line| [end, line]).collect();
        return Some(format!("{}{text}{}", &pom[..list], &pom[list..]));
    }
    indent(&mut lines, &unit.repeat(2));
    lines.splice(0..0, [format!("<{SECTION}>"), format!("{unit}<{LIST}>")]);
    lines.extend([format!("{unit}</{LIST}>"), format!("</{SECTION}>")]);
    indent(&mut lines, &unit);
    let dependencies = find_child(project, LIST).map(|list| line_start(pom, list.range().start));
    let at = dependencies.or_else(|| pom.rfind("</project>"))?;
    let text: String = lines.iter().flat_map(|line| [line, end]).collect();
    Some(format!("{}{text}{}", &pom[..at], &pom[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manage(pom: &str) -> String {
        let library = Coordinates {
            group: "g".to_owned(),
            artifact: "a".to_owned(),
            version: None,
            classifier: None,
        };
        manage_version(pom, &library, "2").unwrap()
    }

    #[test]
    fn section_is_added_before_the_dependencies() {
        let pom = "<project>\n <modelVersion>4.0.0</modelVersion>\n <build>\n  <dependencies>\n  </dependencies>\n </build>\n \
            <dependencies>\n </dependencies>\n</project>\n";
        let section = " <dependencyManagement>\n  <dependencies>\n   <dependency>\n    <groupId>g</groupId>\n    \
            <artifactId>a</artifactId>\n    <version>2</version>\n   </dependency>\n  </dependencies>\n \
            </dependencyManagement>\n";
        let (before, after) = pom.split_at(pom.find(" <dependencies>\n </").unwrap());
        assert_eq!(manage(pom), format!("{before}{section}{after}"));
        let empty = "<project>\n <modelVersion>4.0.0</modelVersion>\n</project>\n";
        let end = empty.find("</project>").unwrap();
        assert_eq!(manage(empty), format!("{}{section}{}", &empty[..end], &empty[end..]));
    }

    #[test]
    fn entry_is_added_to_an_existing_section() {
        let pom = "<project>\r\n\t<dependencyManagement>\r\n\t\t<dependencies>\r\n\t\t</dependencies>\r\n\
            \t</dependencyManagement>\r\n</project>\r\n";
        let managed = manage(pom);
        assert!(
            managed.contains(
                "<dependencies>\r\n      <dependency>\r\n        <groupId>g</groupId>\r\n"
            )
        );
        assert!(managed.contains("      </dependency>\r\n\t\t</dependencies>"));
    }

    #[test]
    fn comments_and_profiles_are_not_changed() {
        let section = "<dependencyManagement><dependencies><dependency/></dependencies></dependencyManagement>";
        let head = format!(
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  \
             <!-- {section} -->\n  <profiles><profile>{section}</profile></profiles>\n"
        );
        let managed = manage(&format!("{head}</project>\n"));
        let added = managed.strip_prefix(&head).unwrap();
        assert!(added.starts_with("  <dependencyManagement>\n    <dependencies>\n"), "{added}");
        let managed = manage(&format!("{head}  {section}\n</project>\n"));
        let added = managed.strip_prefix(&head).unwrap();
        let list = "  <dependencyManagement><dependencies>\n      <dependency>\n        <groupId>g</groupId>\n";
        assert!(added.starts_with(list), "{added}");
    }

    #[test]
    fn entry_has_the_classifier_of_the_library() {
        let library = Coordinates {
            group: "g".into(),
            artifact: "a".into(),
            version: None,
            classifier: Some("linux".into()),
        };
        let managed = manage_version("<project>\n</project>\n", &library, "2").unwrap();
        let entry = "<version>2</version>\n        <classifier>linux</classifier>\n";
        assert!(managed.contains(entry), "{managed}");
    }

    #[test]
    fn section_without_a_list_has_no_place() {
        let library = Coordinates {
            group: "g".into(),
            artifact: "a".into(),
            version: None,
            classifier: None,
        };
        for section in [
            "<dependencyManagement/>",
            "<dependencyManagement><dependencies/></dependencyManagement>",
        ] {
            let pom = format!("<project><modelVersion>4.0.0</modelVersion>{section}</project>");
            assert_eq!(manage_version(&pom, &library, "2"), None);
        }
    }
}
