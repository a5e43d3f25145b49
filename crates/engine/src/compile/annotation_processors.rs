//! Detection of annotation processors in libraries.

use crate::jdk::jar::contains_entry;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Service file of annotation processors.
const SERVICE: &str = "META-INF/services/javax.annotation.processing.Processor";

/// A jar as it was when it was read: where it is, its bytes, and when it was written.
type JarKey = (PathBuf, u64, Option<SystemTime>);

/// Knows of each library whether it holds an annotation processor, and reads no jar twice.
#[derive(Clone, Default)]
pub(crate) struct ProcessorDetector(Arc<Mutex<HashMap<JarKey, bool>>>);

impl ProcessorDetector {
    /// Returns true if a jar or class folder contains an annotation processor.
    pub(crate) fn are_in(&self, place: &Path) -> bool {
        let Ok(metadata) = place.metadata() else { return false };
        if metadata.is_dir() {
            return contains_entry(place, SERVICE);
        }
        let jar = (place.to_owned(), metadata.len(), metadata.modified().ok());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(jar).or_insert_with(|| contains_entry(place, SERVICE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_jar_with_a_processor_is_told_by_its_entry() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("a.jar");
        let processors = ProcessorDetector::default();
        fs::write(&jar, ["PK..", SERVICE, ".."].concat()).unwrap();
        assert!(processors.are_in(&jar));
        fs::write(&jar, b"PK").unwrap();
        assert!(!processors.are_in(&jar));
        assert!(!processors.are_in(&folder.path().join("gone.jar")));
    }

    #[test]
    fn a_folder_with_a_processor_is_told_by_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let processors = ProcessorDetector::default();
        assert!(!processors.are_in(folder.path()));
        let file = folder.path().join(SERVICE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "a.Processor").unwrap();
        assert!(processors.are_in(folder.path()));
    }
}
