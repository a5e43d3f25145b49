//! SHA-256 digests of blobs.

use bazel_remote_apis::build::bazel::remote::execution::v2;
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Size of the blocks in which files are read.
const BLOCK_BYTES: usize = 1 << 16;

/// SHA-256 digest of a blob, with its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlobDigest {
    hash: [u8; 32],
    size: u64,
}

impl BlobDigest {
    /// Returns the digest of bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self { hash: Sha256::digest(bytes).into(), size: bytes.len() as u64 }
    }

    /// Returns the digest of a file.
    pub(crate) fn of_file(path: &Path) -> io::Result<Self> {
        let (mut file, mut hasher, mut size) = (File::open(path)?, Sha256::new(), 0);
        let mut block = vec![0; BLOCK_BYTES];
        loop {
            let count = file.read(&mut block)?;
            if count == 0 {
                return Ok(Self { hash: hasher.finalize().into(), size });
            }
            hasher.update(&block[..count]);
            size += count as u64;
        }
    }

    /// Returns the size of the blob, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the hash in hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        self.hash.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// Returns the protocol's form.
    pub(crate) fn to_proto(self) -> v2::Digest {
        v2::Digest { hash: self.hex(), size_bytes: i64::try_from(self.size).unwrap_or(i64::MAX) }
    }
}

impl fmt::Debug for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.hex(), self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_and_bytes_have_the_same_digest() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes = vec![7; BLOCK_BYTES + 1];
        std::fs::write(file.path(), &bytes).unwrap();
        let digest = BlobDigest::of_bytes(&bytes);
        assert_eq!(BlobDigest::of_file(file.path()).unwrap(), digest);
        assert_eq!(digest.size(), bytes.len() as u64);
    }

    #[test]
    fn empty_blob_has_the_known_hash() {
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(BlobDigest::of_bytes(b"").to_proto().hash, hex);
    }
}
