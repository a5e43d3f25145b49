//! Maven settings outside the POM: the user's settings and environment, and the project's `.mvn`.

use super::pom::XmlElement;
use crate::Environment;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Settings of the user for all Maven projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MavenSettings {
    /// Profiles that are enabled by name.
    enabled_profiles: BTreeSet<String>,
    /// Profiles that are disabled by name.
    disabled_profiles: BTreeSet<String>,
    /// Properties of command lines, and environment variables as `env.NAME`.
    properties: BTreeMap<String, String>,
    /// Profiles of `settings.xml`.
    pub(crate) profiles: Vec<XmlElement>,
    /// True if `settings.xml` forbids downloads.
    is_offline: bool,
}

impl MavenSettings {
    /// Reads the settings of this user and environment.
    pub fn from_environment(environment: &Environment) -> Self {
        let mut settings = Self::default();
        let home = environment.path_variable("HOME").unwrap_or_default();
        let text = std::fs::read_to_string(home.join(".m2/settings.xml")).unwrap_or_default();
        if let Ok(settings_xml) = XmlElement::parse(&text) {
            let active_profiles = settings_xml.find_all(&["activeProfiles", "activeProfile"]);
            settings
                .enabled_profiles
                .extend(active_profiles.into_iter().map(|profile| profile.text.clone()));
            settings.is_offline = settings_xml.text_at(&["offline"]) == Some("true");
            settings.profiles =
                settings_xml.find_all(&["profiles", "profile"]).into_iter().cloned().collect();
        }
        settings.properties.insert("user.home".to_owned(), home.to_string_lossy().into_owned());
        for (name, value) in environment.utf8_variables() {
            settings.properties.insert(format!("env.{name}"), value);
        }
        for name in ["MAVEN_OPTS", "MAVEN_ARGS"] {
            settings
                .apply_command_line(&environment.get(name).unwrap_or_default().to_string_lossy());
        }
        settings
    }

    /// Returns these settings with those of the project's `.mvn` folder.
    pub(crate) fn with_project_settings(&self, root: &Path) -> Self {
        let mut settings = self.clone();
        for file in ["jvm.config", "maven.config"] {
            let command_line =
                std::fs::read_to_string(root.join(".mvn").join(file)).unwrap_or_default();
            settings.apply_command_line(&command_line);
        }
        settings
    }

    /// Adds the profiles and properties of a command line.
    fn apply_command_line(&mut self, command_line: &str) {
        let words = shell_words::split(command_line).unwrap_or_default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let long_option = word.strip_prefix("--activate-profiles=");
            let short_option = word.strip_prefix("-P").filter(|rest| !rest.is_empty());
            if let Some(property) = word.strip_prefix("-D") {
                let (name, value) = property.split_once('=').unwrap_or((property, "true"));
                self.properties.insert(name.to_owned(), value.to_owned());
            } else if word == "-P" || word == "--activate-profiles" {
                self.switch_profiles(words.next().unwrap_or_default());
            } else if let Some(profiles) = long_option.or(short_option) {
                self.switch_profiles(profiles);
            }
        }
    }

    /// Enables and disables profiles in the form `a,+b,!c,-d`; a `?` marks an optional profile.
    fn switch_profiles(&mut self, profiles: &str) {
        for profile in profiles.split(',') {
            let name = profile.trim_start_matches(['+', '!', '-', '?']).to_owned();
            if profile.starts_with(['!', '-']) {
                self.disabled_profiles.insert(name);
            } else {
                self.enabled_profiles.insert(name);
            }
        }
    }

    /// Returns true or false if a profile is enabled or disabled by name, otherwise `None`.
    pub(crate) fn profile_state(&self, profile: &str) -> Option<bool> {
        if self.disabled_profiles.contains(profile) {
            Some(false)
        } else {
            self.enabled_profiles.contains(profile).then_some(true)
        }
    }

    /// Returns true if the user's settings forbid downloads.
    pub(crate) fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// Returns a property, or an environment variable as `env.NAME`.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }

    /// Returns the properties of command lines, environment variables as `env.NAME`, and `user.home`.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &String)> {
        self.properties.iter()
    }

    /// Returns the parts of the settings that belong in the cache key. Environment variables are not among them.
    pub(crate) fn cache_key_parts(&self) -> impl Iterator<Item = String> {
        let properties = self.properties.iter().filter(|(name, _)| !name.starts_with("env."));
        let properties = properties.map(|(name, value)| format!("{name}={value}"));
        properties
            .chain(self.enabled_profiles.iter().map(|name| format!("+{name}")))
            .chain(self.disabled_profiles.iter().map(|name| format!("-{name}")))
            .chain(self.profiles.iter().map(|profile| format!("{profile:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_switches_profiles_and_sets_properties() {
        let mut settings = MavenSettings::default();
        settings
            .apply_command_line("-T2 -Pa,!b -P c --activate-profiles=+d,-e -Dx=1 -Dy '-Dz=a b'");
        for (name, state) in [
            ("a", Some(true)),
            ("b", Some(false)),
            ("c", Some(true)),
            ("d", Some(true)),
            ("f", None),
        ] {
            assert_eq!(settings.profile_state(name), state, "{name}");
        }
        let values = ["x", "y", "z"].map(|name| settings.property(name));
        assert_eq!(values, [Some("1"), Some("true"), Some("a b")]);
    }

    #[test]
    fn user_and_project_settings_are_combined() {
        let home = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = home.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let settings = "<settings><offline>true</offline><activeProfiles><activeProfile>mine</activeProfile></activeProfiles>\
            <profiles><profile><id>mine</id></profile></profiles></settings>";
        write(".m2/settings.xml", settings);
        write(".mvn/maven.config", "-Ptheirs\n-Dk=v\n");
        let environment: Environment =
            [("HOME", home.path().as_os_str()), ("CI", "yes".as_ref())].into_iter().collect();
        let settings =
            MavenSettings::from_environment(&environment).with_project_settings(home.path());
        assert_eq!(settings.profile_state("mine"), Some(true));
        assert_eq!(settings.profile_state("theirs"), Some(true));
        assert_eq!((settings.property("k"), settings.property("env.CI")), (Some("v"), Some("yes")));
        assert_eq!(settings.profiles.len(), 1);
        assert!(settings.is_offline());
    }
}
