//! Sends a thousand webhooks in ten seconds, and measures the response times. Fails if a response takes a second or is
//! missing, or if a job is missing or duplicated.
//!
//! `cargo bench --bench webhooks`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench may panic"
)]

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rusqlite::Connection;
use serde_json::json;
use sha2::Sha256;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const WEBHOOK_COUNT: u32 = 1000;
const SENDING_TIME: Duration = Duration::from_secs(10);
/// Time limit for each response.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(1);
const SENDER_COUNT: u32 = 16;
const WEBHOOK_SECRET: &str = "secret";
/// Typical size of GitHub's webhooks for workflow runs, in bytes.
const PADDING_BYTES: usize = 20_000;

fn main() {
    let dir = tempfile::tempdir().expect("a folder");
    let (server, address) = start_server(dir.path());
    let start = Instant::now();
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDER_COUNT)
            .map(|sender| scope.spawn(move || send_share(sender, address, start)))
            .collect();
        senders.into_iter().flat_map(|sender| sender.join().expect("a sender")).collect()
    });
    let total_time = start.elapsed();
    drop(server);
    times.sort_unstable();
    let percentile = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "{} webhooks of {PADDING_BYTES} bytes in {total_time:.1?}; response time:",
        times.len()
    );
    println!(
        "{:.1?} (median), {:.1?} (99th percentile), {:.1?} (maximum)",
        percentile(50),
        percentile(99),
        percentile(100)
    );
    assert_eq!(
        times.len(),
        usize::try_from(WEBHOOK_COUNT).expect("a count"),
        "responses are missing"
    );
    assert!(percentile(100) < MAX_RESPONSE_TIME, "a response took {:.1?}", percentile(100));
    let connection = Connection::open(dir.path().join("git-mend-queue.sqlite")).expect("the queue");
    let count = |what: &str| -> i64 {
        connection
            .query_row(&format!("select count({what}) from jobs"), [], |row| row.get(0))
            .expect("a count")
    };
    println!("{} jobs, {} of them distinct", count("*"), count("distinct sha"));
    assert_eq!((count("*"), count("distinct sha")), (WEBHOOK_COUNT.into(), WEBHOOK_COUNT.into()));
}

/// Server process, which is stopped on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().expect("a server");
        self.0.wait().expect("a server");
    }
}

fn start_server(dir: &Path) -> (Server, SocketAddr) {
    let key = KeyPair::generate(KeySize::Rsa2048).expect("a key");
    let der = BASE64.encode(key.as_der().expect("a key").as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n");
    std::fs::write(dir.join("app.pem"), pem).expect("a file");
    let mut server = Command::new(env!("CARGO_BIN_EXE_git-mend"))
        .current_dir(dir)
        .args(["serve", "--listen", "127.0.0.1:0", "--app-id", "7", "--private-key", "app.pem"])
        // No server listens at this address, so jobs wait in the queue.
        .args(["--api-url", "http://127.0.0.1:9", "--quiet"])
        .env("GIT_MEND_WEBHOOK_SECRET", WEBHOOK_SECRET)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let address =
        line.trim().trim_start_matches("listening on http://").parse().expect("an address");
    (Server(server), address)
}

/// Sends the webhooks of one sender on schedule, each on its own connection like GitHub. Returns the response times.
fn send_share(sender: u32, address: SocketAddr, start: Instant) -> Vec<Duration> {
    let numbers = (sender..WEBHOOK_COUNT).step_by(usize::try_from(SENDER_COUNT).unwrap_or(1));
    let send_one = |number: u32| {
        let request = webhook_request(number);
        thread::sleep(
            (start + SENDING_TIME * number / WEBHOOK_COUNT)
                .saturating_duration_since(Instant::now()),
        );
        let begin = Instant::now();
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(&request).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
        begin.elapsed()
    };
    numbers.map(send_one).collect()
}

fn webhook_request(number: u32) -> Vec<u8> {
    let body = json!({
        "action": "completed",
        "workflow_run": {
            "id": number, "workflow_id": 5, "run_attempt": 1, "event": "push", "conclusion": "failure",
            "head_branch": "main", "head_sha": format!("{number:040x}"), "head_repository": { "full_name": "a/b" },
        },
        "repository": { "full_name": "a/b", "default_branch": "main" },
        "installation": { "id": number % 10 },
        "rest": "x".repeat(PADDING_BYTES),
    })
    .to_string();
    let mac = Hmac::<Sha256>::new_from_slice(WEBHOOK_SECRET.as_bytes())
        .expect("a key")
        .chain_update(&body);
    let head = format!(
        "POST /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nX-GitHub-Event: workflow_run\r\nX-GitHub-Delivery: d-{number}\r\n\
         X-Hub-Signature-256: sha256={}\r\n\r\n",
        body.len(),
        hex::encode(mac.finalize().into_bytes())
    );
    [head, body].concat().into_bytes()
}
