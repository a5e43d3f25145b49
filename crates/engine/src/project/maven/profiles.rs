//! Activation of Maven profiles.

use super::pom::XmlElement;
use crate::project::maven::settings::MavenSettings;
use std::path::Path;

/// Inputs of profile activation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProfileActivation<'a> {
    pub(crate) settings: &'a MavenSettings,
    /// The JDK's feature release.
    pub(crate) jdk: u32,
    /// The folder of the POM that is read, which relative files are meant from.
    pub(crate) folder: &'a Path,
}

impl ProfileActivation<'_> {
    /// The active ones among the profiles of one file, the weightiest first: a later one outweighs an earlier one.
    /// Those that are active by default are so if no other one is.
    pub(crate) fn active(&self, profiles: &[&XmlElement]) -> Vec<XmlElement> {
        let named = |profile: &XmlElement| self.settings.switched(profile.text_at(&["id"])?);
        let is_default = |profile: &XmlElement| {
            profile.text_at(&["activation", "activeByDefault"]) == Some("true")
        };
        let is_active =
            |profile: &XmlElement| named(profile).unwrap_or_else(|| self.conditions_hold(profile));
        let by_itself: Vec<&XmlElement> =
            profiles.iter().copied().filter(|profile| is_active(profile)).collect();
        let active = if by_itself.is_empty() {
            let may = |profile: &&XmlElement| named(profile) != Some(false) && is_default(profile);
            profiles.iter().copied().filter(may).collect()
        } else {
            by_itself
        };
        active.into_iter().rev().cloned().collect()
    }

    /// Returns true if a profile has conditions and all of them hold.
    fn conditions_hold(&self, profile: &XmlElement) -> bool {
        let conditions = profile.child("activation").into_iter().flat_map(|all| &all.children);
        let mut conditions = conditions.filter(|one| one.name != "activeByDefault").peekable();
        conditions.peek().is_some()
            && conditions.all(|condition| match condition.name.as_str() {
                "jdk" => includes(&condition.text, self.jdk),
                "property" => self.has_property(condition),
                "file" => self.has_file(condition),
                "os" => is_this_system(condition),
                _ => false,
            })
    }

    fn has_property(&self, condition: &XmlElement) -> bool {
        let Some(name) = condition.text_at(&["name"]) else { return false };
        let (wanted, is_refused) = match name.strip_prefix('!') {
            Some(name) => (self.settings.property(name), true),
            None => (self.settings.property(name), false),
        };
        match condition.text_at(&["value"]) {
            None => wanted.is_some_and(|value| !value.is_empty()) != is_refused,
            Some(value) => match value.strip_prefix('!') {
                Some(value) => wanted != Some(value),
                None => wanted == Some(value),
            },
        }
    }

    fn has_file(&self, condition: &XmlElement) -> bool {
        let is_there = |path: &str| {
            let path = placed(path, self.folder, self.settings);
            path.is_some_and(|path| self.folder.join(path).exists())
        };
        match (condition.text_at(&["exists"]), condition.text_at(&["missing"])) {
            (Some(path), _) => is_there(path),
            (None, Some(path)) => !is_there(path),
            (None, None) => false,
        }
    }
}

/// A path with its `${…}` replaced; `None` if something in it is unknown.
fn placed(path: &str, folder: &Path, settings: &MavenSettings) -> Option<String> {
    let folder = folder.to_string_lossy();
    let path = path.replace("${basedir}", &folder).replace("${project.basedir}", &folder);
    let path = settings.properties().fold(path, |path, (name, value)| {
        if path.contains("${") { path.replace(&format!("${{{name}}}"), value) } else { path }
    });
    (!path.contains("${")).then_some(path)
}

/// Returns true if all conditions on the operating system hold.
fn is_this_system(condition: &XmlElement) -> bool {
    let (name, families): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("mac os x", &["mac", "unix"]),
        _ => ("linux", &["unix"]),
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        arch => arch,
    };
    !condition.children.is_empty()
        && condition.children.iter().all(|part| {
            let wanted = part.text.to_lowercase();
            let (wanted, is_refused) =
                wanted.strip_prefix('!').map_or((wanted.as_str(), false), |other| (other, true));
            let fits = match part.name.as_str() {
                "family" => families.contains(&wanted),
                "name" => wanted == name,
                "arch" => wanted == arch,
                _ => return false,
            };
            fits != is_refused
        })
}

/// Returns true if the `jdk` condition of a profile (`1.8`, `!17`, `[9,17)`) holds for a feature release.
fn includes(condition: &str, jdk: u32) -> bool {
    let feature = |text: &str| {
        let text = text.trim();
        text.strip_prefix("1.").unwrap_or(text).split('.').next()?.parse::<u32>().ok()
    };
    if let Some(other) = condition.strip_prefix('!') {
        return !includes(other, jdk);
    }
    let Some(range) = condition.strip_prefix(['[', '(']) else {
        return feature(condition) == Some(jdk);
    };
    let range_text = range.trim_end_matches([']', ')']);
    let (low, high) = range_text.split_once(',').unwrap_or((range_text, range_text));
    let above =
        feature(low).is_none_or(|low| jdk > low || (jdk == low && !condition.starts_with('(')));
    let below =
        feature(high).is_none_or(|high| jdk < high || (jdk == high && condition.ends_with(']')));
    above && below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The active ones of some profiles, by their names.
    fn active(profiles: &str, told: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".mvn")).unwrap();
        std::fs::write(folder.path().join(".mvn/maven.config"), told).unwrap();
        let settings = MavenSettings::default().with_those_of(folder.path());
        let all = XmlElement::parse(&format!("<p>{profiles}</p>")).unwrap();
        let activation = ProfileActivation { settings: &settings, jdk: 17, folder: folder.path() };
        let active = activation.active(&all.find_all(&["profile"]));
        active.iter().map(|profile| profile.text_at(&["id"]).unwrap().to_owned()).collect()
    }

    fn profile(id: &str, activation: &str) -> String {
        format!("<profile><id>{id}</id><activation>{activation}</activation></profile>")
    }

    #[test]
    fn properties_switch_profiles_on_by_their_presence_and_value() {
        let profiles = [
            profile("has", "<property><name>x</name></property>"),
            profile("lacks", "<property><name>!x</name></property>"),
            profile("is", "<property><name>x</name><value>1</value></property>"),
            profile("is-not", "<property><name>x</name><value>!1</value></property>"),
        ]
        .concat();
        assert_eq!(active(&profiles, "-Dx=1"), ["is", "has"]);
        assert_eq!(active(&profiles, "-Dx=2"), ["is-not", "has"]);
        assert_eq!(active(&profiles, ""), ["is-not", "lacks"]);
    }

    #[test]
    fn files_switch_profiles_on_that_are_there_or_are_not() {
        let profiles = [
            profile("there", "<file><exists>${basedir}/.mvn/maven.config</exists></file>"),
            profile("not", "<file><exists>no.txt</exists></file>"),
            profile("missing", "<file><missing>no.txt</missing></file>"),
        ]
        .concat();
        assert_eq!(active(&profiles, ""), ["missing", "there"]);
    }

    #[test]
    fn every_condition_must_hold() {
        let both = "<jdk>17</jdk><property><name>x</name></property>";
        assert_eq!(active(&profile("a", both), "-Dx"), ["a"]);
        assert_eq!(active(&profile("a", both), ""), Vec::<String>::new());
        assert_eq!(active(&profile("a", "<os><family>unix</family></os>"), ""), ["a"]);
        assert_eq!(active(&profile("a", "<os><family>!unix</family></os>"), "").len(), 0);
    }

    #[test]
    fn names_switch_profiles_on_and_off_and_the_default_gives_way() {
        let profiles = [
            profile("default", "<activeByDefault>true</activeByDefault>"),
            profile("other", ""),
            profile("new", "<jdk>[9,)</jdk>"),
        ]
        .concat();
        assert_eq!(active(&profiles, ""), ["new"]);
        assert_eq!(active(&profiles, "-P!new"), ["default"]);
        assert_eq!(active(&profiles, "-P!new,other"), ["other"]);
        assert_eq!(active(&profiles, "-P!new,-default"), Vec::<String>::new());
    }

    #[test]
    fn jdk_conditions_are_read_as_maven_reads_them() {
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
            assert_eq!(includes(condition, jdk), holds, "{condition} {jdk}");
        }
    }
}
