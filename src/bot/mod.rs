//! What git-mend does on GitHub: it tells there what a search found, and decides what is to be done about it.

pub mod actions;
mod claims;
mod publishing;
mod remote;

pub use claims::Claims;
pub use publishing::{
    Allowed, Failing, Published, Publisher, Refusal, Told, close_mended, permitted_path,
};
pub use remote::Remote;
