//! Reads the class name from a class file.

use mend_model::RepoPath;
use noak::reader::Class;

/// Returns the path of a class file below a class path, from the class name in it; `None` if the bytes are not a class
/// file.
pub fn class_file_path(bytes: &[u8]) -> Option<RepoPath> {
    let class = Class::new(bytes).ok()?;
    let name = class.pool().retrieve(class.this_class()).ok()?.name.as_bytes();
    let is_plain_component = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    let is_path = name.split(|byte| *byte == b'/').all(is_plain_component);
    is_path.then(|| RepoPath::new([name, b".class"].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jdk::source_level::SourceLevel;
    use crate::test_support::PlainLauncher;
    use crate::{Environment, Jdk, LaunchSpec, Launcher as _};

    /// A class file of an empty class with this name.
    fn class_file_named(name: &str) -> Vec<u8> {
        let mut bytes = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 6].to_vec();
        // A long constant with two indexes, the name, and the class.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        bytes.extend([1, 0, u8::try_from(name.len()).unwrap()]);
        bytes.extend(name.as_bytes());
        bytes.extend([7, 0, 3, 8, 0, 3]);
        bytes.extend([0, 33, 0, 4]);
        // No superclass, interfaces, fields, methods and attributes.
        bytes.extend([0; 10]);
        bytes
    }

    #[test]
    fn path_is_derived_from_the_class_name() {
        assert_eq!(class_file_path(&class_file_named("a/B$C")), Some("a/B$C.class".into()));
    }

    #[test]
    fn oldest_and_newest_class_file_versions_are_read() {
        let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let text =
            "package a; class B { Runnable r() { return () -> {}; } static long l = 1L << 40; }";
        std::fs::write(folder.path().join("B.java"), text).unwrap();
        // The oldest version with lambdas is 8.
        for version in [8, jdk.version] {
            let level = SourceLevel { version, is_release: true };
            let compile =
                LaunchSpec::new(jdk.javac(), folder.path()).args(level.javac_options(&jdk));
            let exit = PlainLauncher.run(&compile.args(["-d", ".", "B.java"])).unwrap();
            assert!(exit.is_success(), "{}", exit.output);
            let bytes = std::fs::read(folder.path().join("a/B.class")).unwrap();
            // Java 1 has version 45.
            assert_eq!(u32::from(bytes[7]), 44 + version);
            assert_eq!(class_file_path(&bytes), Some("a/B.class".into()));
        }
    }

    #[test]
    fn invalid_class_files_and_names_have_no_path() {
        assert_eq!(class_file_path(b"class A {}"), None);
        assert_eq!(class_file_path(&class_file_named("../../A")), None);
        assert_eq!(class_file_path(&class_file_named("/A")), None);
        let complete = class_file_named("a/B");
        for length in 0..complete.len() {
            assert_eq!(class_file_path(&complete[..length]), None);
        }
    }
}
