//! The server of the viewer, on the loopback address.
//!
//! Other pages in the same browser, and other users of the computer, must not read recordings. Each request
//! therefore needs a random token, and the header `Host` of this address, which a page of another site
//! cannot send even if its name resolves to this computer. A request with the header `Origin` of another
//! site is refused too, and so is a request with several such headers. The arguments of the browser do not
//! contain the token, because other users see them.
//!
//! With `record --view` it also sends frames to pages as they are recorded, as server-sent events, and a page can add
//! markers.
//!
//! It answers one request per connection, in a thread of its own. A request and an answer have a total time
//! limit each, and slow requests do not delay others. The small servers among the published crates have no time
//! limits, so that some slow clients block all others, and the large ones need an asynchronous runtime.

mod client;
pub(crate) mod live;
mod places;
mod range;
mod redirect;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::Context;
use inputanim::{Limits, Marker};
use inputanim_convert::{Loss, Note, Report};
use inputanim_scan::packs::StoredFile;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use crate::files::input::{AsBin, FoundFile, FromArgs, Input};
use crate::files::page;
use crate::files::video::Video;
use crate::messages::diagnostics::{self, note};
use client::{Client, time_until};
use live::Live;
use places::{Place, Places};
use redirect::Redirect;

pub(crate) use redirect::RemovedAtEnd;

/// Maximum number of connections at the same time. Each may have two descriptors, for its socket and a file, and
/// macOS allows 256 in a process.
const MAX_CONNECTIONS: usize = 100;

/// Time until the next attempt to accept a connection after one that failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// The port of a server without a chosen one. Browsers store the choices of a page for each port.
const USUAL_PORT: u16 = 27270;

/// The path of requests that add a marker.
const MARKER: &str = "/marker";

/// Maximum size of the head of a request, in bytes. Those of browsers take less than 2 kB.
const MAX_HEAD: usize = 16_384;

/// Time in which a client must send its request.
const REQUEST_TIME: Duration = Duration::from_secs(5);

/// The header with the losses and notes of a file of another format.
const REPORT: &str = "Inputanim-Report";

/// The header with the number of the byte at which the parts of the recording begin that its file cannot hold.
const PARTS: &str = "Inputanim-Parts";

/// Maximum size of the header with losses, in bytes. Browsers limit all headers of an answer to 256 kB.
const MAX_REPORT: usize = 32_768;

/// The files of a server.
pub(crate) struct Served {
    pub(crate) files: Vec<FoundFile>,
    /// The videos of the files, in the same order.
    pub(crate) videos: Vec<Option<Video>>,
    /// The format of the files.
    pub(crate) from: FromArgs,
    pub(crate) limits: Limits,
}

/// A server of the viewer and of some files.
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    page: &'static str,
    served: Served,
    /// Names of the files in the page; no two are the same.
    names: Vec<String>,
    /// The recording that is made, if there is one. The only file is then its output.
    live: Option<Arc<Live>>,
    redirect: Redirect,
}

/// The options of verbs that show a page.
#[derive(Debug, clap::Args)]
pub(crate) struct BrowserArgs {
    /// Print the address, and do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Port of the server; 0 selects a free one [default: 27270, or a free one while it is used]
    #[arg(long)]
    pub(crate) port: Option<u16>,
}

impl BrowserArgs {
    /// Opens the page of a server in the browser, unless `--no-open` is given. The file for the browser is removed
    /// when the result is dropped.
    pub(crate) fn open(&self, server: &Server) -> RemovedAtEnd {
        if !self.no_open {
            match server.target() {
                Ok(target) if open::that_detached(&target).is_ok() => {}
                Ok(_) => {
                    server.redirect.remove();
                    note("no browser found: open the address in one");
                }
                Err(error) => note(format_args!(
                    "cannot create a temporary file for the browser ({error}): open the address in it"
                )),
            }
        }
        RemovedAtEnd(server.redirect.clone())
    }
}

/// The parts of a request that matter.
struct Request {
    method: String,
    path: String,
    query: String,
    host: Option<String>,
    origin: Option<String>,
    range: Option<String>,
}

/// An answer: the status with its text, the type of the body, and the body.
struct Answer {
    status: &'static str,
    content: &'static str,
    /// The value of the header [`REPORT`].
    report: Option<String>,
    /// The value of the header [`PARTS`].
    parts: Option<usize>,
    /// The value of the header `Content-Range`.
    range: Option<String>,
    body: Cow<'static, [u8]>,
}

/// A file in the list of the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    /// A text that changes when the file changes.
    tag: String,
    /// `true` if the file is being recorded; `/live` sends its frames.
    is_live: bool,
    /// The video of the recording; `/video/NUMBER` sends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    video: Option<ListedVideo>,
}

/// A video in the list of the page.
#[derive(Serialize)]
struct ListedVideo {
    name: String,
    /// The time of the recording at which the video starts, in seconds.
    start: f64,
}

impl Server {
    /// Starts a server on the loopback address. Port 0 selects a free port. `None` selects the usual port, or a free
    /// one if that is in use.
    pub(crate) fn start(
        port: Option<u16>,
        served: Served,
        live: Option<Arc<Live>>,
    ) -> anyhow::Result<Server> {
        let page = page::viewer()?;
        let open = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = match port {
            Some(port) => open(port).with_context(|| format!("cannot open port {port}"))?,
            None => open(USUAL_PORT)
                .or_else(|_| open(0))
                .context("cannot open a port")?,
        };
        let mut random = [0; 16];
        getrandom::fill(&mut random).context("cannot make a random token")?;
        Ok(Server {
            address: listener.local_addr()?,
            listener,
            token: random.iter().map(|byte| format!("{byte:02x}")).collect(),
            page,
            names: page::names_of(&served.files),
            served,
            live,
            redirect: Redirect::default(),
        })
    }

    /// Returns the address of the page, with the token that each request needs.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Returns the argument with which the browser opens the page: on Windows its address, elsewhere the path of a file
    /// that leads to it.
    fn target(&self) -> io::Result<OsString> {
        if cfg!(windows) {
            // Other users of Windows do not see the arguments of a program.
            Ok(self.address().into())
        } else {
            self.redirect.create(&self.address()).map(OsString::from)
        }
    }

    /// Answers requests until the program ends.
    pub(crate) fn run(self) {
        let places = Places::new(MAX_CONNECTIONS);
        let server = Arc::new(self);
        loop {
            let (stream, _) = accepted(|| server.listener.accept());
            let stream = Arc::new(stream);
            let place = places.take(&stream);
            let server = Arc::clone(&server);
            // Without a thread, the connection is closed, as if there were too many. An error concerns
            // only its client, which may be gone.
            let _ = std::thread::Builder::new().spawn(move || server.serve(&stream, &place));
        }
    }

    fn serve(&self, stream: &Arc<TcpStream>, place: &Place) -> io::Result<()> {
        let request = read_request(stream)?;
        let mut client = Client::new(Arc::clone(stream));
        let refusal = match &request {
            None => Some(text("400 Bad Request", "the request is not valid")),
            Some(request) => self.refusal(request),
        };
        let request = match (request, refusal) {
            (Some(request), None) => request,
            // A connection that may come from anyone does not keep its place.
            (_, refusal) => return refusal.map_or(Ok(()), |refusal| refusal.write(&mut client)),
        };
        if !place.keep() {
            return Ok(());
        }
        if let Some(live) = self.live.as_ref().filter(|_| request.path == "/live") {
            client.write_all(head("200 OK", "text/event-stream", None, "").as_bytes())?;
            return live.serve(&mut client);
        }
        if let Some(number) = request.path.strip_prefix("/video/") {
            return self.send_video(number, &request, &mut client);
        }
        self.answer(&request).write(&mut client)?;
        if request.path == "/" {
            // The browser has the page, and with it the address.
            self.redirect.remove();
        }
        Ok(())
    }

    /// Returns the answer that refuses a request; `None` if the request is allowed.
    fn refusal(&self, request: &Request) -> Option<Answer> {
        if !self.is_allowed(request) {
            return Some(text(
                "403 Forbidden",
                "the address needs its token; copy it from the terminal",
            ));
        }
        let method = if request.path == MARKER {
            "POST"
        } else {
            "GET"
        };
        (request.method != method).then(|| {
            let message = format!("only {method} is supported here");
            text("405 Method Not Allowed", &message)
        })
    }

    fn answer(&self, request: &Request) -> Answer {
        match request.path.as_str() {
            "/" => ok("text/html; charset=utf-8", self.page.as_bytes()),
            "/files" => match serde_json::to_vec(&self.list()) {
                Ok(list) => ok("application/json", list),
                Err(error) => failed(&error),
            },
            MARKER => self.mark(request),
            // Files have numbers, so that no path can leave the list.
            path => match self.file(path) {
                // A file may have become a link since the program started.
                Some(file) => match file.path_inside() {
                    Ok(path) => self.recording(&path),
                    Err(error) => text("403 Forbidden", &format!("{error:#}")),
                },
                None => text("404 Not Found", "unknown file"),
            },
        }
    }

    /// Returns an answer with the recording in a file, as the bytes of an MRTK file. The page reads fewer formats than
    /// the program, so the program converts it. The parts that such a file cannot hold follow as
    /// JSON.
    fn recording(&self, path: &Path) -> Answer {
        let Served { from, limits, .. } = self.served;
        let read = || {
            let input = Input::read_as(path, from, &limits)?;
            let AsBin {
                bytes,
                parts,
                report,
            } = input.as_bin(&limits)?;
            let mut body = bytes.into_owned();
            let recording = body.len();
            if !parts.is_empty() {
                body.extend(serde_json::to_vec(&parts)?);
            }
            anyhow::Ok((body, recording, report))
        };
        match read() {
            Ok((body, recording, report)) => Answer {
                report: header_of(&report),
                parts: (recording < body.len()).then_some(recording),
                ..ok("application/octet-stream", body)
            },
            Err(error) => {
                // The hints are for the terminal: the page has no options.
                diagnostics::report(&error);
                // The page adds the name of the file, which is the first message.
                let mut causes: Vec<_> = error.chain().map(ToString::to_string).collect();
                // A transparent error has the message of its cause.
                causes.dedup();
                let causes = causes.get(1..).filter(|causes| !causes.is_empty());
                let message = causes.map_or_else(|| error.to_string(), |causes| causes.join(": "));
                text("422 Unprocessable Content", &message)
            }
        }
    }

    /// Adds a marker to the recording that is being made. The parameters of the request are `time`, in seconds, and
    /// `name`.
    fn mark(&self, request: &Request) -> Answer {
        let Some(live) = &self.live else {
            return text("404 Not Found", "no recording is made");
        };
        let time = request.parameter("time").and_then(|time| time.parse().ok());
        let time = time.filter(|time: &f32| time.is_finite());
        let (Some(time), Some(name)) = (time, request.parameter("name")) else {
            return text(
                "400 Bad Request",
                "a marker has a time in seconds and a name",
            );
        };
        if live.add(Marker::new(time, name)) {
            text("202 Accepted", "the marker is added")
        } else {
            text(
                "409 Conflict",
                "the recording has ended, is too busy, or its layout has no markers",
            )
        }
    }

    /// Sends the requested part of a video. Videos have the numbers of their recordings.
    fn send_video(&self, number: &str, request: &Request, client: &mut Client) -> io::Result<()> {
        let index = number.parse().ok();
        let video = index.and_then(|index: usize| self.served.videos.get(index)?.as_ref());
        let Some(video) = video else {
            return text("404 Not Found", "unknown video").write(client);
        };
        // A file may have become a link since the program started.
        let path = match video.file.path_inside() {
            Ok(path) => path,
            Err(error) => return text("403 Forbidden", &format!("{error:#}")).write(client),
        };
        match std::fs::File::open(path) {
            Ok(file) => range::serve(client, file, video.content(), request.range.as_deref()),
            Err(error) => text("404 Not Found", &error.to_string()).write(client),
        }
    }

    fn file(&self, path: &str) -> Option<&FoundFile> {
        let index: usize = path.strip_prefix("/file/")?.parse().ok()?;
        self.served.files.get(index)
    }

    /// Returns `true` if a request is from the page of this server.
    fn is_allowed(&self, request: &Request) -> bool {
        let port = self.address.port();
        let is_own = |host: &str| {
            let names = ["127.0.0.1", "localhost"];
            let rest = names.iter().find_map(|name| host.strip_prefix(name));
            // Browsers leave out port 80, the default of HTTP.
            let is_default = port == 80 && rest == Some("");
            is_default || rest == Some(format!(":{port}").as_str())
        };
        let origin = request.origin.as_deref();
        let mut parameters = request.query.split('&');
        request.host.as_deref().is_some_and(is_own)
            && origin.is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_own))
            && parameters.any(|parameter| {
                let token = parameter.strip_prefix("token=");
                token.is_some_and(|token| is_same(token, &self.token))
            })
    }

    fn list(&self) -> Vec<Listed> {
        if let Some(live) = &self.live {
            return vec![Listed {
                name: live.name().to_owned(),
                tag: String::new(),
                is_live: true,
                video: None,
            }];
        }
        let video = |index: usize| {
            let video = self.served.videos.get(index)?.as_ref()?;
            Some(ListedVideo {
                name: video.name(),
                start: video.start,
            })
        };
        let listed = |(index, (file, name)): (usize, (&FoundFile, &String))| Listed {
            name: name.clone(),
            // A file that cannot be read now has another tag when it can.
            tag: tag(&file.path).unwrap_or_default(),
            is_live: false,
            video: video(index),
        };
        let files = self.served.files.iter();
        let files = files.zip(&self.names).enumerate();
        files.map(listed).collect()
    }
}

/// Calls `accept` until it returns a connection. An error concerns one client, which may be gone, or passes when other
/// connections end and free their descriptors.
fn accepted<T>(mut accept: impl FnMut() -> io::Result<T>) -> T {
    loop {
        match accept() {
            Ok(connection) => return connection,
            Err(_) => std::thread::sleep(ACCEPT_PAUSE),
        }
    }
}

/// Reads the head of an HTTP request. Returns `None` if it is not valid, too long or too slow.
fn read_request(mut stream: &TcpStream) -> io::Result<Option<Request>> {
    let deadline = Instant::now() + REQUEST_TIME;
    let mut bytes = Vec::new();
    let mut block = [0; 4096];
    while let Ok(time) = time_until(deadline) {
        stream.set_read_timeout(Some(time))?;
        let count = stream.read(&mut block)?;
        bytes.extend_from_slice(&block[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(&bytes) {
            Ok(httparse::Status::Complete(_)) => return Ok(Request::of(&head)),
            Ok(httparse::Status::Partial) if count > 0 && bytes.len() < MAX_HEAD => {}
            _ => break,
        }
    }
    Ok(None)
}

impl Request {
    /// Returns the parts of the head of a request. Returns `None` if they are ambiguous: a program between the browser
    /// and this one could use the second of two headers.
    fn of(head: &httparse::Request<'_, '_>) -> Option<Request> {
        let header = |name: &str| {
            let headers = head.headers.iter();
            let mut values = headers
                .filter(|header| header.name.eq_ignore_ascii_case(name))
                .map(|header| String::from_utf8_lossy(header.value).into_owned());
            let value = values.next();
            values.next().is_none().then_some(value)
        };
        let target = head.path?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Some(Request {
            method: head.method?.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            host: header("Host")?,
            origin: header("Origin")?,
            range: header("Range")?,
        })
    }

    /// Returns a parameter of the query, with its percent escapes decoded. `None` if it is missing or not valid UTF-8.
    fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(found, _)| *found == name)?;
        let value = percent_decode_str(value).decode_utf8().ok()?;
        Some(value.into_owned())
    }
}

impl Answer {
    fn write(&self, client: &mut Client) -> io::Result<()> {
        let length = Some(self.body.len());
        let report = self.report.iter();
        let report = report.map(|report| format!("{REPORT}: {report}\r\n"));
        let parts = self.parts.iter();
        let parts = parts.map(|place| format!("{PARTS}: {place}\r\n"));
        let range = self.range.iter();
        let range = range.map(|range| format!("Content-Range: {range}\r\n"));
        let own: String = report.chain(parts).chain(range).collect();
        let head = head(self.status, self.content, length, &own);
        client.begin(self.body.len());
        client.write_all(head.as_bytes())?;
        client.write_all(&self.body)
    }
}

/// Returns the losses and notes of a report for the header [`REPORT`]: JSON, with an escape for each byte that is not a
/// letter or a digit. Returns `None` if there are none. A long report states the number of its other messages as `omitted`.
fn header_of(report: &Report) -> Option<String> {
    #[derive(Default, Serialize)]
    struct Messages<'r> {
        losses: Vec<&'r Loss>,
        notes: Vec<&'r Note>,
        omitted: usize,
    }
    let mut messages = Messages::default();
    let mut size = 0;
    let mut fits = |message: &str| {
        // An upper bound of the escaped message, with its kind, its amount and the names of these members.
        let own = 3 * message.escape_default().count() + 300;
        let is_short = size + own <= MAX_REPORT;
        if is_short {
            size += own;
        }
        is_short
    };
    for loss in &report.losses {
        if fits(&loss.message) {
            messages.losses.push(loss);
        } else {
            messages.omitted += 1;
        }
    }
    for note in &report.notes {
        if fits(&note.message) {
            messages.notes.push(note);
        } else {
            messages.omitted += 1;
        }
    }
    if report.losses.is_empty() && report.notes.is_empty() {
        return None;
    }
    let json = serde_json::to_string(&messages).ok()?;
    Some(utf8_percent_encode(&json, NON_ALPHANUMERIC).to_string())
}

/// Returns the HTTP head of an answer. `content` is the type of its body. Without a length, the body ends with the
/// connection. `own` are header lines of the project.
fn head(status: &str, content: &str, length: Option<usize>, own: &str) -> String {
    let length = length.map_or_else(String::new, |length| {
        format!("Content-Length: {length}\r\n")
    });
    format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {content}\r\n\
         {length}{own}\
         Connection: close\r\n\
         Cache-Control: no-store\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\r\n"
    )
}

fn ok(content: &'static str, body: impl Into<Cow<'static, [u8]>>) -> Answer {
    Answer {
        status: "200 OK",
        content,
        report: None,
        parts: None,
        range: None,
        body: body.into(),
    }
}

fn text(status: &'static str, message: &str) -> Answer {
    Answer {
        status,
        content: "text/plain; charset=utf-8",
        report: None,
        parts: None,
        range: None,
        body: format!("{status}: {message}\n").into_bytes().into(),
    }
}

fn failed(error: &dyn std::error::Error) -> Answer {
    text("500 Internal Server Error", &error.to_string())
}

/// Returns `true` if two texts are equal. The time does not depend on where they differ.
fn is_same(a: &str, b: &str) -> bool {
    let pairs = a.bytes().zip(b.bytes());
    let differences = pairs.fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}

/// Returns a text that changes when a file changes: its modification time and its size.
fn tag(path: &Path) -> io::Result<String> {
    let metadata = StoredFile::find(path)?.metadata()?;
    let time = metadata.modified()?.duration_since(UNIX_EPOCH);
    let time = time.map_or(0, |time| time.as_nanos());
    Ok(format!("{time}-{}", metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_accept_do_not_end_the_server() {
        let mut results = vec![
            Ok(7),
            // Too many open files.
            Err(io::Error::from_raw_os_error(24)),
            Err(io::ErrorKind::ConnectionAborted.into()),
        ];
        assert_eq!(accepted(|| results.pop().unwrap()), 7);
    }

    /// Returns `true` if a server at a port answers a request with these values of the headers `Host` and `Origin`.
    fn is_allowed(port: u16, host: &str, origin: Option<&str>) -> bool {
        let server = Server {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(),
            address: (Ipv4Addr::LOCALHOST, port).into(),
            token: "abc".to_owned(),
            page: "",
            served: Served {
                files: Vec::new(),
                videos: Vec::new(),
                from: FromArgs::default(),
                limits: Limits::default(),
            },
            names: Vec::new(),
            live: None,
            redirect: Redirect::default(),
        };
        server.is_allowed(&Request {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            query: "token=abc".to_owned(),
            host: Some(host.to_owned()),
            origin: origin.map(str::to_owned),
            range: None,
        })
    }

    #[test]
    fn only_the_own_names_are_allowed() {
        for name in ["127.0.0.1", "localhost"] {
            let host = format!("{name}:8000");
            let origin = format!("http://{host}");
            assert!(is_allowed(8000, &host, None));
            assert!(is_allowed(8000, &host, Some(&origin)));
            assert!(!is_allowed(8000, name, None));
            assert!(!is_allowed(8000, &host, Some(&format!("https://{host}"))));
        }
        for host in [
            "example.com:8000",
            "localhost:80",
            "localhost.example.com:8000",
            "localhost:8000.example.com",
            "",
        ] {
            assert!(!is_allowed(8000, host, None), "{host}");
            let origin = format!("http://{host}");
            assert!(!is_allowed(8000, "localhost:8000", Some(&origin)), "{host}");
        }
    }

    #[test]
    fn browsers_leave_out_port_80() {
        for name in ["127.0.0.1", "localhost"] {
            assert!(is_allowed(80, name, Some(&format!("http://{name}"))));
            assert!(is_allowed(80, &format!("{name}:80"), None));
        }
        for host in ["example.com", "localhost.", "localhost:8000", "127.0.0.11"] {
            assert!(!is_allowed(80, host, None), "{host}");
        }
    }
}
