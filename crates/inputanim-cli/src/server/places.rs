//! The places for connections, of which there is a limited number.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time in which a connection keeps its place without a request. With 1,000 requests at once on a busy computer, the threads
/// once needed more than half a second to read them.
const GRACE: Duration = Duration::from_secs(2);

/// The places for connections.
///
/// If all places are taken, a new connection gets the place of the one that has waited longest for its request, but not
/// before [`GRACE`]. A client that sends its request at once therefore gets an answer, however many other clients are
/// slow.
#[derive(Debug)]
pub(super) struct Places {
    count: usize,
    state: Mutex<State>,
    /// Signals that a place is free.
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The connections by their numbers, in the order in which they were accepted. Those whose request was
    /// accepted have no stream, because they keep their place. The time is the time of the connection.
    connections: BTreeMap<u64, Option<(Arc<TcpStream>, Instant)>>,
    next: u64,
}

/// A place of a connection, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
}

impl Places {
    pub(super) fn new(count: usize) -> Arc<Places> {
        Arc::new(Places {
            count,
            state: Mutex::default(),
            freed: Condvar::new(),
        })
    }

    /// Takes a place for a new connection. If no place is free, waits for one, or closes the connection that has waited
    /// longest for its request.
    pub(super) fn take(self: &Arc<Places>, stream: &Arc<TcpStream>) -> Place {
        let mut state = self.state();
        while state.connections.len() >= self.count {
            let mut connections = state.connections.iter();
            let oldest = connections.find_map(|(number, waiting)| {
                let (stream, since) = waiting.as_ref()?;
                Some((*number, Arc::clone(stream), *since))
            });
            if let Some((number, stream, since)) = oldest {
                let left = GRACE.saturating_sub(since.elapsed());
                if !left.is_zero() {
                    let freed = self.freed.wait_timeout(state, left);
                    state = freed.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
                state.connections.remove(&number);
                // The thread of this connection reads the end of the stream. An error means that the client has
                // closed the connection.
                let _ = stream.shutdown(Shutdown::Both);
            } else {
                let freed = self.freed.wait(state);
                state = freed.unwrap_or_else(PoisonError::into_inner);
            }
        }
        let number = state.next;
        state.next += 1;
        let waiting = (Arc::clone(stream), Instant::now());
        state.connections.insert(number, Some(waiting));
        Place {
            places: Arc::clone(self),
            number,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is valid between any two changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Keeps the place until the connection ends, because its request was accepted. Returns `true` if the connection
    /// still has the place, and `false` if another connection took it.
    pub(super) fn keep(&self) -> bool {
        let mut state = self.places.state();
        let stream = state.connections.get_mut(&self.number);
        stream.map(Option::take).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.state().connections.remove(&self.number);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// Returns the two ends of a connection: that of the server, and that of the client.
    fn connection() -> (Arc<TcpStream>, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (Arc::new(listener.accept().unwrap().0), client)
    }

    #[test]
    fn the_oldest_connection_without_a_request_loses_its_place() {
        let places = Places::new(3);
        let (streams, mut clients): (Vec<_>, Vec<_>) = (0..4).map(|_| connection()).unzip();
        let taken: Vec<Place> = streams[..3].iter().map(|one| places.take(one)).collect();
        assert!(taken[0].keep());
        let last = places.take(&streams[3]);
        assert_eq!(clients[1].read(&mut [0]).unwrap(), 0);
        assert!(!taken[1].keep());
        // The place belongs to the last connection, so its end frees nothing.
        drop(taken);
        assert_eq!(places.state().connections.len(), 1);
        assert!(last.keep());
    }

    #[test]
    fn a_connection_waits_until_an_accepted_one_ends() {
        let places = Places::new(1);
        let (first, _first_client) = connection();
        let (second, _second_client) = connection();
        let place = places.take(&first);
        assert!(place.keep());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| places.take(&second).number);
            drop(place);
            assert_eq!(waiting.join().unwrap(), 1);
        });
    }
}
