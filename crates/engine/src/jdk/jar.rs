//! Search for an entry in a jar or class folder.

use std::path::Path;

/// Returns true if a jar or class folder contains an entry. Entry names are stored uncompressed in a jar.
pub(crate) fn contains_entry(library: &Path, entry: &str) -> bool {
    if library.is_dir() {
        return library.join(entry).is_file();
    }
    let bytes = std::fs::read(library).unwrap_or_default();
    bstr::ByteSlice::contains_str(bytes.as_slice(), entry)
}
