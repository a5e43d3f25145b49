//! Services of the fake server.

use super::faults::{FakeFault, Faults};
use super::storage::Storage;
use super::worker::WorkerKind;
use crate::batch::{BatchRequest, REQUEST_FILE};
use bazel_remote_apis::build::bazel::remote::execution::v2::capabilities_server::{
    Capabilities, CapabilitiesServer,
};
use bazel_remote_apis::build::bazel::remote::execution::v2::content_addressable_storage_server::{
    ContentAddressableStorage, ContentAddressableStorageServer,
};
use bazel_remote_apis::build::bazel::remote::execution::v2::execution_server::{
    Execution, ExecutionServer,
};
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    self, ActionResult, BatchReadBlobsRequest, BatchReadBlobsResponse, BatchUpdateBlobsRequest,
    BatchUpdateBlobsResponse, CacheCapabilities, Digest, ExecuteOperationMetadata, ExecuteRequest,
    ExecuteResponse, ExecutionCapabilities, FindMissingBlobsRequest, FindMissingBlobsResponse,
    GetCapabilitiesRequest, GetChunkMappingRequest, GetChunkMappingResponse, GetTreeRequest,
    GetTreeResponse, OutputFile, RegisterChunkMappingRequest, RegisterChunkMappingResponse,
    ServerCapabilities, SpliceBlobRequest, SpliceBlobResponse, SplitBlobRequest, SplitBlobResponse,
    WaitExecutionRequest, batch_update_blobs_response, execution_stage,
};
use bazel_remote_apis::google::bytestream::byte_stream_server::{ByteStream, ByteStreamServer};
use bazel_remote_apis::google::bytestream::{
    QueryWriteStatusRequest, QueryWriteStatusResponse, ReadRequest, ReadResponse, WriteRequest,
    WriteResponse,
};
use bazel_remote_apis::google::longrunning::{Operation, operation};
use bazel_remote_apis::google::protobuf::Any;
use bazel_remote_apis::google::rpc;
use prost::Message as _;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::metadata::{KeyAndValueRef, MetadataMap};
use tonic::{Code, Request, Response, Status, Streaming};

/// Number of bytes of an answer to a reader.
const PART_BYTES: usize = 1000;

/// State of the services.
pub(super) struct Services {
    kind: WorkerKind,
    workers: Semaphore,
    pub(super) storage: Storage,
    roots: PathBuf,
    pub(super) faults: Faults,
    pub(super) action_count: AtomicUsize,
    pub(super) trial_count: AtomicUsize,
    /// Number of actions that wait or run, and its maximum so far.
    open_actions: AtomicUsize,
    pub(super) max_open_actions: AtomicUsize,
    pub(super) last_headers: Mutex<BTreeMap<String, String>>,
    /// Results of operations, by name; `None` while they run.
    operations: Mutex<BTreeMap<String, watch::Receiver<Option<ExecuteResponse>>>>,
    is_dead: AtomicBool,
}

impl Services {
    pub(super) fn new(kind: WorkerKind, workers: usize, storage: Storage, roots: PathBuf) -> Self {
        Self {
            kind,
            workers: Semaphore::new(workers),
            storage,
            roots,
            faults: Faults::default(),
            action_count: AtomicUsize::new(0),
            trial_count: AtomicUsize::new(0),
            open_actions: AtomicUsize::new(0),
            max_open_actions: AtomicUsize::new(0),
            last_headers: Mutex::default(),
            operations: Mutex::default(),
            is_dead: AtomicBool::new(false),
        }
    }

    fn check_alive(&self) -> Result<(), Status> {
        if self.is_dead.load(Ordering::SeqCst) {
            return Err(Status::unavailable("the server is dead"));
        }
        Ok(())
    }

    fn record_headers(&self, headers: &MetadataMap) {
        let mut last_headers = self.last_headers.lock().unwrap();
        for header in headers.iter() {
            if let KeyAndValueRef::Ascii(name, value) = header {
                last_headers.insert(name.to_string(), value.to_str().unwrap().to_owned());
            }
        }
    }

    fn check_storage(&self) -> Result<(), Status> {
        self.check_alive()?;
        if self.faults.take(|fault| *fault == FakeFault::Unauthenticated).is_some() {
            return Err(Status::unauthenticated("who are you?"));
        }
        match self.faults.take(|fault| *fault == FakeFault::StorageUnavailable) {
            Some(_) => Err(Status::unavailable("the store is busy")),
            None => Ok(()),
        }
    }

    /// Starts an action, and returns the name of its operation.
    fn start_action(self: &Arc<Self>, request: &ExecuteRequest) -> Result<String, Status> {
        let action: v2::Action = self.storage.read_message(request.action_digest.as_ref())?;
        let command: v2::Command = self.storage.read_message(action.command_digest.as_ref())?;
        let _: v2::Directory = self.storage.read_message(action.input_root_digest.as_ref())?;
        let mut operations = self.operations.lock().unwrap();
        let name = format!("operations/{}", operations.len());
        let (sender, receiver) = watch::channel(None);
        operations.insert(name.clone(), receiver);
        let open = self.open_actions.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_open_actions.fetch_max(open, Ordering::SeqCst);
        let services = Arc::clone(self);
        tokio::spawn(async move {
            let Ok(_worker) = services.workers.acquire().await else { return };
            let response = services.run_action(action, command).await;
            services.open_actions.fetch_sub(1, Ordering::SeqCst);
            // The client may have disconnected.
            drop(sender.send(Some(response)));
        });
        Ok(name)
    }

    async fn run_action(
        self: &Arc<Self>,
        action: v2::Action,
        command: v2::Command,
    ) -> ExecuteResponse {
        let is_of_worker = |fault: &FakeFault| {
            matches!(
                fault,
                FakeFault::LostWorker
                    | FakeFault::FailedWorker(_)
                    | FakeFault::IncompleteResult
                    | FakeFault::ForgedResult
                    | FakeFault::ActionTimeout
                    | FakeFault::SlowWorker(_)
            )
        };
        let fault = self.faults.take(is_of_worker);
        match &fault {
            Some(FakeFault::LostWorker) => return failed(Code::Aborted, "the worker is gone"),
            Some(FakeFault::ActionTimeout) => return failed(Code::DeadlineExceeded, "too slow"),
            Some(FakeFault::SlowWorker(time)) => tokio::time::sleep(*time).await,
            Some(FakeFault::FailedWorker(code)) => {
                let stderr_raw = b"first\nno JDK here\n".to_vec();
                return succeeded(ActionResult {
                    exit_code: *code,
                    stderr_raw,
                    ..Default::default()
                });
            }
            _ => {}
        }
        let services = Arc::clone(self);
        let run = tokio::task::spawn_blocking(move || services.run_in_root(&action, &command));
        let mut response = match run.await.unwrap() {
            Ok(result) => succeeded(result),
            Err(status) => failed(status.code(), status.message()),
        };
        if fault == Some(FakeFault::IncompleteResult)
            && let Some(result) = &mut response.result
        {
            let cut = self.storage.put(b"{\"schema\":");
            result.output_files.iter_mut().for_each(|file| file.digest = Some(cut.clone()));
        }
        if fault == Some(FakeFault::ForgedResult)
            && let Some(result) = &mut response.result
        {
            for file in &mut result.output_files {
                file.contents = self.storage.read(file.digest.as_ref().unwrap()).unwrap();
                let code = file.contents.windows(9).position(|part| part == b"\"code\":5,");
                file.contents[code.unwrap() + 7] = b'6';
            }
        }
        response
    }

    fn run_in_root(
        &self,
        action: &v2::Action,
        command: &v2::Command,
    ) -> Result<ActionResult, Status> {
        std::fs::create_dir_all(&self.roots).unwrap();
        let root = tempfile::tempdir_in(&self.roots).unwrap();
        let mode = self.kind.staging_mode();
        self.storage.stage(action.input_root_digest.as_ref(), root.path(), mode)?;
        let request = std::fs::read(root.path().join(REQUEST_FILE)).unwrap();
        let request: BatchRequest = serde_json::from_slice(&request).unwrap();
        if request.trials.len() > 1 && self.faults.is_next(&FakeFault::LostBatches) {
            return Err(Status::aborted("the worker is gone"));
        }
        let (exit_code, stderr_raw) = self.kind.run(command, root.path());
        let output = |path: &String| {
            let bytes = std::fs::read(root.path().join(path)).ok()?;
            let digest = Some(self.storage.put(&bytes));
            Some(OutputFile { path: path.clone(), digest, ..OutputFile::default() })
        };
        self.action_count.fetch_add(1, Ordering::SeqCst);
        self.trial_count.fetch_add(request.trials.len(), Ordering::SeqCst);
        Ok(ActionResult {
            output_files: command.output_paths.iter().filter_map(output).collect(),
            exit_code,
            stderr_raw,
            ..ActionResult::default()
        })
    }

    /// Reports the states of an operation.
    fn observe(&self, name: &str, is_broken: bool) -> Result<OperationStream, Status> {
        let operations = self.operations.lock().unwrap();
        let mut result =
            operations.get(name).ok_or_else(|| Status::not_found("no operation"))?.clone();
        let (sender, receiver) = mpsc::channel(2);
        let name = name.to_owned();
        tokio::spawn(async move {
            let _ = sender.send(Ok(running_operation(&name))).await;
            if is_broken {
                let _ = sender.send(Err(Status::unavailable("the connection broke"))).await;
                return;
            }
            let ended = result.wait_for(Option::is_some).await.map(|response| response.clone());
            if let Ok(Some(response)) = ended {
                let _ = sender.send(Ok(ended_operation(&name, &response))).await;
            }
        });
        Ok(ReceiverStream::new(receiver))
    }
}

type OperationStream = ReceiverStream<Result<Operation, Status>>;

fn running_operation(name: &str) -> Operation {
    let metadata = ExecuteOperationMetadata {
        stage: execution_stage::Value::Executing as i32,
        ..ExecuteOperationMetadata::default()
    };
    let metadata = Any { type_url: String::new(), value: metadata.encode_to_vec() };
    Operation { name: name.to_owned(), metadata: Some(metadata), done: false, result: None }
}

fn ended_operation(name: &str, response: &ExecuteResponse) -> Operation {
    let response = Any { type_url: String::new(), value: response.encode_to_vec() };
    let result = Some(operation::Result::Response(response));
    Operation { name: name.to_owned(), metadata: None, done: true, result }
}

fn succeeded(result: ActionResult) -> ExecuteResponse {
    ExecuteResponse { result: Some(result), ..ExecuteResponse::default() }
}

fn failed(code: Code, message: &str) -> ExecuteResponse {
    let status =
        rpc::Status { code: code as i32, message: message.to_owned(), details: Vec::new() };
    ExecuteResponse { status: Some(status), ..ExecuteResponse::default() }
}

/// Serves until the runtime ends.
pub(super) async fn serve(services: Arc<Services>, listener: TcpListener) {
    let service = Service(services);
    tonic::transport::Server::builder()
        .add_service(CapabilitiesServer::new(service.clone()))
        .add_service(ContentAddressableStorageServer::new(service.clone()))
        .add_service(ByteStreamServer::new(service.clone()))
        .add_service(ExecutionServer::new(service))
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await
        .unwrap();
}

/// The services, as the protocol defines them.
#[derive(Clone)]
struct Service(Arc<Services>);

#[tonic::async_trait]
impl Capabilities for Service {
    async fn get_capabilities(
        &self,
        _: Request<GetCapabilitiesRequest>,
    ) -> Result<Response<ServerCapabilities>, Status> {
        self.0.check_storage()?;
        Ok(Response::new(ServerCapabilities {
            cache_capabilities: Some(CacheCapabilities::default()),
            execution_capabilities: Some(ExecutionCapabilities {
                exec_enabled: true,
                ..ExecutionCapabilities::default()
            }),
            ..ServerCapabilities::default()
        }))
    }
}

#[tonic::async_trait]
impl Execution for Service {
    type ExecuteStream = OperationStream;
    type WaitExecutionStream = OperationStream;

    async fn execute(
        &self,
        request: Request<ExecuteRequest>,
    ) -> Result<Response<OperationStream>, Status> {
        let services = &self.0;
        services.record_headers(request.metadata());
        if services.faults.take(|fault| *fault == FakeFault::Death).is_some() {
            services.is_dead.store(true, Ordering::SeqCst);
        }
        services.check_alive()?;
        if services.faults.take(|fault| *fault == FakeFault::ExecutionUnavailable).is_some() {
            return Err(Status::unavailable("busy"));
        }
        if services.faults.take(|fault| *fault == FakeFault::Eviction).is_some() {
            services.storage.clear();
        }
        let name = services.start_action(&request.into_inner())?;
        let is_broken = services.faults.take(|fault| *fault == FakeFault::BrokenStream).is_some();
        services.observe(&name, is_broken).map(Response::new)
    }

    async fn wait_execution(
        &self,
        request: Request<WaitExecutionRequest>,
    ) -> Result<Response<OperationStream>, Status> {
        self.0.check_alive()?;
        self.0.observe(&request.into_inner().name, false).map(Response::new)
    }
}

#[tonic::async_trait]
impl ContentAddressableStorage for Service {
    type GetTreeStream = ReceiverStream<Result<GetTreeResponse, Status>>;
    type GetChunkMappingStream = ReceiverStream<Result<GetChunkMappingResponse, Status>>;

    async fn find_missing_blobs(
        &self,
        request: Request<FindMissingBlobsRequest>,
    ) -> Result<Response<FindMissingBlobsResponse>, Status> {
        self.0.check_storage()?;
        let is_missing = |digest: &Digest| !self.0.storage.has(digest);
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
