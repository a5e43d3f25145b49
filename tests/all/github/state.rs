//! State of the fake GitHub.

use super::actor::{Access, Actor, Permissions};
use super::faults::Faults;
use super::repository::Repository;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// App with its public key in DER.
pub(super) struct AppState {
    pub(super) slug: String,
    pub(super) public_key: Vec<u8>,
}

/// Installation of an App.
pub(super) struct Installation {
    pub(super) app: u64,
    pub(super) repos: BTreeSet<String>,
    pub(super) permissions: Permissions,
}

/// State of the fake.
pub(super) struct State {
    /// Address of the web pages, without a slash at the end.
    pub(super) web_url: String,
    /// Folder with the repositories.
    pub(super) root: PathBuf,
    pub(super) repos: BTreeMap<String, Repository>,
    pub(super) users: BTreeMap<String, Access>,
    pub(super) tokens: BTreeMap<String, Actor>,
    pub(super) apps: BTreeMap<u64, AppState>,
    pub(super) installations: BTreeMap<u64, Installation>,
    /// Permissions of the installation tokens, each combination once.
    pub(super) granted_permissions: BTreeSet<String>,
    pub(super) faults: Faults,
    /// Errors that fail the test.
    pub(super) errors: Vec<String>,
    /// Requested operations.
    pub(super) operations: Vec<&'static str>,
    last_number: u64,
    /// Simulated clock in seconds, which advances with every write.
    clock_second: i64,
}

impl State {
    pub(super) fn new(web: String, root: PathBuf) -> Self {
        Self {
            web_url: web,
            root,
            repos: BTreeMap::new(),
            users: BTreeMap::new(),
            tokens: BTreeMap::new(),
            apps: BTreeMap::new(),
            installations: BTreeMap::new(),
            granted_permissions: BTreeSet::new(),
            faults: Faults::default(),
            errors: Vec::new(),
            operations: Vec::new(),
            last_number: 1000,
            clock_second: 1_745_308_800,
        }
    }

    /// Returns a unique number.
    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Advances the clock by a second.
    pub(super) fn next_time(&mut self) -> Timestamp {
        self.clock_second += 1;
        Timestamp::from_second(self.clock_second).unwrap()
    }

    pub(super) fn add_token(&mut self, prefix: &str, actor: Actor) -> String {
        let token = format!("{prefix}_{:036}", self.next_number());
        self.tokens.insert(token.clone(), actor);
        token
    }

    /// Returns the errors that fail a test at its end.
    pub(super) fn take_errors(&mut self) -> Vec<String> {
        let mut all = std::mem::take(&mut self.errors);
        all.extend(self.faults.unused());
        self.faults = Faults::default();
        all.extend(self.repos.values_mut().flat_map(Repository::take_unread));
        all
    }
}
