//! Instrumentation of a routine at entry and exit, in a copy of the sources: its body moves into another routine.

use crate::contracts::RESULT_PLACEHOLDER;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};
use mend_java::{Edit, apply_edits};
use mend_model::RepoPath;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Instrumentation form of a routine.
#[derive(Clone, Debug)]
pub(crate) enum InstrumentationForm {
    /// The body moves into another routine that the original one calls, so that its names hide nothing and its
    /// parameters keep their values. `header` precedes the body, `call` is the call, and `result_type` is the type of
    /// its value.
    ExtractedBody { body_start: usize, header: String, call: String, result_type: Option<String> },
    /// Inserts code at both ends of a constructor, if it has no other exit.
    EntryAndExit { start: usize, end: usize },
}

/// Code that runs at the entry and at the exits of a routine.
pub(crate) struct CallInstrumentation<'a> {
    /// Code before the routine's own code.
    pub(crate) on_entry: &'a str,
    /// Code after the call, when its result, if any, is known.
    pub(crate) on_exit: &'a str,
    /// Code at the very end, which closes what `on_entry` opens; not used in constructors.
    pub(crate) closing: &'a str,
}

impl InstrumentationForm {
    /// Returns the form in which a routine can be instrumented, with `extracted_name` as the name of the extracted body; `None`
    /// if it has no body, or its fields are not yet assigned at its end.
    pub(crate) fn from_routine(
        code: &Code<'_>,
        method: NodeIndex,
        extracted_name: &str,
    ) -> Option<Self> {
        let (node, body) = (code.node(method), code.child(method, NodeRole::Body)?);
        let class = code.parent(method);
        if code.symbol(method)?.kind == SymbolKind::Constructor {
            return (!code.has_kind(class, NodeKind::Record))
                .then(|| Self::at_constructor_ends(code, body))
                .flatten();
        }
        let result_type = code.child(method, NodeRole::Type)?;
        let modifiers = code.child(method, NodeRole::Modifiers).map(|id| code.bytes(id).end);
        let (start, name) = (modifiers.unwrap_or(node.bytes.start), node.name?);
        let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = name + code.text.get(name..)?.find(|c| !is_identifier_char(c))?;
        let body_start = code.bytes(body).start;
        let is_static = is_static(code, method)?;
        let access = match code.has_kind(class, NodeKind::Interface) {
            true if is_static => "",
            true => "default ",
            false => "private ",
        };
        let access = format!("{access}{}", if is_static { "static " } else { "" });
        let header = format!(
            "{access}{}{extracted_name}{}",
            code.text.get(start..name)?.trim_start(),
            code.text.get(end..body_start)?
        );
        let call = format!("{extracted_name}({})", parameter_names(code, method)?.join(", "));
        let result_type = code.source_text(result_type);
        let result_type = (result_type != "void").then(|| result_type.to_owned());
        Some(Self::ExtractedBody { body_start, header, call, result_type })
    }

    /// Returns both ends of a constructor's body, after a call of another constructor.
    fn at_constructor_ends(code: &Code<'_>, body: NodeIndex) -> Option<Self> {
        let bytes = code.bytes(body);
        let first = code.children(body).first().copied().filter(|first| {
            let written = code.source_text(*first).trim_start();
            let calls = |name: &str| {
                written.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
            };
            calls("this") || calls("super")
        });
        let start = first.map_or(bytes.start + 1, |first| code.bytes(first).end);
        Some(Self::EntryAndExit { start, end: bytes.end.checked_sub(1)? })
    }

    /// Returns the name of its result variable.
    pub(crate) fn result_variable(&self) -> Option<&'static str> {
        matches!(self, Self::ExtractedBody { result_type: Some(_), .. })
            .then_some(RESULT_PLACEHOLDER)
    }

    /// Returns the edits that instrument its calls.
    pub(crate) fn edits(&self, instrumentation: &CallInstrumentation<'_>) -> Vec<Edit> {
        let CallInstrumentation { on_entry: first, on_exit: then, closing: last } = instrumentation;
        match self {
            Self::EntryAndExit { start, end } => {
                let all = [(*start, first), (*end, then)].into_iter();
                all.filter(|(_, text)| !text.is_empty())
                    .map(|(at, text)| Edit::insert(at, *text))
                    .collect()
            }
            Self::ExtractedBody { body_start: at, header: head, call, result_type: result } => {
                let mut text = format!("{{ {first}");
                let _ = match result {
                    Some(ty) => write!(
                        text,
                        "{ty} {RESULT_PLACEHOLDER} = {call}; {then}return {RESULT_PLACEHOLDER}; "
                    ),
                    None => write!(text, "{call}; {then}"),
                };
                let _ = write!(text, "{last}}} {head}");
                vec![Edit::insert(*at, text)]
            }
        }
    }
}

/// Returns the names of a routine's parameters.
pub(crate) fn parameter_names<'a>(code: &Code<'a>, method: NodeIndex) -> Option<Vec<&'a str>> {
    let children = code.children(method).into_iter();
    let parameters = children.filter(|id| code.role(*id) == NodeRole::Parameter);
    parameters.map(|id| Some(code.facts.name(code.node(id).symbol?))).collect()
}

/// Returns true if a routine is static.
pub(crate) fn is_static(code: &Code<'_>, method: NodeIndex) -> Option<bool> {
    Some(code.symbol(method)?.flags.has(SymbolFlags::STATIC))
}

/// Files with instrumented routines: the original text, and the edits.
#[derive(Clone, Debug, Default)]
pub struct InstrumentedFiles(BTreeMap<RepoPath, (String, Vec<Edit>)>);

impl InstrumentedFiles {
    pub(crate) fn add(&mut self, path: &RepoPath, text: &str, edits: Vec<Edit>) {
        let file = self.0.entry(path.clone()).or_insert_with(|| (text.to_owned(), Vec::new()));
        file.1.extend(edits);
    }

    /// Adds the edits of another instrumentation, which are nested in these.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (path, (text, edits)) in other.0 {
            self.add(&path, &text, edits);
        }
        self
    }

    /// Returns the instrumented files, after applying `extra_edits`.
    pub fn files(&self, extra_edits: &[(&RepoPath, &[Edit])]) -> BTreeMap<RepoPath, String> {
        let edited_file = |(path, (text, own)): (&RepoPath, &(String, Vec<Edit>))| {
            let extra_edits = extra_edits.iter().filter(|(changed, _)| *changed == path);
            let mut edits: Vec<Edit> = extra_edits.flat_map(|(_, edits)| edits.to_vec()).collect();
            edits.extend(own.iter().cloned());
            Some((path.clone(), apply_edits(text, &edits)?))
        };
        self.0.iter().filter_map(edited_file).collect()
    }
}

/// Returns true if an offset of a text lies within a part of it.
pub(crate) fn is_offset_in_part(whole: &str, part: &str, offset: usize) -> bool {
    let start = whole.find(part);
    start.is_some_and(|start| (start..start + part.len()).contains(&offset))
}
