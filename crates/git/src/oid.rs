//! Conversion of object ids to those of libgit2.

use mend_model::BlobId;
use mend_model::TreeId;

/// Object id that can be converted to one of libgit2.
pub(super) trait ToOid {
    fn oid(&self) -> Result<git2::Oid, git2::Error>;
}

impl ToOid for TreeId {
    fn oid(&self) -> Result<git2::Oid, git2::Error> {
        git2::Oid::from_str(&self.0)
    }
}

impl ToOid for BlobId {
    fn oid(&self) -> Result<git2::Oid, git2::Error> {
        git2::Oid::from_str(&self.0)
    }
}
