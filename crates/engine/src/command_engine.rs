//! Engine that runs a command of the user.

use super::{Engine, Environment, Execution, LaunchSpec, Launcher, RunRequest, TestOrder};
use crate::cache::fingerprint::base_digest;
use mend_model::{Outcome, Problem, Result};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs a command in the variant's folder; its exit code is the outcome.
pub struct CommandEngine {
    argv: Vec<OsString>,
    environment: Environment,
    launcher: Arc<dyn Launcher>,
}

impl CommandEngine {
    /// Creates an engine for a command: a program and its arguments.
    pub fn new(argv: Vec<OsString>, environment: Environment, launcher: Arc<dyn Launcher>) -> Self {
        Self { argv, environment, launcher }
    }
}

impl Engine for CommandEngine {
    fn run(&self, &RunRequest { tree, limits, .. }: &RunRequest<'_>) -> Result<Execution> {
        let Some((program, arguments)) = self.argv.split_first() else {
            return Err(Problem::Usage {
                message: "the command is empty".to_owned(),
                remedy: "write the command after `--`".to_owned(),
            });
        };
        // The command has one time limit for build and tests, so both limits apply to it.
        let limit = limits.test.map(|test| test + limits.build.unwrap_or_default());
        let command = LaunchSpec::new(program, tree).args(arguments).with_time_limit(limit);
        let start = Instant::now();
        let exit = self.launcher.run(&command)?;
        let outcome = match exit.code {
            _ if exit.has_timed_out => Outcome::TimedOut { test: None, output: exit.output },
            Some(code) => Outcome::Exited { code, output: exit.output },
            None => Outcome::Crashed { output: exit.output },
        };
        let outcome = outcome.redact_secrets(&self.environment.secrets());
        Ok(Execution { test: start.elapsed(), ..Execution::from_outcome(outcome) })
    }

    /// Returns the engine unchanged: the command determines the order of its tests.
    fn with_test_order(self: Box<Self>, _: TestOrder) -> Box<dyn Engine> {
        self
    }

    fn fingerprint(&self) -> String {
        let mut digest = base_digest(&self.environment);
        digest.add("engine", "command");
        for argument in &self.argv {
            digest.add("argument", argument.as_encoded_bytes());
            // A file outside the tree, such as a script, may change between two runs.
            let path = Path::new(argument);
            if path.is_absolute() {
                digest.add_file_content(path);
            }
        }
        if let Some(path) = self.environment.get("PATH") {
            digest.add("PATH", path.as_encoded_bytes());
        }
        digest.finish_hex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::test_support::PlainLauncher;
    use std::time::Duration;

    fn engine(argv: &[&str]) -> CommandEngine {
        let argv = argv.iter().map(OsString::from).collect();
        CommandEngine::new(argv, Environment::default(), Arc::new(PlainLauncher))
    }

    fn run(engine: &CommandEngine, tree: &Path) -> Outcome {
        engine.run(&RunRequest::quick(tree, &Limits::default())).unwrap().outcome
    }

    #[test]
    fn environment_secrets_are_redacted() {
        let environment = [("DB_PASSWORD", "hunter22")].into_iter().collect();
        let argv = ["echo", "hunter22!"].map(OsString::from).to_vec();
        let engine = CommandEngine::new(argv, environment, Arc::new(PlainLauncher));
        let outcome = run(&engine, &std::env::temp_dir());
        let output = "(hidden: DB_PASSWORD)!\n".to_owned();
        assert_eq!(outcome, Outcome::Exited { code: 0, output });
    }

    #[test]
    fn exit_code_and_output_are_recorded() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("here"), "").unwrap();
        let outcome = run(&engine(&["sh", "-c", "ls; exit 3"]), tree.path());
        assert_eq!(outcome, Outcome::Exited { code: 3, output: "here\n".into() });
    }

    #[test]
    fn command_over_its_limit_times_out() {
        let tree = tempfile::tempdir().unwrap();
        let limits = Limits { test: Some(Duration::from_millis(50)), ..Limits::default() };
        let request = RunRequest::quick(tree.path(), &limits);
        let outcome = engine(&["sleep", "60"]).run(&request).unwrap().outcome;
        assert!(matches!(outcome, Outcome::TimedOut { test: None, .. }));
    }

    #[test]
    fn absolute_script_is_part_of_the_fingerprint() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("check.sh");
        let fingerprint = |text: &str| {
            std::fs::write(&script, text).unwrap();
            engine(&["sh", script.to_str().unwrap()]).fingerprint()
        };
        let before = fingerprint("exit 0");
        assert_eq!(engine(&["sh", script.to_str().unwrap()]).fingerprint(), before);
        assert_ne!(fingerprint("test -f list || exit 125"), before);
    }

    #[test]
    fn fingerprint_depends_on_argument_boundaries() {
        assert_ne!(engine(&["a", "b"]).fingerprint(), engine(&["a b"]).fingerprint());
    }
}
