//! A client, to which everything is written before a deadline.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::live::Recipient;

/// Time in which a client must read an answer or an event.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// Bytes of a large answer that a client must read in a second, far fewer than a browser reads on the same computer.
const SLOWEST: u64 = 10_000_000;

/// Maximum number of bytes of a write, so that a write cannot wait several times for the client. Some systems limit
/// the time of each wait.
const BLOCK: usize = 65_536;

/// A client whose deadline begins with each answer or event.
#[derive(Debug)]
pub(super) struct Client {
    stream: Arc<TcpStream>,
    write_time: Duration,
    deadline: Instant,
}

impl Client {
    pub(super) fn new(stream: Arc<TcpStream>) -> Client {
        Client::with_time(stream, WRITE_TIME)
    }

    fn with_time(stream: Arc<TcpStream>, write_time: Duration) -> Client {
        Client {
            stream,
            write_time,
            deadline: Instant::now() + write_time,
        }
    }

    /// Sets the deadline until which the client must have read an answer or event of this size.
    pub(super) fn begin(&mut self, bytes: usize) {
        let more = Duration::from_secs(bytes as u64 / SLOWEST);
        self.deadline = Instant::now() + self.write_time + more;
    }
}

/// Returns the time that is left until a deadline.
///
/// # Errors
/// When the deadline is over.
pub(super) fn time_until(deadline: Instant) -> io::Result<Duration> {
    let time = deadline.saturating_duration_since(Instant::now());
    if time.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    Ok(time)
}

impl Write for Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream
            .set_write_timeout(Some(time_until(self.deadline)?))?;
        (&*self.stream).write(&bytes[..bytes.len().min(BLOCK)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Recipient for Client {
    fn begin_event(&mut self) {
        self.begin(0);
    }

    fn wait_until_closed(&mut self, time: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(time))?;
        // A page sends nothing after its request, so that this returns when the page closes the connection.
        (&*self.stream).read(&mut [0]).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// Returns the two ends of a connection: that of the server, as [`Client`], and that of the client.
    fn connection(write_time: Duration) -> (Client, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let stream = Arc::new(listener.accept().unwrap().0);
        (Client::with_time(stream, write_time), other)
    }

    /// Far more than the buffers of the system hold.
    const LARGE: usize = 64_000_000;

    #[test]
    fn a_client_that_reads_too_slowly_is_dropped_at_the_deadline() {
        let (mut client, mut other) = connection(Duration::from_secs(1));
        let start = Instant::now();
        std::thread::scope(|scope| {
            let written = scope.spawn(|| {
                client.begin(0);
                client.write_all(&vec![0; LARGE])
            });
            // Each read makes progress, so that a time limit for a single write is never reached.
            while !written.is_finished() {
                assert!(other.read(&mut [0; 4096]).unwrap() > 0);
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(written.join().unwrap().is_err());
        });
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_client_that_reads_gets_everything() {
        let (mut client, mut other) = connection(WRITE_TIME);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                client.begin(LARGE);
                client.write_all(&vec![7; LARGE]).unwrap();
            });
            let mut bytes = Vec::new();
            other.read_to_end(&mut bytes).unwrap();
            assert!(bytes.len() == LARGE && bytes.iter().all(|byte| *byte == 7));
        });
    }
}
