//! Adds managed versions of libraries to POMs.

use mend_engine::Coordinates;

const SECTION: &str = "<dependencyManagement>";
const LIST: &str = "<dependencies>";

/// Returns a POM that manages the version of a library: dependencies of dependencies get it, too. Returns `None` if the
/// POM has no place for it.
pub(super) fn manage_version(pom: &str, library: &Coordinates, version: &str) -> Option<String> {
    let unit = indentation_unit(pom);
    let mut lines = vec!["<dependency>".to_owned()];
    let elements = [("groupId", &library.group[..]), ("artifactId", &library.artifact)];
    for (name, value) in elements.into_iter().chain([("version", version)]) {
        lines.push(format!("{unit}<{name}>{value}</{name}>"));
    }
    lines.push("</dependency>".to_owned());
    let end = if pom.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(list) = find_list(pom) {
        indent(&mut lines, &unit.repeat(3));
        let text: String = lines.iter().flat_map(|line| [end, line]).collect();
        return Some(format!("{}{text}{}", &pom[..list], &pom[list..]));
    }
    indent(&mut lines, &unit.repeat(2));
    lines.splice(0..0, [SECTION.to_owned(), format!("{unit}{LIST}")]);
    lines.extend([format!("{unit}</dependencies>"), format!("</{}", &SECTION[1..])]);
    indent(&mut lines, &unit);
    let dependencies = pom.find(&format!("\n{unit}{LIST}"));
    let at = dependencies.map(|before| before + 1).or_else(|| pom.rfind("</project>"))?;
    let text: String = lines.iter().flat_map(|line| [line, end]).collect();
    Some(format!("{}{text}{}", &pom[..at], &pom[at..]))
}

/// Returns the place after the opening tag of the managed dependencies.
fn find_list(pom: &str) -> Option<usize> {
    let section = pom.find(SECTION)?;
    let length = pom[section..].find("</dependencyManagement>")?;
    let list = pom[section..section + length].find(LIST)?;
    Some(section + list + LIST.len())
}

fn indent(lines: &mut [String], indentation: &str) {
    for line in lines.iter_mut() {
        line.insert_str(0, indentation);
    }
}

/// Returns the indentation of the elements in `project`.
fn indentation_unit(pom: &str) -> String {
    let before = pom.split("<modelVersion>").next().unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_indentation = !line.is_empty() && line.trim().is_empty();
    if is_indentation { line.to_owned() } else { "  ".to_owned() }
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
}
