//! Detection of the source encoding, for builds that specify none.

use std::path::PathBuf;

/// Fallback encoding for sources that are not UTF-8: the compiler accepts every byte in it.
pub(crate) const FALLBACK_ENCODING: &str = "ISO-8859-1";

/// Returns UTF-8 if all files are valid in it, otherwise an encoding in which every byte is valid.
pub(crate) fn detect_encoding(files: &[PathBuf]) -> &'static str {
    let is_utf_8 =
        |file: &PathBuf| std::fs::read(file).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok());
    if files.iter().all(is_utf_8) { "UTF-8" } else { FALLBACK_ENCODING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_non_utf8_file_selects_the_fallback() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old) = (dir.path().join("New.java"), dir.path().join("Old.java"));
        std::fs::write(&new, "// é").unwrap();
        std::fs::write(&old, b"// \xe9").unwrap();
        assert_eq!(detect_encoding(std::slice::from_ref(&new)), "UTF-8");
        assert_eq!(detect_encoding(&[new, old]), "ISO-8859-1");
    }
}
