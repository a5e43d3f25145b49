//! Packages that later versions of the JDK no longer contain.

/// Packages with their subpackages, and the first version without them (JEP 320 and JEP 372).
const REMOVED_PACKAGES: [(&str, u32); 10] = [
    ("javax.activation", 11),
    ("javax.annotation", 11),
    ("javax.jws", 11),
    ("javax.rmi", 11),
    ("javax.transaction", 11),
    ("javax.xml.bind", 11),
    ("javax.xml.soap", 11),
    ("javax.xml.ws", 11),
    ("org.omg", 11),
    ("jdk.nashorn", 15),
];

/// A package that the code needs and that later versions of the JDK no longer contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RemovedPackage {
    pub(super) name: &'static str,
    /// First version of the JDK without it.
    pub(super) removed_in: u32,
}

/// Returns the first such package that `javac` misses.
pub(super) fn find_removed_package(diagnostics: &str) -> Option<RemovedPackage> {
    let missing_package = |line: &str| {
        let (_, message) = line.split_once(": error: package ")?;
        Some(message.strip_suffix(" does not exist")?.to_owned())
    };
    diagnostics.lines().filter_map(missing_package).find_map(|missing| {
        let contains = |package: &str| {
            missing
                .strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let (name, removed_in) = *REMOVED_PACKAGES.iter().find(|(name, _)| contains(name))?;
        Some(RemovedPackage { name, removed_in })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(package: &str) -> String {
        format!(
            "src/A.java:3: error: package {package} does not exist\nimport {package}.B;\n1 error\n"
        )
    }

    #[test]
    fn packages_that_left_the_jdk_are_recognised_with_their_subpackages() {
        for (package, name, removed_in) in [
            ("javax.annotation", "javax.annotation", 11),
            ("javax.xml.bind.annotation", "javax.xml.bind", 11),
            ("jdk.nashorn.api.scripting", "jdk.nashorn", 15),
        ] {
            let expected = Some(RemovedPackage { name, removed_in });
            assert_eq!(find_removed_package(&missing(package)), expected);
        }
    }

    #[test]
    fn packages_of_libraries_did_not_leave_the_jdk() {
        for package in ["javax.annotations", "javax.servlet", "org.junit"] {
            assert_eq!(find_removed_package(&missing(package)), None);
        }
        assert_eq!(find_removed_package("src/A.java:3: error: ';' expected\n"), None);
    }
}
