//! Small HTTP client that can also send invalid requests.

use super::server::WEBHOOK_SECRET;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};

/// Response of the server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    /// Returns the outcome of a webhook.
    pub(super) fn outcome(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        body["outcome"].as_str().unwrap().to_owned()
    }
}

/// HTTP request, by default a webhook.
#[derive(Clone)]
pub(super) struct Request {
    line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn get(path: &str) -> Self {
        Self { line: format!("GET {path} HTTP/1.1"), headers: Vec::new(), body: Vec::new() }
    }

    /// Creates a webhook with a valid signature.
    pub(super) fn webhook(event: &str, delivery: &str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let signature = sign_body(&body);
        let headers = [
            ("Content-Type", "application/json"),
            ("X-GitHub-Event", event),
            ("X-GitHub-Delivery", delivery),
            ("X-Hub-Signature-256", &signature),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { line: "POST /webhook HTTP/1.1".to_owned(), headers, body }
    }

    /// Replaces or removes a header.
    pub(super) fn with_header(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    pub(super) fn send(&self, address: SocketAddr) -> Result<Answer> {
        self.send_truncated(address, self.body.len())
    }

    /// Announces the full length of the body, sends its beginning, and closes the sending side.
    pub(super) fn send_truncated(&self, address: SocketAddr, length: usize) -> Result<Answer> {
        let mut stream = TcpStream::connect(address)?;
        let mut text = format!("{}\r\nHost: localhost\r\nConnection: close\r\n", self.line);
        let length_is_given = self
            .headers
            .iter()
            .any(|(name, _)| ["Content-Length", "Transfer-Encoding"].contains(&name.as_str()));
        if !length_is_given {
            let _ = write!(text, "Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n").as_bytes())?;
        // The server may respond before it has read the whole body.
        let _ = stream.write_all(&self.body[..length]);
        if length < self.body.len() {
            stream.shutdown(Shutdown::Write)?;
        }
        read_answer(&mut stream)
    }
}

fn read_answer(stream: &mut TcpStream) -> Result<Answer> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).unwrap();
    let incomplete_answer = || Error::new(ErrorKind::UnexpectedEof, "no answer");
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(incomplete_answer)?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .ok_or_else(incomplete_answer)?;
    Ok(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
}

pub(super) fn sign_body(body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(WEBHOOK_SECRET.as_bytes()).unwrap();
    format!("sha256={}", hex::encode(mac.chain_update(body).finalize().into_bytes()))
}
