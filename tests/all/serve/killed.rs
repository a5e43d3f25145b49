//! Tests of a server that is killed repeatedly while webhooks arrive.

use super::client::Request;
use super::jobs::{github_without_sources, installed_server, wait_for_jobs};
use super::server::{Server, ServerHome};
use super::webhooks::failed_run_body;
use crate::github_client::REPO_NAME;
use crate::support::wait_until;
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;

/// Number of webhooks, and the number after which the server is killed.
const WEBHOOK_COUNT: u64 = 1000;
const WEBHOOKS_BETWEEN_KILLS: usize = 150;
const SENDER_COUNT: u64 = 8;

/// Sends a delivery again until the server accepts it, as GitHub and a user who redelivers do.
fn deliver_until_accepted(number: u64, address: &RwLock<SocketAddr>, accepted_count: &AtomicUsize) {
    let request = Request::webhook(
        "workflow_run",
        &format!("d-{number}"),
        failed_run_body(number, number % 7),
    );
    loop {
        let address = *address.read().unwrap();
        if request.send(address).is_ok_and(|answer| answer.status == 202) {
            accepted_count.fetch_add(1, Ordering::SeqCst);
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn accepted_webhooks_become_one_job_despite_server_kills() {
    let home = ServerHome::new();
    let first = home.start();
    let (address, accepted_count) = (RwLock::new(first.address), AtomicUsize::new(0));
    let server = Mutex::new(Some(first));
    let restart = || {
        let mut server = server.lock().unwrap();
        server.take().into_iter().for_each(Server::kill);
        let next = home.start();
        *address.write().unwrap() = next.address;
        *server = Some(next);
    };
    thread::scope(|scope| {
        for sender in 0..SENDER_COUNT {
            let (address, accepted_count) = (&address, &accepted_count);
            scope.spawn(move || {
                (sender..WEBHOOK_COUNT)
                    .step_by(8)
                    .for_each(|number| deliver_until_accepted(number, address, accepted_count));
            });
        }
        let mut kills = 0;
        while accepted_count.load(Ordering::SeqCst) < usize::try_from(WEBHOOK_COUNT).unwrap() {
            if accepted_count.load(Ordering::SeqCst) >= (kills + 1) * WEBHOOKS_BETWEEN_KILLS {
                kills += 1;
                restart();
            }
            thread::yield_now();
        }
    });
    server.into_inner().unwrap().into_iter().for_each(Server::kill);
    assert_eq!(
        job_commits(&home),
        (0..WEBHOOK_COUNT).map(|number| format!("{number:040x}")).collect::<Vec<_>>()
    );
}

/// Sends a share of the webhooks, each twice as GitHub may do.
fn deliver_share_twice(sender: u64, installation: u64, server: &Server) {
    for number in (sender..WEBHOOK_COUNT).step_by(8) {
        let body = json!({
            "action": "completed",
            "workflow_run": {
                "id": number, "workflow_id": 5, "run_attempt": 1, "event": "push",
                "conclusion": "success", "head_branch": "main", "head_sha": format!("{number:040x}"),
                "head_repository": { "full_name": REPO_NAME },
            },
            "repository": { "full_name": REPO_NAME, "default_branch": "main" },
            "installation": { "id": installation },
        });
        let request = Request::webhook("workflow_run", &format!("d-{number}"), body.to_string());
        for outcome in ["queued", "duplicate"] {
            assert_eq!(server.send(&request).outcome(), outcome);
        }
    }
}

#[test]
fn duplicate_webhooks_are_handled_once() {
    let github = github_without_sources();
    let (home, installation) = installed_server(&github);
    let server =
        Server::spawn(home.command().args(["--jobs", "8", "--jobs-per-installation", "8"]));
    thread::scope(|scope| {
        for sender in 0..SENDER_COUNT {
            let server = &server;
            scope.spawn(move || deliver_share_twice(sender, installation, server));
        }
    });
    // Each job lists the pull requests once to close obsolete ones.
    let (count, handled) =
        (usize::try_from(WEBHOOK_COUNT).unwrap(), || github.request_count("pulls/list"));
    while handled() < count {
        let before = handled();
        assert!(wait_until(|| handled() > before), "{before}");
    }
    wait_for_jobs(&server, "done", count);
    assert_eq!(server.stop().code, 0);
    assert_eq!(handled(), count);
    let connection = Connection::open(home.queue_file()).unwrap();
    let attempts = "select count(*), sum(attempts) from jobs where state = 'done'";
    let counts: (i64, i64) =
        connection.query_row(attempts, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(counts, (WEBHOOK_COUNT.cast_signed(), WEBHOOK_COUNT.cast_signed()));
}

/// Returns the commits of all jobs in order, and asserts that there are no duplicates.
fn job_commits(home: &ServerHome) -> Vec<String> {
    let connection = Connection::open(home.queue_file()).unwrap();
    let mut find = connection.prepare("select sha from jobs order by sha").unwrap();
    let jobs: Vec<String> =
        find.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(jobs.iter().collect::<BTreeSet<_>>().len(), jobs.len());
    jobs
}
