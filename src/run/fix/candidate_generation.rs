//! Generates the candidates of contract repair at suspicious statements, from the values that tests record there.

use crate::run::patch::attributed_version::{AttributedVersion, VersionCode};
use crate::run::patch::fault_localisation::{FaultEvidence, FaultLocaliser, LocatedFaults};
use crate::run::patch::probe_run::{ProbeResult, ProbeRun};
use crate::run::patch::repair_target::recorder_root;
use crate::run::subject::attribution::Attribution;
use mend_model::Result;
use mend_repair::{
    LocatedCandidate, MethodContract, ProbeInput, RecordedValues, Recording, RepairInput,
    SuspiciousLocation, describe_contracts, describe_suspects, generate_candidates, has_failed,
};

/// Candidates, and what is known about the statements that they change.
pub(super) struct GeneratedCandidates {
    /// Candidates, the most promising first.
    pub(super) candidates: Vec<LocatedCandidate>,
    /// Values that tests recorded.
    pub(super) recorded_values: RecordedValues,
    /// Suspicious statements in words, best first.
    pub(super) locations: Vec<SuspiciousLocation>,
    /// Contracts of the methods around them, in words.
    pub(super) described_contracts: Vec<MethodContract>,
}

/// Records values at the suspicious statements, and generates the candidates.
pub(super) fn record_values_and_generate(
    localiser: FaultLocaliser<'_>,
    attribution: &Attribution,
    faults: &LocatedFaults,
) -> Result<GeneratedCandidates> {
    let FaultLocaliser { target, executor, code, roots, unpatched_run } = localiser;
    let VersionCode { tests, main } = code;
    let LocatedFaults { evidence, results, violations, .. } = faults;
    let FaultEvidence { contracts, suspicious_statements, diagnosis } = evidence;
    let good = target
        .good
        .map(|tree| AttributedVersion::attribute(attribution, executor, tree))
        .transpose()?;
    let good = good.as_ref().map_or_else(Vec::new, |good| good.split_files(target.overlay).main);
    let (root, output) = (recorder_root(roots), target.record_file());
    let timed_out = unpatched_run.framework_timeouts();
    let recording = Recording { source_root: &root, output: &output };
    let probe_input = ProbeInput { main, tests, hanging_tests: &timed_out, recording };
    let probe_run = ProbeRun { target, executor, unpatched_run, input: &probe_input };
    target.emit_progress("recording variable values before each suspicious statement", 0)?;
    let ProbeResult { probed_sources, recorded_text, .. } = probe_run
        .run(|unprobed| probe_input.probe_values(suspicious_statements, violations, unprobed))?;
    let places: Vec<_> =
        probed_sources.sites.into_iter().zip(probed_sources.recorded_terms).collect();
    if recorded_text.is_empty() && !places.is_empty() {
        let note =
            "variable values at suspicious statements: they ruled out no candidate condition";
        target.session.run_log.note_unchecked(note.to_owned())?;
    }
    let recorded_values =
        RecordedValues::read(&recorded_text, &places, |test| has_failed(test, results));
    let candidates = generate_candidates(
        RepairInput { main, passing_version: &good },
        contracts,
        suspicious_statements,
        &recorded_values,
        diagnosis,
    );
    Ok(GeneratedCandidates {
        locations: describe_suspects(main, suspicious_statements, &recorded_values),
        described_contracts: describe_contracts(main, contracts, suspicious_statements),
        candidates,
        recorded_values,
    })
}
