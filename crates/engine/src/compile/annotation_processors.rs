//! Detection of annotation processors in libraries.

use crate::jdk::jar::contains_entry;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Service file of annotation processors.
const PROCESSOR_SERVICE_FILE: &str = "META-INF/services/javax.annotation.processing.Processor";

/// Identity of a jar: path, size and modification time.
type JarKey = (PathBuf, u64, Option<SystemTime>);

/// Detector of annotation processors, which caches the result for each jar.
#[derive(Clone, Default)]
pub(crate) struct ProcessorDetector(Arc<Mutex<HashMap<JarKey, bool>>>);

impl ProcessorDetector {
    /// Returns true if a jar or class folder contains an annotation processor.
    pub(crate) fn has_processor(&self, library: &Path) -> bool {
        let Ok(metadata) = library.metadata() else { return false };
        if metadata.is_dir() {
            return contains_entry(library, PROCESSOR_SERVICE_FILE);
        }
        let jar = (library.to_owned(), metadata.len(), metadata.modified().ok());
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *results.entry(jar).or_insert_with(|| contains_entry(library, PROCESSOR_SERVICE_FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn processor_in_jar_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("a.jar");
        let processors = ProcessorDetector::default();
        fs::write(&jar, ["PK..", PROCESSOR_SERVICE_FILE, ".."].concat()).unwrap();
        assert!(processors.has_processor(&jar));
        fs::write(&jar, b"PK").unwrap();
        assert!(!processors.has_processor(&jar));
        assert!(!processors.has_processor(&folder.path().join("gone.jar")));
    }

    #[test]
    fn processor_in_folder_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let processors = ProcessorDetector::default();
        assert!(!processors.has_processor(folder.path()));
        let file = folder.path().join(PROCESSOR_SERVICE_FILE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "a.Processor").unwrap();
        assert!(processors.has_processor(folder.path()));
    }
}
