//! Finds the minimal change that breaks a Java test, and the minimal patch that mends it.
//!
//! `DESIGN.md` has the glossary and the map of these modules; a layer imports downwards only.

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
