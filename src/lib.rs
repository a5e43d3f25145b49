//! Finds the minimal culprit that breaks a Java test, and a minimal fix.
//!
//! `DESIGN.md` has the map of the modules and the glossary. A layer imports downwards only.

pub mod cli;
pub mod demo;
pub mod run;
