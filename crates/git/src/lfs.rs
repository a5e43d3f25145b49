//! Detection of Git LFS pointers.

/// Maximum length of a pointer that Git LFS accepts, in bytes.
const MAX_POINTER_BYTES: usize = 1024;

/// Returns true if the content is a Git LFS pointer instead of the file itself.
pub fn is_lfs_pointer(content: &[u8]) -> bool {
    content.len() < MAX_POINTER_BYTES
        && content.starts_with(b"version https://git-lfs.github.com/spec/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_lfs_pointers_are_detected() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        assert!(is_lfs_pointer(pointer));
        assert!(!is_lfs_pointer(b"See version https://git-lfs.github.com/spec/v1"));
    }
}
