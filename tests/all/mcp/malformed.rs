//! Tests of malformed messages: each gets an error that says what to do, and the server stays alive.

use crate::support::{program, words_repository};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Server that is sent raw lines.
struct RawServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl RawServer {
    fn start(dir: &Path) -> Self {
        let mut command = program(dir);
        let piped = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.receive()
    }

    fn initialise(&mut self) {
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(&request(0, "initialize", &params));
        assert_eq!(answer["result"]["serverInfo"]["name"], "git-mend", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    }

    /// Ends the input, and asserts that the server exits with 0.
    fn assert_exits(mut self) {
        drop(self.input);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

fn request(id: usize, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Lines that are no requests, which are answered without their id.
fn malformed_lines() -> Vec<String> {
    let bodies = [
        "{",
        "}",
        "nonsense",
        "\"text\"",
        "7",
        "true",
        "null",
        "[]",
        "[1, 2]",
        "{\"a\": }",
        "{'a': 1}",
        "\u{feff}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"",
    ];
    let without_id = [
        json!({}),
        json!({"jsonrpc": "2.0"}),
        json!({"jsonrpc": "2.0", "id": {}, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": [1], "method": "ping"}),
        json!({"jsonrpc": 2, "method": "ping"}),
    ];
    let deep = "[".repeat(100_000);
    let lines = bodies.iter().map(|line| (*line).to_owned());
    lines.chain(without_id.iter().map(Value::to_string)).chain([deep]).collect()
}

/// Requests that the protocol forbids.
fn malformed_requests() -> Vec<Value> {
    let mut messages = vec![
        json!({"id": 1, "method": "ping"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
        json!({"jsonrpc": "2.0", "id": 1}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}),
    ];
    for params in [
        json!(null),
        json!([]),
        json!({}),
        json!({"name": 7}),
        json!({"name": ["status"]}),
        json!({"name": "status", "arguments": []}),
        json!({"name": "status", "arguments": "run"}),
        json!({"name": "status", "arguments": 7}),
        json!({"name": ""}),
        json!({"name": "validate"}),
        json!({"name": "run_tests", "arguments": {}}),
        json!({"name": "x".repeat(10_000)}),
        json!({"name": "\u{1b}[31m"}),
    ] {
        messages.push(request(1, "tools/call", &params));
    }
    for method in [
        "tools",
        "tools/",
        "Tools/Call",
        "resources/list",
        "prompts/get",
        "",
        "\u{202e}",
        "shutdown",
    ] {
        messages.push(request(1, method, &json!({})));
    }
    messages
}

/// Calls with wrong arguments. Their errors are results, so that the model sees them.
fn wrong_calls() -> Vec<(&'static str, Value)> {
    let tests = json!(["shop.CartTest"]);
    let patch = |name: &str, diff: &str| json!([{"name": name, "diff": diff}]);
    vec![
        ("run_test", json!({})),
        ("run_test", json!({"tests": []})),
        ("run_test", json!({"tests": "shop.CartTest"})),
        ("run_test", json!({"tests": [7]})),
        ("run_test", json!({"tests": [""]})),
        ("run_test", json!({"tests": tests, "verison": "HEAD"})),
        ("run_test", json!({"tests": tests, "version": 7})),
        ("run_test", json!({"tests": tests, "repeat": -1})),
        ("run_test", json!({"tests": tests, "repeat": 0.5})),
        ("run_test", json!({"tests": tests, "wait_seconds": 41})),
        ("run_test", json!({"tests": tests, "wait_seconds": -1})),
        ("run_test", json!({"tests": tests, "wait_seconds": "long"})),
        ("run_test", json!({"tests": tests, "project": "no/such/folder"})),
        ("run_test", json!({"tests": tests, "project": "words.txt"})),
        ("run_test", json!({"tests": tests, "project": "/"})),
        ("run_test", json!({"tests": tests, "project": {}})),
        ("run_test", json!({"tests": tests, "version": "no-such-revision"})),
        ("run_test", json!({"tests": tests, "version": "--output=/tmp/x"})),
        ("run_test", json!({"tests": ["--bad=HEAD"]})),
        ("run_test", json!({"tests": tests, "timeout": "soon"})),
        ("find_culprit", json!({})),
        ("find_culprit", json!({"tests": tests, "command": ["true"]})),
        ("find_culprit", json!({"command": ["true"], "good": "HEAD~2"})),
        ("find_culprit", json!({"tests": tests, "goal": "blame"})),
        ("find_culprit", json!({"tests": tests, "good": null, "bad": 1})),
        ("find_culprit", json!({"tests": tests, "good": "HEAD~9"})),
        ("find_culprit", json!({"tests": tests, "good": "HEAD~2", "symptom": "("})),
        ("find_culprit", json!({"tests": tests, "good": "HEAD~2", "repeat": "often"})),
        ("find_culprit", json!({"resume": "no-such-run"})),
        ("find_culprit", json!({"resume": 7})),
        ("explain_change", json!({})),
        ("explain_change", json!({"old": "no-such-revision"})),
        ("explain_change", json!({"old": "--apply=all"})),
        ("explain_change", json!({"old": "HEAD", "apply": "all"})),
        ("validate_patches", json!({"tests": tests})),
        ("validate_patches", json!({"tests": tests, "patches": []})),
        ("validate_patches", json!({"tests": tests, "patches": "diff"})),
        ("validate_patches", json!({"tests": tests, "patches": [{}]})),
        ("validate_patches", json!({"tests": tests, "patches": [{"dif": "x"}]})),
        ("validate_patches", json!({"tests": tests, "patches": patch("../../x", "y")})),
        ("validate_patches", json!({"tests": tests, "patches": patch(".git", "y")})),
        ("validate_patches", json!({"tests": tests, "patches": patch("a", " ")})),
        ("validate_patches", json!({"patches": patch("a", "x")})),
        ("explore_schedules", json!({})),
        ("explore_schedules", json!({"tests": tests, "schedules": 0})),
        ("explore_schedules", json!({"tests": tests, "schedules": "many"})),
        ("explore_schedules", json!({"tests": tests, "patch": ""})),
        ("explore_schedules", json!({"tests": tests, "patch": "x", "replay": "y"})),
        ("minimise_patch", json!({"tests": tests})),
        ("minimise_patch", json!({"tests": tests, "patch": ["x"]})),
        ("status", json!({"run": "no-such-run"})),
        ("status", json!({"run": "/etc"})),
        ("status", json!({"run": "../../.."})),
        ("status", json!({"run": ""})),
        ("status", json!({"run": "a\u{0}b"})),
        ("status", json!({"id": "x"})),
        ("cancel", json!({})),
        ("cancel", json!({"run": "no-such-run"})),
        ("cancel", json!({"run": ["x"]})),
    ]
}

#[test]
fn malformed_messages_get_errors_and_the_server_stays_alive() {
    let dir = words_repository();
    let mut server = RawServer::start(dir.path());
    // Before a session, notifications and responses are ignored.
    server.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    server.send(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#);
    server.initialise();
    let mut count = 0;
    for line in malformed_lines() {
        server.send(&line);
        let answer = server.receive();
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32700 | -32600)), "{line:.200}: {answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("; send one JSON-RPC"),
            "{answer}"
        );
        count += 1;
    }
    for message in malformed_requests() {
        let answer = server.ask(&message);
        assert_eq!(answer["id"], 1, "{message:.200}: {answer}");
        let text = answer["error"]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("{message:.200}: {answer}"));
        assert!(text.len() > 10 && text.len() < 400, "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        count += 1;
    }
    for (number, (tool, arguments)) in wrong_calls().into_iter().enumerate() {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = server.ask(&request(number, "tools/call", &params));
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{params}: {answer}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["kind"], "invalid_arguments", "{params}: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("error: "), "{params}: {text}");
        assert!(text.contains("\nhelp: ") && !text.contains("--help"), "{params}: {text}");
        count += 1;
    }
    assert!(count >= 100, "only {count} malformed messages");
    let list = server.ask(&request(7, "tools/list", &json!({})));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 8);
    let runs = std::fs::read_dir(dir.path().join(".git/mend/runs")).unwrap().count();
    assert_eq!(runs, 0, "calls with wrong arguments leave no run folder");
    server.assert_exits();
}
