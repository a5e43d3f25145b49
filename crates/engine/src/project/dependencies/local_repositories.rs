//! Local repositories of build tools, which contain downloaded libraries.

use super::version::nearest;
use crate::Environment;
use std::fmt;
use std::path::{Path, PathBuf};

const DEBIAN: &str = "/usr/share/maven-repo";

/// The folders of libraries on this machine, in the order in which they are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalRepositories {
    /// Folders laid out as Maven does: `g/a/v/a-v.jar`.
    pub maven: Vec<PathBuf>,
    /// Folders laid out as Gradle's cache does: `g/a/v/<hash>/a-v.jar`.
    pub gradle: Vec<PathBuf>,
}

/// Coordinates of a library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Coordinates {
    pub(crate) group: String,
    pub(crate) artifact: String,
    pub(crate) version: Option<String>,
    pub(crate) classifier: Option<String>,
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.group, self.artifact)?;
        self.version.iter().try_for_each(|version| write!(f, ":{version}"))?;
        self.classifier.iter().try_for_each(|classifier| write!(f, ":{classifier}"))
    }
}

/// A library's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalArtifact {
    /// The actual version, if the folder name does not show it.
    pub(crate) version: String,
    pub(crate) pom: Option<PathBuf>,
    pub(crate) jar: Option<PathBuf>,
    /// True if it is the requested version.
    pub(crate) is_exact: bool,
}

impl LocalRepositories {
    /// The repositories of this machine and user.
    pub fn on_this_machine(environment: &Environment) -> Self {
        let home = environment.path("HOME").unwrap_or_default();
        let named = named_in_maven_opts(environment);
        let configured = named.or_else(|| named_in_settings(&home));
        let user = configured.unwrap_or_else(|| home.join(".m2/repository"));
        let gradle = environment.path("GRADLE_USER_HOME").unwrap_or_else(|| home.join(".gradle"));
        let existing = |folders: Vec<PathBuf>| folders.into_iter().filter(|f| f.is_dir()).collect();
        Self {
            maven: existing(vec![user, PathBuf::from(DEBIAN)]),
            gradle: existing(vec![gradle.join("caches/modules-2/files-2.1")]),
        }
    }

    /// The wanted library, or else the nearest version of it that is here.
    pub(crate) fn find(&self, wanted: &Coordinates) -> Option<LocalArtifact> {
        if let Some(version) = &wanted.version {
            let exact = self
                .folders(wanted)
                .find_map(|folder| stored(&folder.join(version), wanted, version));
            if let Some(exact) = exact {
                return Some(LocalArtifact { is_exact: true, ..exact });
            }
        }
        let present = self.folders(wanted).flat_map(|folder| versions(&folder)).filter_map(
            |(name, folder)| {
                let stored = stored(&folder, wanted, &name)?;
                Some((stored.version.clone(), stored))
            },
        );
        let (version, found) = nearest(wanted.version.as_deref(), present.collect())?;
        let is_exact = wanted.version.as_ref().is_none_or(|wanted| *wanted == version);
        Some(LocalArtifact { is_exact, ..found })
    }

    fn folders<'a>(&'a self, wanted: &'a Coordinates) -> impl Iterator<Item = PathBuf> + 'a {
        let maven = self.maven.iter().map(|r| r.join(wanted.group.replace('.', "/")));
        let gradle = self.gradle.iter().map(|r| r.join(&wanted.group));
        maven.chain(gradle).map(|folder| folder.join(&wanted.artifact))
    }
}

fn named_in_maven_opts(environment: &Environment) -> Option<PathBuf> {
    let options = environment.get("MAVEN_OPTS")?.to_string_lossy().into_owned();
    let words = shell_words::split(&options).ok()?;
    words.iter().find_map(|word| word.strip_prefix("-Dmaven.repo.local=")).map(PathBuf::from)
}

fn named_in_settings(home: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(home.join(".m2/settings.xml")).ok()?;
    let settings = roxmltree::Document::parse(&text).ok()?;
    let node = settings.descendants().find(|node| node.has_tag_name("localRepository"))?;
    let path = node.text()?.trim().replace("${user.home}", &home.to_string_lossy());
    Some(PathBuf::from(path))
}

fn versions(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect()
}

fn stored(folder: &Path, wanted: &Coordinates, version: &str) -> Option<LocalArtifact> {
    let file = |suffix: &str| {
        let name = format!("{}-{version}{suffix}", wanted.artifact);
        let hashed = || versions(folder).into_iter().map(|(_, folder)| folder.join(&name));
        let path = folder.join(&name);
        if path.is_file() { Some(path) } else { hashed().find(|path| path.is_file()) }
    };
    let classifier = wanted.classifier.iter().map(|classifier| format!("-{classifier}"));
    let jar = file(&format!("{}.jar", classifier.collect::<String>()));
    let pom = file(".pom");
    if jar.is_none() && (pom.is_none() || wanted.classifier.is_some()) {
        return None;
    }
    let original = pom.as_deref().and_then(debian_original_version);
    let version = original.unwrap_or_else(|| version.to_owned());
    Some(LocalArtifact { version, pom, jar, is_exact: false })
}

/// Debian keeps libraries under made-up versions and notes the true one in the POM.
fn debian_original_version(pom: &Path) -> Option<String> {
    let text = std::fs::read_to_string(pom).ok()?;
    let (_, after) = text.split_once("<debian.originalVersion>")?;
    after.split_once('<').map(|(version, _)| version.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(version: Option<&str>) -> Coordinates {
        Coordinates {
            group: "g.h".into(),
            artifact: "a".into(),
            version: version.map(Into::into),
            classifier: None,
        }
    }

    fn put(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn a_version_that_is_absent_gives_way_to_the_nearest() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("g/h/a/debian/a-debian.jar"), "");
        put(
            &folder.path().join("g/h/a/debian/a-debian.pom"),
            "<debian.originalVersion>4.13.2</debian.originalVersion>",
        );
        put(&folder.path().join("g/h/a/3.1/a-3.1.jar"), "");
        let repositories =
            LocalRepositories { maven: vec![folder.path().to_owned()], gradle: vec![] };
        let found = repositories.find(&wanted(Some("4.12"))).unwrap();
        assert_eq!((found.version.as_str(), found.is_exact), ("4.13.2", false));
        assert!(repositories.find(&wanted(Some("3.1"))).unwrap().is_exact);
        assert!(repositories.find(&wanted(Some("4.13.2"))).unwrap().is_exact);
        assert!(repositories.find(&wanted(None)).unwrap().is_exact);
    }

    #[test]
    fn gradles_cache_is_searched_through_its_hash_folders() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("g.h/a/1.0/abc/a-1.0.jar"), "");
        put(&folder.path().join("g.h/a/1.0/def/a-1.0.pom"), "");
        let repositories =
            LocalRepositories { maven: vec![], gradle: vec![folder.path().to_owned()] };
        let found = repositories.find(&wanted(Some("1.0"))).unwrap();
        assert!(found.jar.is_some() && found.pom.is_some());
    }

    #[test]
    fn the_users_settings_name_the_repository() {
        let home = tempfile::tempdir().unwrap();
        let repository = home.path().join("r");
        std::fs::create_dir(&repository).unwrap();
        put(
            &home.path().join(".m2/settings.xml"),
            "<settings><localRepository>${user.home}/r</localRepository></settings>",
        );
        let environment = [("HOME", home.path())].into_iter().collect();
        assert_eq!(LocalRepositories::on_this_machine(&environment).maven[0], repository);
        let options = format!("-Xmx1g -Dmaven.repo.local={}", home.path().display());
        let environment =
            [("HOME", home.path().as_os_str()), ("MAVEN_OPTS", options.as_ref())].into_iter();
        assert_eq!(
            LocalRepositories::on_this_machine(&environment.collect()).maven[0],
            home.path()
        );
    }
}
