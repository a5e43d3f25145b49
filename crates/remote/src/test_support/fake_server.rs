//! Fake server: starts and stops the services.

use super::faults::Faults;
use super::services::{Services, serve};
use super::storage::Storage;
use super::worker::WorkerKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A server with its workers.
pub struct FakeServer {
    address: String,
    services: Arc<Services>,
    _folder: TempDir,
    runtime: Option<Runtime>,
}

impl FakeServer {
    /// Starts a server with this number of workers.
    pub fn start(kind: WorkerKind, workers: usize) -> Self {
        Self::start_with_storage(kind, workers, None)
    }

    /// Starts a server whose blobs are in a folder that other servers use too.
    pub fn start_with_storage(kind: WorkerKind, workers: usize, storage: Option<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage.unwrap_or_else(|| folder.path().join("storage"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("grpc://{}", listener.local_addr().unwrap());
        let roots = folder.path().join("roots");
        let services = Arc::new(Services::new(kind, workers, Storage::new(storage), roots));
        runtime.spawn(serve(Arc::clone(&services), listener));
        Self { address, services, _folder: folder, runtime: Some(runtime) }
    }

    /// Returns the address for `--executor`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the faults that are still to happen.
    pub fn faults(&self) -> &Faults {
        &self.services.faults
    }

    /// Returns the number of actions that ended.
    pub fn action_count(&self) -> usize {
        self.services.action_count.load(Ordering::SeqCst)
    }

    /// Returns the number of trials in actions that ended.
    pub fn trial_count(&self) -> usize {
        self.services.trial_count.load(Ordering::SeqCst)
    }

    /// Returns the maximum number of actions that waited or ran at the same time.
    pub fn max_open_actions(&self) -> usize {
        self.services.max_open_actions.load(Ordering::SeqCst)
    }

    /// Returns the number of actions that the client cancelled.
    pub fn cancelled_count(&self) -> usize {
        self.services.cancelled_count.load(Ordering::SeqCst)
    }

    /// Returns the number of bytes that were uploaded.
    pub fn written_bytes(&self) -> u64 {
        self.services.storage.written_bytes()
    }

    /// Returns the headers of the last execution with this name.
    pub fn last_header(&self, name: &str) -> Option<String> {
        self.services.last_headers.lock().unwrap().get(name).cloned()
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
