//! What a run found, told to people and to programs.

pub mod delta;
mod human;
mod patch_view;
mod result;

pub use human::{Palette, Scene, counted, human, of_size, problem};
pub use result::{
    Confirmed, Cost, DeltaSize, EnvironmentInfo, Goal, Guilty, PatchResult, RunResult, Status,
    Version,
};
