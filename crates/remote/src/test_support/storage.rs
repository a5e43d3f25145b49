//! Store of blobs on disk, and the input roots made of them.

use crate::client::fault::{PreconditionFailure, Violation};
use crate::digest::BlobDigest;
use bazel_remote_apis::build::bazel::remote::execution::v2;
use bazel_remote_apis::google::protobuf::Any;
use bazel_remote_apis::google::rpc;
use prost::Message;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tonic::{Code, Status};

/// Store of blobs.
#[derive(Debug)]
pub(super) struct Storage {
    folder: PathBuf,
    written: AtomicU64,
}

impl Storage {
    pub(super) fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        Self { folder, written: AtomicU64::new(0) }
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(hash)
    }

    pub(super) fn has(&self, digest: &v2::Digest) -> bool {
        digest.size_bytes == 0 || self.path(&digest.hash).is_file()
    }

    pub(super) fn written_bytes(&self) -> u64 {
        self.written.load(Ordering::SeqCst)
    }

    pub(super) fn read(&self, digest: &v2::Digest) -> Result<Vec<u8>, Status> {
        if digest.size_bytes == 0 {
            return Ok(Vec::new());
        }
        fs::read(self.path(&digest.hash)).map_err(|_| Status::not_found(digest.hash.clone()))
    }

    pub(super) fn read_message<M: Message + Default>(
        &self,
        digest: Option<&v2::Digest>,
    ) -> Result<M, Status> {
        let digest = digest.ok_or_else(|| Status::invalid_argument("no digest"))?;
        let bytes = self.read(digest).map_err(|_| missing_blob(digest))?;
        M::decode(bytes.as_slice()).map_err(|error| Status::invalid_argument(error.to_string()))
    }

    /// Stores a blob, if it has this digest.
    pub(super) fn write(&self, digest: &v2::Digest, bytes: &[u8]) -> Result<(), Status> {
        if BlobDigest::of_bytes(bytes).to_proto() != *digest {
            return Err(Status::invalid_argument("the blob has another digest"));
        }
        self.written.fetch_add(bytes.len() as u64, Ordering::SeqCst);
        let temporary = tempfile::NamedTempFile::new_in(&self.folder).unwrap();
        fs::write(temporary.path(), bytes).unwrap();
        fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o555)).unwrap();
        temporary.persist(self.path(&digest.hash)).unwrap();
        Ok(())
    }

    pub(super) fn put(&self, bytes: &[u8]) -> v2::Digest {
        let digest = BlobDigest::of_bytes(bytes).to_proto();
        self.write(&digest, bytes).unwrap();
        digest
    }

    pub(super) fn remove(&self, hash: &str) {
        fs::remove_file(self.path(hash)).unwrap();
    }

    pub(super) fn clear(&self) {
        for entry in fs::read_dir(&self.folder).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }

    /// Returns the content of a file of an input root, or `None` if there is none.
    pub(super) fn read_file(&self, root: Option<&v2::Digest>, path: &str) -> Option<Vec<u8>> {
        let folder: v2::Directory = self.read_message(root).ok()?;
        if let Some((name, rest)) = path.split_once('/') {
            let below = folder.directories.iter().find(|below| below.name == name)?;
            return self.read_file(below.digest.as_ref(), rest);
        }
        let file = folder.files.iter().find(|file| file.name == path)?;
        self.read(file.digest.as_ref()?).ok()
    }

    /// Creates an input root. Executable files are hard links, as on other servers.
    pub(super) fn stage(&self, digest: Option<&v2::Digest>, target: &Path) -> Result<(), Status> {
        let folder: v2::Directory = self.read_message(digest)?;
        fs::create_dir_all(target).unwrap();
        for file in folder.files {
            let (digest, path) = (file.digest.unwrap_or_default(), target.join(file.name));
            if !self.has(&digest) {
                return Err(missing_blob(&digest));
            }
            if digest.size_bytes == 0 {
                fs::write(&path, "").unwrap();
            } else if file.is_executable {
                fs::hard_link(self.path(&digest.hash), &path).unwrap();
            } else {
                fs::copy(self.path(&digest.hash), &path).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
            }
        }
        for link in folder.symlinks {
            std::os::unix::fs::symlink(link.target, target.join(link.name)).unwrap();
        }
        for below in folder.directories {
            self.stage(below.digest.as_ref(), &target.join(below.name))?;
        }
        Ok(())
    }
}

/// Returns the error for a blob that an action needs, as the protocol defines it.
fn missing_blob(digest: &v2::Digest) -> Status {
    let message = format!("missing {}", digest.hash);
    let subject = format!("blobs/{}/{}", digest.hash, digest.size_bytes);
    let violation = Violation { r#type: "MISSING".to_owned(), subject };
    let failure = PreconditionFailure { violations: vec![violation] };
    let type_url = "type.googleapis.com/google.rpc.PreconditionFailure".to_owned();
    let details = vec![Any { type_url, value: failure.encode_to_vec() }];
    let status =
        rpc::Status { code: Code::FailedPrecondition as i32, message: message.clone(), details };
    Status::with_details(Code::FailedPrecondition, message, status.encode_to_vec().into())
}
