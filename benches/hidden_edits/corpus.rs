//! Corpus of refactorings, and the wrong tokens that hide in them.

use mend_delta::line_edits;
use mend_java::ParsedSource;
use mend_model::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const CASES_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/refactorings");

pub(crate) type Files = BTreeMap<RepoPath, Arc<[u8]>>;

/// Two versions of a program with the same behaviour.
pub(crate) struct Case {
    pub(crate) kind: String,
    pub(crate) old: Files,
    pub(crate) new: Files,
}

/// Another token in the new version, so that its behaviour differs.
pub(crate) struct HiddenEdit {
    pub(crate) path: RepoPath,
    pub(crate) range: Range<usize>,
    pub(crate) replacement: Vec<u8>,
    line: usize,
    token: String,
}

impl fmt::Display for HiddenEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let replacement = String::from_utf8_lossy(&self.replacement);
        write!(f, "{}:{} {} → {replacement}", self.path, self.line, self.token)
    }
}

/// Reads the cases whose kind contains a word.
pub(crate) fn read_cases(only: Option<&str>) -> Vec<Case> {
    let mut kinds: Vec<String> = fs::read_dir(CASES_DIR)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|kind| only.is_none_or(|only| kind.contains(only)))
        .collect();
    kinds.sort();
    let read = |kind: String| {
        let folder = Path::new(CASES_DIR).join(&kind);
        let version = |name: &str| {
            let mut files = read_files(&folder.join("common"));
            files.extend(read_files(&folder.join(name)));
            files
        };
        Case { old: version("old"), new: version("new"), kind }
    };
    kinds.into_iter().map(read).collect()
}

fn read_files(folder: &Path) -> Files {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap().into_path());
    let files = entries.filter(|path| path.is_file()).map(|path| {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        (RepoPath::from(format!("src/main/java/{name}").as_str()), fs::read(path).unwrap().into())
    });
    files.collect()
}

impl Case {
    /// Returns the wrong tokens on and around changed lines, in an order that spreads over the files.
    pub(crate) fn hidden_edits(&self) -> Vec<HiddenEdit> {
        let mut edits: Vec<HiddenEdit> = Vec::new();
        for (path, text) in &self.new {
            let old = self.old.get(path).map_or(&[][..], |old| &old[..]);
            if old == &text[..] {
                continue;
            }
            let lines = changed_lines(old, text);
            let source = ParsedSource::parse(Arc::clone(text)).unwrap();
            let tokens = 0..source.tokens().len();
            let all = tokens.filter_map(|at| wrong_token(path, &source, at));
            edits.extend(all.filter(|edit| lines.contains(&edit.line)));
        }
        // A fixed order without neighbours, so that the first histories are in all parts.
        let key = |at: usize| at.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        let mut keyed: Vec<(usize, HiddenEdit)> =
            edits.into_iter().enumerate().map(|(at, edit)| (key(at), edit)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, edit)| edit).collect()
    }

    /// Returns the new version with a wrong token.
    pub(crate) fn with_edit(&self, edit: &HiddenEdit) -> Files {
        let mut files = self.new.clone();
        let text = &files[&edit.path];
        let parts = [&text[..edit.range.start], &edit.replacement, &text[edit.range.end..]];
        let text: Vec<u8> = parts.concat();
        files.insert(edit.path.clone(), text.into());
        files
    }
}

/// Number of lines around a changed line that belong to the change, as in a diff.
const CONTEXT_LINES: usize = 2;

/// Returns the numbers of the changed lines and of those around them.
fn changed_lines(old: &[u8], new: &[u8]) -> BTreeSet<usize> {
    let [old, new] = [old, new].map(|text| std::str::from_utf8(text).unwrap());
    let around = |(start, end)| {
        line_at(new, start).saturating_sub(CONTEXT_LINES)..line_at(new, end) + CONTEXT_LINES
    };
    line_edits(new, old).iter().flat_map(|edit| around(edit.bytes)).collect()
}

/// Returns the number of the line with a byte.
fn line_at(text: &str, byte: usize) -> usize {
    text[..byte].matches('\n').count() + 1
}

/// Returns the edit that replaces a token by a similar one, if it has one.
fn wrong_token(path: &RepoPath, source: &ParsedSource, token: usize) -> Option<HiddenEdit> {
    let range = source.tokens()[token].clone();
    let text = std::str::from_utf8(source.token_text(token)).unwrap();
    let replacement = match text {
        "+" => "-".to_owned(),
        "-" | "*" | "%" => "+".to_owned(),
        "/" => "%".to_owned(),
        "<" => "<=".to_owned(),
        ">" => ">=".to_owned(),
        ">=" => ">".to_owned(),
        "<=" => "<".to_owned(),
        "==" => "!=".to_owned(),
        "!=" => "==".to_owned(),
        "&&" => "||".to_owned(),
        "||" => "&&".to_owned(),
        "+=" => "-=".to_owned(),
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        number if number.parse::<u32>().is_ok() => (number.parse::<u32>().unwrap() + 1).to_string(),
        name => other_name(source, token, name)?,
    };
    let line = line_at(std::str::from_utf8(source.text()).unwrap(), range.start);
    let replacement = replacement.into_bytes();
    Some(HiddenEdit { path: path.clone(), range, replacement, line, token: text.to_owned() })
}

/// Returns another variable that the same file uses in an expression: the next one after this use, in a circle.
fn other_name(source: &ParsedSource, token: usize, name: &str) -> Option<String> {
    let is_value = |at: usize| {
        let text = source.token_text(at);
        let next = source.tokens().get(at + 1).map_or(&[][..], |_| source.token_text(at + 1));
        let before = at.checked_sub(1).map_or(&[][..], |at| source.token_text(at));
        text[0].is_ascii_lowercase()
            && [&b"+"[..], b"-", b"*", b"/", b"%", b"<", b">", b"=", b"("].contains(&before)
            && [&b"+"[..], b"-", b"*", b"/", b"%", b"<", b">", b";", b")"].contains(&next)
    };
    if !is_value(token) {
        return None;
    }
    let count = source.tokens().len();
    let others = (token + 1..count).chain(0..token).filter(|at| is_value(*at));
    let mut texts = others.map(|at| std::str::from_utf8(source.token_text(at)).unwrap());
    texts.find(|other| *other != name).map(str::to_owned)
}
