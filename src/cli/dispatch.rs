//! Command dispatch: parses the arguments, runs one command and returns its exit code.

use super::arguments::{Arguments, Command, Format};
use crate::cli::commands::{
    bisect, ci, delta, demo, doctor, explore, fix, generate, hook, mcp, pr, report, serve, setup,
    test, upgrade, validate,
};
use crate::cli::output::console::Console;
use crate::cli::output::crash_report;
use crate::run::Context;
use anyhow::Context as _;
use clap::{CommandFactory as _, Parser as _};
use mend_model::{Exit, Interrupt, Problem, Result};
use mend_report::format_problem;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::sync::Arc;

/// Runs the program with these arguments. The first argument is the name of the program.
pub fn main(arguments: &[OsString]) -> Exit {
    crash_report::install_panic_hook();
    match Arguments::try_parse_from(arguments) {
        Ok(parsed) => run(&parsed, arguments),
        Err(error) => {
            // A broken pipe is not an error.
            drop(error.print());
            if error.use_stderr() { Exit::Usage } else { Exit::Found }
        }
    }
}

fn run(parsed: &Arguments, arguments: &[OsString]) -> Exit {
    let console = Arc::new(Console::new(&parsed.shared));
    let guarded_command = std::panic::AssertUnwindSafe(|| run_command(parsed, arguments, &console));
    match std::panic::catch_unwind(guarded_command)
        .unwrap_or_else(|_| Err(crash_report::last_panic_problem()))
    {
        Ok(exit) => exit,
        Err(problem) => {
            console.clear_progress();
            console.print_error(&format_problem(&problem, None, &console.message_style()));
            crash_report::report_internal_error(&problem, arguments, &console);
            problem.exit()
        }
    }
}

fn run_command(parsed: &Arguments, arguments: &[OsString], console: &Arc<Console>) -> Result<Exit> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM] {
        // A second signal ends the program at once.
        let code = i32::from(Exit::Interrupted as u8);
        signal_hook::flag::register_conditional_shutdown(signal, code, interrupt.flag())
            .and_then(|_| signal_hook::flag::register(signal, interrupt.flag()))
            .context("listening for signals")?;
    }
    let program = std::env::current_exe().context("finding this program")?;
    let context = Context { progress: Arc::clone(console) as _, interrupt, program };
    let shared = &parsed.shared;
    shared.working_dir()?;
    if shared.format == Format::Dot && !matches!(parsed.command, Command::Delta(_)) {
        return Err(Problem::Usage {
            message: "only `git mend delta` supports --format dot".to_owned(),
            remedy: "use --format human or --format json".to_owned(),
        });
    }
    match &parsed.command {
        Command::Bisect(options) => bisect::run(options, shared, &context, console, arguments),
        Command::Validate(options) => validate::run(options, shared, &context, console, arguments),
        Command::Explore(options) => explore::run(options, shared, &context, console, arguments),
        Command::Fix(options) => fix::run(options, shared, &context, console, arguments),
        Command::Delta(options) => delta::run(options, shared, &context, console),
        Command::Mcp(options) => mcp::run(options, shared, &context),
        Command::Upgrade(options) => upgrade::run(options, shared, &context, console, arguments),
        Command::Test(options) => test::run(options, shared, &context, console, arguments),
        Command::Demo(options) => demo::run(options, shared, &context, console),
        Command::Pr(options) => pr::run(options, shared),
        Command::Ci(options) => ci::run(options, shared, &context, console),
        Command::Doctor(options) => doctor::run(options, shared, &context, console),
        Command::Hook(options) => hook::run(options, shared, &context, console, arguments),
        Command::Generate(options) => generate::run(options, shared, console),
        Command::Report(options) => report::run(options, shared, console),
        Command::Serve(options) => serve::run(options, shared, console),
        Command::Setup(command) => setup::run(command, shared, console),
        Command::Other(words) => Err(unknown_command_error(words)),
    }
}

/// Returns the error for an unknown command, with a suggestion if a command has a similar name.
fn unknown_command_error(words: &[OsString]) -> Problem {
    let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let commands = Arguments::command();
    let is_similar = |known: &&str| strsim::jaro_winkler(known, &name) > 0.75;
    let similar_command = commands.get_subcommands().map(clap::Command::get_name).find(is_similar);
    Problem::Usage {
        message: format!("`{name}` is not a git mend command"),
        remedy: similar_command
            .map_or("`git mend --help` lists the commands".to_owned(), |similar_command| {
                format!("did you mean `git mend {similar_command}`?")
            }),
    }
}
