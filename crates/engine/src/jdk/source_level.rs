//! Java language levels, and the levels that a JDK supports.

use crate::Jdk;

/// Language level of a build file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLevel {
    /// Feature release: 8 for `1.8`.
    pub(crate) version: u32,
    /// True if it was set as `release`, which also checks the API of the library.
    pub(crate) is_release: bool,
}

impl SourceLevel {
    /// Parses `1.8`, `8`, `17` or `VERSION_1_8`.
    pub(crate) fn parse(text: &str, is_release: bool) -> Option<Self> {
        let digits = text.trim().trim_start_matches("VERSION_").replace('_', ".");
        let digits = digits.strip_prefix("1.").unwrap_or(&digits);
        let version = digits.split('.').next()?.parse().ok()?;
        Some(Self { version, is_release })
    }

    /// Returns the compiler options for this level, or for the nearest one that the JDK supports, with a note in that
    /// case.
    pub(crate) fn javac_options(self, jdk: &Jdk) -> (Vec<String>, Option<String>) {
        let effective = self.version.clamp(min_source_level(jdk.version), jdk.version);
        let note = (effective != self.version).then(|| {
            format!(
                "JDK {} cannot compile for Java {}; Java {effective} is used",
                jdk.version, self.version
            )
        });
        let target = if effective < 9 { format!("1.{effective}") } else { effective.to_string() };
        let options = if self.is_release && jdk.version >= 9 {
            vec!["--release".to_owned(), effective.to_string()]
        } else {
            vec!["-source".to_owned(), target.clone(), "-target".to_owned(), target]
        };
        (options, note)
    }
}

/// Returns the oldest language level that a JDK compiles.
pub(crate) fn min_source_level(jdk_version: u32) -> u32 {
    match jdk_version {
        0..=8 => 3,
        9..=11 => 6,
        12..=19 => 7,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options_for(text: &str, is_release: bool, jdk: u32) -> (String, Option<String>) {
        let jdk = Jdk { home: "/jdk".into(), version: jdk, full_version: jdk.to_string() };
        let (options, note) = SourceLevel::parse(text, is_release).unwrap().javac_options(&jdk);
        (options.join(" "), note)
    }

    #[test]
    fn unsupported_level_is_raised_with_a_note() {
        let (javac_options, note) = options_for("1.5", false, 17);
        assert_eq!(javac_options, "-source 1.7 -target 1.7");
        assert_eq!(note.unwrap(), "JDK 17 cannot compile for Java 5; Java 7 is used");
        assert_eq!(options_for("7", true, 21).0, "--release 8");
        assert_eq!(options_for("21", true, 17).0, "--release 17");
    }

    #[test]
    fn supported_level_is_kept() {
        assert_eq!(options_for("VERSION_1_8", true, 17), ("--release 8".into(), None));
        assert_eq!(options_for("11", false, 17), ("-source 11 -target 11".into(), None));
        assert_eq!(options_for("8", true, 8), ("-source 1.8 -target 1.8".into(), None));
    }
}
