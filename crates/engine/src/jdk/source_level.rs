//! Java language levels, and the levels that a JDK supports.

use crate::Jdk;
use serde::{Deserialize, Serialize};

const RELEASE_OPTION: &str = "--release";

/// Language level of a build file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLevel {
    /// Feature release: 8 for `1.8`.
    pub version: u32,
    /// True if it was set as `release`, which also checks the API of the library.
    pub is_release: bool,
}

impl SourceLevel {
    /// Parses `1.8`, `8`, `17` or `VERSION_1_8`.
    pub(crate) fn parse(text: &str, is_release: bool) -> Option<Self> {
        let digits = text.trim().trim_start_matches("VERSION_").replace('_', ".");
        let digits = digits.strip_prefix("1.").unwrap_or(&digits);
        let version = digits.split('.').next()?.parse().ok()?;
        Some(Self { version, is_release })
    }

    /// Finds the level in compiler options.
    pub(crate) fn find_in(options: &[String]) -> Option<Self> {
        let position = options.iter().position(|option| is_level_option(option))?;
        let is_release = options[position] == RELEASE_OPTION;
        Self::parse(options.get(position + 1)?, is_release)
    }

    /// Returns compiler options with this level instead of theirs.
    pub(crate) fn replace_in(self, options: &[String], jdk: &Jdk) -> Vec<String> {
        let mut replaced = self.javac_options(jdk);
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            if is_level_option(option) {
                rest.next();
            } else {
                replaced.push(option.clone());
            }
        }
        replaced
    }

    /// Returns the compiler options for this level, or for the nearest one that the JDK supports.
    pub(crate) fn javac_options(self, jdk: &Jdk) -> Vec<String> {
        let effective = nearest_supported_version(self.version, jdk.version);
        let target = if effective < 9 { format!("1.{effective}") } else { effective.to_string() };
        if self.is_release && jdk.version >= 9 {
            vec![RELEASE_OPTION.to_owned(), effective.to_string()]
        } else {
            vec!["-source".to_owned(), target.clone(), "-target".to_owned(), target]
        }
    }
}

/// Returns a note if a JDK does not compile for a Java version.
pub(crate) fn note_on_unsupported_version(version: u32, jdk: &Jdk) -> Option<String> {
    let used = nearest_supported_version(version, jdk.version);
    let note =
        || format!("JDK {} cannot compile for Java {version}; Java {used} is used", jdk.version);
    (used != version).then(note)
}

fn nearest_supported_version(version: u32, jdk_version: u32) -> u32 {
    version.clamp(min_source_level(jdk_version), jdk_version)
}

fn is_level_option(option: &str) -> bool {
    [RELEASE_OPTION, "-source", "--source", "-target", "--target"].contains(&option)
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
        let level = SourceLevel::parse(text, is_release).unwrap();
        (level.javac_options(&jdk).join(" "), note_on_unsupported_version(level.version, &jdk))
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
    fn level_is_found_and_replaced_in_options() {
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let options = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let release = SourceLevel { version: 11, is_release: true };
        assert_eq!(SourceLevel::find_in(&options("-parameters --release 11")), Some(release));
        assert_eq!(SourceLevel::find_in(&options("-parameters")), None);
        let both = options("-source 1.8 -target 1.8 -parameters");
        let found = SourceLevel::find_in(&both).unwrap();
        assert_eq!(found, SourceLevel { version: 8, is_release: false });
        assert_eq!(release.replace_in(&both, &jdk), options("--release 11 -parameters"));
        assert_eq!(found.replace_in(&options("--release 11 -parameters"), &jdk), both);
    }

    #[test]
    fn supported_level_is_kept() {
        assert_eq!(options_for("VERSION_1_8", true, 17), ("--release 8".into(), None));
        assert_eq!(options_for("11", false, 17), ("-source 11 -target 11".into(), None));
        assert_eq!(options_for("8", true, 8), ("-source 1.8 -target 1.8".into(), None));
    }
}
