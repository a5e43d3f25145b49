//! Recognises edits of build files that change versions only.

/// Returns true if a build file declares the versions of dependencies, so that an edit of these may be published.
pub(super) fn declares_versions(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let is_catalogue =
        name.ends_with(".versions.toml") && folder.rsplit('/').next() == Some("gradle");
    let is_named = name == "pom.xml" || name == "build.gradle" || name == "build.gradle.kts";
    is_catalogue || is_named || name == "gradle.properties"
}

/// Returns true if two texts differ in versions only, each on a line of its own.
pub(super) fn is_version_edit(old: &str, new: &str) -> bool {
    let mut pairs = old.split('\n').zip(new.split('\n'));
    old.split('\n').count() == new.split('\n').count()
        && pairs.all(|(old, new)| old == new || is_version_line(old, new))
}

/// Returns true if two lines differ in a version only.
fn is_version_line(old: &str, new: &str) -> bool {
    let common = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    let before = old.as_bytes()[..common].iter().rev().take_while(|byte| is_part(byte)).count();
    let start = common - before;
    let token = |line: &str| {
        let rest = line.as_bytes()[start..].iter();
        start + rest.take_while(|byte| is_part(byte)).count()
    };
    let (old_end, new_end) = (token(old), token(new));
    // The bytes around a token of ASCII characters are boundaries of characters.
    let (Some(old_version), Some(new_version)) = (old.get(start..old_end), new.get(start..new_end))
    else {
        return false;
    };
    let is_version =
        |text: &str| text.len() < 100 && text.starts_with(|c: char| c.is_ascii_digit());
    let is_value = old[..start].trim_end().ends_with(['>', '"', '\'', ':', '=']);
    is_value
        && is_version(old_version)
        && is_version(new_version)
        && old[old_end..] == new[new_end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_version_edits() {
        for (old, new) in [
            ("<version>4</version>", "<version>2</version>"),
            ("  <text.version>1.12.0</text.version>\r", "  <text.version>1.9</text.version>\r"),
            ("implementation 'g:a:1.2.3'", "implementation 'g:a:1.2.0.Final'"),
            ("implementation(\"g:a:31.1-jre\")", "implementation(\"g:a:30.0-jre\")"),
            ("a = \"1.2\"", "a = \"1.10\""),
            ("aVersion=1.2", "aVersion=1.1"),
            ("x\n<v>1</v>\ny", "x\n<v>2</v>\ny"),
        ] {
            assert!(is_version_edit(old, new), "{old} -> {new}");
        }
    }

    #[test]
    fn other_edits_are_not() {
        for (old, new) in [
            ("<version>4</version>", "<version>2</version><x/>"),
            ("<version>4</version>", "<version>2</version>\n<x/>"),
            ("<version>4</version>", "<version>${x}</version>"),
            ("<version>4</version>", "<version>http://x/2</version>"),
            ("<artifactId>a4</artifactId>", "<artifactId>a5</artifactId>"),
            ("<artifactId>a</artifactId>", "<artifactId>b</artifactId>"),
            ("'g:a:1' // 1", "'g:a:2' // 2"),
            ("exec 1", "exec 2"),
            ("é1", "è1"),
            ("", "1"),
        ] {
            assert!(!is_version_edit(old, new), "{old} -> {new}");
        }
    }

    #[test]
    fn only_declarations_of_versions_count() {
        for path in ["pom.xml", "core/pom.xml", "build.gradle.kts", "gradle/libs.versions.toml"] {
            assert!(declares_versions(path), "{path}");
        }
        for path in ["gradle/wrapper/gradle-wrapper.properties", "Makefile", "libs.versions.toml"] {
            assert!(!declares_versions(path), "{path}");
        }
    }
}
