//! Handles the requests of a client: lists the tools, and performs calls.

use crate::active_run::ActiveRun;
use crate::answer::{Answer, ErrorKind, RunState, ToolAnswer};
use crate::argument_check::{InvalidArguments, parse_arguments};
use crate::arguments::{
    CancelArguments, ExplainChangeArguments, ExploreSchedulesArguments, FindCulpritArguments,
    MinimisePatchArguments, RunArguments, RunTestArguments, StatusArguments,
    ValidatePatchesArguments,
};
use crate::bounds::AnswerSize;
use crate::call_record::{CallRecord, request_cancel};
use crate::progress::Progress;
use crate::run_answers::{answer_from_folder, list_runs};
use crate::run_request::{CallTarget, RunRequest};
use crate::runs::Runs;
use crate::settings::{MAX_RUNS, MAX_WAIT, McpSettings};
use crate::tool_name::ToolName;
use crate::tools::{INSTRUCTIONS, describe_tool};
use mend_git::RunLock;
use mend_model::Problem;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Interval between two looks at a run that a call waits for.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Time for the processes of a cancelled run to end.
const CANCEL_WAIT: Duration = Duration::from_secs(10);

/// Request context of the protocol library.
type Context = RequestContext<RoleServer>;

/// Handler of the requests of one client.
pub(crate) struct ToolHandler {
    settings: McpSettings,
    runs: Runs,
}

impl ServerHandler for ToolHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("git-mend", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(ToolName::ALL.map(|tool| self.describe(tool)).to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ToolName::parse(name).ok().map(|tool| self.describe(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let names = ToolName::ALL.map(ToolName::as_str).join(", ");
        let tool = ToolName::parse(&request.name).map_err(|message| {
            ErrorData::invalid_params(format!("{message}; the tools are {names}"), None)
        })?;
        let answer = self.call(tool, request.arguments.unwrap_or_default(), &context).await;
        let size = AnswerSize::from_tokens(self.settings.answer_tokens);
        // Wrong arguments are results too, because clients show the model no protocol errors (SEP-1303).
        Ok(answer.unwrap_or_else(ToolAnswer::from).into_call_result(size).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: Context,
    ) -> Result<CustomResult, ErrorData> {
        // The library also takes a known method with malformed parameters for a custom request.
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "the parameters of tools/call are malformed; give a `name`, and `arguments` as an object",
                None,
            ),
            method @ ("tools/list" | "initialize" | "ping") => {
                ErrorData::invalid_params(format!("the parameters of {method} are malformed"), None)
            }
            method => {
                let shown: String = method.chars().take(60).collect();
                let message =
                    format!("there is no method `{}`; use tools/list", shown.escape_debug());
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        })
    }
}

impl ToolHandler {
    pub(crate) fn new(settings: McpSettings, runs: Runs) -> Self {
        Self { settings, runs }
    }

    fn describe(&self, tool: ToolName) -> Tool {
        describe_tool(tool, self.settings.allows_commands)
    }

    async fn call(
        &self,
        tool: ToolName,
        arguments: JsonObject,
        context: &Context,
    ) -> Result<ToolAnswer, InvalidArguments> {
        match tool {
            ToolName::RunTest => {
                self.run(tool, &parse_arguments::<RunTestArguments>(arguments)?, context).await
            }
            ToolName::FindCulprit => {
                self.run(tool, &parse_arguments::<FindCulpritArguments>(arguments)?, context).await
            }
            ToolName::ExplainChange => {
                self.run(tool, &parse_arguments::<ExplainChangeArguments>(arguments)?, context)
                    .await
            }
            ToolName::ValidatePatches => {
                self.run(tool, &parse_arguments::<ValidatePatchesArguments>(arguments)?, context)
                    .await
            }
            ToolName::ExploreSchedules => {
                self.run(tool, &parse_arguments::<ExploreSchedulesArguments>(arguments)?, context)
                    .await
            }
            ToolName::MinimisePatch => {
                self.run(tool, &parse_arguments::<MinimisePatchArguments>(arguments)?, context)
                    .await
            }
            ToolName::Status => self.show_status(parse_arguments(arguments)?, context).await,
            ToolName::Cancel => self.cancel(parse_arguments(arguments)?).await,
        }
    }

    /// Starts or continues a run, and waits for it. If the client cancels the call, the run is stopped.
    async fn run(
        &self,
        tool: ToolName,
        arguments: &(impl RunArguments + Sync),
        context: &Context,
    ) -> Result<ToolAnswer, InvalidArguments> {
        let target = arguments.target();
        let wait = wait_limit(target.wait_seconds, MAX_WAIT)?;
        self.check_run_count()?;
        let run = match &target.resume {
            Some(run) => self.resume(tool, run, &target)?,
            None => self.start(tool, &self.check_allowed(arguments.to_request()?)?, &target)?,
        };
        tokio::select! {
            () = self.wait_with_progress(&run.folder, wait, context) => {}
            () = context.ct.cancelled() => run.stop(),
        }
        Ok(self.answer(&run.folder))
    }

    /// Rejects a request to run a command of the client, unless the user allowed that.
    fn check_allowed(&self, request: RunRequest) -> Result<RunRequest, InvalidArguments> {
        if request.runs_command && !self.settings.allows_commands {
            return Err(InvalidArguments::new(
                "`command` is not allowed",
                "give `tests`, or ask the user to start the server with --allow-commands",
            ));
        }
        Ok(request)
    }

    fn check_run_count(&self) -> Result<(), InvalidArguments> {
        let in_progress = self.runs.in_progress();
        if in_progress.len() < MAX_RUNS {
            return Ok(());
        }
        let folders: Vec<_> = in_progress.iter().map(|path| path.display().to_string()).collect();
        Err(InvalidArguments::new(
            format!("{MAX_RUNS} runs are in progress"),
            format!("wait for one with status, or cancel one: {}", folders.join(", ")),
        ))
    }

    fn start(
        &self,
        tool: ToolName,
        request: &RunRequest,
        target: &CallTarget,
    ) -> Result<Arc<ActiveRun>, InvalidArguments> {
        let project = self.resolve_project(target.project.as_deref())?;
        let runs_folder = (self.settings.runs_folder)(&project)?;
        let folder = (self.settings.create_run_folder)(&runs_folder)?;
        for file in &request.files {
            let path = folder.join(&file.path);
            let parent = path.parent().unwrap_or(&folder);
            std::fs::create_dir_all(parent)
                .and_then(|()| std::fs::write(&path, &file.content))
                .map_err(|error| Problem::io(error, &path))?;
        }
        CallRecord { tool, project: project.clone() }.write(&folder)?;
        self.start_in(&project, &folder, request)
    }

    /// Continues an unfinished run of the same tool.
    fn resume(
        &self,
        tool: ToolName,
        run: &str,
        target: &CallTarget,
    ) -> Result<Arc<ActiveRun>, InvalidArguments> {
        let folder = self.resolve_run(run, target.project.as_deref())?;
        let record = CallRecord::read(&folder).filter(|record| record.tool == tool);
        let Some(record) = record else {
            return Err(InvalidArguments::new(
                format!("{} is not a run of {}", folder.display(), tool.as_str()),
                "give `resume` to the tool that started the run",
            ));
        };
        if self.is_running(&folder) {
            return Err(InvalidArguments::new(
                format!("{} is still running", folder.display()),
                "ask for it with status, or stop it with cancel",
            ));
        }
        let words = read_command_line(&folder).ok_or_else(|| {
            let message = format!("{} stopped before it began", folder.display());
            InvalidArguments::new(message, "call the tool again without `resume`")
        })?;
        let request = RunRequest::new(&words).flag("--resume", true);
        self.start_in(&record.project, &folder, &request)
    }

    fn start_in(
        &self,
        project: &Path,
        folder: &Path,
        request: &RunRequest,
    ) -> Result<Arc<ActiveRun>, InvalidArguments> {
        let run = ActiveRun::start(&self.settings.program, project, folder, request)?;
        Ok(self.runs.add(run))
    }

    async fn show_status(
        &self,
        arguments: StatusArguments,
        context: &Context,
    ) -> Result<ToolAnswer, InvalidArguments> {
        let StatusArguments { run, project, wait_seconds } = arguments;
        let wait = wait_limit(wait_seconds, Duration::ZERO)?;
        let Some(run) = run else {
            let project = self.resolve_project(project.as_deref())?;
            return Ok(list_runs(&(self.settings.runs_folder)(&project)?));
        };
        let folder = self.resolve_run(&run, project.as_deref())?;
        tokio::select! {
            () = self.wait_with_progress(&folder, wait, context) => {}
            () = context.ct.cancelled() => {}
        }
        Ok(self.answer(&folder))
    }

    /// Stops a run of this server, or asks the server that started it to do so.
    async fn cancel(&self, arguments: CancelArguments) -> Result<ToolAnswer, InvalidArguments> {
        let folder = self.resolve_run(&arguments.run, arguments.project.as_deref())?;
        match self.runs.find(&folder) {
            Some(run) => {
                run.stop();
                run.wait(CANCEL_WAIT).await;
            }
            None if self.is_running(&folder) && CallRecord::read(&folder).is_none() => {
                return Err(InvalidArguments::new(
                    format!("{} was not started by a tool", folder.display()),
                    "stop it where it was started, with Ctrl-C",
                ));
            }
            None if self.is_running(&folder) => {
                request_cancel(&folder)?;
                let deadline = Instant::now() + CANCEL_WAIT;
                while self.is_running(&folder) && Instant::now() < deadline {
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
            None => {}
        }
        Ok(self.answer(&folder))
    }

    /// Waits until a run ends, for at most this time, and sends progress if the client asked for it.
    async fn wait_with_progress(&self, folder: &Path, limit: Duration, context: &Context) {
        let token = context.meta.get_progress_token();
        let deadline = Instant::now() + limit;
        let mut shown = Progress::default();
        while self.is_running(folder) {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return;
            }
            let pause = POLL_INTERVAL.min(remaining);
            match self.runs.find(folder) {
                Some(run) => drop(run.wait(pause).await),
                None => tokio::time::sleep(pause).await,
            }
            let progress = Progress::read(folder);
            if let Some(token) = token.clone().filter(|_| progress.steps > shown.steps) {
                let steps = f64::from(u32::try_from(progress.steps).unwrap_or(u32::MAX));
                let notification = ProgressNotificationParam::new(token, steps);
                let notification = notification.with_message(progress.describe());
                // A client that is gone needs no progress.
                drop(context.peer.notify_progress(notification).await);
                shown = progress;
            }
        }
    }

    fn is_running(&self, folder: &Path) -> bool {
        match self.runs.find(folder) {
            Some(run) if run.end().is_none() => true,
            _ => RunLock::is_held(folder),
        }
    }

    fn answer(&self, folder: &Path) -> ToolAnswer {
        if self.is_running(folder) {
            return running_answer(folder);
        }
        let end = self.runs.find(folder).and_then(|run| run.end());
        let answer = answer_from_folder(folder, end.as_ref());
        let is_invalid = answer
            .answer
            .error
            .as_ref()
            .is_some_and(|error| error.kind == ErrorKind::InvalidArguments);
        if is_invalid && CallRecord::read(folder).is_some() && !folder.join("trials.jsonl").exists()
        {
            // Nothing ran, so there is nothing to look at or to continue. If removing fails, the folder stays.
            drop(std::fs::remove_dir_all(folder));
            let lines = answer.text.lines().filter(|line| !line.starts_with("Run folder: "));
            let text = lines.collect::<Vec<_>>().join("\n") + "\n";
            return ToolAnswer { answer: Answer { run: None, ..answer.answer }, text };
        }
        answer
    }

    fn resolve_project(&self, project: Option<&Path>) -> Result<PathBuf, InvalidArguments> {
        let path = self.settings.project.join(project.unwrap_or(Path::new("")));
        let help = "give the folder of a Java project in a git repository";
        let path = path.canonicalize().map_err(|error| {
            let message = format!("{}: {}", path.display(), Problem::io_error_reason(&error));
            InvalidArguments::new(message, help)
        })?;
        if path.is_dir() {
            Ok(path)
        } else {
            Err(InvalidArguments::new(format!("{} is not a folder", path.display()), help))
        }
    }

    /// Returns the folder of a run from its path or name.
    fn resolve_run(&self, run: &str, project: Option<&Path>) -> Result<PathBuf, InvalidArguments> {
        let project = self.resolve_project(project)?;
        let is_name = !run.contains('/');
        let path = if is_name {
            (self.settings.runs_folder)(&project)?.join(run)
        } else {
            project.join(run)
        };
        let is_run = |path: &PathBuf| {
            ["result.json", "call.json"].iter().any(|name| path.join(name).is_file())
        };
        path.canonicalize().ok().filter(is_run).ok_or_else(|| {
            let shown: String = run.chars().take(200).collect();
            InvalidArguments::new(
                format!("`{}` is not a run folder", shown.escape_debug()),
                "give `run` from an earlier answer; status without `run` lists the newest runs",
            )
        })
    }
}

/// Returns the time for which a call waits.
fn wait_limit(seconds: Option<u64>, default: Duration) -> Result<Duration, InvalidArguments> {
    let wait = seconds.map_or(default, Duration::from_secs);
    if wait <= MAX_WAIT {
        return Ok(wait);
    }
    Err(InvalidArguments::new(
        format!("`wait_seconds` is {}", wait.as_secs()),
        format!("give at most {}, and ask again with status", MAX_WAIT.as_secs()),
    ))
}

/// Returns the command of a run, from the command line that it wrote.
fn read_command_line(folder: &Path) -> Option<String> {
    let text = std::fs::read(folder.join("request.json")).ok()?;
    serde_json::from_slice::<Vec<String>>(&text).ok()?.into_iter().nth(2)
}

fn running_answer(folder: &Path) -> ToolAnswer {
    let progress = Progress::read(folder);
    let run = folder.display();
    let text = format!(
        "running: {}\nAsk again with status {{\"run\": \"{run}\", \"wait_seconds\": 40}}, or stop it with cancel.\n\
         Run folder: {run}\n",
        progress.describe()
    );
    let answer =
        Answer { progress: Some(progress), ..Answer::new(RunState::Running, Some(folder)) };
    ToolAnswer { answer, text }
}
