//! Recognises edits of build files that only revert versions that a pull request raises.

/// Folders of the build's own code, in which no build file may change.
const BUILD_CODE_FOLDERS: [&str; 9] =
    ["bin", "build", "buildsrc", "build-logic", "ci", "dev", "node_modules", "scripts", "tools"];

/// Returns true if a build file declares the versions of dependencies, so that an edit of these may be published.
pub(super) fn declares_versions(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    if folder.split('/').any(|part| BUILD_CODE_FOLDERS.contains(&part)) {
        return false;
    }
    let is_in_gradle_folder = folder.split('/').any(|part| part == "gradle");
    let is_catalogue =
        name.ends_with(".versions.toml") && folder.split('/').next_back() == Some("gradle");
    let is_named =
        ["pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties"].contains(&name);
    is_catalogue || is_named && !is_in_gradle_folder
}

/// Returns true if `new` is `base`, or if each line of `new` is that of `head` with at most its version changed to that
/// of `base` or to one between. `base` and `head` are the file before and after the pull request. Other lines of `base`
/// do not count alone: they could combine the name of one library with the version of another.
pub(super) fn reverts_versions(base: &str, head: &str, new: &str) -> bool {
    if new == base {
        return true;
    }
    let [base, head, new]: [Vec<&str>; 3] =
        [base, head, new].map(|text| text.split('\n').collect());
    let is_allowed = |((base, head), new): ((&&str, &&str), &&str)| {
        new == head || is_version_between(base, head, new)
    };
    base.len() == head.len()
        && head.len() == new.len()
        && base.iter().zip(&head).zip(&new).all(is_allowed)
}

/// Returns true if three lines differ in a version only, and that of `new` is that of `base`, whatever its form, or a
/// release between the others.
fn is_version_between(base: &str, head: &str, new: &str) -> bool {
    let Some((base, head_version)) = differing_version(base, head) else { return false };
    // The text of an element may also be the name of a library, which does not start with a digit.
    let is_version = |one: Version<'_>| one.text().starts_with(|c: char| c.is_ascii_digit());
    if new == base.line && is_version(base) && is_version(head_version) {
        return true;
    }
    let Some((new, same_version)) = differing_version(new, head_version.line) else { return false };
    let is_same_place =
        (same_version.start, same_version.end) == (head_version.start, head_version.end);
    let [base, head, new] = [base, head_version, new].map(|version| parse_release(version.text()));
    let (Some(base), Some(head), Some(new)) = (base, head, new) else { return false };
    let has_allowed_qualifier = new.qualifier.is_none_or(|qualifier| {
        RELEASE_QUALIFIERS.contains(&qualifier)
            || [base.qualifier, head.qualifier].contains(&Some(qualifier))
    });
    is_same_place
        && has_allowed_qualifier
        && base.numbers <= new.numbers
        && new.numbers <= head.numbers
}

/// A version in a line.
#[derive(Clone, Copy)]
struct Version<'a> {
    line: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Version<'a> {
    fn text(self) -> &'a str {
        &self.line[self.start..self.end]
    }
}

/// Returns the version of each line if the lines differ only there: the text of an element, the end of a string, or the
/// value of a property. A version that is code may call a method.
fn differing_version<'a>(one: &'a str, other: &'a str) -> Option<(Version<'a>, Version<'a>)> {
    let common = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let before = one.as_bytes()[..common].iter().rev().take_while(|byte| is_part(byte)).count();
    let start = common - before;
    let version = |line: &'a str| {
        let length = line.as_bytes()[start..].iter().take_while(|byte| is_part(byte)).count();
        let is_split = line.is_char_boundary(start);
        is_split.then_some(Version { line, start, end: start + length })
    };
    let (one, other) = (version(one)?, version(other)?);
    let (prefix, rest) = (&one.line[..start], &one.line[one.end..]);
    let is_value = match rest.trim_end().bytes().next() {
        Some(b'<') => prefix.ends_with('>'),
        Some(b'"' | b'\'') => is_start_of_notation(prefix),
        None => is_property(prefix),
        Some(_) => false,
    };
    (is_value && prefix == &other.line[..start] && rest == &other.line[other.end..])
        .then_some((one, other))
}

/// Returns true if the last string of a line begins with the version, or with `group:artifact:`.
fn is_start_of_notation(prefix: &str) -> bool {
    let Some((_, string)) = prefix.rsplit_once(['"', '\'']) else { return false };
    match string.strip_suffix(':') {
        None => string.is_empty(),
        Some(module) => {
            let mut parts = module.split(':');
            let is_named = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
            is_named(parts.next())
                && is_named(parts.next())
                && parts.next().is_none()
                && !module.contains('/')
        }
    }
}

/// Returns true for the start of a line of a properties file whose key names a version.
fn is_property(prefix: &str) -> bool {
    let key = prefix.trim_end().strip_suffix('=').unwrap_or_default().trim();
    key.to_lowercase().contains("version")
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Qualifiers of releases.
const RELEASE_QUALIFIERS: [&str; 5] = ["Final", "GA", "RELEASE", "android", "jre"];

/// Release version.
struct Release<'a> {
    numbers: Vec<u64>,
    /// Text after the numbers.
    qualifier: Option<&'a str>,
}

/// Parses numbers, and at most one qualifier after them. Returns `None` for another text.
fn parse_release(version: &str) -> Option<Release<'_>> {
    let mut parts = version.split(['.', '-']).peekable();
    let mut numbers = Vec::new();
    while let Some(number) = parts.peek().and_then(|part| part.parse().ok()) {
        numbers.push(number);
        parts.next();
    }
    let qualifier = parts.next();
    let is_word = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_release = !numbers.is_empty()
        && parts.next().is_none()
        && qualifier.is_none_or(|one| is_word(one) && !one.eq_ignore_ascii_case("snapshot"));
    is_release.then_some(Release { numbers, qualifier })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_between_base_and_head_are_allowed() {
        for (base, head, new) in [
            ("<version>1</version>", "<version>4</version>", "<version>2</version>"),
            (
                "<a.version>1.8</a.version>\r",
                "<a.version>1.12.0</a.version>\r",
                "<a.version>1.9</a.version>\r",
            ),
            (
                "implementation 'g:a:1.2'",
                "implementation 'g:a:2.0'",
                "implementation 'g:a:1.10.0.Final'",
            ),
            (
                "implementation(\"g:a:30.0-jre\")",
                "implementation(\"g:a:32.0-jre\")",
                "implementation(\"g:a:31.1-jre\")",
            ),
            ("a = \"1.2\"", "a = \"1.12\"", "a = \"1.10\""),
            ("aVersion=1.2", "aVersion=1.4", "aVersion=1.3"),
            ("x\n<v>1</v>\ny", "x\n<v>3</v>\ny", "x\n<v>1</v>\ny"),
            ("<x>${a}</x>", "<x>3</x>", "<x>${a}</x>"),
            ("<v>1-beta-1</v>\n<v>1</v>", "<v>2</v>\n<v>2</v>", "<v>1-beta-1</v>\n<v>2</v>"),
        ] {
            assert!(reverts_versions(base, head, new), "{base} -> {head} -> {new}");
        }
    }

    #[test]
    fn other_edits_are_not() {
        for (base, head, new) in [
            ("<version>4</version>", "<version>4</version>", "<version>2</version>"),
            ("<version>3</version>", "<version>4</version>", "<version>2</version>"),
            ("<version>3</version>", "<version>4</version>", "<version>5</version>"),
            ("<version>1</version>", "<version>4</version>", "<version>2</version><x/>"),
            ("<version>1</version>", "<version>4</version>", "<version>2</version>\n<x/>"),
            ("<version>1</version>", "<version>4</version>", "<version>${x}</version>"),
            ("<version>1</version>", "<version>4</version>", "<version>2-SNAPSHOT</version>"),
            ("<version>1</version>", "<version>4</version>", "<version>[1,2)</version>"),
            ("'g:a:1.2'", "'g:a:1.9'", "'g:a:1.+'"),
            ("'g:a:1.2'", "'g:a:1.9'", "'g:b:1.3'"),
            ("'g:a:1' // 1", "'g:a:3' // 1", "'g:a:2' // 2"),
            ("x = 1", "x = 3", "x = 2-Evil.instance"),
            ("aVersion = 1", "aVersion = 3", "aVersion = 2+project.value"),
            ("proxyHost=1", "proxyHost=3", "proxyHost=2.evil.com"),
            ("url 'https://repo:8443/m'", "url 'https://repo:9443/m'", "url 'https://repo:8666/m'"),
            ("é1", "é3", "è2"),
            ("<v>1a2b3c</v>", "<v>9f8e7d</v>", "<v>3eEVIL</v>"),
            ("<v>1</v>", "<v>99999999999999999999</v>", "<v>2-evil</v>"),
            ("<v>1.2</v>", "<v>2.0</v>", "<v>1.3-evil</v>"),
            ("<v>1.2</v>", "<v>2.0</v>", "<v>1.3-jre-evil</v>"),
            ("<v>1.2</v>", "<v>2.0</v>", "<v>2.0-alpha</v>"),
            (
                "url \"https://repo.x:8443\"",
                "url \"https://repo.x:9443\"",
                "url \"https://repo.x:8666\"",
            ),
            ("<a>a</a>\n<v>1</v>", "<a>b</a>\n<v>9</v>", "<a>a</a>\n<v>9</v>"),
            ("", "1", "2"),
        ] {
            assert!(!reverts_versions(base, head, new), "{base} -> {head} -> {new}");
        }
    }

    #[test]
    fn only_declarations_of_versions_count() {
        for path in ["pom.xml", "core/pom.xml", "build.gradle.kts", "gradle/libs.versions.toml"] {
            assert!(declares_versions(path), "{path}");
        }
        for path in [
            "gradle/wrapper/gradle-wrapper.properties",
            "gradle/build.gradle",
            "buildSrc/build.gradle",
            "build-logic/conventions/build.gradle.kts",
            "ci/pom.xml",
            "Makefile",
            "libs.versions.toml",
        ] {
            assert!(!declares_versions(path), "{path}");
        }
    }
}
