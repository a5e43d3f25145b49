//! Finds the minimal culprit that breaks a Java test, and a minimal fix.
//!
//! `DESIGN.md` contains the map of the modules and the glossary. A layer imports only lower layers.

pub mod cli;
pub mod demo;
pub mod run;
