//! Digest of named parts, for cache keys.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Start of an entry in the directory of a zip archive.
const ENTRY_RECORD: &[u8] = b"PK\x01\x02";

/// Start of the record at the end of a zip archive.
const END_RECORD: &[u8] = b"PK\x05\x06";

/// Maximum length of this record with the comment of the archive, in bytes.
const MAX_ARCHIVE_END: u64 = 22 + 0xFFFF;

/// Maximum size of a file that is read whole, in bytes.
const MAX_CONTENT: u64 = 16 << 20;

/// Digest of named parts. Different lists of parts have different digests.
#[derive(Clone, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    pub(crate) fn add(&mut self, name: &str, value: impl AsRef<[u8]>) {
        for part in [name.as_bytes(), value.as_ref()] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Adds a file by path, size and time of change; folders by path alone.
    pub(crate) fn add_file(&mut self, path: &Path) {
        self.add("file", path.as_os_str().as_encoded_bytes());
        let Ok(metadata) = path.metadata() else { return };
        if metadata.is_file() {
            self.add("size", metadata.len().to_le_bytes());
            let modified = metadata.modified().ok();
            let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            self.add("changed", since_epoch.unwrap_or_default().as_nanos().to_le_bytes());
        }
    }

    /// Adds a file by path, size and content, which are the same on another machine; folders by path alone. The content
    /// of an archive is known by its directory, which has a checksum of each entry. Other large files are added by
    /// time of change.
    pub(crate) fn add_file_content(&mut self, path: &Path) {
        match read_identity(path) {
            Ok(Some((size, content))) => {
                self.add("file", path.as_os_str().as_encoded_bytes());
                self.add("size", size.to_le_bytes());
                self.add("content", content);
            }
            Ok(None) | Err(_) => self.add_file(path),
        }
    }

    pub(crate) fn finish_hex(self) -> String {
        self.0.finalize().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// Returns the size of a file with its content, or with the directory of an archive; `None` if it is a folder, or a
/// large file of another kind.
fn read_identity(path: &Path) -> std::io::Result<Option<(u64, Vec<u8>)>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.len();
    if !metadata.is_file() {
        return Ok(None);
    }
    let mut read_end = |length: u64| -> std::io::Result<Vec<u8>> {
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(size - length.min(size)))?;
        file.by_ref().take(length).read_to_end(&mut end)?;
        Ok(end)
    };
    let end = read_end(MAX_ARCHIVE_END)?;
    if let Some(length) = archive_directory_length(&end).filter(|length| *length <= size) {
        let directory = read_end(length)?;
        // The comment of an archive, or another file, may contain the bytes of an end record.
        if directory.starts_with(ENTRY_RECORD) {
            return Ok(Some((size, directory)));
        }
    }
    if size <= MAX_CONTENT { Ok(Some((size, read_end(size)?))) } else { Ok(None) }
}

/// Returns the length of the directory of a zip archive and all that follows, from the end of the archive.
fn archive_directory_length(end: &[u8]) -> Option<u64> {
    let record = end.windows(END_RECORD.len()).rposition(|bytes| bytes == END_RECORD)?;
    let length = end.get(record + 12..record + 16)?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    // Archives with more than 4 GB have the length elsewhere.
    (length != u32::MAX).then(|| u64::from(length) + (end.len() - record) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an archive with one entry, whose checksum is this.
    fn archive(checksum: u8) -> Vec<u8> {
        let mut directory = b"PK\x01\x02".to_vec();
        directory.push(checksum);
        let mut archive = vec![7; 100];
        archive.extend(&directory);
        archive.extend(END_RECORD);
        archive.extend([0; 8]);
        archive.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
        archive.extend(100_u32.to_le_bytes());
        archive.extend([0; 2]);
        archive
    }

    fn file_digest(path: &Path) -> String {
        let mut digest = Digest::default();
        digest.add_file_content(path);
        digest.finish_hex()
    }

    #[test]
    fn digest_of_a_file_depends_on_its_content_and_not_on_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for [one, other] in [[archive(1), archive(2)], [b"one".to_vec(), b"two".to_vec()]] {
            std::fs::write(&path, &one).unwrap();
            let first = file_digest(&path);
            File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
            assert_eq!(file_digest(&path), first);
            std::fs::write(&path, &other).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
            assert_ne!(file_digest(&path), first);
        }
    }

    #[test]
    fn directory_of_an_archive_is_found_at_its_end() {
        // Directory and end record.
        assert_eq!(archive_directory_length(&archive(1)), Some(5 + 22));
        assert_eq!(archive_directory_length(b"class A {}"), None);
        assert_eq!(archive_directory_length(b"PK\x05\x06 cut"), None);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("jar");
        std::fs::write(&path, archive(1)).unwrap();
        let (size, content) = read_identity(&path).unwrap().unwrap();
        assert_eq!((size, content.len()), (127, 27));
        assert!(read_identity(dir.path()).unwrap().is_none());
    }

    #[test]
    fn bytes_like_an_end_record_do_not_hide_the_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let digests = [b"one", b"two"].map(|text| {
            std::fs::write(&path, [&text[..], END_RECORD, &[0; 18]].concat()).unwrap();
            file_digest(&path)
        });
        assert_ne!(digests[0], digests[1]);
    }

    #[test]
    fn part_boundaries_change_the_digest() {
        let hash = |parts: [(&str, &str); 2]| {
            let mut digest = Digest::default();
            for (name, value) in parts {
                digest.add(name, value);
            }
            digest.finish_hex()
        };
        assert_ne!(hash([("a", "bc"), ("d", "")]), hash([("a", "b"), ("cd", "")]));
    }
}
