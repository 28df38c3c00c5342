//! Events for pages that show a recording while it is made.
//!
//! The recording must never wait for a page. Events for a page wait in a queue of limited length, and a page
//! that reads too slowly is disconnected. It connects again, and gets the events of the last seconds.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use inputanim::{Frame, Marker, row};
use serde::Serialize;

/// Number of events that are kept for pages that connect later: 30 seconds of frames.
const RECENT: usize = 1800;

/// Number of events that may wait for one page.
const WAITING: usize = 2400;

/// Time after which an empty message is sent, to notice pages that are closed.
const SILENCE: Duration = Duration::from_secs(5);

/// Time in which the pages can fetch the finished recording, before the program ends.
const LAST_REQUESTS: Duration = Duration::from_secs(5);

/// The settings of a recording, which a page needs before its first frame.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Start {
    pub(crate) layout: &'static str,
    /// Only the last seconds are kept.
    pub(crate) keep_last: Option<f32>,
}

/// The first event of a page.
#[derive(Serialize)]
struct StartEvent<'a> {
    #[serde(flatten)]
    start: &'a Start,
    /// Names of the numbers of a frame.
    columns: Vec<String>,
}

/// The last event of a page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EndEvent {
    /// `true` if the server has the finished recording.
    is_saved: bool,
}

/// A recording that pages show while it is made.
pub(crate) struct Live {
    name: String,
    start: Event,
    state: Mutex<State>,
    /// Adds a marker of a page to the recording. Returns `true` if it was added, and `false` if the recording has ended
    /// or cannot follow.
    add_marker: MarkerSink,
    /// Each connected page holds a clone.
    pages: Arc<()>,
}

type MarkerSink = Box<dyn Fn(Marker<'static>) -> bool + Send + Sync>;

#[derive(Default)]
struct State {
    recent: VecDeque<Event>,
    queues: Vec<SyncSender<Event>>,
    end: Option<Event>,
}

/// The text of an event. All pages share it.
type Event = Arc<str>;

impl Live {
    /// Prepares a recording for pages, before its first frame. `name` is its name in the page. `add_marker` adds a
    /// marker of a page to the recording, and returns `true` if it did.
    pub(crate) fn new(
        name: String,
        start: &Start,
        add_marker: impl Fn(Marker<'static>) -> bool + Send + Sync + 'static,
    ) -> anyhow::Result<Live> {
        let columns = row::paths().map(|path| path.to_string()).collect();
        Ok(Live {
            name,
            start: event("start", &StartEvent { start, columns })?,
            state: Mutex::default(),
            add_marker: Box::new(add_marker),
            pages: Arc::default(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Adds a marker that a page has sent. Its time is a time of the recording, in seconds. The recording then sends it
    /// to all pages. Returns `true` if the marker was added.
    pub(super) fn add(&self, marker: Marker<'static>) -> bool {
        self.state().end.is_none() && (self.add_marker)(marker)
    }

    /// Sends a frame to all pages: its time, and its numbers, with `null` for those that are not known.
    pub(crate) fn frame(&self, frame: &Frame) {
        let row = frame.to_row();
        self.send(event("frame", &(frame.time, row.as_slice())));
    }

    /// Sends a marker of the recording to all pages.
    pub(crate) fn mark(&self, marker: &Marker<'_>) {
        self.send(event("marker", &(marker.time, &marker.name)));
    }

    /// Tells all pages that the recording has ended, and waits up to 5 s until they have fetched it. `is_saved` is
    /// `true` if the server has the finished recording.
    pub(crate) fn end(&self, is_saved: bool) {
        if let Ok(end) = event("end", &EndEvent { is_saved }) {
            let mut state = self.state();
            state.end = Some(end.clone());
            for queue in state.queues.drain(..) {
                // Dropping the queue ends the connection of a page that reads too slowly.
                let _ = queue.try_send(end.clone());
            }
        }
        let start = Instant::now();
        while Arc::strong_count(&self.pages) > 1 && start.elapsed() < LAST_REQUESTS {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn send(&self, event: serde_json::Result<Event>) {
        // Numbers and texts can always be written.
        let Ok(event) = event else { return };
        let mut state = self.state();
        if state.recent.len() == RECENT {
            state.recent.pop_front();
        }
        state.recent.push_back(event.clone());
        state
            .queues
            .retain(|queue| queue.try_send(event.clone()).is_ok());
    }

    /// Sends the events of the recording to a page until the page or the recording ends.
    pub(super) fn serve(&self, stream: &mut (impl Write + Recipient)) -> io::Result<()> {
        let _page = Arc::clone(&self.pages);
        let (earlier, queue) = self.connect();
        stream.begin_event();
        stream.write_all(self.start.as_bytes())?;
        for event in &earlier {
            stream.write_all(event.as_bytes())?;
        }
        loop {
            let event = queue.recv_timeout(SILENCE);
            stream.begin_event();
            match event {
                Ok(event) => stream.write_all(event.as_bytes())?,
                // A line that begins with a colon is a comment.
                Err(RecvTimeoutError::Timeout) => stream.write_all(b":\n\n")?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        stream.wait_until_closed(LAST_REQUESTS)
    }

    /// Connects a page. Returns the recent events, and a queue that receives the following ones.
    fn connect(&self) -> (Vec<Event>, Receiver<Event>) {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let mut state = self.state();
        let earlier = state.recent.iter().chain(&state.end).cloned().collect();
        if state.end.is_none() {
            state.queues.push(sender);
        }
        (earlier, receiver)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is valid between any two of its changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other end of a connection, which reads events and can close the connection.
pub(super) trait Recipient {
    /// Begins the time within which the recipient must read the next event.
    fn begin_event(&mut self);

    /// Waits until the other end closes the connection, but at most for `time`.
    fn wait_until_closed(&mut self, time: Duration) -> io::Result<()>;
}

/// Returns the text of a server-sent event with a name. `data` is written as JSON, which has no line breaks, so it is
/// one line.
fn event(name: &str, data: &impl Serialize) -> serde_json::Result<Event> {
    let data = serde_json::to_string(data)?;
    Ok(format!("event: {name}\ndata: {data}\n\n").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Start = Start {
        layout: "mrtk-1.1",
        keep_last: None,
    };

    #[test]
    fn a_slow_page_is_disconnected_and_the_recording_goes_on() {
        let live = Live::new("take.bin".to_owned(), &START, |_| true).unwrap();
        let (earlier, queue) = live.connect();
        assert!(earlier.is_empty());
        for index in 0..WAITING + 10 {
            live.mark(&Marker::new(index as f32, "here"));
        }
        assert_eq!(queue.iter().count(), WAITING);
        assert!(live.state().queues.is_empty());
    }

    #[test]
    fn a_page_that_connects_later_gets_the_last_events_and_the_end() {
        let live = Live::new("take.bin".to_owned(), &START, |_| true).unwrap();
        for index in 0..RECENT + 5 {
            live.mark(&Marker::new(index as f32, "a\nb"));
        }
        let (earlier, _queue) = live.connect();
        assert_eq!(earlier.len(), RECENT);
        assert_eq!(&*earlier[0], "event: marker\ndata: [5.0,\"a\\nb\"]\n\n");
        assert!(live.add(Marker::new(0.5, "page")));
        live.end(true);
        assert!(!live.add(Marker::new(0.5, "late")));
        let (earlier, queue) = live.connect();
        assert_eq!(
            earlier.last().map(|event| &**event),
            Some("event: end\ndata: {\"isSaved\":true}\n\n")
        );
        assert!(queue.recv().is_err());
    }
}
