//! Finds the user's Java Development Kit.

use crate::{Environment, LaunchSpec, Launcher};
use mend_model::{Problem, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A Java Development Kit: a Java runtime with a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Folder that contains `bin/javac`.
    pub home: PathBuf,
    /// Feature release: 8, 11, 17 …
    pub version: u32,
    /// Full version, as the JDK reports it.
    pub full_version: String,
}

impl Jdk {
    /// Finds the JDK: from `JAVA_HOME`, then `javac` on `PATH`, then, unless `JAVA_HOME` is set, in the usual places.
    ///
    /// # Errors
    /// [`Problem::NoJdk`] if there is none; its detail names runtimes without a compiler.
    pub fn find(environment: &Environment, launcher: &dyn Launcher) -> Result<Self> {
        let default_places = || usual_places(environment, launcher);
        Self::find_with_places(environment, default_places, launcher)
    }

    fn find_with_places(
        environment: &Environment,
        default_places: impl FnOnce() -> Vec<PathBuf>,
        launcher: &dyn Launcher,
    ) -> Result<Self> {
        let java_home = environment.path_variable("JAVA_HOME");
        let mut runtimes = Vec::new();
        let preferred = java_home.iter().cloned().chain(homes_on_path(environment)).find(|home| {
            let has_jdk = is_jdk(home);
            if !has_jdk && is_runtime(home) {
                runtimes.push(home.clone());
            }
            has_jdk
        });
        let find_default = || default_places().into_iter().find(|home| is_jdk(home));
        let home = preferred.or_else(|| if java_home.is_none() { find_default() } else { None });
        match home {
            Some(home) => Self::from_home(&home, launcher),
            None => {
                Err(Problem::NoJdk { detail: missing_jdk_detail(java_home.as_deref(), &runtimes) })
            }
        }
    }

    /// Reads the JDK in a folder.
    ///
    /// # Errors
    /// [`Problem::NoJdk`] if the folder contains no JDK with a known version.
    pub fn from_home(home: &Path, launcher: &dyn Launcher) -> Result<Self> {
        if !is_jdk(home) {
            return Err(Problem::NoJdk { detail: missing_jdk_detail(Some(home), &[]) });
        }
        let full = match read_release_version(home) {
            Some(full) => full,
            None => read_javac_version(home, launcher)?,
        };
        let version = feature_release(&full).ok_or_else(|| Problem::NoJdk {
            detail: format!("{} calls itself version `{full}`", home.display()),
        })?;
        Ok(Self { home: home.to_owned(), version, full_version: full })
    }

    /// Returns the oldest JDK in the usual places that supports a Java version.
    pub(crate) fn find_supporting(
        java_version: u32,
        environment: &Environment,
        launcher: &dyn Launcher,
    ) -> Option<Self> {
        Self::installed(environment, launcher).into_iter().find(|jdk| jdk.version >= java_version)
    }

    /// Returns the JDKs in the usual places, by version.
    pub(crate) fn installed(environment: &Environment, launcher: &dyn Launcher) -> Vec<Self> {
        let homes = usual_places(environment, launcher).into_iter().filter(|home| is_jdk(home));
        let mut jdks: Vec<Self> =
            homes.filter_map(|home| Self::from_home(&home, launcher).ok()).collect();
        jdks.sort_by_key(|jdk| jdk.version);
        jdks
    }

    /// Returns the path of the compiler.
    pub fn javac(&self) -> PathBuf {
        self.home.join("bin/javac")
    }

    /// Returns the jar of the compiler up to Java 8; empty for later releases, which contain it as a module.
    pub(crate) fn tools_jar(&self) -> Vec<PathBuf> {
        let tools = self.home.join("lib/tools.jar");
        if tools.is_file() { vec![tools] } else { Vec::new() }
    }

    /// Returns the path of the JVM launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

fn is_jdk(home: &Path) -> bool {
    home.join("bin/javac").is_file() && is_runtime(home)
}

fn is_runtime(home: &Path) -> bool {
    home.join("bin/java").is_file()
}

fn homes_on_path(environment: &Environment) -> Vec<PathBuf> {
    let path = environment.get("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let home_of = |program: &str| {
        folders
            .iter()
            .filter_map(|folder| folder.join(program).canonicalize().ok())
            .filter_map(|found| found.parent()?.parent().map(Path::to_path_buf))
            .collect::<Vec<_>>()
    };
    [home_of("javac"), home_of("java")].concat()
}

/// Folders that contain JDKs on Linux and macOS.
const SYSTEM_PLACES: [&str; 4] =
    ["/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines"];

/// Folders below the user's home to which SDKMAN!, IDEs, Gradle, mise and asdf install JDKs.
const USER_PLACES: [&str; 5] = [
    ".sdkman/candidates/java",
    ".jdks",
    ".gradle/jdks",
    ".local/share/mise/installs/java",
    ".asdf/installs/java",
];

/// Start of the variables that name the JDKs on GitHub's runners, such as `JAVA_HOME_17_X64`.
const RUNNER_VARIABLE: &str = "JAVA_HOME_";

/// Returns the folders that usually are homes of JDKs: those of the system, of the user, and those that the environment
/// names.
fn usual_places(environment: &Environment, launcher: &dyn Launcher) -> Vec<PathBuf> {
    let user_home = environment.path_variable("HOME");
    let user_places = user_home.iter().flat_map(|home| USER_PLACES.map(|place| home.join(place)));
    let named = environment.utf8_variables().filter(|(name, _)| name.starts_with(RUNNER_VARIABLE));
    let mut homes: Vec<PathBuf> = SYSTEM_PLACES
        .iter()
        .map(PathBuf::from)
        .chain(user_places)
        .flat_map(|place| canonical_entries(&place))
        // The layout of macOS.
        .flat_map(|home| [home.join("Contents/Home"), home])
        .chain(named.map(|(_, home)| PathBuf::from(home)))
        .collect();
    homes.sort();
    homes.dedup();
    let java_home_tool = Path::new("/usr/libexec/java_home");
    if java_home_tool.is_file() {
        let exit = launcher.run(&LaunchSpec::new(java_home_tool, "/"));
        homes.extend(
            exit.ok()
                .filter(crate::ExitInfo::is_success)
                .map(|exit| PathBuf::from(exit.output.trim())),
        );
    }
    homes
}

fn canonical_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.path().canonicalize().ok()).collect()
}

fn missing_jdk_detail(java_home: Option<&Path>, runtimes: &[PathBuf]) -> String {
    if let Some(runtime) = runtimes.first() {
        return format!(
            "{} is a Java runtime without the compiler `javac`; a JDK is needed",
            runtime.display()
        );
    }
    match java_home {
        Some(home) if is_runtime(home) => format!(
            "{} is a Java runtime without the compiler `javac`; a JDK is needed",
            home.display()
        ),
        Some(home) => format!("{} contains neither `bin/javac` nor `bin/java`", home.display()),
        None => {
            "JAVA_HOME is not set, and `javac` is neither on PATH nor in /usr/lib/jvm".to_owned()
        }
    }
}

fn read_release_version(home: &Path) -> Option<String> {
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(line.trim().trim_matches('"').to_owned())
}

fn read_javac_version(home: &Path, launcher: &dyn Launcher) -> Result<String> {
    let javac = home.join("bin/javac");
    let exit = launcher.run(&LaunchSpec::new(OsString::from(&javac), "/").arg("-version"))?;
    let version = exit.output.lines().find_map(|line| line.trim().strip_prefix("javac "));
    version.map(str::to_owned).ok_or_else(|| Problem::NoJdk {
        detail: format!("`{} -version` says `{}`", javac.display(), exit.output.trim()),
    })
}

/// Returns the feature release of a full version: 8 for `1.8.0_292`, 17 for `17.0.15`.
fn feature_release(full: &str) -> Option<u32> {
    let mut numbers = full
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        version => Some(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::PlainLauncher;

    fn create_fake_jdk(folder: &Path, programs: &[&str], release: Option<&str>) {
        std::fs::create_dir_all(folder.join("bin")).unwrap();
        for program in programs {
            std::fs::write(folder.join("bin").join(program), "").unwrap();
        }
        if let Some(release) = release {
            std::fs::write(folder.join("release"), format!("JAVA_VERSION=\"{release}\"\n"))
                .unwrap();
        }
    }

    fn find(environment: &Environment) -> Result<Jdk> {
        Jdk::find_with_places(environment, Vec::new, &PlainLauncher)
    }

    #[test]
    fn java_home_takes_precedence_over_path() {
        let folder = tempfile::tempdir().unwrap();
        let (java_home, on_path) = (folder.path().join("named"), folder.path().join("other"));
        create_fake_jdk(&java_home, &["java", "javac"], Some("1.8.0_292"));
        create_fake_jdk(&on_path, &["java", "javac"], Some("21.0.1"));
        let environment: Environment =
            [("JAVA_HOME", java_home.clone()), ("PATH", on_path.join("bin"))].into_iter().collect();
        let jdk = find(&environment).unwrap();
        assert_eq!((jdk.home, jdk.version, jdk.full_version.as_str()), (java_home, 8, "1.8.0_292"));
        let path_only: Environment = [("PATH", on_path.join("bin"))].into_iter().collect();
        assert_eq!(find(&path_only).unwrap().version, 21);
    }

    #[test]
    fn runtime_without_compiler_is_rejected_with_reason() {
        let folder = tempfile::tempdir().unwrap();
        create_fake_jdk(folder.path(), &["java"], Some("17"));
        for variable in ["JAVA_HOME", "PATH"] {
            let value = if variable == "PATH" {
                folder.path().join("bin")
            } else {
                folder.path().to_owned()
            };
            let problem = find(&[(variable, value)].into_iter().collect()).unwrap_err();
            assert!(problem.to_string().contains("without the compiler"), "{problem}");
        }
    }

    #[test]
    fn invalid_java_home_is_not_replaced_by_default_places() {
        let folder = tempfile::tempdir().unwrap();
        let (java_home, installed) = (folder.path().join("named"), folder.path().join("installed"));
        create_fake_jdk(&installed, &["java", "javac"], Some("21"));
        let default_places = || vec![installed.clone()];
        let find =
            |environment| Jdk::find_with_places(&environment, default_places, &PlainLauncher);
        let problem = find([("JAVA_HOME", &java_home)].into_iter().collect()).unwrap_err();
        assert!(problem.to_string().contains("contains neither"), "{problem}");
        assert_eq!(find(Environment::default()).unwrap().version, 21);
    }

    #[test]
    fn jdks_of_the_user_and_of_runners_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (sdkman, runner) = (folder.path().join(".sdkman/candidates/java/98"), "runner/97");
        create_fake_jdk(&sdkman, &["java", "javac"], Some("98.0.1"));
        let runner = folder.path().join(runner);
        create_fake_jdk(&runner, &["java", "javac"], Some("97.0.1"));
        let environment: Environment =
            [("HOME", folder.path().to_owned()), ("JAVA_HOME_97_X64", runner.clone())]
                .into_iter()
                .collect();
        let find = |version| {
            Jdk::find_supporting(version, &environment, &PlainLauncher).map(|jdk| jdk.home)
        };
        assert_eq!(find(97), Some(runner));
        assert_eq!(find(98), Some(sdkman.canonicalize().unwrap()));
        assert_eq!(find(99), None);
    }

    #[test]
    fn the_installed_jdk_is_found_with_its_version() {
        let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
        assert!(jdk.version >= 8);
        let javac_version = read_javac_version(&jdk.home, &PlainLauncher).unwrap();
        assert_eq!(feature_release(&javac_version), Some(jdk.version));
    }

    #[test]
    fn feature_release_is_parsed_from_old_and_new_versions() {
        for (full, version) in
            [("1.8.0_292", Some(8)), ("9-ea", Some(9)), ("17.0.15", Some(17)), ("none", None)]
        {
            assert_eq!(feature_release(full), version, "{full}");
        }
    }
}
