//! Class data sharing archive (CDS, JEP 350) of the compiler's classes, which a JVM maps into memory to start faster.

use crate::cache::digest::Digest;
use crate::jvm::options::FAST_START_OPTIONS;
use crate::{Jdk, LaunchSpec, Launcher};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// First release that writes a dynamic archive when a program ends.
const MIN_JDK_VERSION: u32 = 13;

/// Returns the path of a JDK's archive in a folder, which need not exist; `None` if this JDK supports none.
pub(crate) fn archive_path(jdk: &Jdk, folder: &Path) -> Option<PathBuf> {
    let mut digest = Digest::default();
    digest.add("home", jdk.home.as_os_str().as_encoded_bytes());
    digest.add("version", &jdk.full_version);
    // An update of the JDK changes its classes.
    digest.add_file(&jdk.home.join("lib/modules"));
    let archive = folder.join(format!("{}.jsa", digest.finish_hex()));
    // A colon separates archives in the option.
    let has_no_colon = !archive.as_os_str().as_encoded_bytes().contains(&b':');
    (jdk.version >= MIN_JDK_VERSION && has_no_colon).then_some(archive)
}

/// Installs a new archive if a JVM can map it: an incomplete one would end the JVM.
pub(crate) fn install_if_usable(new: &Path, archive: &Path, jdk: &Jdk, launcher: &dyn Launcher) {
    let check = LaunchSpec::new(jdk.java(), archive.parent().unwrap_or(archive))
        .args(FAST_START_OPTIONS)
        .args(map_options(new))
        .args(["-Xshare:on", "-version"]);
    if launcher.run(&check).is_ok_and(|ended| ended.is_success()) {
        // A missing archive only costs time.
        drop(std::fs::rename(new, archive));
    }
}

/// Returns the option with which a JVM writes an archive when it ends.
pub(crate) fn dump_option(archive: &Path) -> OsString {
    path_option("-XX:ArchiveClassesAtExit=", archive)
}

/// Returns the options with which a JVM maps an archive. Warnings about an unusable archive are disabled, because they
/// would mix with the compiler's output.
pub(crate) fn map_options(archive: &Path) -> [OsString; 2] {
    [path_option("-XX:SharedArchiveFile=", archive), "-Xlog:cds*=off".into()]
}

fn path_option(name: &str, archive: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(archive);
    option
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::java_program::JavaProgram;
    use crate::test_support::PlainLauncher;
    use crate::{Environment, Toolchain};
    use std::fs;
    use std::sync::Arc;

    fn new_toolchain(home: &Path) -> Toolchain {
        let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
        Toolchain::new(jdk, Arc::new(PlainLauncher), home)
    }

    #[test]
    fn first_compilation_creates_a_usable_archive() {
        let home = tempfile::tempdir().unwrap();
        let tools = new_toolchain(home.path());
        let archive = tools.class_archive().unwrap();
        assert_eq!(tools.compiler_flags().len(), FAST_START_OPTIONS.len());
        for text in ["class One {}", "class Two {}"] {
            let sources = [("One.java", text)];
            let program =
                JavaProgram { sources: &sources, options: &[], class_path: &[], tools: &tools };
            program.compile_into(&tools.program_cache).unwrap().unwrap();
            assert!(map_options(&archive).iter().all(|flag| tools.compiler_flags().contains(flag)));
        }
        // The JVM fails here if it cannot map the archive with the options of our servers.
        let java = LaunchSpec::new(tools.jdk.java(), home.path()).args(tools.compiler_flags());
        let java = java.args(["-Xss16m", "-Xmx2g", "-cp", ".", "-Xshare:on", "-version"]);
        assert!(tools.launcher.run(&java).unwrap().is_success());
    }

    #[test]
    fn truncated_archive_is_rejected() {
        let home = tempfile::tempdir().unwrap();
        let tools = new_toolchain(home.path());
        fs::create_dir(&tools.program_cache).unwrap();
        let (complete, archive) = (home.path().join("whole.jsa"), tools.class_archive().unwrap());
        let dump = LaunchSpec::new(tools.jdk.java(), home.path()).args(FAST_START_OPTIONS);
        tools.launcher.run(&dump.arg(dump_option(&complete)).arg("-version")).unwrap();
        let truncated = home.path().join("cut.jsa");
        for length in [10, 100_000] {
            fs::write(&truncated, &fs::read(&complete).unwrap()[..length]).unwrap();
            install_if_usable(&truncated, &archive, &tools.jdk, &PlainLauncher);
            assert!(!archive.exists(), "{length}");
        }
        install_if_usable(&complete, &archive, &tools.jdk, &PlainLauncher);
        assert!(archive.is_file());
    }

    #[test]
    fn unsupported_jdk_or_path_has_no_archive() {
        let jdk = |home: &str, version: u32| Jdk {
            home: home.into(),
            version,
            full_version: version.to_string(),
        };
        let archive = |jdk: Jdk, folder: &str| archive_path(&jdk, Path::new(folder));
        assert_eq!(archive(jdk("/jdk", 11), "/home"), None);
        assert_eq!(archive(jdk("/jdk", 17), "/a:b"), None);
        let path = archive(jdk("/jdk", 17), "/home").unwrap();
        assert!(path.starts_with("/home"));
        assert_ne!(archive(jdk("/other", 17), "/home"), Some(path));
    }
}
