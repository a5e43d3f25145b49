//! Probes that record the statements that each test executes, and values, in a copy of the sources.

use super::instrumentation_io::{ProbeInput, ProbedSources};
use crate::conditions::terms::{ConditionTerm, collect_terms};
use crate::localisation::postcondition_violations::PostconditionViolations;
use crate::localisation::suspect::SuspiciousStatement;
use crate::observe::command_probes;
use crate::observe::postcondition_checks::PostconditionChecks;
use crate::observe::probe_exclusions::ProbeExclusions;
use mend_java::Code;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolFlags};
use mend_java::{Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Source of the recorder that the probes call; it is copied next to the sources.
const RECORDER_SOURCE: &str =
    include_str!("../../../../java/src/main/java/gitmend/probe/Probe.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/Probe.java";

/// Maximum number of statements before which values are recorded, the most suspicious first, because recording slows
/// the tests down.
const MAX_OBSERVED_STATEMENTS: usize = 160;

impl ProbeInput<'_> {
    /// Inserts a probe before each statement of the main files, for statement coverage.
    pub fn probe_statements(&self, exclusions: &ProbeExclusions) -> ProbedSources {
        let sites_of_file =
            |(file, (path, code)): (usize, &(RepoPath, Code<'_>))| -> Vec<FileNode> {
                let is_allowed = |id: &NodeIndex| {
                    can_be_probed(code, *id) && !exclusions.excludes_site(path, (file, *id))
                };
                code.statements().filter(is_allowed).map(|id| (file, id)).collect()
            };
        let sites: Vec<_> = self.main.iter().enumerate().flat_map(sites_of_file).collect();
        let names = vec![Vec::new(); sites.len()];
        let hit_call = |number| format!("gitmend.probe.Probe.recordStatement({number}); ");
        let hit_call = |code: &Code<'_>, id, number| probe_statement(code, id, &hit_call(number));
        let mut probed = self.insert_probes(sites, names, hit_call, exclusions);
        for (path, code) in self.tests.iter().filter(|(path, _)| !exclusions.excludes_file(path)) {
            let edits = [test_name_edits(code), step_edits(code)].concat();
            probed.files.extend(apply_edits(code.text, &edits).map(|text| (path.clone(), text)));
        }
        probed
    }

    /// Inserts checks of postconditions into routines, without other probes.
    pub fn probe_postconditions(
        &self,
        checks: &PostconditionChecks,
        exclusions: &ProbeExclusions,
    ) -> ProbedSources {
        let mut probed =
            self.insert_probes(Vec::new(), Vec::new(), |_, _, _| Vec::new(), exclusions);
        probed.files.extend(checks.instrumented_files().files(&[]));
        probed.files.extend(checks.recorder_file("Probe", &self.recording));
        probed
    }

    /// Inserts probes that record variables, queries and violated postconditions before each suspicious statement, and
    /// object states around commands.
    pub fn probe_values(
        &self,
        suspects: &[SuspiciousStatement],
        violations: &PostconditionViolations,
        exclusions: &ProbeExclusions,
    ) -> ProbedSources {
        let (mut sites, mut terms_by_site) = (Vec::new(), Vec::new());
        for suspect in suspects.iter().take(MAX_OBSERVED_STATEMENTS) {
            let (path, code) = &self.main[suspect.file];
            let is_statement = code.is_statement(suspect.statement)
                && !exclusions.excludes_site(path, (suspect.file, suspect.statement));
            if is_statement && can_be_probed(code, suspect.statement) {
                sites.push((suspect.file, suspect.statement));
                let booleans = violations.conditions_before(suspect.file, code, suspect.statement);
                terms_by_site.push(collect_terms(code, suspect.statement, &booleans, true));
            }
        }
        let names =
            terms_by_site.iter().map(|terms| terms.iter().map(|term| term.text.clone()).collect());
        let mut names: Vec<Vec<String>> = names.collect();
        let is_allowed = |(file, method): FileNode| {
            !exclusions.excludes_site(&self.main[file].0, (file, method))
        };
        let commands = command_probes::find_commands(self.main, suspects).into_iter();
        let (command_sites, command_queries): (Vec<_>, Vec<_>) =
            commands.filter(|one| is_allowed(one.0)).unzip();
        sites.extend(command_sites);
        names.extend(command_queries.iter().map(|queries| command_probes::value_names(queries)));
        let edits = |code: &Code<'_>, id, number: usize| match terms_by_site.get(number) {
            Some(terms) => probe_statement(code, id, &value_probe(number, terms)),
            None => command_probes::probe_command(
                code,
                id,
                number,
                &command_queries[number - terms_by_site.len()],
            ),
        };
        self.insert_probes(sites, names, edits, exclusions)
    }

    /// Inserts a probe at each site, and code that records the name of each test.
    fn insert_probes(
        &self,
        sites: Vec<FileNode>,
        recorded_terms: Vec<Vec<String>>,
        edits: impl Fn(&Code<'_>, NodeIndex, usize) -> Vec<Edit>,
        exclusions: &ProbeExclusions,
    ) -> ProbedSources {
        let mut files = BTreeMap::new();
        let mut probes: BTreeMap<RepoPath, Vec<(Edit, usize)>> = BTreeMap::new();
        for (number, (file, statement)) in sites.iter().enumerate() {
            let (path, code) = &self.main[*file];
            let edits = edits(code, *statement, number).into_iter();
            let file_probes = probes.entry(path.clone()).or_default();
            file_probes.extend(edits.map(|edit| (edit, number)));
        }
        for (path, code) in self.main {
            let Some(file_probes) = probes.get_mut(path) else { continue };
            file_probes.sort_by_key(|(edit, _)| edit.bytes);
            let edits: Vec<Edit> = file_probes.iter().map(|(edit, _)| edit.clone()).collect();
            files.extend(apply_edits(code.text, &edits).map(|text| (path.clone(), text)));
        }
        for (path, code) in self.tests.iter().filter(|(path, _)| !exclusions.excludes_file(path)) {
            files.extend(
                apply_edits(code.text, &test_name_edits(code)).map(|text| (path.clone(), text)),
            );
        }
        let is_printable = |test: &&String| test.chars().all(|c| c.is_ascii_graphic());
        let hanging_tests =
            self.hanging_tests.iter().filter(is_printable).map(|test| format!("{test:?}"));
        let hanging_tests = hanging_tests.collect::<Vec<_>>().join(", ");
        let recorder = RECORDER_SOURCE.replace("/*@ENDLESS@*/", &hanging_tests);
        files.extend([self.recording.recorder_file(RECORDER_PATH, &recorder)]);
        ProbedSources { files, sites, recorded_terms, probes }
    }
}

/// Returns code that records terms. Terms that may throw are evaluated one by one; other probes are disabled meanwhile.
fn value_probe(number: usize, terms: &[ConditionTerm]) -> String {
    let (mut evaluations, mut arguments) = (String::new(), number.to_string());
    for (at, ConditionTerm { text, can_throw: is_asked, .. }) in terms.iter().enumerate() {
        if *is_asked {
            let _ = write!(
                evaluations,
                "Object gitMend{at} = null; try {{ gitMend{at} = (Object) ({text}); }} \
                 catch (Throwable gitMendThrown) {{ gitMend{at} = gitmend.probe.Probe.THROWN; }} "
            );
            let _ = write!(arguments, ", gitMend{at}");
        } else {
            let _ = write!(arguments, ", (Object) {text}");
        }
    }
    format!(
        "if (gitmend.probe.Probe.beginReading()) {{ try {{ {evaluations}gitmend.probe.Probe.recordValues({arguments}); }} \
         finally {{ gitmend.probe.Probe.endReading(); }} }} "
    )
}

/// Returns false for a call of another constructor, which must come first.
fn can_be_probed(code: &Code<'_>, statement: NodeIndex) -> bool {
    let written = code.source_text(statement).trim_start();
    let is_call = |name: &str| {
        written.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    let is_local_class = code.has_kind(statement, NodeKind::Class);
    !is_call("super") && !is_call("this") && !is_local_class && !written.is_empty()
}

fn probe_statement(code: &Code<'_>, statement: NodeIndex, call: &str) -> Vec<Edit> {
    let bytes = code.bytes(statement);
    if code.is_in_statement_list(statement) {
        return vec![Edit::insert(bytes.start, call)];
    }
    if code.has_kind(code.parent(statement), NodeKind::LabeledStatement) {
        return Vec::new();
    }
    vec![Edit::insert(bytes.start, format!("{{ {call}")), Edit::insert(bytes.end, " }")]
}

/// Returns edits that record the beginning of each test and its name.
fn test_name_edits(code: &Code<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for method in code.nodes_of_kind(NodeKind::Method) {
        let Some(body) = code.child(method, NodeRole::Body).filter(|_| is_test(code, method))
        else {
            continue;
        };
        let Some(symbol) = code.symbol(method) else { continue };
        let name = code.facts.text(symbol.name);
        if symbol.flags.has(SymbolFlags::STATIC) {
            let class = symbol
                .owner
                .map_or("", |class| code.facts.text(code.facts.symbol(class).full_name));
            let call = format!(" gitmend.probe.Probe.nameTest(\"{class}#{name}\");");
            edits.push(Edit::insert(code.bytes(body).start + 1, call));
            continue;
        }
        let call = format!(" gitmend.probe.Probe.nameTest(getClass().getName() + \"#{name}\");");
        edits.push(Edit::insert(code.bytes(body).start + 1, call));
        let class = code.parent(method);
        let body = code.type_body_start(class);
        let begin = body.map(|at| Edit::insert(at, " { gitmend.probe.Probe.beginTest(); }"));
        edits.extend(
            begin.filter(|begin| code.has_kind(class, NodeKind::Class) && !edits.contains(begin)),
        );
    }
    edits
}

/// Maximum length of a method with steps: the code of a longer one could become too large.
const MAX_METHOD_LEN: usize = 20_000;

/// Returns edits that record the steps of tests: each statement of a method, and the end of a test method.
fn step_edits(code: &Code<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for method in code.nodes_of_kind(NodeKind::Method) {
        let bytes = code.child(method, NodeRole::Body).map(|body| code.bytes(body));
        let Some(bytes) = bytes.filter(|bytes| bytes.len() <= MAX_METHOD_LEN) else { continue };
        if is_test(code, method) {
            edits.push(Edit::insert(bytes.start + 1, " try {"));
            let end = " } finally { gitmend.probe.Probe.endTest(); } ";
            edits.push(Edit::insert(bytes.end - 1, end));
        }
        let inside = method..code.node(method).subtree_end;
        let statements = inside.filter(|id| code.is_statement(*id) && can_be_probed(code, *id));
        let own = statements.filter(|id| code.enclosing_method(*id) == Some(method));
        let marker = "gitmend.probe.Probe.beginStep(); ";
        edits.extend(own.flat_map(|id| probe_statement(code, id, marker)));
    }
    edits
}

/// Returns true if a test framework would run a method as a test.
pub(crate) fn is_test(code: &Code<'_>, method: NodeIndex) -> bool {
    let Some(symbol) = code.symbol(method) else { return false };
    if symbol.flags.has(SymbolFlags::STATIC) {
        return code.facts.text(symbol.name) == "main";
    }
    let modifiers = code.child(method, NodeRole::Modifiers).map_or("", |id| code.source_text(id));
    modifiers.contains("Test") || code.facts.text(symbol.name).starts_with("test")
}

/// Statements that each test executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementCoverage {
    /// Probe numbers by test name.
    pub probes_by_test: BTreeMap<String, BTreeSet<usize>>,
    /// Number of steps of a test before its end at which a probe was last executed, by test name and probe number.
    pub steps_by_test: BTreeMap<String, BTreeMap<usize, u32>>,
}

impl StatementCoverage {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let (mut coverage, mut current_test) = (Self::default(), None::<String>);
        let mut pending = BTreeSet::new();
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", test)) => {
                    let test_probes = coverage.probes_by_test.entry(test.to_owned()).or_default();
                    test_probes.append(&mut pending);
                    current_test = Some(test.to_owned());
                }
                Some(("H ", number)) => {
                    let Ok(number) = number.parse() else { continue };
                    match current_test
                        .as_ref()
                        .and_then(|current_test| coverage.probes_by_test.get_mut(current_test))
                    {
                        Some(test_probes) => test_probes.insert(number),
                        None => pending.insert(number),
                    };
                }
                Some(("L ", last)) => {
                    let last = last.split_once(' ');
                    let last =
                        last.and_then(|(id, step)| Some((id.parse().ok()?, step.parse().ok()?)));
                    let steps = current_test.clone().map(|test| coverage.steps_by_test.entry(test));
                    if let (Some((probe, step)), Some(steps)) = (last, steps) {
                        steps.or_default().insert(probe, step);
                    }
                }
                _ => {
                    current_test = None;
                    pending.clear();
                }
            }
        }
        coverage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_before_test_name_belong_to_test() {
        let hits = StatementCoverage::read("B\nH 1\nT a.B#c\nH 2\nB\nT a.B#d\nH 2\n");
        let of = |test: &str| hits.probes_by_test[test].iter().copied().collect::<Vec<_>>();
        assert_eq!((of("a.B#c"), of("a.B#d")), (vec![1, 2], vec![2]));
    }

    #[test]
    fn steps_before_the_end_belong_to_the_test() {
        let hits = StatementCoverage::read("B\nT a.B#c\nH 1\nH 2\nL 1 7\nL 2 0\nL x\nB\nL 3 3\n");
        assert_eq!(hits.steps_by_test, [("a.B#c".to_owned(), [(1, 7), (2, 0)].into())].into());
        assert_eq!(hits.probes_by_test["a.B#c"], [1, 2].into());
    }
}
