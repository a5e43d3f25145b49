//! Local repositories of build tools, which contain downloaded libraries.

use super::version::{nearest_version, version_numbers};
use crate::Environment;
use std::fmt;
use std::path::{Path, PathBuf};

const DEBIAN_MAVEN_REPOSITORY: &str = "/usr/share/maven-repo";

/// Folders of libraries on this machine, in search order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalRepositories {
    /// Folders in Maven's layout: `g/a/v/a-v.jar`.
    pub maven: Vec<PathBuf>,
    /// Folders in the layout of Gradle's cache: `g/a/v/<hash>/a-v.jar`.
    pub gradle: Vec<PathBuf>,
}

/// Coordinates of a library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinates {
    /// Group id, such as `org.apache.commons`.
    pub group: String,
    /// Artifact id, such as `commons-csv`.
    pub artifact: String,
    /// Version, if it is known.
    pub version: Option<String>,
    /// Classifier, such as `tests`.
    pub classifier: Option<String>,
}

impl Coordinates {
    /// Returns `group:artifact`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.group, self.artifact)
    }

    /// Returns the coordinates of the jar in Maven's notation, `group:artifact[:jar:classifier]:version`.
    pub(crate) fn request(&self) -> String {
        let classifier = self.classifier.iter().map(|classifier| format!(":jar:{classifier}"));
        let version = self.version.iter().map(|version| format!(":{version}"));
        classifier.chain(version).fold(self.name(), |text, part| text + &part)
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.group, self.artifact)?;
        self.version.iter().try_for_each(|version| write!(f, ":{version}"))?;
        self.classifier.iter().try_for_each(|classifier| write!(f, ":{classifier}"))
    }
}

/// Files of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalArtifact {
    /// The actual version, if the folder name does not show it.
    pub(crate) version: String,
    pub(crate) pom: Option<PathBuf>,
    pub(crate) jar: Option<PathBuf>,
    /// True if the version is the requested one.
    pub(crate) is_exact: bool,
}

impl LocalRepositories {
    /// Returns the repositories of this machine and user.
    pub fn from_environment(environment: &Environment) -> Self {
        let home = environment.path_variable("HOME").unwrap_or_default();
        let maven_opts_repository = repository_in_maven_opts(environment);
        let configured = maven_opts_repository.or_else(|| repository_in_settings(&home));
        let user = configured.unwrap_or_else(|| home.join(".m2/repository"));
        let gradle =
            environment.path_variable("GRADLE_USER_HOME").unwrap_or_else(|| home.join(".gradle"));
        let existing = |folders: Vec<PathBuf>| folders.into_iter().filter(|f| f.is_dir()).collect();
        Self {
            maven: existing(vec![user, PathBuf::from(DEBIAN_MAVEN_REPOSITORY)]),
            gradle: existing(vec![gradle.join("caches/modules-2/files-2.1")]),
        }
    }

    /// Finds a library, or the nearest available version of it.
    pub(crate) fn find(&self, coordinates: &Coordinates) -> Option<LocalArtifact> {
        if let Some(version) = &coordinates.version {
            let exact = self
                .artifact_folders(coordinates)
                .find_map(|folder| read_artifact(&folder.join(version), coordinates, version));
            if let Some(exact) = exact {
                return Some(LocalArtifact { is_exact: true, ..exact });
            }
        }
        let available = self
            .artifact_folders(coordinates)
            .flat_map(|folder| list_subfolders(&folder))
            .filter_map(|(name, folder)| {
                let artifact = read_artifact(&folder, coordinates, &name)?;
                Some((artifact.version.clone(), artifact))
            });
        let (version, found) =
            nearest_version(coordinates.version.as_deref(), available.collect())?;
        let is_exact = coordinates
            .version
            .as_ref()
            .is_none_or(|requested_version| *requested_version == version);
        Some(LocalArtifact { is_exact, ..found })
    }

    /// Returns the versions of a library, or of the id of a Gradle plugin, on this machine in ascending order.
    pub(crate) fn versions(&self, library: &Coordinates) -> Vec<String> {
        let folders = self.artifact_folders(library).flat_map(|folder| list_subfolders(&folder));
        // The id of a plugin has no file.
        let needs_file = !library.artifact.ends_with(".gradle.plugin");
        let is_complete = |name: &str, folder: &Path| {
            read_artifact(folder, library, name)
                .is_some_and(|artifact| artifact.jar.is_some() || !needs_file)
        };
        let complete = folders.filter(|(name, folder)| is_complete(name, folder));
        let mut versions: Vec<String> = complete.map(|(name, _)| name).collect();
        versions.sort_by_key(|version| version_numbers(version));
        versions.dedup();
        versions
    }

    /// Returns the coordinates of a jar by its path in a repository. The layout is Maven's, `g/r/o/u/p/a/v/a-v.jar`, or
    /// that of Gradle's cache, `group/a/v/<hash>/a-v.jar`.
    pub fn identify(&self, jar: &Path) -> Option<Coordinates> {
        let stem = jar.file_stem()?.to_str()?;
        let folder = jar.parent()?;
        let coordinates = |version: &Path| {
            let (artifact, version_name) =
                (version.parent()?.file_name()?.to_str()?, version.file_name()?.to_str()?);
            let rest =
                stem.strip_prefix(artifact)?.strip_prefix('-')?.strip_prefix(version_name)?;
            let classifier = rest.strip_prefix('-').map(str::to_owned);
            (rest.is_empty() || classifier.is_some()).then(|| Coordinates {
                group: String::new(),
                artifact: artifact.to_owned(),
                version: Some(version_name.to_owned()),
                classifier,
            })
        };
        if let Some(found) = coordinates(folder) {
            let group_folder = folder.parent()?.parent()?;
            let in_repository =
                self.maven.iter().find_map(|root| group_folder.strip_prefix(root).ok());
            let group = in_repository.unwrap_or(group_folder).to_string_lossy().replace('/', ".");
            return Some(Coordinates { group, ..found });
        }
        let version = folder.parent()?;
        let found = coordinates(version)?;
        let group = version.parent()?.parent()?.file_name()?.to_str()?.to_owned();
        Some(Coordinates { group, ..found })
    }

    fn artifact_folders<'a>(
        &'a self,
        coordinates: &'a Coordinates,
    ) -> impl Iterator<Item = PathBuf> + 'a {
        let maven = self.maven.iter().map(|r| r.join(coordinates.group.replace('.', "/")));
        let gradle = self.gradle.iter().map(|r| r.join(&coordinates.group));
        maven.chain(gradle).map(|folder| folder.join(&coordinates.artifact))
    }
}

fn repository_in_maven_opts(environment: &Environment) -> Option<PathBuf> {
    let options = environment.get("MAVEN_OPTS")?.to_string_lossy().into_owned();
    let words = shell_words::split(&options).ok()?;
    words.iter().find_map(|word| word.strip_prefix("-Dmaven.repo.local=")).map(PathBuf::from)
}

fn repository_in_settings(home: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(home.join(".m2/settings.xml")).ok()?;
    let settings = roxmltree::Document::parse(&text).ok()?;
    let node = settings.descendants().find(|node| node.has_tag_name("localRepository"))?;
    let path = node.text()?.trim().replace("${user.home}", &home.to_string_lossy());
    Some(PathBuf::from(path))
}

fn list_subfolders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect()
}

fn read_artifact(folder: &Path, coordinates: &Coordinates, version: &str) -> Option<LocalArtifact> {
    let file = |suffix: &str| {
        let name = format!("{}-{version}{suffix}", coordinates.artifact);
        let in_hash_folders =
            || list_subfolders(folder).into_iter().map(|(_, folder)| folder.join(&name));
        let path = folder.join(&name);
        if path.is_file() { Some(path) } else { in_hash_folders().find(|path| path.is_file()) }
    };
    let classifier = coordinates.classifier.iter().map(|classifier| format!("-{classifier}"));
    let jar = file(&format!("{}.jar", classifier.collect::<String>()));
    let pom = file(".pom");
    if jar.is_none() && (pom.is_none() || coordinates.classifier.is_some()) {
        return None;
    }
    let original = pom.as_deref().and_then(read_debian_version);
    let version = original.unwrap_or_else(|| version.to_owned());
    Some(LocalArtifact { version, pom, jar, is_exact: false })
}

/// Returns the actual version of a library from Debian, which stores it in the POM under a generic version.
fn read_debian_version(pom: &Path) -> Option<String> {
    let text = std::fs::read_to_string(pom).ok()?;
    let (_, rest) = text.split_once("<debian.originalVersion>")?;
    rest.split_once('<').map(|(version, _)| version.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(version: Option<&str>) -> Coordinates {
        Coordinates {
            group: "g.h".into(),
            artifact: "a".into(),
            version: version.map(Into::into),
            classifier: None,
        }
    }

    fn write_file(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn missing_version_is_replaced_by_the_nearest() {
        let folder = tempfile::tempdir().unwrap();
        write_file(&folder.path().join("g/h/a/debian/a-debian.jar"), "");
        write_file(
            &folder.path().join("g/h/a/debian/a-debian.pom"),
            "<debian.originalVersion>4.13.2</debian.originalVersion>",
        );
        write_file(&folder.path().join("g/h/a/3.1/a-3.1.jar"), "");
        let repositories =
            LocalRepositories { maven: vec![folder.path().to_owned()], gradle: vec![] };
        let artifact = repositories.find(&coordinates(Some("4.12"))).unwrap();
        assert_eq!((artifact.version.as_str(), artifact.is_exact), ("4.13.2", false));
        assert!(repositories.find(&coordinates(Some("3.1"))).unwrap().is_exact);
        assert!(repositories.find(&coordinates(Some("4.13.2"))).unwrap().is_exact);
        assert!(repositories.find(&coordinates(None)).unwrap().is_exact);
    }

    #[test]
    fn gradle_cache_hash_folders_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        write_file(&folder.path().join("g.h/a/1.0/abc/a-1.0.jar"), "");
        write_file(&folder.path().join("g.h/a/1.0/def/a-1.0.pom"), "");
        let repositories =
            LocalRepositories { maven: vec![], gradle: vec![folder.path().to_owned()] };
        let artifact = repositories.find(&coordinates(Some("1.0"))).unwrap();
        assert!(artifact.jar.is_some() && artifact.pom.is_some());
    }

    #[test]
    fn settings_and_maven_opts_name_the_repository() {
        let home = tempfile::tempdir().unwrap();
        let repository = home.path().join("r");
        std::fs::create_dir(&repository).unwrap();
        write_file(
            &home.path().join(".m2/settings.xml"),
            "<settings><localRepository>${user.home}/r</localRepository></settings>",
        );
        let environment = [("HOME", home.path())].into_iter().collect();
        assert_eq!(LocalRepositories::from_environment(&environment).maven[0], repository);
        let options = format!("-Xmx1g -Dmaven.repo.local={}", home.path().display());
        let environment =
            [("HOME", home.path().as_os_str()), ("MAVEN_OPTS", options.as_ref())].into_iter();
        assert_eq!(
            LocalRepositories::from_environment(&environment.collect()).maven[0],
            home.path()
        );
    }
}
