//! What libraries hold.

use std::path::Path;

/// Whether a jar or a folder of classes has an entry; the names of a jar's entries stand in it uncompressed.
pub(crate) fn holds(place: &Path, entry: &str) -> bool {
    if place.is_dir() {
        return place.join(entry).is_file();
    }
    let bytes = std::fs::read(place).unwrap_or_default();
    bstr::ByteSlice::contains_str(bytes.as_slice(), entry)
}
