//! Records the statements that each test executes, and the values there, with probes in a copy of the sources.

use super::recording::{ProbeInput, ProbedSources};
use crate::conditions::terms::{ConditionTerm, terms};
use crate::localisation::postcondition_violations::PostconditionViolations;
use crate::localisation::suspect::SuspiciousStatement;
use crate::observe::command_probes;
use crate::observe::postcondition_checks::PostconditionChecks;
use crate::observe::probe_exclusions::ProbeExclusions;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags};
use mend_java::{Edit, edited};
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Source of the recorder that the probes call; it is copied next to the sources.
const RECORDER: &str = include_str!("../../../../java/src/main/java/gitmend/probe/Probe.java");

/// Path of the recorder below a source folder.
const RECORDER_PATH: &str = "gitmend/probe/Probe.java";

impl ProbeInput<'_> {
    /// Puts a probe before each statement of the main files, to see who comes by.
    pub fn statements(&self, unprobed: &ProbeExclusions) -> ProbedSources {
        let of = |(file, (path, code)): (usize, &(RepoPath, Code<'_>))| -> Vec<(usize, NodeIndex)> {
            let may_be =
                |id: &NodeIndex| may_be_probed(code, *id) && !unprobed.has(path, (file, *id));
            code.statements().filter(may_be).map(|id| (file, id)).collect()
        };
        let sites: Vec<_> = self.main.iter().enumerate().flat_map(of).collect();
        let names = vec![Vec::new(); sites.len()];
        let hit = |number| format!("gitmend.probe.Probe.recordStatement({number}); ");
        let hit = |code: &Code<'_>, id, number| probe(code, id, &hit(number));
        self.probed(sites, names, hit, unprobed)
    }

    /// Has each routine asked whether it keeps what it promises; nothing stands before statements.
    pub fn assurances(
        &self,
        assured: &PostconditionChecks,
        unprobed: &ProbeExclusions,
    ) -> ProbedSources {
        let mut probed = self.probed(Vec::new(), Vec::new(), |_, _, _| Vec::new(), unprobed);
        probed.files.extend(assured.wrapped().files(&[]));
        probed.files.extend(assured.recorder("Probe", &self.recording));
        probed
    }

    /// Looks at variables, and at what they can be asked, before each suspect; at what is broken there of what routines
    /// promise; and at objects before and after the commands that may be given there.
    pub fn values(
        &self,
        suspects: &[SuspiciousStatement],
        breaches: &PostconditionViolations,
        unprobed: &ProbeExclusions,
    ) -> ProbedSources {
        let (mut sites, mut asked) = (Vec::new(), Vec::new());
        for suspect in suspects {
            let (path, code) = &self.main[suspect.file];
            let is_statement = code.is_statement(suspect.statement)
                && !unprobed.has(path, (suspect.file, suspect.statement));
            if is_statement && may_be_probed(code, suspect.statement) {
                sites.push((suspect.file, suspect.statement));
                let truths = breaches.conditions_before(suspect.file, code, suspect.statement);
                asked.push(terms(code, suspect.statement, &truths, true));
            }
        }
        let names = asked.iter().map(|terms| terms.iter().map(|term| term.text.clone()).collect());
        let mut names: Vec<Vec<String>> = names.collect();
        let may_be =
            |(file, method): (usize, NodeIndex)| !unprobed.has(&self.main[file].0, (file, method));
        let commands = command_probes::commands(self.main, suspects).into_iter();
        let (places, questions): (Vec<_>, Vec<_>) = commands.filter(|one| may_be(one.0)).unzip();
        sites.extend(places);
        names.extend(questions.iter().map(|questions| command_probes::names(questions)));
        let edits = |code: &Code<'_>, id, number: usize| match asked.get(number) {
            Some(terms) => probe(code, id, &question(number, terms)),
            None => command_probes::probe(code, id, number, &questions[number - asked.len()]),
        };
        self.probed(sites, names, edits, unprobed)
    }

    /// Has each test say its name, and puts a probe at each site.
    fn probed(
        &self,
        sites: Vec<(usize, NodeIndex)>,
        names: Vec<Vec<String>>,
        edits: impl Fn(&Code<'_>, NodeIndex, usize) -> Vec<Edit>,
        unprobed: &ProbeExclusions,
    ) -> ProbedSources {
        let mut files = BTreeMap::new();
        let mut probes: BTreeMap<RepoPath, Vec<(Edit, usize)>> = BTreeMap::new();
        for (number, (file, statement)) in sites.iter().enumerate() {
            let (path, code) = &self.main[*file];
            let edits = edits(code, *statement, number).into_iter();
            let of_file = probes.entry(path.clone()).or_default();
            of_file.extend(edits.map(|edit| (edit, number)));
        }
        for (path, code) in self.main {
            let Some(of_file) = probes.get_mut(path) else { continue };
            of_file.sort_by_key(|(edit, _)| edit.bytes);
            let edits: Vec<Edit> = of_file.iter().map(|(edit, _)| edit.clone()).collect();
            files.extend(edited(code.text, &edits).map(|text| (path.clone(), text)));
        }
        for (path, code) in self.tests.iter().filter(|(path, _)| !unprobed.has_file(path)) {
            files.extend(edited(code.text, &announcements(code)).map(|text| (path.clone(), text)));
        }
        let plain = |test: &&String| test.chars().all(|c| c.is_ascii_graphic());
        let endless = self.endless.iter().filter(plain).map(|test| format!("{test:?}"));
        let endless = endless.collect::<Vec<_>>().join(", ");
        let recorder = RECORDER.replace("/*@ENDLESS@*/", &endless);
        files.extend([self.recording.file(RECORDER_PATH, &recorder)]);
        ProbedSources { files, sites, names, probes }
    }
}

/// Looks at terms one by one. Those that are more than names may throw; and while one is looked at, nothing is that
/// lies on the way.
fn question(number: usize, terms: &[ConditionTerm]) -> String {
    let (mut asked, mut list) = (String::new(), number.to_string());
    for (at, ConditionTerm { text, is_asked, .. }) in terms.iter().enumerate() {
        if *is_asked {
            let _ = write!(
                asked,
                "Object gitMend{at} = null; try {{ gitMend{at} = (Object) ({text}); }} \
                 catch (Throwable gitMendThrown) {{ gitMend{at} = gitmend.probe.Probe.THROWN; }} "
            );
            let _ = write!(list, ", gitMend{at}");
        } else {
            let _ = write!(list, ", (Object) {text}");
        }
    }
    format!(
        "if (gitmend.probe.Probe.beginReading()) {{ try {{ {asked}gitmend.probe.Probe.recordValues({list}); }} \
         finally {{ gitmend.probe.Probe.endReading(); }} }} "
    )
}

/// Returns false for a call of another constructor, which must come first.
fn may_be_probed(code: &Code<'_>, statement: NodeIndex) -> bool {
    let written = code.written(statement).trim_start();
    let is_call = |name: &str| {
        written.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    let is_local_class = code.is(statement, NodeKind::Class);
    !is_call("super") && !is_call("this") && !is_local_class && !written.is_empty()
}

fn probe(code: &Code<'_>, statement: NodeIndex, call: &str) -> Vec<Edit> {
    let bytes = code.bytes(statement);
    if code.is_in_list(statement) {
        return vec![Edit::insert(bytes.start, call)];
    }
    if code.is(code.parent(statement), NodeKind::LabeledStatement) {
        return Vec::new();
    }
    vec![Edit::insert(bytes.start, format!("{{ {call}")), Edit::insert(bytes.end, " }")]
}

/// Has each instance of a test class say that a test begins, and each test method its name.
fn announcements(code: &Code<'_>) -> Vec<Edit> {
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
        let body = code.body_of_type(class);
        let begin = body.map(|at| Edit::insert(at, " { gitmend.probe.Probe.beginTest(); }"));
        edits.extend(
            begin.filter(|begin| code.is(class, NodeKind::Class) && !edits.contains(begin)),
        );
    }
    edits
}

/// Returns true if a test framework would run a method as a test.
pub(crate) fn is_test(code: &Code<'_>, method: NodeIndex) -> bool {
    let Some(symbol) = code.symbol(method) else { return false };
    if symbol.flags.has(SymbolFlags::STATIC) {
        return code.facts.text(symbol.name) == "main";
    }
    let modifiers = code.child(method, NodeRole::Modifiers).map_or("", |id| code.written(id));
    modifiers.contains("Test") || code.facts.text(symbol.name).starts_with("test")
}

/// Statements that each test executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementCoverage {
    /// By the name of a test, the numbers of probes.
    pub by_test: BTreeMap<String, BTreeSet<usize>>,
}

impl StatementCoverage {
    /// Reads the recorder's output; invalid lines are ignored.
    pub fn read(text: &str) -> Self {
        let (mut hits, mut name) = (Self::default(), None::<String>);
        let mut waiting = BTreeSet::new();
        for line in text.lines() {
            match line.split_at_checked(2) {
                Some(("T ", test)) => {
                    let of_test = hits.by_test.entry(test.to_owned()).or_default();
                    of_test.append(&mut waiting);
                    name = Some(test.to_owned());
                }
                Some(("H ", number)) => {
                    let Ok(number) = number.parse() else { continue };
                    match name.as_ref().and_then(|name| hits.by_test.get_mut(name)) {
                        Some(of_test) => of_test.insert(number),
                        None => waiting.insert(number),
                    };
                }
                _ => {
                    name = None;
                    waiting.clear();
                }
            }
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_before_a_test_has_its_name_belongs_to_it() {
        let hits = StatementCoverage::read("B\nH 1\nT a.B#c\nH 2\nB\nT a.B#d\nH 2\n");
        let of = |test: &str| hits.by_test[test].iter().copied().collect::<Vec<_>>();
        assert_eq!((of("a.B#c"), of("a.B#d")), (vec![1, 2], vec![2]));
    }
}
