//! What git-mend does on GitHub: it tells there what a search found, and decides what is to be done about it.

mod publishing;

pub use publishing::{
    Allowed, Failing, Published, Publisher, Refusal, Told, close_mended, permitted_path,
};
