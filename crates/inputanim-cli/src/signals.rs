//! Signals, and events of the Windows console, which end the program or ask for a snapshot.

use std::{io, mem, process};

/// A request of the user to the running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// End: Ctrl-C, SIGTERM or SIGHUP; on Windows also the console that closes.
    Stop,
    /// Write a snapshot and continue: SIGUSR1, or Ctrl-Break on Windows.
    Snapshot,
}

/// Calls `handle` for each request of the user (such as Ctrl-C), from another thread.
///
/// The second request to end ends the program at once, with the exit code that shells use.
pub(crate) fn listen(mut handle: impl FnMut(Request) + Send + 'static) -> io::Result<()> {
    let mut is_stopping = false;
    system::listen(move |request, exit_code| {
        if request == Request::Stop && mem::replace(&mut is_stopping, true) {
            process::exit(exit_code);
        }
        handle(request);
    })
}

/// Calls a function when the user ends the program, and then ends it.
pub(crate) fn before_end(clean_up: impl Fn() + Send + 'static) {
    // Without handlers, the program ends at once and leaves an unfinished file, which is no reason
    // to refuse the work.
    system::before_end(clean_up).ok();
}

#[cfg(unix)]
mod system {
    use std::{io, thread};

    use nix::sys::signal::{SigSet, SigmaskHow, Signal};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::Request;

    pub(super) fn listen(mut handle: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
        let mut signals = handle_all([SIGINT, SIGTERM, SIGHUP, SIGUSR1])?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let request = if signal == SIGUSR1 {
                    Request::Snapshot
                } else {
                    Request::Stop
                };
                handle(request, 128 + signal);
            }
        });
        Ok(())
    }

    /// Begins to handle the signals with these numbers. The result receives them.
    fn handle_all<const N: usize>(numbers: [i32; N]) -> io::Result<Signals> {
        // Between the system's handler and its own list of actions, `signal_hook` ignores a signal. A blocked signal
        // waits until both exist. Only the server of `record --view` has a thread before, which may receive it.
        let mut set = SigSet::empty();
        for number in numbers {
            set.add(Signal::try_from(number)?);
        }
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let signals = Signals::new(numbers);
        before.thread_set_mask()?;
        signals
    }

    pub(super) fn before_end(clean_up: impl Fn() + Send + 'static) -> io::Result<()> {
        let mut signals = handle_all([SIGINT, SIGTERM])?;
        thread::spawn(move || {
            for signal in signals.forever() {
                clean_up();
                // The program ends by the signal itself, so that a shell sees that it was
                // interrupted.
                emulate_default_handler(signal).ok();
            }
        });
        Ok(())
    }
}

#[cfg(windows)]
mod system {
    use std::sync::OnceLock;
    use std::sync::mpsc::{self, SyncSender};
    use std::{io, process, thread};

    use windows_sys::Win32::Foundation::{STATUS_CONTROL_C_EXIT, TRUE};
    use windows_sys::Win32::System::Console::{
        CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler,
    };
    use windows_sys::core::BOOL;

    use super::Request;

    static EVENTS: OnceLock<SyncSender<u32>> = OnceLock::new();

    pub(super) fn listen(mut handle: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
        on_event(move |event| {
            let request = if event == CTRL_BREAK_EVENT {
                Request::Snapshot
            } else {
                Request::Stop
            };
            handle(request, STATUS_CONTROL_C_EXIT);
        })
    }

    pub(super) fn before_end(clean_up: impl Fn() + Send + 'static) -> io::Result<()> {
        on_event(move |_| {
            clean_up();
            process::exit(STATUS_CONTROL_C_EXIT);
        })
    }

    /// Calls `handle` for each event of the console, such as Ctrl-C, from another thread.
    #[allow(unsafe_code)]
    fn on_event(mut handle: impl FnMut(u32) + Send + 'static) -> io::Result<()> {
        let (sender, events) = mpsc::sync_channel(8);
        EVENTS.get_or_init(|| sender);
        thread::spawn(move || events.into_iter().for_each(&mut handle));
        // SAFETY: the handler is a function, which lives as long as the program.
        match unsafe { SetConsoleCtrlHandler(Some(handler), TRUE) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Passes an event of the console on to the thread of [`on_event`]. The system calls this on a new thread for each
    /// event.
    #[allow(unsafe_code)]
    unsafe extern "system" fn handler(event: u32) -> BOOL {
        if let Some(events) = EVENTS.get() {
            events.send(event).ok();
        }
        if event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT {
            // The console closes. The system ends the program when this
            // function returns, or after some seconds. Until then the program saves its work.
            loop {
                thread::park();
            }
        }
        TRUE
    }
}
