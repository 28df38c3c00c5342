//! Colours. The stream that prints a text decides whether they appear.

use anstyle::{AnsiColor, Style};
use inputanim::doctor::Severity;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const LEFT: Style = AnsiColor::Cyan.on_default();
pub(crate) const RIGHT: Style = AnsiColor::Magenta.on_default();

pub(crate) const fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Note => DIM,
        Severity::Warning => WARN,
        Severity::Damage => BAD,
    }
}

/// Formats a text in a style, with ANSI escape sequences.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
