//! Packages that later versions of the JDK no longer contain.

/// Packages with their subpackages, and the first version without them (JEP 320 and JEP 372). The JDK had only a small
/// part of `javax.transaction`, which mostly comes from a library.
const REMOVED_PACKAGES: [(&str, u32); 8] = [
    ("javax.activation", 11),
    ("javax.jws", 11),
    ("javax.rmi", 11),
    ("javax.xml.bind", 11),
    ("javax.xml.soap", 11),
    ("javax.xml.ws", 11),
    ("org.omg", 11),
    ("jdk.nashorn", 15),
];

/// A package whose other classes come from libraries, such as those of JSR 305.
const SHARED_PACKAGE: &str = "javax.annotation";

/// Classes of [`SHARED_PACKAGE`] that the JDK had before Java 11 (JEP 320).
const REMOVED_ANNOTATIONS: [&str; 5] =
    ["Generated", "PostConstruct", "PreDestroy", "Resource", "Resources"];

/// A package that the code needs and that later versions of the JDK no longer contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RemovedPackage {
    pub(super) name: &'static str,
    /// First version of the JDK without it.
    pub(super) removed_in: u32,
}

/// Returns the first such package that `javac` misses.
pub(super) fn find_removed_package(diagnostics: &str) -> Option<RemovedPackage> {
    let lines: Vec<&str> = diagnostics.lines().collect();
    lines.iter().enumerate().find_map(|(at, line)| {
        let (_, message) = line.split_once(": error: package ")?;
        let package = message.strip_suffix(" does not exist")?;
        let source_line = lines.get(at + 1).copied().unwrap_or_default();
        find_in_package(package, source_line)
    })
}

/// Returns the removed package that contains a missing one. The source line tells which class of it is used.
fn find_in_package(package: &str, source_line: &str) -> Option<RemovedPackage> {
    let is_used = |class: &str| {
        let after = source_line.split_once(&format!("{SHARED_PACKAGE}.{class}"));
        after.is_some_and(|(_, after)| !after.starts_with(char::is_alphanumeric))
    };
    if package == SHARED_PACKAGE {
        let is_removed = REMOVED_ANNOTATIONS.iter().any(|class| is_used(class));
        return is_removed.then_some(RemovedPackage { name: SHARED_PACKAGE, removed_in: 11 });
    }
    let contains = |name: &str| {
        package.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let (name, removed_in) = *REMOVED_PACKAGES.iter().find(|(name, _)| contains(name))?;
    Some(RemovedPackage { name, removed_in })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(package: &str) -> String {
        missing_class(package, "B")
    }

    fn missing_class(package: &str, class: &str) -> String {
        format!(
            "src/A.java:3: error: package {package} does not exist\nimport {package}.{class};\n1 error\n"
        )
    }

    #[test]
    fn annotations_of_jsr_305_never_were_in_the_jdk() {
        let package = "javax.annotation";
        let removed = |class| find_removed_package(&missing_class(package, class));
        for class in ["Generated", "PostConstruct"] {
            assert_eq!(removed(class).map(|package| package.name), Some(package), "{class}");
        }
        assert_eq!(removed("Nullable"), None);
        let both = missing_class(package, "Nullable") + &missing_class(package, "Generated");
        assert!(find_removed_package(&both).is_some());
        assert_eq!(find_removed_package(&missing("javax.annotation.concurrent")), None);
        assert_eq!(find_removed_package(&missing("javax.transaction")), None);
    }

    #[test]
    fn packages_that_left_the_jdk_are_recognised_with_their_subpackages() {
        for (package, name, removed_in) in [
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
