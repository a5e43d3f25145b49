//! Parser of the fields of a hidden marker: `<!-- git-mend KIND name=value … -->`.

use mend_model::CommitId;

/// Fields of a marker.
pub(super) struct MarkerFields<'a>(Vec<&'a str>);

impl<'a> MarkerFields<'a> {
    /// Parses the marker of this kind at the start of a text. Returns `None` for other texts.
    pub(super) fn parse(text: &'a str, kind: &str) -> Option<Self> {
        let marker = text.strip_prefix("<!-- git-mend ")?.strip_prefix(kind)?.strip_prefix(' ')?;
        Some(Self(marker.split_once(" -->")?.0.split(' ').collect()))
    }

    /// Returns the value of a field.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
    }

    /// Returns the commit id in a field. Returns `None` for an invalid id.
    pub(super) fn commit(&self, name: &str) -> Option<CommitId> {
        let id = self.value(name).filter(|id| CommitId::is_full_id(id));
        id.map(|id| CommitId(id.to_owned()))
    }
}
