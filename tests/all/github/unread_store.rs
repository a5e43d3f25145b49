//! Store of objects that the program writes and tests must read.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Objects of one kind by number, each with a flag that is true while the object is unread.
#[derive(Debug)]
pub(super) struct UnreadStore<T>(BTreeMap<u64, (T, bool)>);

impl<T> Default for UnreadStore<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone + Debug> UnreadStore<T> {
    /// Adds an item that a program wrote.
    pub(super) fn add_unread(&mut self, number: u64, item: T) {
        self.0.insert(number, (item, true));
    }

    /// Adds an item that a test created.
    pub(super) fn add_read(&mut self, number: u64, item: T) {
        self.0.insert(number, (item, false));
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.0.get(&number).map(|(thing, _)| thing)
    }

    /// Returns an object for a change by the program, and marks it as unread.
    pub(super) fn get_unread_mut(&mut self, number: u64) -> Option<&mut T> {
        let (thing, is_unread) = self.0.get_mut(&number)?;
        *is_unread = true;
        Some(thing)
    }

    /// Returns an object for a change by someone else.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.0.get_mut(&number).map(|(thing, _)| thing)
    }

    /// Returns all objects, oldest first.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.values().map(|(thing, _)| thing)
    }

    /// Returns the selected objects and marks them as read.
    pub(super) fn read(&mut self, is_wanted: impl Fn(&T) -> bool) -> Vec<T> {
        let wanted_items = self.0.values_mut().filter(|(thing, _)| is_wanted(thing));
        wanted_items
            .map(|(thing, is_unread)| {
                *is_unread = false;
                thing.clone()
            })
            .collect()
    }

    /// Returns the unread items and marks them as read.
    pub(super) fn take_unread(&mut self) -> Vec<String> {
        let unread = self.0.values_mut().filter(|(_, is_unread)| *is_unread);
        unread
            .map(|(thing, is_unread)| {
                *is_unread = false;
                format!("written and never read: {thing:?}")
            })
            .collect()
    }
}
