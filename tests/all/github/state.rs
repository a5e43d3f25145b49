//! Everything that GitHub remembers.

use super::actor::{Access, Actor, Permissions};
use super::faults::Faults;
use super::repository::Repository;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// An App and its public key, in DER.
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

/// Everything.
pub(super) struct State {
    /// Returns the address of the web pages, without a slash at the end.
    pub(super) web: String,
    /// The folder with the repositories.
    pub(super) root: PathBuf,
    pub(super) repos: BTreeMap<String, Repository>,
    pub(super) users: BTreeMap<String, Access>,
    pub(super) tokens: BTreeMap<String, Actor>,
    pub(super) apps: BTreeMap<u64, AppState>,
    pub(super) installations: BTreeMap<u64, Installation>,
    /// Permissions of the installation tokens, each combination once.
    pub(super) granted: BTreeSet<String>,
    pub(super) faults: Faults,
    /// Errors that fail the test.
    pub(super) wrong: Vec<String>,
    /// The operations that were asked for.
    pub(super) made: Vec<&'static str>,
    numbers: u64,
    /// The second that GitHub thinks it is: it goes on with everything that is written.
    second: i64,
}

impl State {
    pub(super) fn new(web: String, root: PathBuf) -> Self {
        Self {
            web,
            root,
            repos: BTreeMap::new(),
            users: BTreeMap::new(),
            tokens: BTreeMap::new(),
            apps: BTreeMap::new(),
            installations: BTreeMap::new(),
            granted: BTreeSet::new(),
            faults: Faults::default(),
            wrong: Vec::new(),
            made: Vec::new(),
            numbers: 1000,
            second: 1_745_308_800,
        }
    }

    /// A number that nothing else has.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The next second.
    pub(super) fn now(&mut self) -> Timestamp {
        self.second += 1;
        Timestamp::from_second(self.second).unwrap()
    }

    pub(super) fn add_token(&mut self, prefix: &str, actor: Actor) -> String {
        let token = format!("{prefix}_{:036}", self.number());
        self.tokens.insert(token.clone(), actor);
        token
    }

    /// Returns the errors that fail a test at its end.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        let mut all = std::mem::take(&mut self.wrong);
        all.extend(self.faults.unused());
        self.faults = Faults::default();
        all.extend(self.repos.values_mut().flat_map(Repository::take_unread));
        all
    }
}
