//! Executes actions, and reads their outputs.

use crate::client::cancellation::OperationGuard;
use crate::client::connection::Connection;
use crate::client::fault::Fault;
use crate::digest::BlobDigest;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    ActionResult, Digest, ExecuteOperationMetadata, ExecuteRequest, ExecuteResponse, OutputFile,
    WaitExecutionRequest, digest_function, execution_stage,
};
use bazel_remote_apis::google::bytestream::ReadRequest;
use bazel_remote_apis::google::longrunning::{Operation, operation};
use prost::Message as _;
use std::time::{Duration, Instant};
use tonic::{Code, Status, Streaming};

/// Duration from which on a connection worked before it ended.
const LASTING_CONNECTION: Duration = Duration::from_secs(5);

/// Number of bytes of an error output that are shown.
const MAX_ERROR_BYTES: usize = 2000;

/// Maximum size of an output file or an error output, in bytes.
const MAX_OUTPUT_BYTES: usize = 64 << 20;

/// Observer of an action's progress.
pub(crate) trait ActionObserver: Sync {
    /// Notes that the action waits for a worker.
    fn action_queued(&self);

    /// Notes that a worker has begun.
    fn action_started(&self);
}

impl Connection {
    /// Executes an action whose blobs are uploaded, and returns the content of an output file. If the connection
    /// breaks, the same execution is awaited again.
    pub(crate) async fn execute(
        &self,
        action: &Digest,
        output: &str,
        observer: &dyn ActionObserver,
    ) -> Result<Vec<u8>, Fault> {
        let response = self.await_response(action, observer).await?;
        let status = response.status.unwrap_or_default();
        if status.code != Code::Ok as i32 {
            return Err(self.action_fault(&status));
        }
        let result =
            response.result.ok_or_else(|| Fault::Lost("the server gave no result".to_owned()))?;
        let file = result.output_files.iter().find(|file| file.path == output);
        match file.filter(|_| result.exit_code == 0) {
            Some(file) => self.read_output(file).await,
            None => Err(self.describe_failure(&result).await),
        }
    }

    async fn await_response(
        &self,
        action: &Digest,
        observer: &dyn ActionObserver,
    ) -> Result<ExecuteResponse, Fault> {
        let mut operation = OperationGuard::new(self);
        let (mut last_answer, mut pause) = (Instant::now(), self.timing.first_pause);
        loop {
            let begin = Instant::now();
            let opened = match operation.name() {
                None => self.start_action(action).await,
                Some(name) => self.resume_action(name).await,
            };
            let fault = match opened {
                Ok(mut stream) => {
                    match self.read_operations(&mut stream, &mut operation, observer).await {
                        Ok(response) => return response,
                        Err(fault) => fault,
                    }
                }
                // The server restarted, and knows the operation no more.
                Err(Fault::MissingBlobs { reason, .. }) if operation.name().is_some() => {
                    operation.forget();
                    Fault::Unavailable(reason)
                }
                Err(fault) => fault,
            };
            // Proxies end long connections, also while an action waits or runs.
            if begin.elapsed() > LASTING_CONNECTION {
                (last_answer, pause) = (Instant::now(), self.timing.first_pause);
            }
            let is_over = last_answer.elapsed() + pause > self.timing.patience;
            if is_over || !matches!(fault, Fault::Unavailable(_)) {
                return Err(fault);
            }
            tokio::time::sleep(super::connection::with_jitter(pause)).await;
            pause *= 2;
        }
    }

    async fn start_action(&self, action: &Digest) -> Result<Streaming<Operation>, Fault> {
        let request = self.unlimited_request(ExecuteRequest {
            instance_name: self.instance.clone(),
            // An earlier result would hide that a test is flaky.
            skip_cache_lookup: true,
            action_digest: Some(action.clone()),
            digest_function: digest_function::Value::Sha256 as i32,
            inline_stderr: true,
            ..ExecuteRequest::default()
        });
        let answer = self.execution().execute(request).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.fault(&status))
    }

    async fn resume_action(&self, name: &str) -> Result<Streaming<Operation>, Fault> {
        let request = self.unlimited_request(WaitExecutionRequest { name: name.to_owned() });
        let answer = self.execution().wait_execution(request).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.fault(&status))
    }

    /// Reads the states of an operation until it is done. The inner error is that of the operation.
    async fn read_operations(
        &self,
        stream: &mut Streaming<Operation>,
        guard: &mut OperationGuard<'_>,
        observer: &dyn ActionObserver,
    ) -> Result<Result<ExecuteResponse, Fault>, Fault> {
        loop {
            let operation = match stream.message().await {
                Ok(Some(operation)) => operation,
                Ok(None) => return Err(Fault::Unavailable("the connection ended".to_owned())),
                Err(status) => return Err(self.fault(&status)),
            };
            if !operation.name.is_empty() {
                guard.set_name(&operation.name);
            }
            match stage_of(&operation) {
                Some(execution_stage::Value::Queued) => observer.action_queued(),
                Some(execution_stage::Value::Executing) => observer.action_started(),
                _ => {}
            }
            if operation.done {
                guard.forget();
                return Ok(self.read_response(operation));
            }
        }
    }

    async fn read_output(&self, file: &OutputFile) -> Result<Vec<u8>, Fault> {
        let digest = file.digest.clone().unwrap_or_default();
        let content = match file.contents.as_slice() {
            [] => self.read_blob(&digest).await?,
            inlined => inlined.to_vec(),
        };
        if BlobDigest::of_bytes(&content).to_proto() == digest {
            Ok(content)
        } else {
            Err(Fault::Lost("the result is not what the worker wrote".to_owned()))
        }
    }

    async fn read_blob(&self, digest: &Digest) -> Result<Vec<u8>, Fault> {
        let size = usize::try_from(digest.size_bytes).unwrap_or(usize::MAX);
        if size > MAX_OUTPUT_BYTES {
            return Err(Fault::Lost(format!("a result of {size} bytes is too large")));
        }
        let prefix = match self.instance.as_str() {
            "" => String::new(),
            instance => format!("{instance}/"),
        };
        let message = ReadRequest {
            resource_name: format!("{prefix}blobs/{}/{}", digest.hash, digest.size_bytes),
            read_offset: 0,
            read_limit: 0,
        };
        let call = || async {
            let request = self.request(message.clone());
            let mut stream = self.byte_stream().read(request).await?.into_inner();
            let mut content = Vec::new();
            while let Some(part) = stream.message().await? {
                content.extend_from_slice(&part.data);
                if content.len() > size {
                    return Err(Status::data_loss("a blob is larger than its digest says"));
                }
            }
            Ok(content)
        };
        // A result that the server has lost already is that of a lost action.
        self.repeat(call).await.map_err(|fault| match fault {
            Fault::MissingBlobs { reason, .. } => Fault::Lost(reason),
            other => other,
        })
    }

    /// Describes why an action has no output: by the end of its error output, or by its exit code.
    async fn describe_failure(&self, result: &ActionResult) -> Fault {
        let stored = result.stderr_digest.clone().filter(|_| result.stderr_raw.is_empty());
        let bytes = match stored.filter(|digest| digest.size_bytes > 0) {
            Some(digest) => self.read_blob(&digest).await.unwrap_or_default(),
            None => result.stderr_raw.clone(),
        };
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MAX_ERROR_BYTES)..]);
        let text = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        Fault::WorkerFailed(match text {
            "" => format!("a worker ended with code {} and without a result", result.exit_code),
            text => self.redact(text),
        })
    }

    fn read_response(&self, operation: Operation) -> Result<ExecuteResponse, Fault> {
        match operation.result {
            Some(operation::Result::Error(status)) => Err(self.action_fault(&status)),
            Some(operation::Result::Response(any)) => ExecuteResponse::decode(any.value.as_slice())
                .map_err(|error| Fault::Lost(format!("an unreadable result: {error}"))),
            None => Err(Fault::Lost("the server gave no result".to_owned())),
        }
    }
}

fn stage_of(operation: &Operation) -> Option<execution_stage::Value> {
    let metadata = operation.metadata.as_ref()?;
    let metadata = ExecuteOperationMetadata::decode(metadata.value.as_slice()).ok()?;
    execution_stage::Value::try_from(metadata.stage).ok()
}
