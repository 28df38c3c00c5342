//! Messages that cannot be decoded.

use std::error::Error as _;

use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};

/// The messages of a file that cannot be decoded. Each costs only itself.
#[derive(Debug, Default)]
pub(crate) struct Undecoded {
    count: usize,
    first: Option<Error>,
}

impl Undecoded {
    /// Adds a message that cannot be decoded, with the error that names its topic and number. Other errors, such as the error of
    /// a limit, are returned.
    pub(crate) fn add(&mut self, error: Error) -> Result<(), Error> {
        if !matches!(error, Error::Format(_)) {
            return Err(error);
        }
        self.count += 1;
        self.first.get_or_insert(error);
        Ok(())
    }

    /// Returns the error of the first message, if there is one.
    pub(crate) fn into_first(self) -> Option<Error> {
        self.first
    }

    /// Adds the loss of the messages to the report.
    pub(crate) fn report(&self, report: &mut Report) {
        let Some(first) = &self.first else {
            return;
        };
        let cause = first.source().map(|cause| format!(": {cause}"));
        let which = if self.count == 1 { "" } else { "; the first" };
        let messages = counted(self.count, "message");
        let message = format!(
            "{messages} that cannot be decoded{which}: {first}{}",
            cause.unwrap_or_default()
        );
        report.lose(LossKind::Damage, self.count, message);
    }
}
