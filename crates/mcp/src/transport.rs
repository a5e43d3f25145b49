//! JSON-RPC messages on standard input and output, one per line. A malformed message gets an error, and the connection
//! stays open.

use crate::runs::Runs;
use anyhow::Context as _;
use mend_model::Result;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData as McpError, RoleServer};
use serde_json::Value;
use std::io::{self, BufRead, Read as _, Write as _};
use std::thread;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Maximum size of a message, in bytes: fifty patches of the maximum size do not fit, but all that is reviewable does.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Number of messages that wait while earlier ones are dispatched.
const QUEUED_MESSAGES: usize = 16;

/// Help for a client that sends something else.
const FORMAT_HELP: &str = "send one JSON-RPC 2.0 message per line";

type ClientMessage = RxJsonRpcMessage<RoleServer>;
type ServerMessage = TxJsonRpcMessage<RoleServer>;

/// Standard input and output of the server.
pub(crate) struct StandardStreams {
    messages: Receiver<ClientMessage>,
}

impl StandardStreams {
    /// Starts to read the standard input in a thread, which the end of the process ends. When the client is gone, all
    /// runs are stopped.
    pub(crate) fn open(runs: Runs) -> Result<Self> {
        let (sender, messages) = channel(QUEUED_MESSAGES);
        let read = move || {
            read_messages(io::stdin().lock(), &sender);
            runs.stop_all();
        };
        thread::Builder::new().name("stdin".to_owned()).spawn(read).context("starting a thread")?;
        Ok(Self { messages })
    }
}

impl Transport<RoleServer> for StandardStreams {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = tokio::task::spawn_blocking(move || write_message(&message));
        async move { write.await.map_err(io::Error::other)? }
    }

    async fn receive(&mut self) -> Option<ClientMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

fn write_message(message: &ServerMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line)?;
    stdout.flush()
}

/// Passes valid messages on, and answers the others, until the input ends.
fn read_messages(mut input: impl BufRead, sender: &Sender<ClientMessage>) {
    // A notification cannot start a session.
    let mut has_request = false;
    while let Ok(Some(line)) = read_line(&mut input) {
        match line.and_then(|line| parse_message(&line)) {
            Ok(Some(message)) => {
                has_request |= matches!(message, JsonRpcMessage::Request(_));
                if has_request && sender.blocking_send(message).is_err() {
                    return;
                }
            }
            Ok(None) => {}
            // A client that does not read the answer has closed its end.
            Err(error) => drop(write_message(&error.into_message())),
        }
    }
}

/// Malformed message: the error to answer with, and the id of the request if there is one.
#[derive(Debug, PartialEq)]
struct MalformedMessage {
    error: McpError,
    id: Option<RequestId>,
}

impl MalformedMessage {
    fn into_message(self) -> ServerMessage {
        ServerMessage::error(self.error, self.id)
    }

    fn invalid_request(why: &str, id: Option<RequestId>) -> Self {
        Self { error: ErrorData::invalid_request(format!("{why}; {FORMAT_HELP}"), None), id }
    }
}

/// Reads a line. Returns `None` at the end of the input, where an incomplete line is ignored.
fn read_line(
    input: &mut impl BufRead,
) -> io::Result<Option<std::result::Result<Vec<u8>, MalformedMessage>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_MESSAGE_BYTES as u64).read_until(b'\n', &mut line)?;
    if line.ends_with(b"\n") {
        return Ok(Some(Ok(line)));
    }
    if line.len() < MAX_MESSAGE_BYTES {
        return Ok(None);
    }
    input.skip_until(b'\n')?;
    let error = MalformedMessage::invalid_request("the message is larger than 16 MiB", None);
    Ok(Some(Err(error)))
}

/// Parses a message. Returns `None` for an empty line, and for an unknown notification, which has no answer.
fn parse_message(line: &[u8]) -> std::result::Result<Option<ClientMessage>, MalformedMessage> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        let message = format!("this is not JSON: {error}; {FORMAT_HELP}");
        MalformedMessage { error: ErrorData::parse_error(message, None), id: None }
    })?;
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let invalid = |why: &str| Err(MalformedMessage::invalid_request(why, id.clone()));
    if !value.is_object() {
        return invalid("a message is a JSON object");
    }
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("`jsonrpc` is not \"2.0\"");
    }
    if value.get("id").is_some() && id.is_none() {
        return invalid("`id` is neither a string nor an integer");
    }
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => invalid("this is neither a request nor a response nor a notification"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(line: &str) -> (i32, String, Option<RequestId>) {
        let MalformedMessage { error, id } = parse_message(line.as_bytes()).unwrap_err();
        (error.code.0, error.message.into_owned(), id)
    }

    #[test]
    fn malformed_messages_get_an_error_with_their_id() {
        let (code, message, id) = error_of("{nonsense");
        assert_eq!((code, id), (-32700, None));
        assert!(message.starts_with("this is not JSON: "), "{message}");
        let number = Some(RequestId::Number(7));
        for (line, id) in [
            ("[]", None),
            ("7", None),
            (r#"{"id": 7, "method": "ping"}"#, number.clone()),
            (r#"{"jsonrpc": "1.0", "id": 7, "method": "ping"}"#, number.clone()),
            (r#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, None),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, None),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": 8}"#, number),
        ] {
            let (code, message, found_id) = error_of(line);
            assert_eq!((code, found_id), (-32600, id), "{line}: {message}");
            assert!(message.ends_with(FORMAT_HELP), "{message}");
        }
    }

    #[test]
    fn valid_messages_and_unknown_notifications_are_accepted() {
        let parse = |line: &str| parse_message(line.as_bytes()).unwrap();
        assert!(parse(r#"{"jsonrpc": "2.0", "id": 7, "method": "ping"}"#).is_some());
        assert!(parse(" \n").is_none());
    }

    #[test]
    fn too_long_message_is_skipped() {
        let long = vec![b'x'; MAX_MESSAGE_BYTES + 5];
        let mut input = io::Cursor::new([&long[..], b"\nnext\nincomplete"].concat());
        assert!(read_line(&mut input).unwrap().unwrap().is_err());
        assert_eq!(read_line(&mut input).unwrap(), Some(Ok(b"next\n".to_vec())));
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
