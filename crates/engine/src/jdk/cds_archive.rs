//! The compiler's classes as a JVM maps them into memory (class data sharing; the archive is a dynamic one,
//! JEP 350). A compiler that finds them so is ready sooner.

use crate::cache::digest::Digest;
use crate::jvm::options::QUICK;
use crate::{Jdk, LaunchSpec, Launcher};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The first release that writes such an archive when a program ends.
const FIRST: u32 = 13;

/// Returns the path of a JDK's archive in a folder, which need not exist; `None` if this JDK supports none.
pub(crate) fn place(jdk: &Jdk, folder: &Path) -> Option<PathBuf> {
    let mut digest = Digest::default();
    digest.add("home", jdk.home.as_os_str().as_encoded_bytes());
    digest.add("version", &jdk.full);
    // A JDK that was brought up to date under its old name has other classes.
    digest.add_file(&jdk.home.join("lib/modules"));
    let archive = folder.join(format!("{}.jsa", digest.hex()));
    // A colon divides one archive from the next.
    let is_plain = !archive.as_os_str().as_encoded_bytes().contains(&b':');
    (jdk.version >= FIRST && is_plain).then_some(archive)
}

/// Puts a new archive in its place if a JVM can map it: one that was cut off would end the JVM.
pub(crate) fn adopt(new: &Path, archive: &Path, jdk: &Jdk, launcher: &dyn Launcher) {
    let check = LaunchSpec::new(jdk.java(), archive.parent().unwrap_or(archive))
        .args(QUICK)
        .args(mapping(new))
        .args(["-Xshare:on", "-version"]);
    if launcher.run(&check).is_ok_and(|ended| ended.is_success()) {
        // It only saves time.
        drop(std::fs::rename(new, archive));
    }
}

/// The option with which a JVM writes an archive when it ends.
pub(crate) fn writing(archive: &Path) -> OsString {
    option("-XX:ArchiveClassesAtExit=", archive)
}

/// The options with which a JVM maps an archive. One that it cannot use is passed over without a word, since the
/// words would stand among those of the compiler.
pub(crate) fn mapping(archive: &Path) -> [OsString; 2] {
    [option("-XX:SharedArchiveFile=", archive), "-Xlog:cds*=off".into()]
}

fn option(name: &str, archive: &Path) -> OsString {
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

    fn toolchain(home: &Path) -> Toolchain {
        let jdk = Jdk::find(&Environment::of_this_process(), &PlainLauncher).unwrap();
        Toolchain::new(jdk, Arc::new(PlainLauncher), home)
    }

    #[test]
    fn the_first_program_leaves_an_archive_from_which_compilers_start() {
        let home = tempfile::tempdir().unwrap();
        let tools = toolchain(home.path());
        let archive = tools.class_archive().unwrap();
        assert_eq!(tools.compiler_flags().len(), QUICK.len());
        for text in ["class One {}", "class Two {}"] {
            let sources = [("One.java", text)];
            let program = JavaProgram { sources: &sources, class_path: &[], tools: &tools };
            program.compiled(&tools.kept).unwrap().unwrap();
            assert!(mapping(&archive).iter().all(|flag| tools.compiler_flags().contains(flag)));
        }
        // The JVM ends here if it cannot map the archive with the options of our servers.
        let java = LaunchSpec::new(tools.jdk.java(), home.path()).args(tools.compiler_flags());
        let java = java.args(["-Xss16m", "-Xmx2g", "-cp", ".", "-Xshare:on", "-version"]);
        assert!(tools.launcher.run(&java).unwrap().is_success());
    }

    #[test]
    fn an_archive_that_is_cut_off_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let tools = toolchain(home.path());
        fs::create_dir(&tools.kept).unwrap();
        let (whole, archive) = (home.path().join("whole.jsa"), tools.class_archive().unwrap());
        let dump = LaunchSpec::new(tools.jdk.java(), home.path()).args(QUICK);
        tools.launcher.run(&dump.arg(writing(&whole)).arg("-version")).unwrap();
        let cut = home.path().join("cut.jsa");
        for length in [10, 100_000] {
            fs::write(&cut, &fs::read(&whole).unwrap()[..length]).unwrap();
            adopt(&cut, &archive, &tools.jdk, &PlainLauncher);
            assert!(!archive.exists(), "{length}");
        }
        adopt(&whole, &archive, &tools.jdk, &PlainLauncher);
        assert!(archive.is_file());
    }

    #[test]
    fn where_a_jdk_or_a_path_is_not_fit_for_one_there_is_none() {
        let jdk = |home: &str, version: u32| Jdk {
            home: home.into(),
            version,
            full: version.to_string(),
        };
        let archive = |jdk: Jdk, folder: &str| place(&jdk, Path::new(folder));
        assert_eq!(archive(jdk("/jdk", 11), "/home"), None);
        assert_eq!(archive(jdk("/jdk", 17), "/a:b"), None);
        let there = archive(jdk("/jdk", 17), "/home").unwrap();
        assert!(there.starts_with("/home"));
        assert_ne!(archive(jdk("/other", 17), "/home"), Some(there));
    }
}
