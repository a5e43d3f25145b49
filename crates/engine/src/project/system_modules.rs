//! Modules of the JDK. Sources are compiled and tested on the class path, so `--add-modules` can name no others.

use super::{Module, TestJvm};
use crate::Jdk;
use std::collections::HashSet;
use std::path::Path;

/// Beginning of the names of module sets, such as `ALL-SYSTEM`.
const SET_PREFIX: &str = "ALL-";

/// Names of the modules of a JDK.
pub(super) struct SystemModules(HashSet<String>);

impl SystemModules {
    /// Reads the names from the file `release` of a JDK. Returns `None` if it names none.
    pub(super) fn read(jdk: &Jdk) -> Option<Self> {
        Self::read_file(&jdk.home.join("release"))
    }

    fn read_file(release: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(release).ok()?;
        let names = text.lines().find_map(|line| line.strip_prefix("MODULES="))?;
        Some(Self(names.trim_matches('"').split_whitespace().map(str::to_owned).collect()))
    }

    /// Returns a module of a project whose options name only modules of the JDK. A JVM or compiler with another one does
    /// not start.
    pub(super) fn restrict_options(&self, module: Module) -> Module {
        Module {
            javac_options: self.without_others(module.javac_options),
            test_javac_options: module.test_javac_options.map(|all| self.without_others(all)),
            test_jvm: TestJvm {
                options: self.without_others(module.test_jvm.options),
                ..module.test_jvm
            },
            ..module
        }
    }

    /// Removes the other modules from `--add-modules`, unless the options have a module path.
    fn without_others(&self, options: Vec<String>) -> Vec<String> {
        let is_module_path =
            |option: &String| option.starts_with("--module-path") || option == "-p";
        if options.iter().any(is_module_path) {
            return options;
        }
        let mut kept = Vec::new();
        let mut remaining = options.into_iter();
        while let Some(option) = remaining.next() {
            let modules = match option.strip_prefix("--add-modules") {
                Some("") => remaining.next(),
                Some(rest) => rest.strip_prefix('=').map(str::to_owned),
                None => None,
            };
            let Some(modules) = modules else {
                kept.push(option);
                continue;
            };
            let mut names: Vec<&str> = modules.split(',').collect();
            names.retain(|name| name.starts_with(SET_PREFIX) || self.0.contains(*name));
            if !names.is_empty() {
                kept.push(format!("--add-modules={}", names.join(",")));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restrict(options: &str) -> String {
        let modules = SystemModules(["java.sql", "java.xml"].map(str::to_owned).into());
        modules.without_others(options.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn only_modules_of_the_jdk_are_added() {
        assert_eq!(restrict("-ea --add-modules jakarta.mail -Xss1m"), "-ea -Xss1m");
        assert_eq!(restrict("--add-modules=a.b,java.sql"), "--add-modules=java.sql");
        assert_eq!(restrict("--add-modules ALL-SYSTEM -ea"), "--add-modules=ALL-SYSTEM -ea");
    }

    #[test]
    fn modules_on_a_module_path_are_kept() {
        for options in ["--add-modules a.b --module-path=x", "--add-modules a.b -p x"] {
            assert_eq!(restrict(options), options);
        }
    }

    #[test]
    fn names_are_read_from_the_release_file() {
        let folder = tempfile::tempdir().unwrap();
        let release = folder.path().join("release");
        std::fs::write(&release, "JAVA_VERSION=\"17\"\nMODULES=\"java.base java.sql\"\n").unwrap();
        let modules = SystemModules::read_file(&release).unwrap();
        assert_eq!(modules.0, ["java.base", "java.sql"].map(str::to_owned).into());
        std::fs::write(&release, "JAVA_VERSION=\"1.8\"\n").unwrap();
        assert!(SystemModules::read_file(&release).is_none());
    }
}
