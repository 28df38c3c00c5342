//! The processes of an application.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// An application that was started, and on Windows all processes that it starts.
pub(super) struct Processes {
    child: Child,
    #[cfg(windows)]
    job: Option<job::Job>,
}

impl Processes {
    /// Starts the process of a command. On Windows, groups it with the processes that it starts, so that all can be
    /// ended.
    pub(super) fn start(command: &mut Command) -> io::Result<Processes> {
        let child = command.spawn()?;
        Ok(Processes {
            // Without a job, only the first process can be ended.
            #[cfg(windows)]
            job: job::Job::with(&child).ok(),
            child,
        })
    }

    /// Returns the exit status of the application, or `None` while it runs.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Asks the application to end (SIGTERM), so that it can save its work and end its own children. Windows has no
    /// such request for all programs: there, all processes of the application are killed.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, kill};
            use nix::unistd::Pid;
            let id = i32::try_from(self.child.id()).map_err(io::Error::other)?;
            kill(Pid::from_raw(id), Signal::SIGTERM)?;
            Ok(())
        }
        #[cfg(not(unix))]
        self.kill()
    }

    /// Kills the application. On Windows, kills all of its processes.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        #[cfg(windows)]
        if let Some(job) = &self.job {
            return job.terminate();
        }
        self.child.kill()
    }
}

/// Processes that end together.
#[cfg(windows)]
mod job {
    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::process::Child;
    use std::ptr;

    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, TerminateJobObject,
    };

    /// A job object. The children of its processes belong to it too.
    pub(super) struct Job(OwnedHandle);

    impl Job {
        /// Creates a job object that contains a process. Children that the process has started before this call do not
        /// belong to the job.
        #[allow(unsafe_code)]
        pub(super) fn with(child: &Child) -> io::Result<Job> {
            // SAFETY: the arguments may be null.
            let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is valid and has no other owner.
            let job = Job(unsafe { OwnedHandle::from_raw_handle(handle) });
            // SAFETY: both handles are valid during the call.
            check(unsafe {
                AssignProcessToJobObject(job.0.as_raw_handle(), child.as_raw_handle())
            })?;
            Ok(job)
        }

        /// Kills all processes of the job.
        #[allow(unsafe_code)]
        pub(super) fn terminate(&self) -> io::Result<()> {
            // SAFETY: the handle is valid during the call.
            check(unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) })
        }
    }

    fn check(result: windows_sys::core::BOOL) -> io::Result<()> {
        match result {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}
