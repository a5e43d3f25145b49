//! A server that is killed again and again while webhooks come in.

use super::client::Request;
use super::jobs::{barren, served, waits_for};
use super::server::{Server, ServerHome};
use super::webhooks::failed_run;
use crate::github_client::TILL;
use crate::support::eventually;
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;

/// Number of webhooks, and the number after which the server is killed.
const WEBHOOKS: u64 = 1000;
const BETWEEN_KILLS: usize = 150;
const SENDERS: u64 = 8;

/// Sends a delivery again until the server accepts it, as GitHub and a user who redelivers do.
fn deliver(number: u64, address: &RwLock<SocketAddr>, taken: &AtomicUsize) {
    let request =
        Request::webhook("workflow_run", &format!("d-{number}"), failed_run(number, number % 7));
    loop {
        let address = *address.read().unwrap();
        if request.send(address).is_ok_and(|answer| answer.status == 202) {
            taken.fetch_add(1, Ordering::SeqCst);
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn every_webhook_that_was_taken_is_one_job_however_often_the_server_is_killed() {
    let home = ServerHome::new();
    let first = home.start();
    let (address, taken) = (RwLock::new(first.address), AtomicUsize::new(0));
    let server = Mutex::new(Some(first));
    let restart = || {
        let mut server = server.lock().unwrap();
        server.take().into_iter().for_each(Server::kill);
        let next = home.start();
        *address.write().unwrap() = next.address;
        *server = Some(next);
    };
    thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (address, taken) = (&address, &taken);
            scope.spawn(move || {
                (sender..WEBHOOKS).step_by(8).for_each(|number| deliver(number, address, taken));
            });
        }
        let mut kills = 0;
        while taken.load(Ordering::SeqCst) < usize::try_from(WEBHOOKS).unwrap() {
            if taken.load(Ordering::SeqCst) >= (kills + 1) * BETWEEN_KILLS {
                kills += 1;
                restart();
            }
            thread::yield_now();
        }
    });
    server.into_inner().unwrap().into_iter().for_each(Server::kill);
    assert_eq!(
        jobs(&home),
        (0..WEBHOOKS).map(|number| format!("{number:040x}")).collect::<Vec<_>>()
    );
}

/// Sends a share of the webhooks, each twice as GitHub may.
fn deliver_twice(sender: u64, installation: u64, server: &Server) {
    for number in (sender..WEBHOOKS).step_by(8) {
        let body = json!({
            "action": "completed",
            "workflow_run": {
                "id": number, "workflow_id": 5, "run_attempt": 1, "event": "push",
                "conclusion": "success", "head_branch": "main", "head_sha": format!("{number:040x}"),
                "head_repository": { "full_name": TILL },
            },
            "repository": { "full_name": TILL, "default_branch": "main" },
            "installation": { "id": installation },
        });
        let request = Request::webhook("workflow_run", &format!("d-{number}"), body.to_string());
        for outcome in ["queued", "duplicate"] {
            assert_eq!(server.send(&request).outcome(), outcome);
        }
    }
}

#[test]
fn each_of_a_thousand_webhooks_is_handled_once_though_each_comes_twice() {
    let github = barren();
    let (home, installation) = served(&github);
    let server =
        Server::spawn(home.command().args(["--jobs", "8", "--jobs-per-installation", "8"]));
    thread::scope(|scope| {
        for sender in 0..SENDERS {
            let server = &server;
            scope.spawn(move || deliver_twice(sender, installation, server));
        }
    });
    // Each job looks once for pull requests that are no longer needed.
    let (count, handled) = (usize::try_from(WEBHOOKS).unwrap(), || github.count("pulls/list"));
    while handled() < count {
        let before = handled();
        assert!(eventually(|| handled() > before), "{before}");
    }
    waits_for(&server, "done", count);
    assert_eq!(server.end().code, 0);
    assert_eq!(handled(), count);
    let connection = Connection::open(home.queue()).unwrap();
    let attempts = "select count(*), sum(attempts) from jobs where state = 'done'";
    let counts: (i64, i64) =
        connection.query_row(attempts, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(counts, (WEBHOOKS.cast_signed(), WEBHOOKS.cast_signed()));
}

/// The commits of all jobs, in order; nothing is lost, and nothing is there twice.
fn jobs(home: &ServerHome) -> Vec<String> {
    let connection = Connection::open(home.queue()).unwrap();
    let mut find = connection.prepare("select sha from jobs order by sha").unwrap();
    let jobs: Vec<String> =
        find.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(jobs.iter().collect::<BTreeSet<_>>().len(), jobs.len());
    jobs
}
