//! Places of the version of Java in build files.

use super::declarations::{local_name, without_comments};
use roxmltree::{Document, Node};
use std::ops::Range;

/// Elements of a compiler's configuration with a version of Java.
const LEVEL_ELEMENTS: [&str; 6] =
    ["release", "source", "target", "testRelease", "testSource", "testTarget"];

/// Words in the names of properties and settings whose value may be a version of Java.
const LEVEL_WORDS: [&str; 6] = ["java", "jdk", "jvm", "release", "source", "target"];

/// Words in lines of scripts that set a version of Java.
const SCRIPT_WORDS: [&str; 7] =
    ["compatibility", "release", "languageversion", "jvmtarget", "javaversion", "java", "jdk"];

/// Newest version that build files also write as `1.8`.
const LAST_OLD_STYLE: u32 = 10;

/// Place of a version of Java in a build file, with the text that another version has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LevelText {
    pub(super) range: Range<usize>,
    pub(super) replacement: String,
}

/// Returns the places of a version of Java in a POM, with another one.
pub(super) fn levels_in_pom(pom: &str, version: u32, other: u32) -> Vec<LevelText> {
    let Ok(document) = Document::parse(pom) else { return Vec::new() };
    let is_level = |node: &Node<'_, '_>| {
        let name = local_name(*node);
        let parent = node.parent().map_or("", local_name);
        let is_property = parent == "properties" && has_word(name, &LEVEL_WORDS);
        LEVEL_ELEMENTS.contains(&name) && parent == "configuration" || is_property
    };
    let elements = document.descendants().filter(is_level);
    let texts = elements.filter_map(|element| element.first_child().filter(Node::is_text));
    let place = |text: Node<'_, '_>| {
        let content = text.text()?;
        let start = text.range().start + content.find(content.trim())?;
        let range = start..start + content.trim().len();
        let replacement = rewrite(pom.get(range.clone())?, version, other)?;
        Some(LevelText { range, replacement })
    };
    texts.filter_map(place).collect()
}

/// Returns the places of a version of Java in a script, a catalogue or a properties file, with another one.
pub(super) fn levels_in_script(script: &str, version: u32, other: u32) -> Vec<LevelText> {
    let code = without_comments(script);
    let mut places = Vec::new();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        if has_word(line, &SCRIPT_WORDS) {
            for range in words_in(line) {
                let replacement = rewrite(&line[range.clone()], version, other);
                if let Some(replacement) = replacement.filter(|_| !is_of_library(line, &range)) {
                    let range = start + range.start..start + range.end;
                    places.push(LevelText { range, replacement });
                }
            }
        }
        start += line.len();
    }
    places
}

/// Returns the value of a property for another version of Java; `None` if the property is not about this version.
pub(super) fn rewrite_property(
    name: &str,
    value: &str,
    version: &str,
    other: &str,
) -> Option<String> {
    let (version, other) = (version.parse().ok()?, other.parse().ok()?);
    has_word(name, &LEVEL_WORDS).then(|| rewrite(value, version, other))?
}

/// Returns true if a word is a part of the coordinates or of the name of a library.
fn is_of_library(line: &str, word: &Range<usize>) -> bool {
    line[..word.start].ends_with([':', '-', '+']) || line[word.end..].starts_with(['-', '+', ':'])
}

/// Returns the ranges of words with letters, digits and underscores, and numbers such as `1.8`.
fn words_in(line: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), '\n')]) {
        let is_digit_or_point = |c: char| c.is_ascii_digit() || c == '.';
        let is_number =
            start.is_some_and(|from: usize| line[from..at].chars().all(is_digit_or_point));
        let is_decimal_point = c == '.' && is_number;
        match start {
            None if is_part(c) => start = Some(at),
            Some(from) if !is_part(c) && !is_decimal_point => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Returns the text of another version in the notation of a text that is a version of Java; `None` if it is not this
/// version.
fn rewrite(text: &str, version: u32, other: u32) -> Option<String> {
    let (prefix, number) = match text.strip_prefix("VERSION_") {
        Some(number) => ("VERSION_", number),
        None => ("", text),
    };
    let separator = if prefix.is_empty() { '.' } else { '_' };
    let old_style = number.strip_prefix('1').and_then(|rest| rest.strip_prefix(separator));
    let old_style = old_style.filter(|_| version <= LAST_OLD_STYLE);
    let is_old_style = old_style.is_some();
    if old_style.unwrap_or(number).parse() != Ok(version) {
        return None;
    }
    let is_enum_of_old = !prefix.is_empty() && other <= LAST_OLD_STYLE;
    if is_enum_of_old || is_old_style && other <= LAST_OLD_STYLE {
        return Some(format!("{prefix}1{separator}{other}"));
    }
    Some(format!("{prefix}{other}"))
}

fn has_word(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(text: &str, mut places: Vec<LevelText>) -> String {
        places.sort_by_key(|place| place.range.start);
        let mut text = text.to_owned();
        for LevelText { range, replacement } in places.into_iter().rev() {
            text.replace_range(range, &replacement);
        }
        text
    }

    #[test]
    fn properties_and_settings_of_a_pom_are_levels() {
        let pom = |level: &str, old_style: &str| {
            format!(
                "<project><properties><java.version> {level} </java.version><maven.compiler.target>{old_style}\
                 </maven.compiler.target><some.version>11</some.version></properties><version>11</version><build><plugin>\
                 <configuration><source>${{java.version}}</source><release>{level}</release><threads>11</threads>\
                 </configuration></plugin></build></project>"
            )
        };
        let text = pom("11", "11");
        assert_eq!(replace(&text, levels_in_pom(&text, 11, 9)), pom("9", "9"));
        let text = pom("8", "1.8");
        assert_eq!(replace(&text, levels_in_pom(&text, 8, 7)), pom("7", "1.7"));
        assert_eq!(replace(&text, levels_in_pom(&text, 8, 11)), pom("11", "11"));
    }

    #[test]
    fn settings_of_a_script_are_levels() {
        let script = |plain: &str, name: &str| {
            format!(
                "// sourceCompatibility = 17\nversion = '17'\njava.toolchain.languageVersion = \
                 JavaLanguageVersion.of({plain})\nsourceCompatibility = JavaVersion.{name}\ntargetCompatibility = '{plain}'\n\
                 api 'org.java:x:17'\napi 'org.java:x:1.17'\n"
            )
        };
        let text = script("17", "VERSION_17");
        let places = levels_in_script(&text, 17, 11);
        assert_eq!(replace(&text, places), script("11", "VERSION_11"));
        let places = levels_in_script(&text, 17, 8);
        assert_eq!(replace(&text, places), script("8", "VERSION_1_8"));
        let old =
            "sourceCompatibility = 1.8\ntarget = JavaVersion.VERSION_1_8\njavaTools = '2.1.8'\n";
        let new =
            "sourceCompatibility = 11\ntarget = JavaVersion.VERSION_11\njavaTools = '2.1.8'\n";
        assert_eq!(replace(old, levels_in_script(old, 8, 11)), new);
    }
}
