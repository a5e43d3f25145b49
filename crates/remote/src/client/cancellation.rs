//! Cancels actions whose result is not needed any more.

use crate::client::connection::Connection;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Maximum time that the end of a run waits for the server.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Operation that is cancelled when it is dropped before it is done.
pub(crate) struct OperationGuard<'a> {
    connection: &'a Connection,
    name: Option<String>,
}

impl<'a> OperationGuard<'a> {
    /// Creates a guard for an operation whose name is not known yet.
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection, name: None }
    }

    /// Returns the name of the operation, if it is known.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Records the name of the operation.
    pub(crate) fn set_name(&mut self, name: &str) {
        if self.name() != Some(name) {
            self.forget();
            self.connection.open_operations.insert(name);
            self.name = Some(name.to_owned());
        }
    }

    /// Forgets the operation, because it is done, or the server knows it no more.
    pub(crate) fn forget(&mut self) {
        if let Some(name) = self.name.take() {
            self.connection.open_operations.remove(&name);
        }
    }
}

impl Drop for OperationGuard<'_> {
    fn drop(&mut self) {
        let Some(name) = self.name.take() else { return };
        let is_open = self.connection.open_operations.remove(&name);
        if let (true, Ok(runtime)) = (is_open, Handle::try_current()) {
            runtime.spawn(self.connection.cancel(name));
        }
    }
}

impl Connection {
    /// Cancels all operations, and waits a short time for the server.
    pub(crate) async fn cancel_all(&self) {
        let requests: JoinSet<()> =
            self.open_operations.take_all().into_iter().map(|name| self.cancel(name)).collect();
        drop(tokio::time::timeout(MAX_WAIT, requests.join_all()).await);
    }
}
