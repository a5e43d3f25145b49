use super::*;
use crate::command::CommentCommand;
use crate::policy::{InstallationStatus, InstallationStatusChange};
use crate::task::{JobSubject, JobTask, NewJob, SearchCause};
use jiff::ToSpan as _;
use mend_github::{InstallationId, PullNumber, RunId};
use mend_model::CommitId;
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

const LIMITS: JobLimits = JobLimits { total: 4, per_installation: 2 };

fn queue() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let connection = schema::open(&dir.path().join("queue.sqlite")).unwrap();
    (dir, connection)
}

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn delivery(id: &str) -> Delivery {
    Delivery { id: id.to_owned().try_into().unwrap(), event: "workflow_run".into() }
}

/// Creates a search job with its own branch and commit.
fn search(installation: u64, key: &str) -> NewJob {
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

fn with_job(job: NewJob) -> QueueChanges {
    QueueChanges { job: Some(job), ..QueueChanges::default() }
}

fn accept(connection: &Connection, id: &str, effects: &QueueChanges) -> EnqueueResult {
    enqueue::accept(connection, &delivery(id), effects, time(0)).unwrap().0
}

fn claim(connection: &Connection, second: i64) -> Option<Job> {
    claim::claim(connection, LIMITS, time(second)).unwrap()
}

fn end(connection: &Connection, job: &Job, ending: &JobOutcome, second: i64) -> JobState {
    claim::end(connection, job.id, job.epoch, ending, time(second)).unwrap()
}

fn done() -> JobOutcome {
    JobOutcome::Done { message: "found".into(), link: None }
}

fn failed() -> JobOutcome {
    JobOutcome::Failed { message: "no luck".into(), may_retry: true }
}

#[test]
fn a_delivery_that_comes_twice_is_done_once() {
    let (_dir, connection) = queue();
    let effects = with_job(search(1, "a"));
    assert!(matches!(accept(&connection, "d-1", &effects), EnqueueResult::Queued(_)));
    assert_eq!(accept(&connection, "d-1", &effects), EnqueueResult::Duplicate);
    let job = claim(&connection, 1).unwrap();
    assert_eq!(accept(&connection, "d-1", &effects), EnqueueResult::Duplicate, "under way");
    assert_eq!(end(&connection, &job, &done(), 2), JobState::Done);
    assert_eq!(accept(&connection, "d-1", &effects), EnqueueResult::Duplicate, "done");
    assert_eq!(
        accept(&connection, "d-2", &effects),
        EnqueueResult::Duplicate,
        "the same work by another name"
    );
    assert!(claim(&connection, 3).is_none());
}

#[test]
fn what_failed_is_done_again_when_it_is_delivered_again() {
    let (_dir, connection) = queue();
    let effects = with_job(search(1, "a"));
    accept(&connection, "d-1", &effects);
    let job = claim(&connection, 1).unwrap();
    let hopeless = JobOutcome::Failed { message: String::new(), may_retry: false };
    assert_eq!(end(&connection, &job, &hopeless, 2), JobState::Failed);
    assert_eq!(accept(&connection, "d-1", &effects), EnqueueResult::Requeued(job.id));
    assert_eq!(claim(&connection, 3).unwrap().attempts, 1);
}

#[test]
fn a_failure_is_tried_again_later_and_later_and_then_no_more() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let mut second = 0;
    let mut pauses = Vec::new();
    while let Some(job) = claim(&connection, second) {
        if end(&connection, &job, &failed(), second) == JobState::Failed {
            break;
        }
        assert!(claim(&connection, second).is_none(), "it waits");
        let next = claim::next_time(&connection, time(second)).unwrap().unwrap();
        let pause = next.as_second() - time(second).as_second();
        pauses.push(pause);
        second += pause;
    }
    assert_eq!(pauses, [30, 120, 480, 1920]);
}

#[test]
fn waiting_is_not_failing() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let later = JobOutcome::Postponed { pause: Duration::from_secs(10), message: "limit".into() };
    for round in 0..20 {
        let job = claim(&connection, round * 10).unwrap();
        assert_eq!(job.attempts, 1);
        assert_eq!(end(&connection, &job, &later, round * 10), JobState::Queued);
    }
}

#[test]
fn what_a_killed_process_was_doing_is_done_again_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("queue.sqlite");
    let connection = schema::open(&file).unwrap();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let job = claim(&connection, 1).unwrap();
    assert!(claim::record(&connection, job.id, job.epoch, "half").unwrap());
    drop(connection);
    let connection = schema::open(&file).unwrap();
    claim::take_back(&connection, time(2)).unwrap();
    let again = claim(&connection, 2).unwrap();
    assert_eq!((again.id, again.progress.as_deref(), again.attempts), (job.id, Some("half"), 2));
    assert!(
        !claim::record(&connection, job.id, job.epoch, "late").unwrap(),
        "the dead do not write"
    );
    assert_eq!(end(&connection, &job, &done(), 3), JobState::Running, "nor do they end anything");
}

#[test]
fn a_job_that_kills_the_process_each_time_is_given_up() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let mut begun = 0;
    while claim(&connection, begun).is_some() {
        begun += 1;
        claim::take_back(&connection, time(begun)).unwrap();
    }
    assert_eq!(begun, 5);
    assert_eq!(overview::overview(&connection).unwrap().counts.count(JobState::Failed), 1);
}

#[test]
fn installations_take_turns_and_none_takes_every_place() {
    let (_dir, connection) = queue();
    for (number, installation) in [1, 1, 1, 1, 2, 3].into_iter().enumerate() {
        accept(
            &connection,
            &format!("d-{number}"),
            &with_job(search(installation, &format!("b{number}"))),
        );
    }
    let served: Vec<_> =
        std::iter::from_fn(|| claim(&connection, 1)).map(|job| job.installation.0).collect();
    assert_eq!(served, [1, 2, 3, 1], "four in all, two for one");
}

#[test]
fn of_one_subject_one_job_runs_at_a_time_but_for_what_stops_it() {
    let (_dir, connection) = queue();
    let on_pull = |key: &str, task: JobTask| {
        let mut job = search(1, key);
        job.subject = JobSubject {
            branch: None,
            sha: None,
            head_repository: None,
            pull: Some(PullNumber(5)),
            ..job.subject
        };
        NewJob { task, ..job }
    };
    let command = |command| JobTask::Command {
        command,
        comment: mend_github::CommentId(1),
        author: "mona".into(),
    };
    accept(&connection, "d-1", &with_job(on_pull("a", command(CommentCommand::Fix))));
    accept(&connection, "d-2", &with_job(on_pull("b", command(CommentCommand::Explain))));
    accept(&connection, "d-3", &with_job(on_pull("c", command(CommentCommand::Stop))));
    assert_eq!(claim(&connection, 1).unwrap().key, "c");
    let fix = claim(&connection, 1).unwrap();
    assert_eq!(fix.key, "a", "no two of one pull request");
    assert!(claim(&connection, 1).is_none());
    end(&connection, &fix, &done(), 2);
    let (_, stopped) =
        (0, cancel::cancel(&connection, &JobSelection::default(), None, "stop", time(2)).unwrap());
    assert_eq!(stopped.count, 2);
}

#[test]
fn jobs_of_a_commit_that_was_left_are_cancelled_and_the_new_commit_keeps_its_own() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "old")));
    let running = claim(&connection, 1).unwrap();
    accept(&connection, "d-2", &with_job(search(1, "new")));
    let selection = JobSelection { sha: running.subject.sha.clone(), ..JobSelection::default() };
    let effects = QueueChanges { cancel: vec![selection], ..QueueChanges::default() };
    let (intake, stopped) =
        enqueue::accept(&connection, &delivery("d-3"), &effects, time(2)).unwrap();
    assert_eq!((intake, stopped), (EnqueueResult::Applied, vec![running.id]));
    assert_eq!(
        end(&connection, &running, &done(), 3),
        JobState::Cancelled,
        "it is too late to be done"
    );
    assert_eq!(claim(&connection, 3).unwrap().key, "new");
    let again = accept(&connection, "d-4", &with_job(search(1, "old")));
    assert_eq!(again, EnqueueResult::Requeued(running.id), "the branch went back to it");
}

#[test]
fn a_search_that_ends_without_an_answer_leaves_a_job_that_ends_its_check() {
    let (_dir, connection) = queue();
    let hopeless = JobOutcome::Failed { message: "too long".into(), may_retry: false };
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let job = claim(&connection, 1).unwrap();
    assert!(claim::record(&connection, job.id, job.epoch, "half way").unwrap());
    end(&connection, &job, &hopeless, 2);
    let closing = claim(&connection, 3).unwrap();
    let (progress, why) = ("half way".to_owned(), Some("too long".to_owned()));
    assert_eq!(closing.task, JobTask::Close { progress, why });
    assert_eq!(closing.subject, job.subject);
    let all = JobSelection::default();
    assert_eq!(cancel::cancel(&connection, &all, None, "stop", time(4)).unwrap().count, 0);
    assert_eq!(end(&connection, &closing, &done(), 5), JobState::Done);
    assert!(claim(&connection, 6).is_none(), "it is left once");
    accept(&connection, "d-2", &with_job(search(1, "a")));
    assert_eq!(claim(&connection, 7).unwrap().progress, None, "it begins anew");
}

/// News of how an installation stands since a second.
fn stands(connection: &Connection, id: &str, standing: InstallationStatus, second: i64) {
    let change =
        InstallationStatusChange { installation: InstallationId(1), standing, since: time(second) };
    accept(connection, id, &QueueChanges { standing: Some(change), ..QueueChanges::default() });
}

#[test]
fn news_of_an_installation_count_by_their_time_and_not_by_their_order() {
    let (_dir, connection) = queue();
    let tell = |id: &str, standing, second| stands(&connection, id, standing, second);
    let asks = |id: &str| accept(&connection, id, &with_job(search(1, id)));
    tell("d-1", InstallationStatus::Suspended, 20);
    tell("d-2", InstallationStatus::Active, 10);
    assert_eq!(asks("d-3"), EnqueueResult::Refused);
    tell("d-4", InstallationStatus::Active, 30);
    assert!(matches!(asks("d-5"), EnqueueResult::Queued(_)));
    tell("d-6", InstallationStatus::Deleted, 25);
    tell("d-7", InstallationStatus::Active, 40);
    assert_eq!(asks("d-8"), EnqueueResult::Refused);
}

#[test]
fn what_waited_for_a_day_has_lost_its_reason() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    assert!(claim(&connection, 25 * 3600).is_none());
    assert_eq!(overview::overview(&connection).unwrap().counts.count(JobState::Cancelled), 1);
}

#[test]
fn what_is_delivered_again_after_a_day_has_a_reason_again() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let job = claim(&connection, 1).unwrap();
    let hopeless = JobOutcome::Failed { message: String::new(), may_retry: false };
    end(&connection, &job, &hopeless, 2);
    let (day, effects) = (25 * 3600, with_job(search(1, "a")));
    let (again, _) = enqueue::accept(&connection, &delivery("d-1"), &effects, time(day)).unwrap();
    assert_eq!(again, EnqueueResult::Requeued(job.id));
    let claimed = claim(&connection, day + 1).unwrap();
    assert_eq!((claimed.id, claimed.created), (job.id, time(day)));
}

#[test]
fn what_was_refused_is_judged_anew_when_it_is_delivered_again() {
    let (_dir, connection) = queue();
    let tell = |id: &str, standing, second| stands(&connection, id, standing, second);
    let asks = |id: &str| accept(&connection, id, &with_job(search(1, id)));
    tell("d-1", InstallationStatus::Suspended, 10);
    assert_eq!(asks("d-2"), EnqueueResult::Refused);
    assert_eq!(asks("d-2"), EnqueueResult::Refused);
    tell("d-3", InstallationStatus::Active, 20);
    assert!(matches!(asks("d-2"), EnqueueResult::Queued(_)));
    assert_eq!(asks("d-2"), EnqueueResult::Duplicate);
}

#[test]
fn what_nobody_asks_for_is_thrown_away() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let job = claim(&connection, 1).unwrap();
    end(&connection, &job, &done(), 2);
    enqueue::sweep(&connection, time(0) + 744.hours()).unwrap();
    assert!(matches!(
        accept(&connection, "d-1", &with_job(search(1, "a"))),
        EnqueueResult::Queued(_)
    ));
}

#[test]
fn one_file_is_for_one_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("queue.sqlite");
    let first = schema::open(&file).unwrap();
    let said = std::thread::spawn({
        let file = file.clone();
        move || schema::open(&file).map(drop).unwrap_err().to_string()
    });
    assert!(said.join().unwrap().contains("another process is using"));
    drop(first);
    std::fs::write(
        &file,
        "no queue at all, but long enough to be looked at as one by SQLite, which reads a header",
    )
    .unwrap();
    let said = schema::open(&file).map(drop).unwrap_err().to_string();
    assert!(said.contains("is not a queue"), "{said}");
}

#[tokio::test]
async fn a_worker_is_told_when_its_job_is_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let queue = JobQueue::open(&dir.path().join("queue.sqlite")).unwrap();
    queue.accept(delivery("d-1"), with_job(search(1, "a"))).await.unwrap();
    let claim = queue.claim(LIMITS).await.unwrap().unwrap();
    assert!(!claim.cancelled.is_cancelled());
    queue.cancel(JobSelection::default(), JobId(0), "stop").await.unwrap();
    assert!(claim.cancelled.is_cancelled());
}

#[tokio::test]
async fn what_fails_takes_nothing_with_it_that_shares_its_transaction() {
    let dir = tempfile::tempdir().unwrap();
    let store = QueueDatabase::open(&dir.path().join("queue.sqlite")).unwrap();
    let insert = "insert into installations (id) values (1)";
    let (bad, good) = tokio::join!(
        store.call(move |connection| {
            connection.execute_batch(insert)?;
            connection.execute_batch("no such statement")
        }),
        store.call(move |connection| connection.execute_batch(insert)),
    );
    assert!(bad.is_err() && good.is_ok());
}

#[test]
fn the_page_of_a_run_is_kept_by_the_last_run_of_its_job_and_goes_with_it() {
    let (_dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    let first = claim(&connection, 1).unwrap();
    claim::take_back(&connection, time(2)).unwrap();
    let second = claim(&connection, 3).unwrap();
    let keep =
        |job: &Job, page: &str| report_pages::keep(&connection, job.id, job.epoch, page).unwrap();
    let kept = || report_pages::find(&connection, second.id).unwrap();
    keep(&first, "of one that was killed");
    assert_eq!(kept(), None);
    keep(&second, "one");
    keep(&second, "two");
    assert_eq!(kept().as_deref(), Some("two"));
    assert!(overview::overview(&connection).unwrap().active[0].has_report);
    end(&connection, &second, &done(), 4);
    assert!(overview::overview(&connection).unwrap().ended[0].has_report);
    enqueue::sweep(&connection, time(5) + 744.hours()).unwrap();
    assert_eq!(kept(), None);
}

#[test]
fn only_the_newest_pages_are_kept_and_none_of_an_installation_that_is_gone() {
    let (dir, connection) = queue();
    let file = dir.path().join("queue.sqlite");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut jobs = Vec::new();
    for number in 0..102 {
        let installation = if number == 101 { 2 } else { 1 };
        accept(
            &connection,
            &format!("d-{number}"),
            &with_job(search(installation, &format!("b-{number}"))),
        );
        let job = claim(&connection, 1).unwrap();
        report_pages::keep(&connection, job.id, job.epoch, "page").unwrap();
        end(&connection, &job, &done(), 2);
        jobs.push(job.id);
    }
    let kept = || {
        jobs.iter().filter(|job| report_pages::find(&connection, **job).unwrap().is_some()).count()
    };
    assert_eq!(kept(), 100);
    report_pages::forget(&connection, InstallationId(1)).unwrap();
    assert_eq!(kept(), 1);
}

#[test]
fn a_queue_of_the_first_version_is_taken_over_with_what_is_in_it() {
    let (dir, connection) = queue();
    accept(&connection, "d-1", &with_job(search(1, "a")));
    connection.execute_batch("drop table reports; pragma user_version = 1").unwrap();
    drop(connection);
    let connection = schema::open(&dir.path().join("queue.sqlite")).unwrap();
    let job = claim(&connection, 1).unwrap();
    report_pages::keep(&connection, job.id, job.epoch, "page").unwrap();
    assert_eq!(report_pages::find(&connection, job.id).unwrap().as_deref(), Some("page"));
}
