//! Model Context Protocol server on standard input and output: offers the commands to coding agents as tools. Each call
//! starts this program with a command, and answers with the content of the run folder.

mod active_run;
mod answer;
mod argument_check;
mod arguments;
mod bounds;
mod call_record;
mod patch_input;
mod progress;
mod results;
mod run_answers;
mod run_request;
mod runs;
mod server;
mod settings;
mod skill;
mod tool_handler;
mod tool_name;
mod tools;
mod transport;

pub use server::serve;
pub use settings::McpSettings;
pub use skill::skill_page;
