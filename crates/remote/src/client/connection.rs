//! Connection to a server: channel, headers, and repetition of requests.

use crate::client::fault::Fault;
use crate::client::open_operations::OpenOperations;
use crate::options::{RemoteOptions, Timing};
use bazel_remote_apis::build::bazel::remote::execution::v2::capabilities_client::CapabilitiesClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::content_addressable_storage_client::ContentAddressableStorageClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::execution_client::ExecutionClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    GetCapabilitiesRequest, RequestMetadata, ServerCapabilities, ToolDetails, digest_function,
};
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::longrunning::CancelOperationRequest;
use bazel_remote_apis::google::longrunning::operations_client::OperationsClient;
use bazel_remote_apis::google::rpc;
use mend_model::Secrets;
use prost::Message as _;
use std::future::Future;
use std::time::{Duration, Instant};
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, BinaryMetadataValue, MetadataMap};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};

/// Interval at which an idle connection is checked.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// Time limit of a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest pause before a request is repeated.
const MAX_PAUSE: Duration = Duration::from_secs(8);

/// Maximum size of a message from the server, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Maximum size of a batch of blobs if the server names none, in bytes: messages have at most 4 MiB by default.
const DEFAULT_BATCH_BYTES: u64 = 4 << 20;

/// Part of a message that is not blobs, in bytes.
const MESSAGE_OVERHEAD_BYTES: u64 = 64 << 10;

/// Header with information on the tool, for the server's pages.
const REQUEST_METADATA_HEADER: &str = "build.bazel.remote.execution.v2.requestmetadata-bin";

/// Connection to a server.
pub(crate) struct Connection {
    channel: Channel,
    pub(crate) instance: String,
    metadata: MetadataMap,
    pub(crate) timing: Timing,
    secrets: Secrets,
    /// Maximum size of a batch of blobs, in bytes.
    pub(crate) max_batch_bytes: u64,
    /// Operations on the server that are not done.
    pub(crate) open_operations: OpenOperations,
}

impl Connection {
    /// Connects, and checks that the server executes actions.
    pub(crate) async fn open(options: &RemoteOptions) -> Result<Self, Fault> {
        let mut connection = Self {
            channel: open_channel(&options.address)?,
            instance: options.instance.clone(),
            metadata: request_metadata(options)?,
            timing: options.timing.clone(),
            secrets: options.headers.secrets(),
            max_batch_bytes: DEFAULT_BATCH_BYTES - MESSAGE_OVERHEAD_BYTES,
            open_operations: OpenOperations::default(),
        };
        let capabilities = connection.read_capabilities().await?;
        let execution = capabilities.execution_capabilities.as_ref();
        if !execution.is_some_and(|execution| execution.exec_enabled) {
            return Err(Fault::Refused("the server executes no actions".to_owned()));
        }
        let cache = capabilities.cache_capabilities.unwrap_or_default();
        let sha256 = digest_function::Value::Sha256 as i32;
        if !cache.digest_functions.is_empty() && !cache.digest_functions.contains(&sha256) {
            return Err(Fault::Refused("the server does not support SHA-256".to_owned()));
        }
        if let Some(size) =
            u64::try_from(cache.max_batch_total_size_bytes).ok().filter(|size| *size > 0)
        {
            let size = size.min(DEFAULT_BATCH_BYTES);
            connection.max_batch_bytes = size.saturating_sub(MESSAGE_OVERHEAD_BYTES).max(1);
        }
        Ok(connection)
    }

    async fn read_capabilities(&self) -> Result<ServerCapabilities, Fault> {
        let message = GetCapabilitiesRequest { instance_name: self.instance.clone() };
        let call = || async {
            let mut client = CapabilitiesClient::new(self.channel.clone());
            client.get_capabilities(self.request(message.clone())).await
        };
        let patience = self.timing.patience.min(Timing::MAX_CONNECT_PATIENCE);
        self.repeat_within(patience, call).await.map(tonic::Response::into_inner)
    }

    /// Returns a client of the store of blobs.
    pub(crate) fn storage(&self) -> ContentAddressableStorageClient<Channel> {
        ContentAddressableStorageClient::new(self.channel.clone())
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a client for large blobs.
    pub(crate) fn byte_stream(&self) -> ByteStreamClient<Channel> {
        ByteStreamClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a client that executes actions.
    pub(crate) fn execution(&self) -> ExecutionClient<Channel> {
        ExecutionClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a request that cancels an operation. Some servers do not support it, so its answer does not matter.
    pub(crate) fn cancel(&self, name: String) -> impl Future<Output = ()> + Send + 'static {
        let mut client = OperationsClient::new(self.channel.clone());
        let request = self.request(CancelOperationRequest { name });
        async move { drop(client.cancel_operation(request).await) }
    }

    /// Returns a request with our headers and a time limit.
    pub(crate) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = self.unlimited_request(message);
        request.set_timeout(self.timing.request);
        request
    }

    /// Returns a request with our headers.
    pub(crate) fn unlimited_request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }

    /// Converts the status of a failed request. Its message contains no header.
    pub(crate) fn fault(&self, status: &Status) -> Fault {
        let details = status.details().to_vec().into();
        Fault::from_status(&Status::with_details(
            status.code(),
            self.redact(status.message()),
            details,
        ))
    }

    /// Converts the status of a failed action. Its message contains no header.
    pub(crate) fn action_fault(&self, status: &rpc::Status) -> Fault {
        let message = self.redact(&status.message);
        Fault::from_action_status(&rpc::Status { message, ..status.clone() })
    }

    /// Replaces the values of headers in a text.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets.redact(text).into_owned()
    }

    /// Repeats a request until the server answers, with growing pauses and for a limited time.
    pub(crate) async fn repeat<T, F>(&self, call: impl FnMut() -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Status>>,
    {
        self.repeat_within(self.timing.patience, call).await
    }

    async fn repeat_within<T, F>(
        &self,
        patience: Duration,
        mut call: impl FnMut() -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let (start, mut pause) = (Instant::now(), self.timing.first_pause);
        loop {
            let fault = match call().await {
                Ok(answer) => return Ok(answer),
                Err(status) => self.fault(&status),
            };
            let is_over = start.elapsed() + pause > patience;
            if is_over || !matches!(fault, Fault::Unavailable(_)) {
                return Err(fault);
            }
            tokio::time::sleep(with_jitter(pause)).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

/// Returns a random time around a pause, so that clients do not repeat requests at the same time.
pub(crate) fn with_jitter(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64())
}

fn open_channel(address: &str) -> Result<Channel, Fault> {
    let refused = |error: tonic::transport::Error| Fault::Refused(error.to_string());
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let uses_tls = scheme == "grpcs";
    let uri = format!("{}://{rest}", if uses_tls { "https" } else { "http" });
    let mut endpoint = Endpoint::from_shared(uri)
        .map_err(refused)?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if uses_tls {
        let tls = ClientTlsConfig::new().with_native_roots();
        endpoint = endpoint.tls_config(tls).map_err(refused)?;
    }
    Ok(endpoint.connect_lazy())
}

fn request_metadata(options: &RemoteOptions) -> Result<MetadataMap, Fault> {
    let mut metadata = MetadataMap::new();
    for (name, value) in options.headers.iter() {
        let refused = || Fault::Refused(format!("the header `{name}` is invalid"));
        let key = name.parse::<AsciiMetadataKey>().map_err(|_| refused())?;
        let mut value = value.parse::<AsciiMetadataValue>().map_err(|_| refused())?;
        value.set_sensitive(true);
        metadata.append(key, value);
    }
    let tool_details = Some(ToolDetails {
        tool_name: "git-mend".to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    let tool = RequestMetadata { tool_details, ..RequestMetadata::default() };
    let value = BinaryMetadataValue::from_bytes(&tool.encode_to_vec());
    metadata.insert_bin(REQUEST_METADATA_HEADER, value);
    Ok(metadata)
}
