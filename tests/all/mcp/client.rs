//! Client of the server: starts it, calls tools, and checks every answer against the schema of its tool.

use crate::support::program;
use jsonschema::Validator;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, JsonObject, ProgressNotificationParam, Tool,
};
use rmcp::service::{NotificationContext, RunningService, serve_client};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::process::Child;
use tokio::runtime::Runtime;

/// Maximum size of the text and of the structured content of an answer, in bytes: 4,000 tokens of four bytes.
const MAX_ANSWER_BYTES: usize = 16_000;

/// Client that records progress.
#[derive(Clone, Default)]
struct ProgressRecorder(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for ProgressRecorder {
    fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.0.lock().unwrap().push(params);
        std::future::ready(())
    }
}

/// Connected client.
pub(super) struct Client {
    runtime: Runtime,
    service: RunningService<RoleClient, ProgressRecorder>,
    server: Child,
    progress: ProgressRecorder,
    pub(super) tools: Vec<Tool>,
    output_schemas: HashMap<String, Validator>,
}

impl Client {
    /// Starts a server in a folder and connects to it.
    pub(super) fn start(dir: &Path) -> Self {
        Self::start_with(dir, &[], &[])
    }

    /// Starts a server with further options and environment variables.
    pub(super) fn start_with(dir: &Path, options: &[&str], variables: &[(&str, &OsStr)]) -> Self {
        let mut command = program(dir);
        command.arg("mcp").args(options).envs(variables.iter().copied());
        let runtime = Runtime::new().unwrap();
        let progress = ProgressRecorder::default();
        let (service, server, tools) = runtime.block_on(async {
            let mut command = tokio::process::Command::from(command);
            let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut server = piped.spawn().unwrap();
            let streams = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
            let service = serve_client(progress.clone(), streams).await.unwrap();
            let tools = service.list_all_tools().await.unwrap();
            (service, server, tools)
        });
        let schema_of = |tool: &Tool| {
            let schema = Value::Object(tool.output_schema.as_ref().unwrap().as_ref().clone());
            (tool.name.to_string(), jsonschema::validator_for(&schema).unwrap())
        };
        let output_schemas = tools.iter().map(schema_of).collect();
        Self { runtime, service, server, progress, tools, output_schemas }
    }

    /// Calls a tool. Returns its structured content and its text.
    pub(super) fn call(&self, tool: &'static str, arguments: Value) -> Answer {
        let arguments: JsonObject = serde_json::from_value(arguments).unwrap();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self.runtime.block_on(self.service.call_tool(params)).unwrap();
        self.check(tool, &result);
        Answer {
            is_error: result.is_error == Some(true),
            text: result.content[0].as_text().unwrap().text.clone(),
            content: result.structured_content.unwrap(),
        }
    }

    /// Calls a tool, and asks for the status of its run until it ends.
    pub(super) fn call_to_end(&self, tool: &'static str, arguments: Value) -> Answer {
        let mut answer = self.call(tool, arguments);
        while answer.content["state"] == "running" {
            std::thread::sleep(Duration::from_millis(200));
            answer = self.call("status", json!({"run": answer.run()}));
        }
        answer
    }

    /// Checks the schema and the size of an answer.
    fn check(&self, tool: &str, result: &CallToolResult) {
        let content = result.structured_content.as_ref().unwrap();
        let errors: Vec<_> = self.output_schemas[tool].iter_errors(content).collect();
        assert!(errors.is_empty(), "{tool}: {content:#}\n{errors:?}");
        assert!(content.to_string().len() <= MAX_ANSWER_BYTES, "{}", content.to_string().len());
        let text = &result.content[0].as_text().unwrap().text;
        assert!(text.len() <= MAX_ANSWER_BYTES + 200, "{}", text.len());
    }

    /// Returns the progress messages so far.
    pub(super) fn progress_messages(&self) -> Vec<String> {
        let progress = self.progress.0.lock().unwrap();
        progress.iter().filter_map(|one| one.message.clone()).collect()
    }

    /// Kills the client without saying goodbye: the server sees the end of its input.
    pub(super) fn kill(self) -> Child {
        let Self { runtime, service, server, .. } = self;
        drop(runtime.block_on(service.cancel()));
        runtime.shutdown_background();
        server
    }

    /// Returns the process id of the server.
    pub(super) fn server_pid(&self) -> String {
        self.server.id().unwrap().to_string()
    }
}

/// Answer of a tool.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) is_error: bool,
    pub(super) text: String,
    pub(super) content: Value,
}

impl Answer {
    /// Asserts the state of the run.
    pub(super) fn assert_state(&self, state: &str) -> &Self {
        assert_eq!(self.content["state"], state, "{}\n{:#}", self.text, self.content);
        self
    }

    /// Returns the run folder.
    pub(super) fn run(&self) -> PathBuf {
        PathBuf::from(self.content["run"].as_str().unwrap())
    }

    /// Returns the result of a finished run.
    pub(super) fn result(&self) -> &Value {
        &self.assert_state("finished").content["result"]
    }
}
