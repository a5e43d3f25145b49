//! Faults of threads: from what schedules show to changes that might mend it, the simplest and most human first.
//!
//! A file for each way to mend. Whether a remedy mends anything is for schedules to find out.

mod absences;
mod atomics;
mod calls;
mod checks;
mod deadlocks;
mod entering;
mod fields;
mod guards;
mod joins;
mod latches;
mod late_joins;
mod layout;
mod locks;
mod maps;
mod moves;
mod regions;
mod releases;
mod scene;
mod shared_objects;
mod signals;
mod turns;
mod waits;
mod wrong_locks;

use super::code::Code;
use super::edit::{Edit, edited};
use crate::engine::Findings;
use crate::model::RepoPath;
use scene::Scene;
use std::collections::BTreeMap;

/// What kind of change a remedy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// More is done while a lock is held.
    Synchronized,
    /// Another lock is held.
    Lock,
    /// A field is volatile.
    Volatile,
    /// A value is read once, or written once when it is done.
    Local,
    /// A variable or a step of two calls becomes atomic.
    Atomic,
    /// An object that is not for many threads is replaced.
    Container,
    /// Somebody waits for the end of what was started.
    Join,
    /// A statement moves before another one.
    Move,
    /// How threads wait for and wake each other.
    Signal,
    /// Locks are taken in one order.
    LockOrder,
    /// A pool with room for those that wait in it.
    Pool,
    /// Nothing is done with what another thread took away.
    Guard,
    /// Somebody waits until another thread has come so far.
    Latch,
}

impl Way {
    /// Its name in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Synchronized => "synchronized",
            Self::Lock => "lock",
            Self::Volatile => "volatile",
            Self::Local => "local",
            Self::Atomic => "atomic",
            Self::Container => "container",
            Self::Join => "join",
            Self::Move => "move",
            Self::Signal => "signal",
            Self::LockOrder => "lock-order",
            Self::Pool => "pool",
            Self::Guard => "guard",
            Self::Latch => "latch",
        }
    }
}

/// A change that might mend a fault of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// By file, in the order in which they are made.
    pub edits: BTreeMap<RepoPath, Vec<Edit>>,
    /// What kind of change it is.
    pub way: Way,
    /// One line that says what it does, and why.
    pub why: String,
    /// How promising it is; higher is better.
    pub weight: f64,
}

/// A file of the version that is to be mended.
#[derive(Clone)]
pub struct SourceFile<'a> {
    /// Where it is.
    pub path: RepoPath,
    /// What the compiler knows of it.
    pub code: Code<'a>,
    /// Whether it is test code, which is changed only where the fault is in it.
    pub is_test: bool,
}

/// Everything that might mend what schedules found, the most promising first.
pub fn remedies(files: &[SourceFile<'_>], findings: &Findings) -> Vec<Remedy> {
    let scene = Scene::new(files, findings);
    let mut out = Remedies { scene: &scene, all: Vec::new() };
    let ways: [fn(&Scene<'_>, &mut Remedies<'_>); 18] = [
        guards::propose,
        wrong_locks::propose,
        fields::propose,
        atomics::propose,
        maps::propose,
        shared_objects::propose,
        joins::propose,
        late_joins::propose,
        moves::propose,
        signals::propose,
        deadlocks::propose,
        deadlocks::pools,
        waits::propose,
        releases::propose,
        latches::propose,
        entering::propose,
        absences::propose,
        turns::propose,
    ];
    for way in ways {
        way(&scene, &mut out);
    }
    let mut all = out.all;
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    all
}

/// Remedies on their way, each change once.
struct Remedies<'a> {
    scene: &'a Scene<'a>,
    all: Vec<Remedy>,
}

/// Edits by the number of their file.
type Edits = BTreeMap<usize, Vec<Edit>>;

impl Remedies<'_> {
    /// Tests are changed only so that they wait for what they start.
    fn add(&mut self, way: Way, weight: f64, edits: Edits, why: String) {
        let named = |(file, mut edits): (usize, Vec<Edit>)| {
            edits.sort();
            edits.dedup();
            (self.scene.files[file].path.clone(), edits)
        };
        let edits: BTreeMap<RepoPath, Vec<Edit>> =
            edits.into_iter().filter(|(_, edits)| !edits.is_empty()).map(named).collect();
        let is_sound = self.scene.files.iter().all(|file| {
            edits.get(&file.path).is_none_or(|edits| edited(file.code.text, edits).is_some())
        });
        let is_meant = way == Way::Join
            || !self.scene.files.iter().any(|file| file.is_test && edits.contains_key(&file.path));
        match self.all.iter_mut().find(|known| known.edits == edits) {
            _ if edits.is_empty() || !is_sound || !is_meant => {}
            Some(known) => known.weight = known.weight.max(weight),
            None => self.all.push(Remedy { edits, way, why, weight }),
        }
    }

    /// A change of one file.
    fn add_in(&mut self, file: usize, way: Way, weight: f64, edits: Vec<Edit>, why: String) {
        self.add(way, weight, [(file, edits)].into(), why);
    }
}

#[cfg(test)]
mod tests;
