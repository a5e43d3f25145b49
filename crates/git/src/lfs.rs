//! Files that Git LFS keeps elsewhere.

/// The longest pointer that Git LFS itself accepts, in bytes.
const LONGEST_POINTER: usize = 1024;

/// Returns true if the content is a Git LFS pointer instead of the file itself.
pub fn is_lfs_pointer(content: &[u8]) -> bool {
    content.len() < LONGEST_POINTER
        && content.starts_with(b"version https://git-lfs.github.com/spec/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_told_from_a_text_about_it() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        assert!(is_lfs_pointer(pointer));
        assert!(!is_lfs_pointer(b"See version https://git-lfs.github.com/spec/v1"));
    }
}
