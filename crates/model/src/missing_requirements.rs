//! Requirements of the build that this machine does not meet.

/// What the build needs and this machine lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingRequirements {
    /// Libraries that are not on this machine.
    pub libraries: Vec<String>,
    /// Java version of the build, if no JDK on this machine supports it.
    pub java_version: Option<u32>,
}

impl MissingRequirements {
    /// Returns true if this machine has everything that the build needs.
    pub fn is_empty(&self) -> bool {
        self.libraries.is_empty() && self.java_version.is_none()
    }

    /// Returns the names of what is missing: the JDK, then the libraries.
    pub fn names(&self) -> Vec<String> {
        let jdk = self.java_version.map(|version| format!("JDK {version}"));
        jdk.into_iter().chain(self.libraries.iter().cloned()).collect()
    }
}
