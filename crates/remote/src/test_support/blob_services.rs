//! Services of the fake server that store blobs.

use super::services::Service;
use bazel_remote_apis::build::bazel::remote::execution::v2::content_addressable_storage_server::ContentAddressableStorage;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    BatchReadBlobsRequest, BatchReadBlobsResponse, BatchUpdateBlobsRequest,
    BatchUpdateBlobsResponse, Digest, FindMissingBlobsRequest, FindMissingBlobsResponse,
    GetChunkMappingRequest, GetChunkMappingResponse, GetTreeRequest, GetTreeResponse,
    RegisterChunkMappingRequest, RegisterChunkMappingResponse, SpliceBlobRequest,
    SpliceBlobResponse, SplitBlobRequest, SplitBlobResponse, batch_update_blobs_response,
};
use bazel_remote_apis::google::bytestream::byte_stream_server::ByteStream;
use bazel_remote_apis::google::bytestream::{
    QueryWriteStatusRequest, QueryWriteStatusResponse, ReadRequest, ReadResponse, WriteRequest,
    WriteResponse,
};
use bazel_remote_apis::google::rpc;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Number of bytes of an answer to a reader.
const PART_BYTES: usize = 1000;

#[tonic::async_trait]
impl ContentAddressableStorage for Service {
    type GetTreeStream = ReceiverStream<Result<GetTreeResponse, Status>>;
    type GetChunkMappingStream = ReceiverStream<Result<GetChunkMappingResponse, Status>>;

    async fn find_missing_blobs(
        &self,
        request: Request<FindMissingBlobsRequest>,
    ) -> Result<Response<FindMissingBlobsResponse>, Status> {
        self.0.check_storage()?;
        let hidden_loss = self.0.hidden_loss.lock().unwrap().clone();
        let is_missing = |digest: &Digest| {
            !self.0.storage.has(digest) && hidden_loss.as_ref() != Some(&digest.hash)
        };
        let digests = request.into_inner().blob_digests.into_iter();
        let missing_blob_digests = digests.filter(is_missing).collect();
        Ok(Response::new(FindMissingBlobsResponse { missing_blob_digests }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<BatchUpdateBlobsRequest>,
    ) -> Result<Response<BatchUpdateBlobsResponse>, Status> {
        self.0.check_storage()?;
        let mut responses = Vec::new();
        for blob in request.into_inner().requests {
            self.0.storage.write(&blob.digest.clone().unwrap_or_default(), &blob.data)?;
            let status = Some(rpc::Status::default());
            responses.push(batch_update_blobs_response::Response { digest: blob.digest, status });
        }
        Ok(Response::new(BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        _: Request<BatchReadBlobsRequest>,
    ) -> Result<Response<BatchReadBlobsResponse>, Status> {
        Err(Status::unimplemented("batch_read_blobs"))
    }

    async fn get_tree(
        &self,
        _: Request<GetTreeRequest>,
    ) -> Result<Response<Self::GetTreeStream>, Status> {
        Err(Status::unimplemented("get_tree"))
    }

    async fn split_blob(
        &self,
        _: Request<SplitBlobRequest>,
    ) -> Result<Response<SplitBlobResponse>, Status> {
        Err(Status::unimplemented("split_blob"))
    }

    async fn get_chunk_mapping(
        &self,
        _: Request<GetChunkMappingRequest>,
    ) -> Result<Response<Self::GetChunkMappingStream>, Status> {
        Err(Status::unimplemented("get_chunk_mapping"))
    }

    async fn splice_blob(
        &self,
        _: Request<SpliceBlobRequest>,
    ) -> Result<Response<SpliceBlobResponse>, Status> {
        Err(Status::unimplemented("splice_blob"))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<Streaming<RegisterChunkMappingRequest>>,
    ) -> Result<Response<RegisterChunkMappingResponse>, Status> {
        Err(Status::unimplemented("register_chunk_mapping"))
    }
}

#[tonic::async_trait]
impl ByteStream for Service {
    type ReadStream = ReceiverStream<Result<ReadResponse, Status>>;

    async fn read(
        &self,
        request: Request<ReadRequest>,
    ) -> Result<Response<Self::ReadStream>, Status> {
        self.0.check_storage()?;
        let bytes = self.0.storage.read(&digest_of(&request.into_inner().resource_name)?)?;
        let (sender, receiver) = mpsc::channel(2);
        tokio::spawn(async move {
            for part in bytes.chunks(PART_BYTES) {
                let _ = sender.send(Ok(ReadResponse { data: part.to_vec() })).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn write(
        &self,
        request: Request<Streaming<WriteRequest>>,
    ) -> Result<Response<WriteResponse>, Status> {
        self.0.check_storage()?;
        let mut stream = request.into_inner();
        let (mut name, mut bytes, mut is_finished) = (String::new(), Vec::new(), false);
        while let Some(part) = stream.message().await? {
            if name.is_empty() {
                name = part.resource_name;
            }
            if part.write_offset != i64::try_from(bytes.len()).unwrap() || is_finished {
                return Err(Status::invalid_argument("wrong offset"));
            }
            bytes.extend_from_slice(&part.data);
            is_finished = part.finish_write;
        }
        if !is_finished {
            return Err(Status::invalid_argument("unfinished"));
        }
        self.0.storage.write(&digest_of(&name)?, &bytes)?;
        let committed_size = i64::try_from(bytes.len()).unwrap();
        Ok(Response::new(WriteResponse { committed_size }))
    }

    async fn query_write_status(
        &self,
        _: Request<QueryWriteStatusRequest>,
    ) -> Result<Response<QueryWriteStatusResponse>, Status> {
        Err(Status::unimplemented("query_write_status"))
    }
}

/// Returns the digest at the end of the name of a blob: `blobs/HASH/SIZE`.
fn digest_of(resource_name: &str) -> Result<Digest, Status> {
    let invalid = || Status::invalid_argument(resource_name.to_owned());
    let (_, digest) = resource_name.rsplit_once("blobs/").ok_or_else(invalid)?;
    let (hash, size) = digest.split_once('/').ok_or_else(invalid)?;
    Ok(Digest { hash: hash.to_owned(), size_bytes: size.parse().map_err(|_| invalid())? })
}
