//! Signals that are listened to.

use std::io;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use signal_hook::iterator::Signals;

/// Listens to signals from now on.
pub(crate) fn listen(signals: &[i32]) -> io::Result<Signals> {
    registered(signals, || Signals::new(signals))
}

/// Does what registers for signals, none of which is lost: between the system's taking note of a
/// handler and the handler's knowing what to do a signal would come to nothing, so it waits.
pub(crate) fn registered<T>(
    signals: &[i32],
    register: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let waiting = signals.iter().map(|&signal| Signal::try_from(signal));
    let waiting: SigSet = waiting.collect::<Result<_, _>>()?;
    let before = waiting.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let registered = register();
    before.thread_set_mask()?;
    registered
}
