//! The thread that owns the database.

use super::schema;
use anyhow::Context as _;
use jiff::Timestamp;
use mend_model::{Problem, Result};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Maximum number of waiting operations. Further callers wait.
const WAITING: usize = 1024;
/// Maximum number of operations in one transaction.
const TOGETHER: usize = 256;

/// A piece of work, which says afterwards whether it was kept.
type Operation = Box<dyn FnOnce(&Connection) -> SendReply + Send>;
type SendReply = Box<dyn FnOnce(CommitResult) + Send>;
type CommitResult = std::result::Result<(), QueueUnavailable>;

/// The queue's file could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the queue is unavailable: {0}")]
pub struct QueueUnavailable(Arc<str>);

impl From<rusqlite::Error> for QueueUnavailable {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string().into())
    }
}

/// A handle on the thread. It ends with the last handle.
#[derive(Clone)]
pub(super) struct QueueDatabase(mpsc::Sender<Operation>);

impl QueueDatabase {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut connection = schema::open(path)?;
        let taken_back = super::claim::take_back(&connection, Timestamp::now());
        taken_back.map_err(|error| Problem::Internal(anyhow::Error::new(error)))?;
        let (sender, mut receiver) = mpsc::channel(WAITING);
        let run = move || {
            while let Some(first) = receiver.blocking_recv() {
                transact(&mut connection, first, &mut receiver);
            }
        };
        std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(run)
            .context("starting a thread")?;
        Ok(Self(sender))
    }

    /// Runs an operation in a transaction that other operations may share. On an error, its changes are rolled back.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> std::result::Result<T, QueueUnavailable> {
        let (sender, receiver) = oneshot::channel();
        let work: Operation = Box::new(move |connection| {
            let result = in_savepoint(connection, work).map_err(QueueUnavailable::from);
            Box::new(move |kept: CommitResult| {
                // The caller may be gone.
                drop(sender.send(kept.and(result)));
            })
        });
        let gone = || QueueUnavailable("its thread has ended".into());
        self.0.send(work).await.map_err(|_| gone())?;
        receiver.await.map_err(|_| gone())?
    }
}

fn transact(connection: &mut Connection, first: Operation, more: &mut mpsc::Receiver<Operation>) {
    let mut replies = Vec::new();
    let kept = connection.transaction().and_then(|transaction| {
        replies.push(first(&transaction));
        while replies.len() < TOGETHER
            && let Ok(work) = more.try_recv()
        {
            replies.push(work(&transaction));
        }
        transaction.commit()
    });
    let kept: CommitResult = kept.map_err(QueueUnavailable::from);
    for reply in replies {
        reply(kept.clone());
    }
}

fn in_savepoint<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("savepoint work")?;
    let result = work(connection);
    connection.execute_batch(if result.is_ok() {
        "release work"
    } else {
        "rollback to work; release work"
    })?;
    result
}
