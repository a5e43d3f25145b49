//! All operators, applied to what the schedules found.

use super::remedies::Remedies;
use super::remedy::Remedy;
use super::scene::Scene;
use super::source_file::SourceFile;
use super::{
    absences, atomics, deadlocks, entering, fields, guards, joins, latches, late_joins, maps,
    moves, releases, shared_objects, signals, turns, waits, wrong_locks,
};
use mend_model::schedules::Findings;

/// Returns the candidates for the findings of a schedule search, best first.
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
