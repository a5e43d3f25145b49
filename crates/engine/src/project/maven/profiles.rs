//! Activation of Maven profiles.

use super::pom::XmlElement;
use crate::project::maven::settings::MavenSettings;
use std::path::Path;

/// Inputs of profile activation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProfileActivation<'a> {
    pub(crate) settings: &'a MavenSettings,
    /// Feature release of the JDK.
    pub(crate) jdk: u32,
    /// Folder of the POM, against which relative files are resolved.
    pub(crate) folder: &'a Path,
}

impl ProfileActivation<'_> {
    /// Returns the active profiles of one file, by decreasing precedence: later ones take precedence. Profiles that are
    /// active by default are active only if no other one is.
    pub(crate) fn active_profiles(&self, profiles: &[&XmlElement]) -> Vec<XmlElement> {
        let explicit_state =
            |profile: &XmlElement| self.settings.profile_state(profile.text_at(&["id"])?);
        let is_default = |profile: &XmlElement| {
            profile.text_at(&["activation", "activeByDefault"]) == Some("true")
        };
        let is_active = |profile: &XmlElement| {
            explicit_state(profile).unwrap_or_else(|| self.has_met_conditions(profile))
        };
        let activated: Vec<&XmlElement> =
            profiles.iter().copied().filter(|profile| is_active(profile)).collect();
        let active = if activated.is_empty() {
            let is_default_candidate = |profile: &&XmlElement| {
                explicit_state(profile) != Some(false) && is_default(profile)
            };
            profiles.iter().copied().filter(is_default_candidate).collect()
        } else {
            activated
        };
        active.into_iter().rev().cloned().collect()
    }

    /// Returns true if a profile has conditions and all of them hold.
    fn has_met_conditions(&self, profile: &XmlElement) -> bool {
        let conditions = profile.child("activation").into_iter().flat_map(|all| &all.children);
        let mut conditions = conditions.filter(|one| one.name != "activeByDefault").peekable();
        conditions.peek().is_some()
            && conditions.all(|condition| match condition.name.as_str() {
                "jdk" => matches_jdk(&condition.text, self.jdk),
                "property" => self.has_property(condition),
                "file" => self.has_file(condition),
                "os" => matches_system(condition),
                _ => false,
            })
    }

    fn has_property(&self, condition: &XmlElement) -> bool {
        let Some(name) = condition.text_at(&["name"]) else { return false };
        let (actual, is_negated) = match name.strip_prefix('!') {
            Some(name) => (self.settings.property(name), true),
            None => (self.settings.property(name), false),
        };
        match condition.text_at(&["value"]) {
            None => actual.is_some_and(|value| !value.is_empty()) != is_negated,
            Some(value) => match value.strip_prefix('!') {
                Some(value) => actual != Some(value),
                None => actual == Some(value),
            },
        }
    }

    fn has_file(&self, condition: &XmlElement) -> bool {
        let is_existing = |path: &str| {
            let path = resolve_path(path, self.folder, self.settings);
            path.is_some_and(|path| self.folder.join(path).exists())
        };
        match (condition.text_at(&["exists"]), condition.text_at(&["missing"])) {
            (Some(path), _) => is_existing(path),
            (None, Some(path)) => !is_existing(path),
            (None, None) => false,
        }
    }
}

/// Replaces `${…}` in a path; `None` if a name is unknown.
fn resolve_path(path: &str, folder: &Path, settings: &MavenSettings) -> Option<String> {
    let folder = folder.to_string_lossy();
    let path = path.replace("${basedir}", &folder).replace("${project.basedir}", &folder);
    let path = settings.properties().fold(path, |path, (name, value)| {
        if path.contains("${") { path.replace(&format!("${{{name}}}"), value) } else { path }
    });
    (!path.contains("${")).then_some(path)
}

/// Returns true if all conditions on the operating system hold.
fn matches_system(condition: &XmlElement) -> bool {
    let (name, families): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("mac os x", &["mac", "unix"]),
        _ => ("linux", &["unix"]),
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        arch => arch,
    };
    !condition.children.is_empty()
        && condition.children.iter().all(|condition_part| {
            let expected = condition_part.text.to_lowercase();
            let (expected, is_refused) = expected
                .strip_prefix('!')
                .map_or((expected.as_str(), false), |other| (other, true));
            let is_match = match condition_part.name.as_str() {
                "family" => families.contains(&expected),
                "name" => expected == name,
                "arch" => expected == arch,
                _ => return false,
            };
            is_match != is_refused
        })
}

/// Returns true if the `jdk` condition of a profile (`1.8`, `!17`, `[9,17)`) holds for a feature release.
fn matches_jdk(condition: &str, jdk: u32) -> bool {
    let parse_feature_release = |text: &str| {
        let text = text.trim();
        text.strip_prefix("1.").unwrap_or(text).split('.').next()?.parse::<u32>().ok()
    };
    if let Some(other) = condition.strip_prefix('!') {
        return !matches_jdk(other, jdk);
    }
    let Some(range) = condition.strip_prefix(['[', '(']) else {
        return parse_feature_release(condition) == Some(jdk);
    };
    let range_text = range.trim_end_matches([']', ')']);
    let (low, high) = range_text.split_once(',').unwrap_or((range_text, range_text));
    let is_above_low = parse_feature_release(low)
        .is_none_or(|low| jdk > low || (jdk == low && !condition.starts_with('(')));
    let is_below_high = parse_feature_release(high)
        .is_none_or(|high| jdk < high || (jdk == high && condition.ends_with(']')));
    is_above_low && is_below_high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the active profiles.
    fn active_profile_ids(profiles: &str, maven_config: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".mvn")).unwrap();
        std::fs::write(folder.path().join(".mvn/maven.config"), maven_config).unwrap();
        let settings = MavenSettings::default().with_project_settings(folder.path());
        let all = XmlElement::parse(&format!("<p>{profiles}</p>")).unwrap();
        let activation = ProfileActivation { settings: &settings, jdk: 17, folder: folder.path() };
        let active = activation.active_profiles(&all.find_all(&["profile"]));
        active.iter().map(|profile| profile.text_at(&["id"]).unwrap().to_owned()).collect()
    }

    fn profile(id: &str, activation: &str) -> String {
        format!("<profile><id>{id}</id><activation>{activation}</activation></profile>")
    }

    #[test]
    fn property_presence_and_value_activate_profiles() {
        let profiles = [
            profile("has", "<property><name>x</name></property>"),
            profile("lacks", "<property><name>!x</name></property>"),
            profile("is", "<property><name>x</name><value>1</value></property>"),
            profile("is-not", "<property><name>x</name><value>!1</value></property>"),
        ]
        .concat();
        assert_eq!(active_profile_ids(&profiles, "-Dx=1"), ["is", "has"]);
        assert_eq!(active_profile_ids(&profiles, "-Dx=2"), ["is-not", "has"]);
        assert_eq!(active_profile_ids(&profiles, ""), ["is-not", "lacks"]);
    }

    #[test]
    fn file_existence_activates_profiles() {
        let profiles = [
            profile("there", "<file><exists>${basedir}/.mvn/maven.config</exists></file>"),
            profile("not", "<file><exists>no.txt</exists></file>"),
            profile("missing", "<file><missing>no.txt</missing></file>"),
        ]
        .concat();
        assert_eq!(active_profile_ids(&profiles, ""), ["missing", "there"]);
    }

    #[test]
    fn all_activation_conditions_must_hold() {
        let both = "<jdk>17</jdk><property><name>x</name></property>";
        assert_eq!(active_profile_ids(&profile("a", both), "-Dx"), ["a"]);
        assert_eq!(active_profile_ids(&profile("a", both), ""), Vec::<String>::new());
        assert_eq!(active_profile_ids(&profile("a", "<os><family>unix</family></os>"), ""), ["a"]);
        assert_eq!(
            active_profile_ids(&profile("a", "<os><family>!unix</family></os>"), "").len(),
            0
        );
    }

    #[test]
    fn profile_names_override_conditions_and_defaults() {
        let profiles = [
            profile("default", "<activeByDefault>true</activeByDefault>"),
            profile("other", ""),
            profile("new", "<jdk>[9,)</jdk>"),
        ]
        .concat();
        assert_eq!(active_profile_ids(&profiles, ""), ["new"]);
        assert_eq!(active_profile_ids(&profiles, "-P!new"), ["default"]);
        assert_eq!(active_profile_ids(&profiles, "-P!new,other"), ["other"]);
        assert_eq!(active_profile_ids(&profiles, "-P!new,-default"), Vec::<String>::new());
    }

    #[test]
    fn jdk_conditions_follow_maven_syntax() {
        for (condition, jdk, holds) in [
            ("1.8", 8, true),
            ("17", 17, true),
            ("!1.8", 8, false),
            ("[1.8,)", 17, true),
            ("(8,11]", 8, false),
            ("(8,11]", 11, true),
            ("[1.8,11)", 11, false),
            ("(,8]", 7, true),
        ] {
            assert_eq!(matches_jdk(condition, jdk), holds, "{condition} {jdk}");
        }
    }
}
