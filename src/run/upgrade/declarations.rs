//! Libraries and plugins that a build file names.

use super::build_change::plugin_id;
use mend_engine::Coordinates;
use mend_report::UpgradeKind;
use roxmltree::{Document, Node};

/// Returns true if a POM has an entry for a dependency, an annotation processor or a plugin.
pub(super) fn is_declared_in_pom(pom: &str, wanted: &Coordinates, kind: UpgradeKind) -> bool {
    let Ok(document) = Document::parse(pom) else { return false };
    let is_plugin = kind == UpgradeKind::Plugin;
    let default_group = if is_plugin { "org.apache.maven.plugins" } else { "" };
    let has_right_place = |node: Node<'_, '_>| match kind {
        UpgradeKind::Plugin => local_name(node) == "plugin",
        UpgradeKind::Processor => {
            node.parent().is_some_and(|parent| local_name(parent) == "annotationProcessorPaths")
        }
        // Dependencies of plugins are not on the class path.
        UpgradeKind::Library | UpgradeKind::Java => {
            local_name(node) == "dependency"
                && !node.ancestors().any(|one| local_name(one) == "plugin")
        }
    };
    let is_entry = |node: &Node<'_, '_>| {
        let group = child_text(*node, "groupId").unwrap_or(default_group);
        let classifier = child_text(*node, "classifier");
        has_right_place(*node)
            && child_text(*node, "artifactId") == Some(&wanted.artifact)
            && (group == wanted.group || group.contains("${"))
            && classifier == wanted.classifier.as_deref()
    };
    document.descendants().any(|node| is_entry(&node))
}

/// Returns true if a Gradle script or a version catalogue names a library or a plugin outside of comments.
pub(super) fn is_declared_in_script(script: &str, wanted: &Coordinates) -> bool {
    let Coordinates { group, artifact, .. } = wanted;
    let is_named = |line: &str| {
        let has = |word: &str| !find_whole(line, word).is_empty();
        let keys = ["name: '", "name: \"", "name = '", "name = \""];
        let has_key =
            keys.iter().any(|key| has(&format!("{key}{artifact}{}", &key[key.len() - 1..])));
        let has_id =
            |quote: char| plugin_id(wanted).is_some_and(|id| has(&format!("{quote}{id}{quote}")));
        let has_plugin = has_id('"') || has_id('\'');
        has(&format!("{group}:{artifact}")) || has_key && has(group) || has_plugin
    };
    let is_exclusion = |line: &str| line.trim_start().starts_with("exclude");
    without_comments(script).lines().any(|line| is_named(line) && !is_exclusion(line))
}

/// Returns a script with spaces instead of comments, so that places stay the same.
pub(super) fn without_comments(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let (mut is_in_block, mut quote) = (false, None);
    for line in script.split_inclusive('\n') {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let comment = if is_in_block {
                let end = rest.find("*/").map(|at| at + 2);
                is_in_block = end.is_none();
                Some(end.unwrap_or(rest.len()))
            } else if quote.is_none() && rest.starts_with("/*") {
                is_in_block = true;
                Some(2)
            } else if quote.is_none() && (rest.starts_with("//") || first == '#') {
                Some(rest.len())
            } else {
                None
            };
            let length = comment.unwrap_or(first.len_utf8());
            let (part, after) = rest.split_at(length);
            if comment.is_some() {
                text.extend(part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            } else {
                quote = match quote {
                    Some(open) => Some(open).filter(|open| *open != first),
                    None => Some(first).filter(|one| "\"'".contains(*one)),
                };
                text.push_str(part);
            }
            rest = after;
        }
        // A text of one line ends with it.
        quote = None;
    }
    text
}

/// Returns the places of a version or name in a text that are not parts of longer ones.
pub(super) fn find_whole(text: &str, word: &str) -> Vec<std::ops::Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_whole = |range: &std::ops::Range<usize>| {
        !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part)
    };
    let matches = text.match_indices(word).map(|(at, found)| at..at + found.len());
    matches.filter(is_whole).collect()
}

/// Returns the name of an element without its namespace.
pub(super) fn local_name<'a>(node: Node<'a, '_>) -> &'a str {
    if node.is_element() { node.tag_name().name() } else { "" }
}

/// Returns the text of the first child with a name.
pub(super) fn child_text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let child = node.children().find(|child| local_name(*child) == name)?;
    child.text().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(group: &str, artifact: &str) -> Coordinates {
        let (group, artifact) = (group.to_owned(), artifact.to_owned());
        Coordinates { group, artifact, version: None, classifier: None }
    }

    #[test]
    fn only_dependencies_of_a_pom_are_direct() {
        let entry = |group: &str, more: &str| {
            format!(
                "<dependency><groupId>{group}</groupId><artifactId>a</artifactId>{more}</dependency>"
            )
        };
        let is_direct = |content: &str| {
            let pom =
                format!("<project xmlns=\"http://maven.apache.org/POM/4.0.0\">{content}</project>");
            is_declared_in_pom(&pom, &library("g", "a"), UpgradeKind::Library)
        };
        assert!(is_direct(&format!("<dependencies>{}</dependencies>", entry("g", ""))));
        assert!(is_direct(&entry("${project.groupId}", "")));
        assert!(!is_direct(&entry("other", "")));
        assert!(!is_direct(&entry("g", "<classifier>tests</classifier>")));
        assert!(!is_direct(&format!("<!-- {} -->", entry("g", ""))));
        assert!(!is_direct("<groupId>g</groupId><artifactId>a</artifactId>"));
        let excluded = "<dependency><groupId>g</groupId><artifactId>b</artifactId><exclusions><exclusion>\
            <groupId>g</groupId><artifactId>a</artifactId></exclusion></exclusions></dependency>";
        assert!(!is_direct(excluded));
        assert!(!is_direct(&format!("<plugin>{}</plugin>", entry("g", ""))));
    }

    #[test]
    fn plugins_of_a_pom_are_declared() {
        let pom = "<project><build><plugins><plugin><artifactId>a</artifactId></plugin></plugins></build></project>";
        let plugin = UpgradeKind::Plugin;
        assert!(is_declared_in_pom(pom, &library("org.apache.maven.plugins", "a"), plugin));
        assert!(!is_declared_in_pom(pom, &library("g", "a"), plugin));
    }

    #[test]
    fn annotation_processors_of_a_pom_are_declared() {
        let entry = "<groupId>g</groupId><artifactId>a</artifactId>";
        let is_declared = |pom: &str, kind: UpgradeKind| {
            is_declared_in_pom(&format!("<project>{pom}</project>"), &library("g", "a"), kind)
        };
        let path = format!(
            "<plugin><configuration><annotationProcessorPaths><path>{entry}</path>\
             </annotationProcessorPaths></configuration></plugin>"
        );
        assert!(is_declared(&path, UpgradeKind::Processor));
        assert!(!is_declared(&path, UpgradeKind::Library));
        let dependency = format!("<dependency>{entry}</dependency>");
        assert!(!is_declared(&dependency, UpgradeKind::Processor));
    }

    #[test]
    fn plugins_of_gradle_are_declared_by_their_ids() {
        let plugin = library("g.x", "g.x.gradle.plugin");
        for script in ["id 'g.x' version '1'", "x = { id = \"g.x\", version = \"1\" }"] {
            assert!(is_declared_in_script(script, &plugin), "{script}");
        }
        for script in ["id 'g.x.y' version '1'", "// id 'g.x'", "x = 'org.g.x'"] {
            assert!(!is_declared_in_script(script, &plugin), "{script}");
        }
    }

    #[test]
    fn only_declarations_of_a_script_are_direct() {
        let is_direct = |script: &str| is_declared_in_script(script, &library("g.x", "a"));
        for script in [
            "api 'g.x:a:1'",
            "api group: 'g.x', name: 'a', version: '1'",
            "lib = { group = \"g.x\", name = \"a\" }",
            "url = \"http://x\"; api(\"g.x:a\")",
        ] {
            assert!(is_direct(script), "{script}");
        }
        for script in [
            "// api 'g.x:a:1'",
            "/* api\n 'g.x:a:1' */",
            "# lib = \"g.x:a:1\"",
            "api group: 'other', name: 'a'",
            "exclude group: 'g.x', name: 'a'",
            "api 'g.x:a-b:1'",
        ] {
            assert!(!is_direct(script), "{script}");
        }
    }

    #[test]
    fn versions_are_found_as_whole_words() {
        let text = "<v>1.2</v> 1.2.3 a-1.2 'g:a:1.2'";
        assert_eq!(find_whole(text, "1.2"), [3..6, 28..31]);
    }
}
