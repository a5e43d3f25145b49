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
