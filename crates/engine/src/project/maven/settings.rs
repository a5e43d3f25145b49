//! Maven settings outside the POM: the user's settings and environment, and the project's `.mvn`.

use super::pom::XmlElement;
use crate::Environment;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Settings of the user for all Maven projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MavenSettings {
    /// Profiles that are switched on by name.
    on: BTreeSet<String>,
    /// Profiles that are switched off by name.
    off: BTreeSet<String>,
    /// Set on command lines, and the environment's variables as `env.NAME`.
    properties: BTreeMap<String, String>,
    /// The profiles of `settings.xml`.
    pub(crate) profiles: Vec<XmlElement>,
    /// True if `settings.xml` forbids downloads.
    is_offline: bool,
}

impl MavenSettings {
    /// The settings of this user and environment.
    pub fn of_this_user(environment: &Environment) -> Self {
        let mut settings = Self::default();
        let home = environment.path("HOME").unwrap_or_default();
        let text = std::fs::read_to_string(home.join(".m2/settings.xml")).unwrap_or_default();
        if let Ok(written) = XmlElement::parse(&text) {
            let on = written.find_all(&["activeProfiles", "activeProfile"]);
            settings.on.extend(on.into_iter().map(|profile| profile.text.clone()));
            settings.is_offline = written.text_at(&["offline"]) == Some("true");
            settings.profiles =
                written.find_all(&["profiles", "profile"]).into_iter().cloned().collect();
        }
        settings.properties.insert("user.home".to_owned(), home.to_string_lossy().into_owned());
        for (name, value) in environment.texts() {
            settings.properties.insert(format!("env.{name}"), value);
        }
        for name in ["MAVEN_OPTS", "MAVEN_ARGS"] {
            settings.obey(&environment.get(name).unwrap_or_default().to_string_lossy());
        }
        settings
    }

    /// These settings, and those that a project brings along.
    pub(crate) fn with_those_of(&self, root: &Path) -> Self {
        let mut settings = self.clone();
        for file in ["jvm.config", "maven.config"] {
            let told = std::fs::read_to_string(root.join(".mvn").join(file)).unwrap_or_default();
            settings.obey(&told);
        }
        settings
    }

    /// Takes the profiles and properties out of a command line.
    fn obey(&mut self, command_line: &str) {
        let words = shell_words::split(command_line).unwrap_or_default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let named = word.strip_prefix("--activate-profiles=");
            let attached = word.strip_prefix("-P").filter(|rest| !rest.is_empty());
            if let Some(property) = word.strip_prefix("-D") {
                let (name, value) = property.split_once('=').unwrap_or((property, "true"));
                self.properties.insert(name.to_owned(), value.to_owned());
            } else if word == "-P" || word == "--activate-profiles" {
                self.switch(words.next().unwrap_or_default());
            } else if let Some(profiles) = named.or(attached) {
                self.switch(profiles);
            }
        }
    }

    /// `a,+b,!c,-d`, where `?` says that it need not be there.
    fn switch(&mut self, profiles: &str) {
        for profile in profiles.split(',') {
            let name = profile.trim_start_matches(['+', '!', '-', '?']).to_owned();
            if profile.starts_with(['!', '-']) {
                self.off.insert(name);
            } else {
                self.on.insert(name);
            }
        }
    }

    /// Returns true or false if a profile is enabled or disabled by name, otherwise `None`.
    pub(crate) fn switched(&self, profile: &str) -> Option<bool> {
        if self.off.contains(profile) {
            Some(false)
        } else {
            self.on.contains(profile).then_some(true)
        }
    }

    /// Returns true if the user's settings forbid downloads.
    pub(crate) fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// A property that was set, or a variable as `env.NAME`.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }

    /// Returns the properties of command lines, environment variables as `env.NAME`, and `user.home`.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &String)> {
        self.properties.iter()
    }

    /// Returns the parts of the settings that belong in the cache key. Environment variables are not among them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = String> {
        let set = self.properties.iter().filter(|(name, _)| !name.starts_with("env."));
        let set = set.map(|(name, value)| format!("{name}={value}"));
        set.chain(self.on.iter().map(|name| format!("+{name}")))
            .chain(self.off.iter().map(|name| format!("-{name}")))
            .chain(self.profiles.iter().map(|profile| format!("{profile:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_switch_profiles_and_set_properties() {
        let mut settings = MavenSettings::default();
        settings.obey("-T2 -Pa,!b -P c --activate-profiles=+d,-e -Dx=1 -Dy '-Dz=a b'");
        for (name, state) in [
            ("a", Some(true)),
            ("b", Some(false)),
            ("c", Some(true)),
            ("d", Some(true)),
            ("f", None),
        ] {
            assert_eq!(settings.switched(name), state, "{name}");
        }
        let values = ["x", "y", "z"].map(|name| settings.property(name));
        assert_eq!(values, [Some("1"), Some("true"), Some("a b")]);
    }

    #[test]
    fn the_user_and_the_project_both_have_a_say() {
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
        let settings = MavenSettings::of_this_user(&environment).with_those_of(home.path());
        assert_eq!(settings.switched("mine"), Some(true));
        assert_eq!(settings.switched("theirs"), Some(true));
        assert_eq!((settings.property("k"), settings.property("env.CI")), (Some("v"), Some("yes")));
        assert_eq!(settings.profiles.len(), 1);
        assert!(settings.is_offline());
    }
}
