//! Opens the database file of the queue and creates or upgrades its tables.

use mend_model::{Problem, Result};
use rusqlite::{Connection, ErrorCode};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

/// `SQLite` application id of git-mend: `mend` in ASCII.
const APPLICATION_ID: i64 = 0x6d65_6e64;
/// Schema version. Increase it with each change of the tables, and upgrade older files here.
const SCHEMA_VERSION: i64 = 2;

const CREATE_TABLES: &str = "
    create table jobs (
        id integer primary key,
        key text not null unique,
        installation integer not null,
        repository text not null,
        head_repository text,
        branch text,
        sha text,
        pull integer,
        kind text not null,
        urgent integer not null,
        subject text not null,
        task text not null,
        state text not null,
        progress text,
        attempts integer not null default 0,
        epoch integer not null default 0,
        not_before integer not null,
        created integer not null,
        changed integer not null,
        message text,
        link text
    );
    create index jobs_by_state on jobs (state, installation, not_before);
    create index jobs_by_repository on jobs (repository, state);
    create index jobs_left_open on jobs (id) where progress is not null and state in ('cancelled', 'failed');
    create index jobs_by_change on jobs (changed);
    create table deliveries (
        id text primary key,
        event text not null,
        received integer not null,
        job integer references jobs (id) on delete cascade
    ) without rowid;
    create index deliveries_by_job on deliveries (job);
    create table installations (
        id integer primary key,
        status text not null default 'active',
        since integer not null default 0,
        served integer not null default 0
    );
";

/// Table of report pages, which schema version 1 lacks.
const CREATE_REPORTS_TABLE: &str = "
    create table reports (
        job integer primary key references jobs (id) on delete cascade,
        page text not null
    );
";

/// Opens or creates the file, and locks it against other processes.
pub(super) fn open_database(path: &Path) -> Result<Connection> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Problem::io(error, folder))?;
    }
    // The file contains pages of private repositories.
    let file_created = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    file_created.map_err(|error| Problem::io(error, path))?;
    let connection = Connection::open(path).map_err(|error| to_problem(error, path))?;
    prepare_database(&connection, path)?;
    Ok(connection)
}

fn prepare_database(connection: &Connection, path: &Path) -> Result<()> {
    let problem = |error| to_problem(error, path);
    // The previous process may need a moment to release its locks.
    connection.busy_timeout(Duration::from_secs(5)).map_err(problem)?;
    connection.pragma_update(None, "locking_mode", "exclusive").map_err(problem)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(problem)?;
    // A delivery answered with 202 must survive a power failure.
    connection.pragma_update(None, "synchronous", "full").map_err(problem)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(problem)?;
    connection.execute_batch("begin immediate").map_err(problem)?;
    let read_pragma = |name| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(problem)
    };
    match (read_pragma("application_id")?, read_pragma("user_version")?) {
        (0, 0) if is_empty(connection).map_err(problem)? => {
            connection.execute_batch(CREATE_TABLES).map_err(problem)?;
            connection.execute_batch(CREATE_REPORTS_TABLE).map_err(problem)?;
            connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(problem)?;
            connection.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(problem)?;
        }
        (APPLICATION_ID, SCHEMA_VERSION) => {}
        (APPLICATION_ID, 1) => {
            connection.execute_batch(CREATE_REPORTS_TABLE).map_err(problem)?;
            connection.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(problem)?;
        }
        _ => return Err(foreign_database(path)),
    }
    connection.execute_batch("commit").map_err(problem)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("select not exists (select 1 from sqlite_schema)", [], |row| row.get(0))
}

fn foreign_database(path: &Path) -> Problem {
    Problem::Usage {
        message: format!("{} is not a queue of this version of git-mend", path.display()),
        remedy:
            "name another file with --database; git-mend never changes queues of other versions"
                .to_owned(),
    }
}

fn to_problem(error: rusqlite::Error, path: &Path) -> Problem {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Problem::Usage {
            message: format!("another process is using {}", path.display()),
            remedy: "stop the other server, or name another file with --database".to_owned(),
        },
        Some(ErrorCode::DiskFull) => Problem::DiskFull { path: path.to_owned() },
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => foreign_database(path),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            Problem::Usage {
                message: format!("cannot write {}: {error}", path.display()),
                remedy: "name a file that this user can write with --database".to_owned(),
            }
        }
        _ => anyhow::Error::new(error).context(path.display().to_string()).into(),
    }
}
