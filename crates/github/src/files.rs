//! Reads files of a commit, byte for byte.

use super::error::{ApiError, ApiResult};
use super::repo::Repo;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;

/// Kind of a tree entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// An executable file.
    Executable,
    /// A folder.
    Folder,
    /// A link or a submodule.
    Other,
}

impl EntryKind {
    fn from_mode(mode: &str) -> Self {
        match mode {
            "100644" => Self::File,
            "100755" => Self::Executable,
            "040000" => Self::Folder,
            _ => Self::Other,
        }
    }

    /// Returns the mode in git trees.
    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::Executable => "100755",
            Self::Folder => "040000",
            Self::File | Self::Other => "100644",
        }
    }
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTreeEntry {
    /// The kind.
    pub kind: EntryKind,
    /// Object id of its content.
    pub id: String,
}

#[derive(Deserialize)]
struct TreeResponse {
    tree: Vec<TreeEntryResponse>,
}

#[derive(Deserialize)]
struct TreeEntryResponse {
    path: String,
    mode: String,
    sha: String,
}

impl Repo {
    /// Returns the entry at a path, folder by folder: recursive listings are truncated in large repositories.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn find_entry(&self, tree: &str, path: &str) -> ApiResult<Option<RemoteTreeEntry>> {
        let mut current = RemoteTreeEntry { kind: EntryKind::Folder, id: tree.to_owned() };
        for name in path.split('/') {
            if current.kind != EntryKind::Folder {
                // A file is at the path of a folder: the change would replace it.
                return Ok(Some(RemoteTreeEntry { kind: EntryKind::Other, id: current.id }));
            }
            let route = self.api_route(&format!("/git/trees/{}", current.id));
            let folder: TreeResponse = self.client.get(&route).await?;
            let Some(found) = folder.tree.into_iter().find(|entry| entry.path == name) else {
                return Ok(None);
            };
            current = RemoteTreeEntry { kind: EntryKind::from_mode(&found.mode), id: found.sha };
        }
        Ok(Some(current))
    }

    /// Returns the entries of a folder, or none if it does not exist.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn list_folder(
        &self,
        tree: &str,
        path: &str,
    ) -> ApiResult<Vec<(String, RemoteTreeEntry)>> {
        let Some(folder) = self.find_entry(tree, path).await? else { return Ok(Vec::new()) };
        if folder.kind != EntryKind::Folder {
            return Ok(Vec::new());
        }
        let tree: TreeResponse =
            self.client.get(&self.api_route(&format!("/git/trees/{}", folder.id))).await?;
        let entries = tree.tree.into_iter().map(|raw| {
            (raw.path, RemoteTreeEntry { kind: EntryKind::from_mode(&raw.mode), id: raw.sha })
        });
        Ok(entries.collect())
    }

    /// Fetches the content of an entry.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn read_blob(&self, entry: &RemoteTreeEntry) -> ApiResult<Vec<u8>> {
        #[derive(Deserialize)]
        struct BlobResponse {
            content: String,
        }
        let blob: BlobResponse =
            self.client.get(&self.api_route(&format!("/git/blobs/{}", entry.id))).await?;
        // GitHub inserts line breaks into the text.
        let text: String = blob.content.split_whitespace().collect();
        BASE64.decode(text).map_err(|error| ApiError::MalformedResponse(error.to_string()))
    }
}
