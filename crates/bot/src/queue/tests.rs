use super::*;
use crate::command::CommentCommand;
use crate::task::{JobSubject, JobTask, NewJob, SearchCause};
use crate::webhook_decision::{InstallationStatus, InstallationStatusChange};
use jiff::ToSpan as _;
use mend_github::{InstallationId, PullNumber, RunId};
use mend_model::CommitId;
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

const LIMITS: JobLimits = JobLimits { max_total: 4, max_per_installation: 2 };

fn open_queue() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let connection = schema::open_database(&dir.path().join("queue.sqlite")).unwrap();
    (dir, connection)
}

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn sample_delivery(id: &str) -> Delivery {
    Delivery { id: id.to_owned().try_into().unwrap(), event: "workflow_run".into() }
}

/// Creates a search job with its own branch and commit.
fn search_job(installation: u64, key: &str) -> NewJob {
    let repository: mend_github::RepoName = format!("owner-{installation}/name").parse().unwrap();
    NewJob {
        key: key.to_owned(),
        installation: InstallationId(installation),
        subject: JobSubject {
            head_repository: Some(repository.clone()),
            repository,
            branch: Some(key.to_owned().try_into().unwrap()),
            sha: Some(CommitId(format!("{key:0>40}"))),
            pull: None,
        },
        task: JobTask::Search { cause: SearchCause::WorkflowRun { run: RunId(1), attempt: 1 } },
    }
}

fn changes_with_job(job: NewJob) -> QueueChanges {
    QueueChanges { job: Some(job), ..QueueChanges::default() }
}

fn accept_delivery(connection: &Connection, id: &str, effects: &QueueChanges) -> EnqueueResult {
    enqueue::accept_delivery(connection, &sample_delivery(id), effects, time(0)).unwrap().0
}

fn claim_job(connection: &Connection, second: i64) -> Option<Job> {
    claim::claim_next(connection, LIMITS, time(second)).unwrap()
}

fn end_run(connection: &Connection, job: &Job, outcome: &JobOutcome, second: i64) -> JobState {
    claim::end_run(connection, job.id, job.epoch, outcome, time(second)).unwrap()
}

fn done_outcome() -> JobOutcome {
    JobOutcome::Done { message: "found".into(), link: None }
}

fn failed_outcome() -> JobOutcome {
    JobOutcome::Failed { message: "no luck".into(), may_retry: true }
}

#[test]
fn repeated_delivery_is_done_once() {
    let (_dir, connection) = open_queue();
    let effects = changes_with_job(search_job(1, "a"));
    assert!(matches!(accept_delivery(&connection, "d-1", &effects), EnqueueResult::Queued(_)));
    assert_eq!(accept_delivery(&connection, "d-1", &effects), EnqueueResult::Duplicate);
    let job = claim_job(&connection, 1).unwrap();
    assert_eq!(
        accept_delivery(&connection, "d-1", &effects),
        EnqueueResult::Duplicate,
        "under way"
    );
    assert_eq!(end_run(&connection, &job, &done_outcome(), 2), JobState::Done);
    assert_eq!(accept_delivery(&connection, "d-1", &effects), EnqueueResult::Duplicate, "done");
    assert_eq!(
        accept_delivery(&connection, "d-2", &effects),
        EnqueueResult::Duplicate,
        "the same work by another name"
    );
    assert!(claim_job(&connection, 3).is_none());
}

#[test]
fn redelivery_requeues_a_failed_job() {
    let (_dir, connection) = open_queue();
    let effects = changes_with_job(search_job(1, "a"));
    accept_delivery(&connection, "d-1", &effects);
    let job = claim_job(&connection, 1).unwrap();
    let permanent_failure = JobOutcome::Failed { message: String::new(), may_retry: false };
    assert_eq!(end_run(&connection, &job, &permanent_failure, 2), JobState::Failed);
    assert_eq!(accept_delivery(&connection, "d-1", &effects), EnqueueResult::Requeued(job.id));
    assert_eq!(claim_job(&connection, 3).unwrap().attempts, 1);
}

#[test]
fn failed_job_is_retried_with_backoff_and_limit() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let mut second = 0;
    let mut delays = Vec::new();
    while let Some(job) = claim_job(&connection, second) {
        if end_run(&connection, &job, &failed_outcome(), second) == JobState::Failed {
            break;
        }
        assert!(claim_job(&connection, second).is_none(), "it waits");
        let next = claim::next_run_time(&connection, time(second)).unwrap().unwrap();
        let pause = next.as_second() - time(second).as_second();
        delays.push(pause);
        second += pause;
    }
    assert_eq!(delays, [30, 120, 480, 1920]);
}

#[test]
fn postponed_job_does_not_use_attempts() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let postponed =
        JobOutcome::Postponed { pause: Duration::from_secs(10), message: "limit".into() };
    for round in 0..20 {
        let job = claim_job(&connection, round * 10).unwrap();
        assert_eq!(job.attempts, 1);
        assert_eq!(end_run(&connection, &job, &postponed, round * 10), JobState::Queued);
    }
}

#[test]
fn interrupted_job_is_requeued_with_its_progress() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("queue.sqlite");
    let connection = schema::open_database(&file).unwrap();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let job = claim_job(&connection, 1).unwrap();
    assert!(claim::record_progress(&connection, job.id, job.epoch, "half").unwrap());
    drop(connection);
    let connection = schema::open_database(&file).unwrap();
    claim::requeue_interrupted(&connection, time(2)).unwrap();
    let reclaimed = claim_job(&connection, 2).unwrap();
    assert_eq!(
        (reclaimed.id, reclaimed.progress.as_deref(), reclaimed.attempts),
        (job.id, Some("half"), 2)
    );
    assert!(
        !claim::record_progress(&connection, job.id, job.epoch, "late").unwrap(),
        "the dead do not write"
    );
    assert_eq!(
        end_run(&connection, &job, &done_outcome(), 3),
        JobState::Running,
        "nor do they end anything"
    );
}

#[test]
fn job_that_kills_the_process_fails_after_attempts() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let mut attempts = 0;
    while claim_job(&connection, attempts).is_some() {
        attempts += 1;
        claim::requeue_interrupted(&connection, time(attempts)).unwrap();
    }
    assert_eq!(attempts, 5);
    assert_eq!(overview::read_overview(&connection).unwrap().counts.count(JobState::Failed), 1);
}

#[test]
fn installations_take_turns_within_limits() {
    let (_dir, connection) = open_queue();
    for (number, installation) in [1, 1, 1, 1, 2, 3].into_iter().enumerate() {
        accept_delivery(
            &connection,
            &format!("d-{number}"),
            &changes_with_job(search_job(installation, &format!("b{number}"))),
        );
    }
    let served: Vec<_> =
        std::iter::from_fn(|| claim_job(&connection, 1)).map(|job| job.installation.0).collect();
    assert_eq!(served, [1, 2, 3, 1], "four in all, two for one");
}

#[test]
fn one_job_per_subject_runs_except_for_a_stop() {
    let (_dir, connection) = open_queue();
    let pull_job = |key: &str, task: JobTask| {
        let mut job = search_job(1, key);
        job.subject = JobSubject {
            branch: None,
            sha: None,
            head_repository: None,
            pull: Some(PullNumber(5)),
            ..job.subject
        };
        NewJob { task, ..job }
    };
    let command_task = |command_task| JobTask::Command {
        command: command_task,
        comment: mend_github::CommentId(1),
        author: "mona".into(),
    };
    accept_delivery(
        &connection,
        "d-1",
        &changes_with_job(pull_job("a", command_task(CommentCommand::Fix))),
    );
    accept_delivery(
        &connection,
        "d-2",
        &changes_with_job(pull_job("b", command_task(CommentCommand::Explain))),
    );
    accept_delivery(
        &connection,
        "d-3",
        &changes_with_job(pull_job("c", command_task(CommentCommand::Stop))),
    );
    assert_eq!(claim_job(&connection, 1).unwrap().key, "c");
    let fix = claim_job(&connection, 1).unwrap();
    assert_eq!(fix.key, "a", "no two of one pull request");
    assert!(claim_job(&connection, 1).is_none());
    end_run(&connection, &fix, &done_outcome(), 2);
    let (_, stopped) =
        (0, cancel::cancel(&connection, &JobSelection::default(), None, "stop", time(2)).unwrap());
    assert_eq!(stopped.count, 2);
}

#[test]
fn settling_job_runs_beside_a_search_and_ends_it() {
    let (_dir, connection) = open_queue();
    let search = search_job(1, "a");
    let settling = |key: &str| {
        let subject = search.subject.clone();
        let task = JobTask::Settle { has_passed: true };
        NewJob { key: key.to_owned(), subject, task, ..search_job(1, "a") }
    };
    for (delivery, job) in [("d-1", search.clone()), ("d-2", settling("b")), ("d-3", settling("c"))]
    {
        accept_delivery(&connection, delivery, &changes_with_job(job));
    }
    let searching = claim_job(&connection, 1).unwrap();
    let first = claim_job(&connection, 1).unwrap();
    assert_eq!((searching.key.as_str(), first.key.as_str()), ("a", "b"));
    assert!(claim_job(&connection, 1).is_none(), "one after the other");
    let selection = JobSelection { kind: Some("search"), ..JobSelection::default() };
    let commits: Vec<_> =
        cancel::list_commits(&connection, &selection).unwrap().into_iter().collect();
    assert_eq!(commits, [searching.subject.sha.unwrap()]);
    // A newer commit does not make the settling jobs wrong.
    for selection in [selection, JobSelection::default()] {
        cancel::cancel(&connection, &selection, None, "passes", time(2)).unwrap();
    }
    end_run(&connection, &first, &done_outcome(), 2);
    assert_eq!(claim_job(&connection, 3).unwrap().key, "c");
}

#[test]
fn jobs_of_a_replaced_commit_are_cancelled() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "old")));
    let running = claim_job(&connection, 1).unwrap();
    accept_delivery(&connection, "d-2", &changes_with_job(search_job(1, "new")));
    let selection = JobSelection { sha: running.subject.sha.clone(), ..JobSelection::default() };
    let effects = QueueChanges { cancel: vec![selection], ..QueueChanges::default() };
    let (result, stopped) =
        enqueue::accept_delivery(&connection, &sample_delivery("d-3"), &effects, time(2)).unwrap();
    assert_eq!((result, stopped), (EnqueueResult::Applied, vec![running.id]));
    assert_eq!(
        end_run(&connection, &running, &done_outcome(), 3),
        JobState::Cancelled,
        "it is too late to be done"
    );
    assert_eq!(claim_job(&connection, 3).unwrap().key, "new");
    let requeued = accept_delivery(&connection, "d-4", &changes_with_job(search_job(1, "old")));
    assert_eq!(requeued, EnqueueResult::Requeued(running.id), "the branch went back to it");
}

#[test]
fn failed_search_queues_a_close_job_once() {
    let (_dir, connection) = open_queue();
    let permanent_failure = JobOutcome::Failed { message: "too long".into(), may_retry: false };
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let job = claim_job(&connection, 1).unwrap();
    assert!(claim::record_progress(&connection, job.id, job.epoch, "half way").unwrap());
    end_run(&connection, &job, &permanent_failure, 2);
    let close_job = claim_job(&connection, 3).unwrap();
    let (progress, why) = ("half way".to_owned(), Some("too long".to_owned()));
    assert_eq!(close_job.task, JobTask::Close { progress, why });
    assert_eq!(close_job.subject, job.subject);
    let every_job = JobSelection::default();
    assert_eq!(cancel::cancel(&connection, &every_job, None, "stop", time(4)).unwrap().count, 0);
    assert_eq!(end_run(&connection, &close_job, &done_outcome(), 5), JobState::Done);
    assert!(claim_job(&connection, 6).is_none(), "it is left once");
    accept_delivery(&connection, "d-2", &changes_with_job(search_job(1, "a")));
    assert_eq!(claim_job(&connection, 7).unwrap().progress, None, "it begins anew");
}

/// Delivers a status change of an installation with this time.
fn change_installation(connection: &Connection, id: &str, status: InstallationStatus, second: i64) {
    let change =
        InstallationStatusChange { installation: InstallationId(1), status, since: time(second) };
    accept_delivery(
        connection,
        id,
        &QueueChanges { installation_change: Some(change), ..QueueChanges::default() },
    );
}

#[test]
fn installation_events_count_by_time_not_by_order() {
    let (_dir, connection) = open_queue();
    let change_status =
        |id: &str, status, second| change_installation(&connection, id, status, second);
    let request_search =
        |id: &str| accept_delivery(&connection, id, &changes_with_job(search_job(1, id)));
    change_status("d-1", InstallationStatus::Suspended, 20);
    change_status("d-2", InstallationStatus::Active, 10);
    assert_eq!(request_search("d-3"), EnqueueResult::Refused);
    change_status("d-4", InstallationStatus::Active, 30);
    assert!(matches!(request_search("d-5"), EnqueueResult::Queued(_)));
    change_status("d-6", InstallationStatus::Deleted, 25);
    change_status("d-7", InstallationStatus::Active, 40);
    assert_eq!(request_search("d-8"), EnqueueResult::Refused);
}

#[test]
fn job_expires_after_a_day() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    assert!(claim_job(&connection, 25 * 3600).is_none());
    assert_eq!(overview::read_overview(&connection).unwrap().counts.count(JobState::Cancelled), 1);
}

#[test]
fn redelivery_after_a_day_requeues_the_job() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let job = claim_job(&connection, 1).unwrap();
    let permanent_failure = JobOutcome::Failed { message: String::new(), may_retry: false };
    end_run(&connection, &job, &permanent_failure, 2);
    let (day, effects) = (25 * 3600, changes_with_job(search_job(1, "a")));
    let (result, _) =
        enqueue::accept_delivery(&connection, &sample_delivery("d-1"), &effects, time(day))
            .unwrap();
    assert_eq!(result, EnqueueResult::Requeued(job.id));
    let claimed = claim_job(&connection, day + 1).unwrap();
    assert_eq!((claimed.id, claimed.queued_at), (job.id, time(day)));
}

#[test]
fn refused_delivery_is_decided_again_on_redelivery() {
    let (_dir, connection) = open_queue();
    let change_status =
        |id: &str, status, second| change_installation(&connection, id, status, second);
    let request_search =
        |id: &str| accept_delivery(&connection, id, &changes_with_job(search_job(1, id)));
    change_status("d-1", InstallationStatus::Suspended, 10);
    assert_eq!(request_search("d-2"), EnqueueResult::Refused);
    assert_eq!(request_search("d-2"), EnqueueResult::Refused);
    change_status("d-3", InstallationStatus::Active, 20);
    assert!(matches!(request_search("d-2"), EnqueueResult::Queued(_)));
    assert_eq!(request_search("d-2"), EnqueueResult::Duplicate);
}

#[test]
fn expired_deliveries_and_jobs_are_deleted() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let job = claim_job(&connection, 1).unwrap();
    end_run(&connection, &job, &done_outcome(), 2);
    enqueue::delete_expired(&connection, time(0) + 744.hours()).unwrap();
    assert!(matches!(
        accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a"))),
        EnqueueResult::Queued(_)
    ));
}

#[test]
fn database_is_used_by_one_server_only() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("queue.sqlite");
    let first = schema::open_database(&file).unwrap();
    let locked_error = std::thread::spawn({
        let file = file.clone();
        move || schema::open_database(&file).map(drop).unwrap_err().to_string()
    });
    assert!(locked_error.join().unwrap().contains("another process is using"));
    drop(first);
    std::fs::write(
        &file,
        "no queue at all, but long enough to be looked at as one by SQLite, which reads a header",
    )
    .unwrap();
    let locked_error = schema::open_database(&file).map(drop).unwrap_err().to_string();
    assert!(locked_error.contains("is not a queue"), "{locked_error}");
}

#[tokio::test]
async fn cancelled_job_signals_its_worker() {
    let dir = tempfile::tempdir().unwrap();
    let queue = JobQueue::open(&dir.path().join("queue.sqlite")).unwrap();
    queue
        .accept_delivery(sample_delivery("d-1"), changes_with_job(search_job(1, "a")))
        .await
        .unwrap();
    let claim = queue.claim_job(LIMITS).await.unwrap().unwrap();
    assert!(!claim.cancellation.is_cancelled());
    queue.cancel(JobSelection::default(), JobId(0), "stop").await.unwrap();
    assert!(claim.cancellation.is_cancelled());
}

#[tokio::test]
async fn failed_operation_keeps_others_of_its_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let store = QueueDatabase::open(&dir.path().join("queue.sqlite")).unwrap();
    let insert = "insert into installations (id) values (1)";
    let (bad, good) = tokio::join!(
        store.run(move |connection| {
            connection.execute_batch(insert)?;
            connection.execute_batch("no such statement")
        }),
        store.run(move |connection| connection.execute_batch(insert)),
    );
    assert!(bad.is_err() && good.is_ok());
}

#[test]
fn report_page_belongs_to_the_latest_run_of_its_job() {
    let (_dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    let first = claim_job(&connection, 1).unwrap();
    claim::requeue_interrupted(&connection, time(2)).unwrap();
    let second = claim_job(&connection, 3).unwrap();
    let store = |job: &Job, page: &str| {
        report_pages::store_page(&connection, job.id, job.epoch, page).unwrap();
    };
    let stored_page = || report_pages::find_page(&connection, second.id).unwrap();
    store(&first, "of one that was killed");
    assert_eq!(stored_page(), None);
    store(&second, "one");
    store(&second, "two");
    assert_eq!(stored_page().as_deref(), Some("two"));
    assert!(overview::read_overview(&connection).unwrap().active[0].has_report);
    end_run(&connection, &second, &done_outcome(), 4);
    assert!(overview::read_overview(&connection).unwrap().ended[0].has_report);
    enqueue::delete_expired(&connection, time(5) + 744.hours()).unwrap();
    assert_eq!(stored_page(), None);
}

#[test]
fn only_newest_pages_of_installed_repos_are_kept() {
    let (dir, connection) = open_queue();
    let file = dir.path().join("queue.sqlite");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut jobs = Vec::new();
    for number in 0..102 {
        let installation = if number == 101 { 2 } else { 1 };
        accept_delivery(
            &connection,
            &format!("d-{number}"),
            &changes_with_job(search_job(installation, &format!("b-{number}"))),
        );
        let job = claim_job(&connection, 1).unwrap();
        report_pages::store_page(&connection, job.id, job.epoch, "page").unwrap();
        end_run(&connection, &job, &done_outcome(), 2);
        jobs.push(job.id);
    }
    let stored_count = || {
        jobs.iter()
            .filter(|job| report_pages::find_page(&connection, **job).unwrap().is_some())
            .count()
    };
    assert_eq!(stored_count(), 100);
    report_pages::delete_installation_pages(&connection, InstallationId(1)).unwrap();
    assert_eq!(stored_count(), 1);
}

#[test]
fn queue_of_version_1_is_upgraded() {
    let (dir, connection) = open_queue();
    accept_delivery(&connection, "d-1", &changes_with_job(search_job(1, "a")));
    connection.execute_batch("drop table reports; pragma user_version = 1").unwrap();
    drop(connection);
    let connection = schema::open_database(&dir.path().join("queue.sqlite")).unwrap();
    let job = claim_job(&connection, 1).unwrap();
    report_pages::store_page(&connection, job.id, job.epoch, "page").unwrap();
    assert_eq!(report_pages::find_page(&connection, job.id).unwrap().as_deref(), Some("page"));
}
