//! Progress on a terminal; nothing in a pipe.

use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over several files; none for fewer than two.
pub(crate) fn files(count: usize) -> ProgressBar {
    if count < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count as u64);
    set_style(&bar, "{bar:40} {pos}/{len} files, {eta} left  {wide_msg}");
    bar
}

/// Counts the bytes that go through a writer.
pub(crate) fn writing<W: Write>(output: W) -> indicatif::ProgressBarIter<W> {
    let bar = ProgressBar::new_spinner();
    set_style(&bar, "{spinner} {bytes} written, {bytes_per_sec}");
    bar.enable_steady_tick(Duration::from_millis(250));
    bar.wrap_write(output)
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
