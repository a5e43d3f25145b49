//! Services of the fake server.

use super::faults::{FakeFault, Faults};
use super::storage::Storage;
use super::worker::{WorkerKind, run_program, simulate_batch};
use crate::batch::{BatchRequest, REQUEST_FILE, RESPONSE_FILE};
use bazel_remote_apis::build::bazel::remote::execution::v2::capabilities_server::{
    Capabilities, CapabilitiesServer,
};
use bazel_remote_apis::build::bazel::remote::execution::v2::content_addressable_storage_server::ContentAddressableStorageServer;
use bazel_remote_apis::build::bazel::remote::execution::v2::execution_server::{
    Execution, ExecutionServer,
};
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    self, ActionResult, CacheCapabilities, ExecuteOperationMetadata, ExecuteRequest,
    ExecuteResponse, ExecutionCapabilities, GetCapabilitiesRequest, OutputFile, ServerCapabilities,
    WaitExecutionRequest, execution_stage,
};
use bazel_remote_apis::google::bytestream::byte_stream_server::ByteStreamServer;
use bazel_remote_apis::google::longrunning::operations_server::OperationsServer;
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
use tokio::task::AbortHandle;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::metadata::{KeyAndValueRef, MetadataMap};
use tonic::{Request, Response, Status};

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
    operations: Mutex<BTreeMap<String, RunningAction>>,
    /// Number of operations that the client cancelled.
    pub(super) cancelled_count: AtomicUsize,
    /// Hash of a blob that is missing and counts as present.
    pub(super) hidden_loss: Mutex<Option<String>>,
    is_dead: AtomicBool,
}

/// Action of an operation.
struct RunningAction {
    /// Result; `None` while it runs.
    result: watch::Receiver<Option<ExecuteResponse>>,
    task: AbortHandle,
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
            cancelled_count: AtomicUsize::new(0),
            hidden_loss: Mutex::default(),
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

    pub(super) fn check_storage(&self) -> Result<(), Status> {
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
        let open = self.open_actions.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_open_actions.fetch_max(open, Ordering::SeqCst);
        let services = Arc::clone(self);
        let run = tokio::spawn(async move {
            let Ok(_worker) = services.workers.acquire().await else { return };
            let response = services.run_action(action, command).await;
            services.open_actions.fetch_sub(1, Ordering::SeqCst);
            // The client may have disconnected.
            drop(sender.send(Some(response)));
        });
        operations
            .insert(name.clone(), RunningAction { result: receiver, task: run.abort_handle() });
        Ok(name)
    }

    /// Ends an action that is not done, which frees its worker.
    pub(super) fn cancel(&self, name: &str) -> Result<(), Status> {
        let operations = self.operations.lock().unwrap();
        let action = operations.get(name).ok_or_else(|| Status::not_found("no operation"))?;
        if action.result.borrow().is_none() {
            action.task.abort();
            self.open_actions.fetch_sub(1, Ordering::SeqCst);
            self.cancelled_count.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Removes the program of an action, and keeps this secret.
    fn lose_file(&self, request: &ExecuteRequest) -> Result<(), Status> {
        let action: v2::Action = self.storage.read_message(request.action_digest.as_ref())?;
        let root: v2::Directory = self.storage.read_message(action.input_root_digest.as_ref())?;
        let program = root.files.iter().find(|file| file.is_executable).unwrap();
        let hash = program.digest.clone().unwrap_or_default().hash;
        self.storage.remove(&hash);
        *self.hidden_loss.lock().unwrap() = Some(hash);
        Ok(())
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
                    | FakeFault::RepeatedHeader(_)
            )
        };
        let fault = self.faults.take(is_of_worker);
        match &fault {
            Some(FakeFault::LostWorker) => return failed(&Status::aborted("the worker is gone")),
            Some(FakeFault::ActionTimeout) => return failed(&Status::deadline_exceeded("slow")),
            Some(FakeFault::RepeatedHeader(name)) => {
                let value = self.last_headers.lock().unwrap().get(name).cloned();
                return failed(&Status::aborted(format!("what is {}?", value.unwrap_or_default())));
            }
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
            Err(status) => failed(&status),
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
        let input = action.input_root_digest.as_ref();
        let read_input = |path: &str| self.storage.read_file(input, path);
        let request: BatchRequest =
            serde_json::from_slice(&read_input(REQUEST_FILE).unwrap_or_default()).unwrap();
        let trials = request.trials.len();
        if trials > 1 && self.faults.is_next(&FakeFault::LostBatches) {
            return Err(Status::aborted("the worker is gone"));
        }
        let result = if let WorkerKind::Simulated(test) = &self.kind {
            let response = simulate_batch(&**test, trials, &read_input);
            ActionResult {
                output_files: vec![self.store_output(RESPONSE_FILE, &response)],
                ..ActionResult::default()
            }
        } else {
            self.run_staged(action, command)?
        };
        self.action_count.fetch_add(1, Ordering::SeqCst);
        self.trial_count.fetch_add(trials, Ordering::SeqCst);
        Ok(result)
    }

    /// Runs the program of an action in a folder with its files.
    fn run_staged(
        &self,
        action: &v2::Action,
        command: &v2::Command,
    ) -> Result<ActionResult, Status> {
        std::fs::create_dir_all(&self.roots).unwrap();
        let root = tempfile::tempdir_in(&self.roots).unwrap();
        self.storage.stage(action.input_root_digest.as_ref(), root.path())?;
        let (exit_code, stderr_raw) = run_program(&self.kind, command, root.path());
        let output = |path: &String| {
            let bytes = std::fs::read(root.path().join(path)).ok()?;
            Some(self.store_output(path, &bytes))
        };
        Ok(ActionResult {
            output_files: command.output_paths.iter().filter_map(output).collect(),
            exit_code,
            stderr_raw,
            ..ActionResult::default()
        })
    }

    fn store_output(&self, path: &str, content: &[u8]) -> OutputFile {
        let digest = Some(self.storage.put(content));
        OutputFile { path: path.to_owned(), digest, ..OutputFile::default() }
    }

    /// Reports the states of an operation.
    fn observe(&self, name: &str, is_broken: bool) -> Result<OperationStream, Status> {
        let operations = self.operations.lock().unwrap();
        let mut result =
            operations.get(name).ok_or_else(|| Status::not_found("no operation"))?.result.clone();
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

fn failed(status: &Status) -> ExecuteResponse {
    let details = rpc::Status::decode(status.details()).unwrap_or_default().details;
    let message = status.message().to_owned();
    let status = rpc::Status { code: status.code() as i32, message, details };
    ExecuteResponse { status: Some(status), ..ExecuteResponse::default() }
}

/// Serves until the runtime ends.
pub(super) async fn serve(services: Arc<Services>, listener: TcpListener) {
    let service = Service(services);
    tonic::transport::Server::builder()
        .add_service(CapabilitiesServer::new(service.clone()))
        .add_service(ContentAddressableStorageServer::new(service.clone()))
        .add_service(ByteStreamServer::new(service.clone()))
        .add_service(ExecutionServer::new(service.clone()))
        .add_service(OperationsServer::new(service))
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await
        .unwrap();
}

/// The services, as the protocol defines them.
#[derive(Clone)]
pub(super) struct Service(pub(super) Arc<Services>);

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
        let request = request.into_inner();
        if services.faults.take(|fault| *fault == FakeFault::OutdatedIndex).is_some() {
            services.lose_file(&request)?;
        }
        let name = services.start_action(&request)?;
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
