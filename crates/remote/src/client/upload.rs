//! Uploads blobs that the server lacks.

use crate::client::connection::Connection;
use crate::client::fault::Fault;
use crate::digest::BlobDigest;
use crate::merkle::{Entry, Folder};
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    BatchUpdateBlobsRequest, FindMissingBlobsRequest, batch_update_blobs_request, digest_function,
};
use bazel_remote_apis::google::bytestream::WriteRequest;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::Sender;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

/// Number of digests in one request.
const MAX_DIGESTS: usize = 10_000;

/// Size of the parts of a large blob, in bytes.
const PART_BYTES: usize = 1 << 20;

/// Size of a blob's digest and lengths in a request, in bytes.
const BLOB_OVERHEAD_BYTES: u64 = 128;

/// Content of a blob.
#[derive(Clone, Debug)]
pub(crate) enum BlobSource {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A file.
    File(PathBuf),
}

/// Blobs of an input root, by digest.
pub(crate) type Blobs = BTreeMap<BlobDigest, BlobSource>;

/// Adds the blobs of a folder whose files are below `place`. Entries that `is_known` are left out.
pub(crate) fn add_folder_blobs(
    folder: &Folder,
    place: &Path,
    is_known: &dyn Fn(&BlobDigest) -> bool,
    blobs: &mut Blobs,
) {
    if !is_known(&folder.digest) {
        blobs.insert(folder.digest, BlobSource::Bytes(folder.encode()));
    }
    for (name, entry) in &folder.entries {
        match entry {
            Entry::File { digest, .. } if !is_known(digest) => {
                blobs.insert(*digest, BlobSource::File(place.join(name)));
            }
            Entry::Folder(below) => add_folder_blobs(below, &place.join(name), is_known, blobs),
            Entry::File { .. } | Entry::Link { .. } => {}
        }
    }
}

/// Uploader, which remembers the blobs that the server has.
#[derive(Debug, Default)]
pub(crate) struct Uploader {
    known: Mutex<HashSet<BlobDigest>>,
    /// Hashes of blobs that workers lack. The server's list of blobs may be out of date.
    lost: Mutex<BTreeSet<String>>,
    uploaded_bytes: AtomicU64,
}

impl Uploader {
    /// Returns true if the server had the blob earlier in this run.
    pub(crate) fn is_known(&self, digest: &BlobDigest) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(digest)
    }

    /// Forgets all blobs, because the server has removed some. Those with these hashes are uploaded even if it says that
    /// it has them.
    pub(crate) fn forget_all(&self, lost: &BTreeSet<String>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.lock_lost().extend(lost.iter().cloned());
    }

    fn lock_lost(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the blobs that the server lacks, or that it lost.
    async fn find_missing(
        &self,
        connection: &Connection,
        digests: &[BlobDigest],
    ) -> Result<BTreeSet<BlobDigest>, Fault> {
        let missing = find_missing(connection, digests).await?;
        let lost = self.lock_lost();
        let is_lost = |digest: &&BlobDigest| !lost.is_empty() && lost.contains(&digest.hex());
        Ok(missing.into_iter().chain(digests.iter().filter(is_lost).copied()).collect())
    }

    /// Returns the number of bytes that were uploaded.
    pub(crate) fn uploaded_bytes(&self) -> u64 {
        self.uploaded_bytes.load(Ordering::Relaxed)
    }

    /// Uploads the blobs that the server lacks.
    pub(crate) async fn upload(&self, connection: &Connection, blobs: &Blobs) -> Result<(), Fault> {
        let unknown: Vec<BlobDigest> =
            blobs.keys().filter(|digest| !self.is_known(digest)).copied().collect();
        let mut small = Vec::new();
        let mut small_bytes = 0;
        for digest in self.find_missing(connection, &unknown).await? {
            let Some(source) = blobs.get(&digest) else { continue };
            if digest.size() > connection.max_batch_bytes {
                write_large(connection, &digest, source).await?;
            } else {
                let bytes = digest.size() + BLOB_OVERHEAD_BYTES;
                if small_bytes + bytes > connection.max_batch_bytes {
                    write_small(connection, std::mem::take(&mut small)).await?;
                    small_bytes = 0;
                }
                small_bytes += bytes;
                small.push((digest, source));
            }
            self.uploaded_bytes.fetch_add(digest.size(), Ordering::Relaxed);
        }
        write_small(connection, small).await?;
        self.lock_lost().retain(|hash| !unknown.iter().any(|digest| digest.hex() == *hash));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(unknown);
        Ok(())
    }
}

async fn find_missing(
    connection: &Connection,
    digests: &[BlobDigest],
) -> Result<Vec<BlobDigest>, Fault> {
    let mut missing = Vec::new();
    for part in digests.chunks(MAX_DIGESTS) {
        let message = FindMissingBlobsRequest {
            instance_name: connection.instance.clone(),
            blob_digests: part.iter().map(|digest| digest.to_proto()).collect(),
            digest_function: digest_function::Value::Sha256 as i32,
        };
        let call = || async {
            connection.storage().find_missing_blobs(connection.request(message.clone())).await
        };
        let answer = connection.repeat(call).await?.into_inner().missing_blob_digests;
        let hashes: HashSet<String> = answer.into_iter().map(|digest| digest.hash).collect();
        missing.extend(part.iter().filter(|digest| hashes.contains(&digest.hex())));
    }
    Ok(missing)
}

async fn write_small(
    connection: &Connection,
    blobs: Vec<(BlobDigest, &BlobSource)>,
) -> Result<(), Fault> {
    if blobs.is_empty() {
        return Ok(());
    }
    let mut requests = Vec::new();
    for (digest, source) in blobs {
        requests.push(batch_update_blobs_request::Request {
            digest: Some(digest.to_proto()),
            data: read_source(source)?,
            compressor: 0,
        });
    }
    let message = BatchUpdateBlobsRequest {
        instance_name: connection.instance.clone(),
        requests,
        digest_function: digest_function::Value::Sha256 as i32,
    };
    let call = || async {
        let request = connection.request(message.clone());
        let answer = connection.storage().batch_update_blobs(request).await?.into_inner();
        let mut statuses = answer.responses.into_iter().filter_map(|response| response.status);
        match statuses.find(|status| status.code != 0) {
            None => Ok(()),
            Some(status) => Err(Status::new(status.code.into(), status.message)),
        }
    };
    connection.repeat(call).await
}

fn read_source(source: &BlobSource) -> Result<Vec<u8>, Fault> {
    match source {
        BlobSource::Bytes(bytes) => Ok(bytes.clone()),
        BlobSource::File(path) => std::fs::read(path).map_err(|error| unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::Lost(format!("{}: {error}", path.display()))
}

/// Uploads a blob in parts.
async fn write_large(
    connection: &Connection,
    digest: &BlobDigest,
    source: &BlobSource,
) -> Result<(), Fault> {
    let call = || async {
        let parts = write_requests(connection, digest, source)?;
        // A slow connection may need longer than a request.
        let request = connection.unlimited_request(parts);
        connection.byte_stream().write(request).await.map(drop)
    };
    connection.repeat(call).await
}

/// Starts to read a blob, and returns the stream of its parts.
fn write_requests(
    connection: &Connection,
    digest: &BlobDigest,
    source: &BlobSource,
) -> Result<ReceiverStream<WriteRequest>, Status> {
    let prefix = match connection.instance.as_str() {
        "" => String::new(),
        instance => format!("{instance}/"),
    };
    let (hex, size) = (digest.hex(), digest.size());
    let resource_name = format!("{prefix}uploads/{}/blobs/{hex}/{size}", random_uuid());
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    match source.clone() {
        BlobSource::Bytes(bytes) => {
            let content = Cursor::new(bytes);
            tokio::task::spawn_blocking(move || send_parts(&sender, resource_name, size, content));
        }
        BlobSource::File(path) => {
            let fault = |error| Status::data_loss(unreadable(&path, &error).to_string());
            let content = File::open(&path).map_err(fault)?;
            tokio::task::spawn_blocking(move || send_parts(&sender, resource_name, size, content));
        }
    }
    Ok(ReceiverStream::new(receiver))
}

fn send_parts(
    sender: &Sender<WriteRequest>,
    mut resource_name: String,
    size: u64,
    mut content: impl Read,
) {
    let mut offset = 0;
    while offset < size {
        let mut data = vec![0; PART_BYTES];
        // If the file is shorter now, the server refuses the blob.
        let count = content.read(&mut data).unwrap_or(0);
        data.truncate(count);
        let write_offset = i64::try_from(offset).unwrap_or(i64::MAX);
        offset += count as u64;
        let finish_write = count == 0 || offset >= size;
        let resource_name = std::mem::take(&mut resource_name);
        let part = WriteRequest { resource_name, write_offset, finish_write, data };
        if sender.blocking_send(part).is_err() || finish_write {
            return;
        }
    }
}

/// Returns a random identifier of an upload, in the form of a UUID.
fn random_uuid() -> String {
    let digits = format!("{:032x}", fastrand::u128(..));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]).join("-")
}
