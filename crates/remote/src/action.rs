//! Action of a batch: its input root, command and blobs.

use crate::batch::{
    BASE_FOLDER, BatchRequest, CHANGES_FOLDER, ENGINE_FILE, OUTSIDE_FOLDER, PROGRAM_FILE,
    REQUEST_FILE, RESPONSE_FILE, RUNTIME_FOLDER, SCHEMA_ID, TrialRequest, WORKER_SUBCOMMAND,
};
use crate::client::upload::{BlobSource, Blobs, add_folder_blobs};
use crate::digest::BlobDigest;
use crate::merkle::{Entry, Folder};
use crate::trial::Trial;
use bazel_remote_apis::build::bazel::remote::execution::v2;
use bazel_remote_apis::google::protobuf;
use mend_engine::Limits;
use prost::Message as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default of the search path of workers. An action inherits no variables.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Time limit of a phase without one, for the time limit of an action.
const UNLIMITED_PHASE: Duration = Duration::from_secs(1800);

/// Time limit of an action besides its trials.
const ACTION_OVERHEAD: Duration = Duration::from_secs(120);

/// Program that the workers run.
#[derive(Clone, Debug)]
pub(crate) struct WorkerProgram {
    pub(crate) path: PathBuf,
    pub(crate) digest: BlobDigest,
}

/// Properties of all actions of a run.
#[derive(Clone, Debug)]
pub(crate) struct ActionTemplate {
    pub(crate) program: WorkerProgram,
    pub(crate) platform: BTreeMap<String, String>,
    pub(crate) variables: BTreeMap<String, String>,
}

/// Action with the blobs that it needs.
#[derive(Debug)]
pub(crate) struct Action {
    message: v2::Action,
    pub(crate) blobs: Blobs,
}

impl Action {
    /// Returns the digest of the action for an attempt, and its blob. Servers merge equal actions, so each attempt has
    /// its own.
    pub(crate) fn for_attempt(&self, attempt: u32) -> (BlobDigest, Vec<u8>) {
        let salt = attempt.to_be_bytes().to_vec();
        let bytes = v2::Action { salt, ..self.message.clone() }.encode_to_vec();
        (BlobDigest::of_bytes(&bytes), bytes)
    }
}

impl ActionTemplate {
    /// Returns the action of a batch. Blobs that `is_known` are not read again.
    pub(crate) fn create_action(
        &self,
        trials: &[&Trial],
        is_known: &dyn Fn(&BlobDigest) -> bool,
    ) -> serde_json::Result<Action> {
        let mut blobs = Blobs::new();
        let Some(first) = trials.first() else {
            return Ok(Action { message: v2::Action::default(), blobs });
        };
        let root = self.create_root(first, trials, is_known, &mut blobs)?;
        let mut add_message = |bytes: Vec<u8>| {
            let digest = BlobDigest::of_bytes(&bytes);
            blobs.insert(digest, BlobSource::Bytes(bytes));
            Some(digest.to_proto())
        };
        let message = v2::Action {
            command_digest: add_message(self.command(first).encode_to_vec()),
            input_root_digest: Some(root.to_proto()),
            timeout: Some(to_proto(action_limit(&first.limits, trials.len()))),
            // Every run is a new sample of a test that may be flaky.
            do_not_cache: true,
            salt: Vec::new(),
            platform: Some(self.platform()),
        };
        Ok(Action { message, blobs })
    }

    /// Adds the blobs of the input root, and returns its digest.
    fn create_root(
        &self,
        first: &Trial,
        trials: &[&Trial],
        is_known: &dyn Fn(&BlobDigest) -> bool,
        blobs: &mut Blobs,
    ) -> serde_json::Result<BlobDigest> {
        let engine = &first.engine;
        let mut entries = BTreeMap::new();
        let mut add_file = |name: &str, digest: BlobDigest, source: BlobSource| {
            let is_executable = name == PROGRAM_FILE;
            entries.insert(name.to_owned(), Entry::File { digest, is_executable });
            if !is_known(&digest) {
                blobs.insert(digest, source);
            }
        };
        let program = BlobSource::File(self.program.path.clone());
        add_file(PROGRAM_FILE, self.program.digest, program);
        add_file(ENGINE_FILE, engine.digest, BlobSource::Bytes(engine.json.clone()));
        let (requests, changes) = compare_with_base(trials);
        let request = BatchRequest {
            schema: SCHEMA_ID.to_owned(),
            limits: first.limits.clone(),
            trials: requests,
        };
        let request = serde_json::to_vec(&request)?;
        add_file(REQUEST_FILE, BlobDigest::of_bytes(&request), BlobSource::Bytes(request));
        let mut change_entries = BTreeMap::new();
        for (number, (folder, place)) in changes.into_iter().enumerate() {
            add_folder_blobs(&folder, place, is_known, blobs);
            change_entries.insert(number.to_string(), Entry::Folder(folder));
        }
        let changes = Folder::new(change_entries);
        blobs.insert(changes.digest, BlobSource::Bytes(changes.encode()));
        add_folder_blobs(&first.folder, &first.place, is_known, blobs);
        add_folder_blobs(&engine.outside, Path::new("/"), is_known, blobs);
        add_folder_blobs(&engine.runtime.folder, &engine.runtime.place, is_known, blobs);
        let folders = [
            (BASE_FOLDER, first.folder.clone()),
            (CHANGES_FOLDER, changes),
            (OUTSIDE_FOLDER, engine.outside.clone()),
            (RUNTIME_FOLDER, engine.runtime.folder.clone()),
        ];
        entries.extend(folders.map(|(name, folder)| (name.to_owned(), Entry::Folder(folder))));
        let root = Folder::new(entries);
        blobs.insert(root.digest, BlobSource::Bytes(root.encode()));
        Ok(root.digest)
    }

    fn command(&self, trial: &Trial) -> v2::Command {
        let mut variables = BTreeMap::from([("PATH".to_owned(), DEFAULT_PATH.to_owned())]);
        variables.extend(trial.engine.variables.iter().cloned());
        variables.extend(self.variables.clone());
        let variable = |(name, value)| v2::command::EnvironmentVariable { name, value };
        #[expect(deprecated, reason = "some servers know only the fields of version 2.0")]
        v2::Command {
            arguments: vec![format!("./{PROGRAM_FILE}"), WORKER_SUBCOMMAND.to_owned()],
            environment_variables: variables.into_iter().map(variable).collect(),
            output_files: vec![RESPONSE_FILE.to_owned()],
            output_paths: vec![RESPONSE_FILE.to_owned()],
            platform: Some(self.platform()),
            ..v2::Command::default()
        }
    }

    fn platform(&self) -> v2::Platform {
        let property = |(name, value): (&String, &String)| v2::platform::Property {
            name: name.clone(),
            value: value.clone(),
        };
        v2::Platform { properties: self.platform.iter().map(property).collect() }
    }
}

/// Returns the requests of trials, with the changes from the first variant to each and the place of their files.
fn compare_with_base<'a>(
    trials: &[&'a Trial],
) -> (Vec<TrialRequest>, Vec<(std::sync::Arc<Folder>, &'a Path)>) {
    let Some(base) = trials.first() else { return Default::default() };
    let compare = |trial: &&'a Trial| {
        let (changed, removed) = trial.folder.changes_since(&base.folder);
        let request = TrialRequest { removed, mode: trial.mode.clone() };
        (request, (changed, trial.place.as_path()))
    };
    trials.iter().map(compare).unzip()
}

/// Maximum time limit of an action: servers refuse longer ones.
const MAX_ACTION_LIMIT: Duration = Duration::from_secs(3600);

/// Returns the maximum number of trials of an action: each may reach its time limit once.
pub(crate) fn max_trials(limits: &Limits) -> usize {
    let Some(test) = limits.test else { return usize::MAX };
    let trials =
        MAX_ACTION_LIMIT.saturating_sub(ACTION_OVERHEAD).as_millis() / test.as_millis().max(1);
    usize::try_from(trials).unwrap_or(usize::MAX).max(1)
}

/// Returns the time limit of an action: trials may run twice, and wait for other programs on the worker.
pub(crate) fn action_limit(limits: &Limits, trials: usize) -> Duration {
    let phases = [limits.build, limits.test].map(|limit| limit.unwrap_or(UNLIMITED_PHASE));
    let trial: Duration = phases.into_iter().sum();
    let trials = u32::try_from(trials).unwrap_or(u32::MAX);
    let limit = ACTION_OVERHEAD.saturating_add(trial.saturating_mul(4).saturating_mul(trials));
    limit.min(MAX_ACTION_LIMIT)
}

fn to_proto(duration: Duration) -> protobuf::Duration {
    protobuf::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(duration.subsec_nanos()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_take_no_longer_than_servers_allow() {
        let limits = |seconds| Limits {
            build: Some(Duration::from_secs(300)),
            test: Some(Duration::from_secs(seconds)),
            ..Limits::default()
        };
        assert_eq!(action_limit(&limits(75), 1), Duration::from_secs(120 + 4 * 375));
        assert_eq!(action_limit(&limits(75), 4), MAX_ACTION_LIMIT);
        assert_eq!(action_limit(&Limits::default(), 200), MAX_ACTION_LIMIT);
        assert_eq!(max_trials(&limits(60)), 58);
        assert_eq!(max_trials(&limits(7200)), 1);
        assert_eq!(max_trials(&Limits::default()), usize::MAX);
    }
}
