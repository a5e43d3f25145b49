//! In-memory fake of GitHub, with real commits and git over HTTP.
//!
//! The fake validates every request against GitHub's API description. A test fails at its end if a request was
//! undocumented or invalid, or if the test left written objects unread. To serve another operation, add a line to
//! `routes::ROUTES` with GitHub's name of the operation.

mod access;
mod actor;
mod answer;
mod app;
mod call;
mod commits;
mod connection;
mod faults;
mod git_http;
mod graphql;
pub(crate) mod http;
mod jwt;
mod objects;
mod openapi;
mod render;
mod repo;
mod repository;
mod routes;
mod schema;
mod server;
mod state;
mod unread_store;

pub(crate) use actor::{Access, Actor};
pub(crate) use app::FakeApp;
pub(crate) use faults::{BlockedRequestHandle, Fault, Hold};
pub(crate) use objects::{CheckRun, Comment, FakePullState, Pull, WorkflowRun};
pub(crate) use repo::FakeRepo;
pub(crate) use routes::MANIFEST_CODE;

use connection::Listener;
use mend_github::{ApiAddress, Client, Credential, Repo, RetryPolicy};
use server::lock_state;
use state::State;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Retry policy with short delays, so that tests of faults are fast.
pub(crate) const FAST_RETRY_POLICY: RetryPolicy = RetryPolicy {
    initial_delay: Duration::from_millis(1),
    max_attempts: 3,
    max_delay: Duration::from_secs(2),
    io_timeout: Duration::from_secs(30),
};

/// Fake GitHub. Dropping it asserts that no error occurred and no written object is unread.
pub(crate) struct FakeGithub {
    state: Arc<Mutex<State>>,
    web_url: String,
    listener: Option<Listener>,
    _root: TempDir,
}

impl FakeGithub {
    pub(crate) fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let web = format!("http://{}", socket.local_addr().unwrap());
        let state = State::new(web.clone(), root.path().to_owned());
        let state = Arc::new(Mutex::new(state));
        let listener = Some(Listener::start(socket, Arc::clone(&state)));
        Self { state, web_url: web, listener, _root: root }
    }

    /// Returns the API address in the form of github.com, which is the address of the web pages too.
    pub(crate) fn url(&self) -> String {
        self.web_url.clone()
    }

    /// Returns the API address in the form of GitHub Enterprise Server.
    pub(crate) fn enterprise_url(&self) -> String {
        format!("{}/api/v3", self.web_url)
    }

    pub(crate) fn address(&self) -> ApiAddress {
        ApiAddress::parse(&self.url()).unwrap()
    }

    /// Adds a repository with the commits, branches and tags of a local one.
    pub(crate) fn add_repo(&self, name: &str, from: &Path) -> FakeRepo<'_> {
        repo::create_repo(self, name, from)
    }

    pub(crate) fn repo(&self, name: &str) -> FakeRepo<'_> {
        repo::find_repo(self, name)
    }

    /// Adds a user with the same access to every repository.
    pub(crate) fn user(&self, login: &str, access: Access) -> Actor {
        self.state().users.insert(login.to_owned(), access);
        Actor::user(login)
    }

    pub(crate) fn token_for(&self, actor: Actor) -> String {
        let prefix = if matches!(actor, Actor::User(_)) { "ghp" } else { "ghs" };
        self.state().add_token(prefix, actor)
    }

    /// Creates a client of the program for an actor.
    pub(crate) fn client(&self, repo: &str, actor: Actor) -> Repo {
        self.client_at(&self.address(), repo, actor)
    }

    /// Creates a client like [`Self::client`], with another API address.
    pub(crate) fn client_at(&self, address: &ApiAddress, repo: &str, actor: Actor) -> Repo {
        let credential = Credential::Token(self.token_for(actor).into());
        let new_client = async { Client::new(address, &credential, FAST_RETRY_POLICY) };
        Repo::new(block_on(new_client).unwrap(), repo.parse().unwrap())
    }

    /// Like [`Self::client`], with a timeout of one second. A busy machine may exceed it for any response, so the
    /// client retries often.
    pub(crate) fn impatient_client(&self, repo: &str, actor: Actor) -> Repo {
        let retry_policy = RetryPolicy {
            io_timeout: Duration::from_secs(1),
            max_attempts: 10,
            ..FAST_RETRY_POLICY
        };
        let credential = Credential::Token(self.token_for(actor).into());
        let new_client = async { Client::new(&self.address(), &credential, retry_policy) };
        Repo::new(block_on(new_client).unwrap(), repo.parse().unwrap())
    }

    pub(crate) fn app(&self, slug: &str) -> FakeApp<'_> {
        app::create_app(self, slug)
    }

    /// Injects a fault into the next request of an operation. Operations have GitHub's names, such as `pulls/create`,
    /// or are `viewer`, `graphql` or `git`.
    pub(crate) fn add_fault(&self, operation: &str, fault: Fault) {
        self.add_fault_after(0, operation, fault);
    }

    /// Injects a fault like [`Self::add_fault`], after some successful requests of the operation.
    pub(crate) fn add_fault_after(&self, count: usize, operation: &str, fault: Fault) {
        self.state().faults.add(operation, count, fault);
    }

    /// Blocks a request after a number of other requests, of any operation.
    pub(crate) fn block_request(&self, skip: usize, at: Hold) -> BlockedRequestHandle {
        self.state().faults.block(None, skip, at)
    }

    /// Blocks a request of an operation after its execution. `skip` requests of the operation precede it.
    pub(crate) fn block_after_operation(
        &self,
        operation: &str,
        skip: usize,
    ) -> BlockedRequestHandle {
        self.state().faults.block(Some(operation), skip, Hold::After)
    }

    /// Runs an action of another user just before the next request of an operation.
    pub(crate) fn before_operation(&self, operation: &str, deed: impl FnOnce() + Send + 'static) {
        self.state().faults.add_action(operation, Box::new(deed));
    }

    /// Returns the number of requests of an operation.
    pub(crate) fn request_count(&self, operation: &str) -> usize {
        self.state().operations.iter().filter(|made| **made == operation).count()
    }

    /// Returns all requested operations in their order.
    pub(crate) fn operations(&self) -> Vec<&'static str> {
        self.state().operations.clone()
    }

    /// Returns the permissions of the installation tokens, each combination once: `checks:write metadata:read`.
    pub(crate) fn granted_permissions(&self) -> BTreeSet<String> {
        self.state().granted_permissions.clone()
    }

    /// Returns and clears the errors that would fail the test if it ended now.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        self.state().take_errors()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock_state(&self.state)
    }
}

impl Drop for FakeGithub {
    fn drop(&mut self) {
        drop(self.listener.take());
        let complaints = self.take_errors();
        let is_well = complaints.is_empty() || std::thread::panicking();
        assert!(is_well, "GitHub complains:\n{}", complaints.join("\n"));
    }
}

/// Runtime of all clients. A client must not outlive its runtime.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());

/// Runs a future to completion.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.block_on(future)
}
