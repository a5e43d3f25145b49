//! Finds the minimal culprit that breaks a Java test, and a minimal fix.
//!
//! `DESIGN.md` has the map of the modules and the glossary. A layer imports downwards only.

pub mod bot;
pub mod cli;
pub mod delta;
pub mod demo;
pub mod engine;
pub mod facts;
pub mod git;
pub mod github;
pub mod java;
pub mod model;
pub mod repair;
pub mod report;
pub mod run;
pub mod search;
pub mod trial;
