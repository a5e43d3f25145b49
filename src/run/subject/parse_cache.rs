//! Caches which texts parse as Java. Variants share most of their files.

use mend_java::ParsedSource;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::Mutex;

/// Cached parse results, by digest of the text.
#[derive(Default)]
pub(crate) struct ParseCache(Mutex<HashMap<[u8; 32], bool>>);

impl ParseCache {
    /// Returns true if a text parses as Java.
    pub(crate) fn parses_as_java(&self, text: &[u8]) -> bool {
        let digest = Sha256::digest(text).into();
        let results = self.0.lock().ok().and_then(|results| results.get(&digest).copied());
        results.unwrap_or_else(|| {
            let is_java = ParsedSource::is_valid(text);
            if let Ok(mut results) = self.0.lock() {
                results.insert(digest, is_java);
            }
            is_java
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_result_is_cached() {
        let parsed = ParseCache::default();
        let texts = [&b"class A {}"[..], b"class A {", b"class A {}"];
        assert_eq!(texts.map(|text| parsed.parses_as_java(text)), [true, false, true]);
        assert_eq!(parsed.0.lock().unwrap().len(), 2);
        // Changes the cached results to show that they are used.
        parsed.0.lock().unwrap().values_mut().for_each(|is_java| *is_java = !*is_java);
        assert_eq!(texts.map(|text| parsed.parses_as_java(text)), [false, true, false]);
    }
}
