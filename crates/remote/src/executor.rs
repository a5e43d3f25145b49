//! Executor: a server with its workers, used by the engines of a run.

use crate::action::{ActionTemplate, WorkerProgram};
use crate::client::connection::Connection;
use crate::digest::BlobDigest;
use crate::dispatcher::Dispatcher;
use crate::options::RemoteOptions;
use crate::trial::{Failure, Trial, TrialResult};
use anyhow::Context as _;
use mend_model::{Interrupt, Problem, Result};
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Interval at which a waiting thread looks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Number of threads that send and receive.
const CLIENT_THREADS: usize = 2;

/// A server with its workers.
pub struct RemoteExecutor {
    address: String,
    fingerprint: String,
    interrupt: Interrupt,
    dispatcher: Arc<Dispatcher>,
    sender: UnboundedSender<Trial>,
    local_slots: LocalSlots,
    /// The threads; `None` once dropped.
    runtime: Option<Runtime>,
}

/// Slots for trials on this machine, which has fewer cores than the workers together.
#[derive(Debug)]
struct LocalSlots {
    free: Mutex<usize>,
    freed: Condvar,
}

impl RemoteExecutor {
    /// Connects to a server. `local_jobs` trials may run on this machine at the same time.
    ///
    /// # Errors
    /// [`Problem::Usage`] for headers that would be sent without encryption; [`Problem::ExecutorFailed`] if the server
    /// does not answer or executes no actions; errors of reading the program for the workers.
    pub fn connect(
        options: &RemoteOptions,
        interrupt: Interrupt,
        local_jobs: usize,
    ) -> Result<Self> {
        check_headers(options)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(CLIENT_THREADS)
            .enable_all()
            .build()
            .context("starting threads")?;
        let digest = BlobDigest::of_file(&options.program)
            .map_err(|error| Problem::io(error, &options.program))?;
        let program = WorkerProgram { path: options.program.clone(), digest };
        let connection = runtime.block_on(Connection::open(options)).map_err(|fault| {
            Problem::ExecutorFailed { address: options.address.clone(), reason: fault.to_string() }
        })?;
        let template = ActionTemplate {
            program,
            platform: options.platform.clone(),
            variables: options.variables.clone(),
        };
        let dispatcher = Arc::new(Dispatcher::new(connection, template, options.workers));
        let (sender, receiver) = unbounded_channel();
        runtime.spawn(Arc::clone(&dispatcher).run(receiver));
        let local_slots = LocalSlots { free: Mutex::new(local_jobs.max(1)), freed: Condvar::new() };
        Ok(Self {
            address: options.address.clone(),
            fingerprint: fingerprint(options, &digest),
            interrupt,
            dispatcher,
            sender,
            local_slots,
            runtime: Some(runtime),
        })
    }

    /// Returns the address of the server.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the number of bytes that were uploaded.
    pub fn uploaded_bytes(&self) -> u64 {
        self.dispatcher.uploader.uploaded_bytes()
    }

    /// Returns a key of what outcomes depend on: the server, the properties of its workers, and their program.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the reason why the executor is not used any more.
    pub(crate) fn unusable_reason(&self) -> Option<String> {
        self.dispatcher.unusable_reason()
    }

    /// Waits until a trial has a result.
    ///
    /// # Errors
    /// [`Problem::Interrupted`].
    pub(crate) fn finish_trial(
        &self,
        trial: Trial,
        result: &Receiver<TrialResult>,
    ) -> Result<TrialResult> {
        let ended = || Ok(Err(Failure::Unusable("its client ended".to_owned())));
        if self.sender.send(trial).is_err() {
            return ended();
        }
        loop {
            self.interrupt.check()?;
            match result.recv_timeout(POLL_INTERVAL) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return ended(),
            }
        }
    }

    /// Does something on this machine, as soon as a slot is free.
    pub(crate) fn with_local_slot<T>(&self, action: impl FnOnce() -> T) -> T {
        let LocalSlots { free, freed } = &self.local_slots;
        let lock = free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lock =
            freed.wait_while(lock, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *lock -= 1;
        drop(lock);
        let result = action();
        *free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        freed.notify_one();
        result
    }
}

impl Drop for RemoteExecutor {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Those of an interrupted run, and those that a faster worker has overtaken.
            runtime.block_on(self.dispatcher.connection.cancel_all());
            runtime.shutdown_background();
        }
    }
}

/// Refuses to send headers over a network without encryption.
fn check_headers(options: &RemoteOptions) -> Result<()> {
    let plain = options.address.strip_prefix("grpc://").filter(|_| !options.headers.is_empty());
    match plain {
        Some(host) if !is_loopback(host) => Err(Problem::Usage {
            message: format!(
                "headers for the executor {} would be sent without encryption",
                options.address
            ),
            remedy: "use an address that begins with grpcs://, or omit the headers".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Returns true if `HOST:PORT` is this machine. A user name in front of the host could look like one.
fn is_loopback(host_and_port: &str) -> bool {
    let Some((host, port)) = host_and_port.rsplit_once(':') else { return false };
    if port.parse::<u16>().is_err() {
        return false;
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn fingerprint(options: &RemoteOptions, program: &BlobDigest) -> String {
    let RemoteOptions { address, instance, platform, variables, .. } = options;
    format!("remote {address} {instance} {platform:?} {variables:?} {program:?} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost:1", "127.0.0.1:1", "127.1.2.3:1", "[::1]:1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "a:1",
            "192.0.2.1:1",
            "localhost.a:1",
            "localhost:1@a",
            "localhost:1@a:1",
            "localhost:1/a",
            "127.0.0.1.a:1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn fingerprint_depends_on_the_program_and_the_platform_of_the_workers() {
        let options = RemoteOptions {
            address: "grpc://localhost:1".to_owned(),
            instance: String::new(),
            platform: std::collections::BTreeMap::new(),
            variables: std::collections::BTreeMap::new(),
            headers: crate::Headers::default(),
            workers: 1,
            program: "git-mend".into(),
            timing: crate::Timing::default(),
        };
        let [one, other] = ["1", "2"].map(|program| BlobDigest::of_bytes(program.as_bytes()));
        assert_eq!(fingerprint(&options, &one), fingerprint(&options, &one));
        assert_ne!(fingerprint(&options, &one), fingerprint(&options, &other));
        let platform = [("jdk".to_owned(), "21.0.5".to_owned())].into();
        let newer = RemoteOptions { platform, ..options.clone() };
        assert_ne!(fingerprint(&options, &one), fingerprint(&newer, &one));
    }
}
