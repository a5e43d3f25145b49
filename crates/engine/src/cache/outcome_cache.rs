//! Cache of raw outcomes on disk. Symptoms are evaluated on the cached outcomes.

use crate::{Environment, Execution, Limits};
use anyhow::Context as _;
use mend_model::{Outcome, Problem, Result, TreeId};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Version of the schema and of the stored format; a file with another version is discarded.
const SCHEMA_VERSION: i64 = 4;

/// Executions by tree, engine fingerprint and repetition.
pub struct OutcomeCache {
    path: PathBuf,
    environment: Environment,
    connection: Mutex<Connection>,
}

impl OutcomeCache {
    /// Opens or creates the cache. An unreadable file is replaced. An execution that used environment variables is only
    /// returned if they have the same values in `environment`.
    ///
    /// # Errors
    /// [`Problem::DiskFull`], or [`Problem::Internal`] if the file cannot be written.
    pub fn open(path: &Path, environment: Environment) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Problem::io(error, folder))?;
        }
        let connection = match Self::connect(path) {
            Ok(connection) => connection,
            Err(error) if is_corrupt(&error) => {
                std::fs::remove_file(path).map_err(|error| Problem::io(error, path))?;
                Self::connect(path).map_err(|error| to_problem(error, path))?
            }
            Err(error) => return Err(to_problem(error, path)),
        };
        Ok(Self { path: path.to_owned(), environment, connection: Mutex::new(connection) })
    }

    fn connect(path: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        let schema_version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if schema_version != SCHEMA_VERSION {
            connection.execute_batch("drop table if exists executions")?;
            connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        }
        connection.execute_batch(
            "create table if not exists executions (
                 tree text not null,
                 engine text not null,
                 repetition integer not null,
                 limit_millis integer,
                 execution text not null,
                 primary key (tree, engine, repetition)
             ) without rowid",
        )?;
        Ok(connection)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the stored execution if it is still valid. A stored timeout is valid only if its limit was not shorter
    /// than the current one.
    ///
    /// # Errors
    /// [`Problem::Internal`] if the file cannot be read.
    pub fn get(
        &self,
        tree: &TreeId,
        engine: &str,
        repetition: u32,
        limits: &Limits,
    ) -> Result<Option<Execution>> {
        let row: Option<(Option<i64>, String)> = self
            .lock()
            .query_row(
                "select limit_millis, execution from executions
                 where tree = ?1 and engine = ?2 and repetition = ?3",
                params![tree.0, engine, repetition],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(|error| to_problem(error, &self.path))?;
        let Some((limit, text)) = row else { return Ok(None) };
        let Ok(execution) = serde_json::from_str::<Execution>(&text) else { return Ok(None) };
        if !execution.variables.matches(&self.environment) {
            return Ok(None);
        }
        let was_shorter =
            |now: Option<i64>| limit.is_some_and(|then| now.is_none_or(|now| then < now));
        if matches!(execution.outcome, Outcome::TimedOut { .. })
            && was_shorter(limit_millis(limits.shortest()))
        {
            return Ok(None);
        }
        Ok(Some(execution))
    }

    /// Stores an execution, unless another engine than the chosen one tested the variant.
    ///
    /// # Errors
    /// [`Problem::DiskFull`], or [`Problem::Internal`] if the file cannot be written.
    pub fn insert(
        &self,
        tree: &TreeId,
        engine: &str,
        repetition: u32,
        limits: &Limits,
        execution: &Execution,
    ) -> Result<()> {
        if execution.is_substitute {
            return Ok(());
        }
        let text = serde_json::to_string(execution).context("writing an outcome")?;
        self.lock()
            .execute(
                "insert or replace into executions values (?1, ?2, ?3, ?4, ?5)",
                params![tree.0, engine, repetition, limit_millis(limits.shortest()), text],
            )
            .map_err(|error| to_problem(error, &self.path))?;
        Ok(())
    }

    /// Adds the executions of another cache file that this cache lacks. Returns their number, or `None` if the file is
    /// no cache of this version. The file is not changed.
    ///
    /// # Errors
    /// [`Problem::DiskFull`], or [`Problem::Internal`] if a file cannot be copied or this cache cannot be written.
    pub fn merge(&self, file: &Path) -> Result<Option<usize>> {
        let work = tempfile::tempdir().context("creating a temporary folder")?;
        let copy = copy_database(file, work.path())?;
        if !is_cache(&copy) {
            return Ok(None);
        }
        let connection = self.lock();
        let write_error = |error| to_problem(error, &self.path);
        let copy_text = copy.to_string_lossy();
        connection.execute("attach database ?1 as other", [&*copy_text]).map_err(write_error)?;
        let added = connection.execute(
            "insert or ignore into main.executions
             select tree, engine, repetition, limit_millis, execution from other.executions",
            [],
        );
        connection.execute_batch("detach database other").map_err(write_error)?;
        match added {
            Ok(count) => Ok(Some(count)),
            // The file of a job may have any content.
            Err(error) if error.sqlite_error_code() != Some(ErrorCode::DiskFull) => Ok(None),
            Err(error) => Err(write_error(error)),
        }
    }
}

/// Copies a database with the log of a process that was killed, which belongs to its content.
fn copy_database(file: &Path, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("cache.sqlite");
    let with_suffix = |path: &Path, suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    for suffix in ["", "-wal"] {
        let source = with_suffix(file, suffix);
        if suffix.is_empty() || source.is_file() {
            std::fs::copy(&source, with_suffix(&copy, suffix))
                .map_err(|error| Problem::io(error, &source))?;
        }
    }
    Ok(copy)
}

/// Returns true if a file is a cache of this version.
fn is_cache(file: &Path) -> bool {
    let read_version = || -> rusqlite::Result<i64> {
        Connection::open(file)?.pragma_query_value(None, "user_version", |row| row.get(0))
    };
    read_version().is_ok_and(|version| version == SCHEMA_VERSION)
}

fn limit_millis(limit: Option<Duration>) -> Option<i64> {
    limit.map(|limit| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX))
}

fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn to_problem(error: rusqlite::Error, path: &Path) -> Problem {
    if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
        return Problem::DiskFull { path: path.to_owned() };
    }
    anyhow::Error::new(error).context(path.display().to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> OutcomeCache {
        OutcomeCache::open(path, Environment::default()).unwrap()
    }

    fn limits(seconds: u64) -> Limits {
        Limits { test: Some(Duration::from_secs(seconds)), ..Limits::default() }
    }

    fn execution(outcome: Outcome) -> Execution {
        Execution {
            build: Some(Duration::from_millis(5)),
            jvms: 1,
            ..Execution::from_outcome(outcome)
        }
    }

    fn exit_outcome(code: i32) -> Outcome {
        Outcome::Exited { code, output: "x".into() }
    }

    #[test]
    fn outcomes_of_substitutes_are_not_stored() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(&dir.path().join("cache.sqlite"));
        let tree = TreeId("1".into());
        let substitute = Execution { is_substitute: true, ..execution(exit_outcome(1)) };
        cache.insert(&tree, "e", 0, &limits(1), &substitute).unwrap();
        assert_eq!(cache.get(&tree, "e", 0, &limits(1)).unwrap(), None);
    }

    #[test]
    fn outcomes_persist_across_cache_instances() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/cache.sqlite");
        let tree = TreeId("1".into());
        let cache = open(&path);
        cache.insert(&tree, "e", 0, &limits(1), &execution(exit_outcome(1))).unwrap();
        drop(cache);
        let cache = open(&path);
        assert_eq!(cache.get(&tree, "e", 0, &limits(1)).unwrap(), Some(execution(exit_outcome(1))));
        assert_eq!(cache.get(&tree, "e", 1, &limits(1)).unwrap(), None);
        assert_eq!(cache.get(&tree, "other", 0, &limits(1)).unwrap(), None);
    }

    #[test]
    fn cached_timeout_is_ignored_for_a_longer_limit() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(&dir.path().join("c"));
        let tree = TreeId("1".into());
        let timed_out = execution(Outcome::TimedOut { test: None, output: String::new() });
        cache.insert(&tree, "e", 0, &limits(10), &timed_out).unwrap();
        assert!(cache.get(&tree, "e", 0, &limits(9)).unwrap().is_some());
        assert!(cache.get(&tree, "e", 0, &limits(11)).unwrap().is_none());
        assert!(cache.get(&tree, "e", 0, &Limits::default()).unwrap().is_none());
    }

    #[test]
    fn merged_cache_has_the_executions_of_both() {
        let dir = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| dir.path().join(name).join("cache.sqlite"));
        let [one, two] = ["1", "2"].map(|id| TreeId(id.into()));
        let cache = open(&own);
        cache.insert(&one, "e", 0, &limits(1), &execution(exit_outcome(1))).unwrap();
        // An open connection has not copied its log into the file, like that of a killed process.
        let still_open = open(&other);
        still_open.insert(&one, "e", 0, &limits(1), &execution(exit_outcome(3))).unwrap();
        still_open.insert(&two, "e", 0, &limits(1), &execution(exit_outcome(2))).unwrap();
        assert_eq!(cache.merge(&other).unwrap(), Some(1));
        let outcome_of = |tree: &TreeId| cache.get(tree, "e", 0, &limits(1)).unwrap();
        assert_eq!(outcome_of(&one), Some(execution(exit_outcome(1))));
        assert_eq!(outcome_of(&two), Some(execution(exit_outcome(2))));
        assert_eq!(cache.merge(&other).unwrap(), Some(0));
    }

    #[test]
    fn other_files_are_not_merged() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(&dir.path().join("cache.sqlite"));
        let text = dir.path().join("text");
        std::fs::write(&text, "no database at all, but long enough to look at its header").unwrap();
        assert_eq!(cache.merge(&text).unwrap(), None);
        let stranger = dir.path().join("stranger");
        let connection = Connection::open(&stranger).unwrap();
        connection.pragma_update(None, "user_version", SCHEMA_VERSION).unwrap();
        assert_eq!(cache.merge(&stranger).unwrap(), None);
        connection.execute_batch("create table executions (tree text)").unwrap();
        assert_eq!(cache.merge(&stranger).unwrap(), None);
        cache.insert(&TreeId("1".into()), "e", 0, &limits(1), &execution(exit_outcome(1))).unwrap();
    }

    #[test]
    fn corrupt_database_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        std::fs::write(&path, "no database at all, but long enough to look at its header").unwrap();
        let cache = open(&path);
        assert_eq!(cache.get(&TreeId("1".into()), "e", 0, &limits(1)).unwrap(), None);
    }

    #[test]
    fn outcome_is_ignored_if_its_variables_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let tree = TreeId("1".into());
        let environment = |value: &str| [("A", value)].into_iter().collect::<Environment>();
        let variables = environment("1").digest_variables(&["A".to_owned()].into());
        let execution = Execution { variables, ..execution(exit_outcome(1)) };
        open(&path).insert(&tree, "e", 0, &limits(1), &execution).unwrap();
        for (value, is_cached) in [("1", true), ("2", false)] {
            let cache = OutcomeCache::open(&path, environment(value)).unwrap();
            assert_eq!(cache.get(&tree, "e", 0, &limits(1)).unwrap().is_some(), is_cached);
        }
    }
}
