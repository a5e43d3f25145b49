//! Database of the queue, owned by one thread. The thread combines waiting operations into one transaction.

use super::schema;
use anyhow::Context as _;
use jiff::Timestamp;
use mend_model::{Problem, Result};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Maximum number of waiting operations. Further callers wait.
const MAX_WAITING_OPERATIONS: usize = 1024;
/// Maximum number of operations in one transaction.
const MAX_TRANSACTION_OPERATIONS: usize = 256;

/// Operation on the database. The returned function sends its result after the commit.
type Operation = Box<dyn FnOnce(&Connection) -> SendReply + Send>;
type SendReply = Box<dyn FnOnce(CommitResult) + Send>;
type CommitResult = std::result::Result<(), QueueUnavailable>;

/// Error of reading or writing the queue's file.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the queue is unavailable: {0}")]
pub struct QueueUnavailable(Arc<str>);

impl From<rusqlite::Error> for QueueUnavailable {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string().into())
    }
}

/// Handle of the database thread, which ends with its last handle.
#[derive(Clone)]
pub(super) struct QueueDatabase(mpsc::Sender<Operation>);

impl QueueDatabase {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut connection = schema::open_database(path)?;
        let requeued = super::claim::requeue_interrupted(&connection, Timestamp::now());
        requeued.map_err(|error| Problem::Internal(anyhow::Error::new(error)))?;
        let (sender, mut receiver) = mpsc::channel(MAX_WAITING_OPERATIONS);
        let run = move || {
            while let Some(first) = receiver.blocking_recv() {
                run_transaction(&mut connection, first, &mut receiver);
            }
        };
        std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(run)
            .context("starting a thread")?;
        Ok(Self(sender))
    }

    /// Runs an operation in a transaction that other operations may share. On an error, its changes are rolled back.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> std::result::Result<T, QueueUnavailable> {
        let (sender, receiver) = oneshot::channel();
        let operation: Operation = Box::new(move |connection| {
            let result = run_in_savepoint(connection, operation).map_err(QueueUnavailable::from);
            Box::new(move |commit_result: CommitResult| {
                // The caller may have stopped waiting.
                drop(sender.send(commit_result.and(result)));
            })
        });
        let thread_ended = || QueueUnavailable("its thread has ended".into());
        self.0.send(operation).await.map_err(|_| thread_ended())?;
        receiver.await.map_err(|_| thread_ended())?
    }
}

fn run_transaction(
    connection: &mut Connection,
    first: Operation,
    waiting: &mut mpsc::Receiver<Operation>,
) {
    let mut replies = Vec::new();
    let commit_result = connection.transaction().and_then(|transaction| {
        replies.push(first(&transaction));
        while replies.len() < MAX_TRANSACTION_OPERATIONS
            && let Ok(work) = waiting.try_recv()
        {
            replies.push(work(&transaction));
        }
        transaction.commit()
    });
    let commit_result: CommitResult = commit_result.map_err(QueueUnavailable::from);
    for reply in replies {
        reply(commit_result.clone());
    }
}

fn run_in_savepoint<T>(
    connection: &Connection,
    operation: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("savepoint work")?;
    let result = operation(connection);
    connection.execute_batch(if result.is_ok() {
        "release work"
    } else {
        "rollback to work; release work"
    })?;
    result
}
