//! Progress of a build tool's downloads.

use mend_model::{ProgressEvent, ProgressListener};
use std::path::PathBuf;

/// Reads the list of downloads that a build tool writes while it runs, and reports them.
pub(super) struct DownloadMonitor<'a> {
    list: PathBuf,
    tool: &'static str,
    progress: &'a dyn ProgressListener,
    size: u64,
    count: usize,
}

impl<'a> DownloadMonitor<'a> {
    /// Creates a monitor of a file with one line for each download; it need not exist.
    pub(super) fn new(
        list: PathBuf,
        tool: &'static str,
        progress: &'a dyn ProgressListener,
    ) -> Self {
        Self { list, tool, progress, size: 0, count: 0 }
    }

    /// Reports downloads since the last call.
    pub(super) fn poll(&mut self) {
        let size = self.list.metadata().map_or(0, |metadata| metadata.len());
        if size == self.size {
            return;
        }
        let text = std::fs::read_to_string(&self.list).unwrap_or_default();
        if self.count == 0 {
            let text = format!("{} downloads what the build needs", self.tool);
            self.progress.handle(ProgressEvent::Stage(text));
        }
        (self.size, self.count) = (size, text.lines().count());
        let name = text.lines().last().unwrap_or_default();
        self.progress.handle(ProgressEvent::BatchProgress {
            description: format!("download {}: {name}", self.count),
            remaining: None,
            slow_hint: None,
        });
    }

    /// Reports the number of downloads, if there were any.
    pub(super) fn finish(mut self) {
        self.poll();
        if self.count > 0 {
            let text = format!("{} downloaded {} files", self.tool, self.count);
            self.progress.handle(ProgressEvent::Stage(text));
        }
    }
}
