//! Entries of jars and class folders.

use std::path::Path;

/// Returns true if a jar or class folder contains an entry. Names of entries are stored uncompressed in a jar.
pub(crate) fn contains_entry(place: &Path, entry: &str) -> bool {
    if place.is_dir() {
        return place.join(entry).is_file();
    }
    let bytes = std::fs::read(place).unwrap_or_default();
    bstr::ByteSlice::contains_str(bytes.as_slice(), entry)
}
