//! `inputanim view`, `inputanim record --view` and `inputanim report`: the server, and the page with recordings
//! inside.
//!
//! `cargo xtask web --test` tests the page itself in a browser. Tests that need a program with the page are ignored, and
//! `cargo xtask test` includes them if `cargo xtask web` has built the page.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::program;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin")
}

/// A program that serves recordings, which ends with the test.
struct Server {
    child: Child,
    /// Address and port.
    host: String,
    /// `?token=…`
    query: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> Server {
        Server::view(&[sample().as_os_str()])
    }

    fn view(arguments: &[&OsStr]) -> Server {
        let mut program = program();
        program.args(["view", "--no-open"]).args(arguments);
        Server::spawn(program)
    }

    /// Starts a program that prints its address.
    fn spawn(mut program: Command) -> Server {
        let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        Server::at(&line, child)
    }

    /// Starts a recording that is shown while it is made.
    fn record(output: &Path) -> (Server, ChildStdin) {
        let mut child = program()
            .args([
                "record",
                "--view",
                "--no-open",
                "--quiet",
                "--from-zero",
                "-o",
            ])
            .arg(output)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        // The program must not wait for a reader of its messages.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let stdin = child.stdin.take().unwrap();
        (Server::at(&line, child), stdin)
    }

    /// Reads the address at the end of a line.
    fn at(line: &str, child: Child) -> Server {
        let (_, rest) = line.trim().split_once("http://").unwrap();
        let (host, query) = rest.split_once('/').unwrap();
        Server {
            host: host.to_owned(),
            query: query.to_owned(),
            child,
        }
    }

    /// Connects to the events of a recording.
    fn live(&self) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let (host, query) = (&self.host, &self.query);
        let request = format!("GET /live{query} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Returns the status of a request, and the bytes after the headers.
    fn request(&self, method: &str, path: &str, headers: &[&str]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for header in headers {
            request += header;
            request += "\r\n";
        }
        stream.write_all((request + "\r\n").as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let (head, body) = response.split_at(end.unwrap() + 4);
        let head = std::str::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_vec())
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let host = format!("Host: {}", self.host);
        self.request("GET", &format!("{path}{}", self.query), &[&host])
    }
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn two_servers_run_at_the_same_time() {
    // The usual port is used for the whole test. The server of another test may have it for a moment; if it is used for
    // longer, somebody looks at recordings.
    let start = Instant::now();
    let _other = loop {
        let other = std::net::TcpListener::bind("127.0.0.1:27270");
        if other.is_ok() || start.elapsed() > Duration::from_secs(30) {
            break other;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut servers = [Server::start(), Server::start()];
    for server in &mut servers {
        assert_ne!(server.host, "127.0.0.1:27270");
        assert_eq!(server.child.try_wait().unwrap(), None);
        // Only the server of this address knows its token.
        assert_eq!(server.get("/").0, 200);
    }
    assert_ne!(servers[0].host, servers[1].host);
}

#[test]
fn a_build_without_the_page_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut report = program();
    report
        .arg("report")
        .arg(sample())
        .args(["-o", "report.html"]);
    let output = report.current_dir(folder.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    if inputanim_page::viewer().is_some() {
        assert_eq!(output.status.code(), Some(0), "{message}");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("hint: in the source code, `cargo xtask web`"),
        "{message}"
    );
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn the_server_answers_only_requests_of_its_own_page() {
    let server = Server::start();
    assert_eq!(server.get("/").0, 200);
    // Not `assert_eq`, which would print all bytes.
    assert!(server.get("/file/0") == (200, fs::read(sample()).unwrap()));
    for path in [
        "/file/1",
        "/file/x",
        "/../Cargo.toml",
        "/file/../../Cargo.toml",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    let host = format!("Host: {}", server.host);
    let page = format!("/{}", server.query);
    assert_eq!(server.request("GET", "/", &[&host]).0, 403);
    assert_eq!(server.request("GET", "/?token=", &[&host]).0, 403);
    assert_eq!(server.request("GET", &page, &["Host: example.com"]).0, 403);
    let origin = "Origin: https://example.com";
    assert_eq!(server.request("GET", &page, &[&host, origin]).0, 403);
    assert_eq!(server.request("DELETE", &page, &[&host]).0, 405);
    // Of two headers, another program may use the second one.
    let own = format!("Origin: http://{}", server.host);
    for headers in [
        [&host, "host: example.com"].as_slice(),
        &[&host, &host],
        &[&host, &own, origin],
        &[&host, &own, &own],
    ] {
        assert_eq!(server.request("GET", &page, headers).0, 400, "{headers:?}");
    }
    assert_eq!(server.request("GET", &page, &[&host, &own]).0, 200);
}

/// Waits until something is true. The limit is far longer than any computer needs.
#[cfg(target_os = "linux")]
fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts `view` with a program in the place of the browser. Returns the server, and the file that was opened.
#[cfg(target_os = "linux")]
fn view_in_browser(folder: &Path) -> (Server, PathBuf) {
    use std::os::unix::fs::PermissionsExt;

    let opener = folder.join("xdg-open");
    let arguments = folder.join("arguments");
    let script = "#!/bin/sh\necho \"$@\" > arguments.part && mv arguments.part arguments\n";
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = program();
    command.arg("view").arg(sample()).current_dir(folder);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command.env("HOME", folder).env("TMPDIR", folder);
    let server = Server::spawn(command);
    wait_until("nothing was opened", || arguments.exists());
    let opened = fs::read_to_string(arguments).unwrap();
    (server, PathBuf::from(opened.trim_end()))
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn the_token_is_not_in_the_arguments_of_the_browser() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (server, file) = view_in_browser(folder.path());
    let token = server.query.strip_prefix("?token=").unwrap();
    assert!(!file.to_str().unwrap().contains(token), "{file:?}");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let page = fs::read_to_string(&file).unwrap();
    assert!(
        page.contains(&format!("url=http://{}/{}\"", server.host, server.query)),
        "{page}"
    );
    // A request that is refused changes nothing.
    let host = format!("Host: {}", server.host);
    assert_eq!(server.request("GET", "/", &[&host]).0, 403);
    assert!(file.exists());
    assert_eq!(server.get("/").0, 200);
    wait_until("the file was not removed", || !file.exists());
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn the_file_for_the_browser_is_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (mut server, file) = view_in_browser(folder.path());
    assert!(file.exists());
    let id = server.child.id().to_string();
    let signal = Command::new("kill").args(["-INT", &id]).status();
    assert!(signal.unwrap().success());
    server.child.wait().unwrap();
    assert!(!file.exists());
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn slow_clients_do_not_block_others() {
    let server = Server::start();
    let start = Instant::now();
    // More than the server has places for, and fewer than the descriptors that macOS allows. If each held its place for
    // the time of a request, the next client would wait for 10 s.
    let slow: Vec<TcpStream> = (0..220)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/files").0, 200);
    assert!(start.elapsed() < Duration::from_secs(8));
    drop(slow);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn clients_that_read_nothing_do_not_block_others() {
    let server = Server::start();
    // The page is larger than the buffers of the system, so that the server waits for these clients.
    let silent: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).unwrap();
            let (host, query) = (&server.host, &server.query);
            let request = format!("GET /{query} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/files").0, 200);
    drop(silent);
}

#[cfg(unix)]
#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn too_many_open_files_do_not_end_the_server() {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 24 && exec \"$0\" \"$@\""]);
    limited.arg(program().get_program());
    limited.args(["view", "--no-open"]).arg(sample());
    let server = Server::spawn(limited);
    let clients: Vec<TcpStream> = (0..40)
        .map(|_| TcpStream::connect(&server.host).unwrap())
        .collect();
    // The server accepts connections until it has no descriptors.
    std::thread::sleep(Duration::from_millis(300));
    drop(clients);
    assert_eq!(server.get("/files").0, 200);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn thousands_of_requests_are_answered() {
    let server = Server::start();
    let host = format!("Host: {}", server.host);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for index in 0..400 {
                    // Every fourth one is refused.
                    let (status, _) = match index % 4 {
                        0 => server.request("GET", "/files", &[&host]),
                        _ => server.get("/files"),
                    };
                    assert_eq!(status, if index % 4 == 0 { 403 } else { 200 });
                }
            });
        }
    });
    assert_eq!(server.get("/").0, 200);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn requests_that_are_not_valid_are_refused() {
    let server = Server::start();
    for header in ["no colon", "Host", "H\u{0}st: a"] {
        assert_eq!(server.request("GET", "/", &[header]).0, 400, "{header}");
    }
    // A body that nobody asked for, and a target that is an address.
    let host = format!("Host: {}", server.host);
    let other = format!("http://example.com/{}", server.query);
    assert_eq!(server.request("GET", &other, &[&host]).0, 404);
    assert_eq!(server.get("/files").0, 200);
}

/// Returns the kind and the data of the next event.
fn event(stream: &mut BufReader<TcpStream>) -> (String, serde_json::Value) {
    let mut line = || {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        line
    };
    let kind = loop {
        // Before the first event there are headers, and between events comments.
        if let Some(kind) = line().strip_prefix("event: ") {
            break kind.trim().to_owned();
        }
    };
    let data = line();
    let data = data.strip_prefix("data: ").unwrap();
    (kind, serde_json::from_str(data).unwrap())
}

/// Returns the frames of the sample without its markers as lines, as `record` reads them.
fn frames() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.bin");
    let bytes = fs::read(sample()).unwrap();
    let mut recording = inputanim::Recording::parse(&bytes).unwrap();
    recording.markers.clear();
    let bytes = recording.to_bytes_as(recording.layout).unwrap();
    fs::write(&path, bytes).unwrap();
    let mut command = program();
    command
        .args(["sample", "--at-keys", "--format", "ndjson"])
        .arg(path);
    command.output().unwrap().stdout
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_page_gets_frames_while_they_are_recorded_and_then_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("take.bin");
    let (mut server, mut stdin) = Server::record(&output);
    let frames = frames();
    let count = frames.iter().filter(|byte| **byte == b'\n').count();
    let (_, list) = server.get("/files");
    let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
    assert_eq!(list[0]["name"], "take.bin");
    assert_eq!(list[0]["isLive"], true);
    let mut live = server.live();
    let (kind, start) = event(&mut live);
    assert_eq!(
        (kind.as_str(), &start["layout"]),
        ("start", &"mrtk-1.1".into())
    );
    let columns: Vec<_> = start["columns"].as_array().unwrap().clone();
    assert_eq!(columns[1], "head.position.y");
    stdin.write_all(&frames).unwrap();
    let mut last = -1.0;
    for _ in 0..count {
        let (kind, frame) = event(&mut live);
        assert_eq!(kind, "frame");
        assert_eq!(frame[1].as_array().unwrap().len(), columns.len());
        let time = frame[0].as_f64().unwrap();
        assert!(time > last);
        last = time;
    }
    // A page that is opened later gets the same frames.
    let mut late = server.live();
    event(&mut late);
    assert_eq!(event(&mut late).1[0], 0.0);
    drop(late);
    drop(stdin);
    let (kind, end) = event(&mut live);
    assert_eq!((kind.as_str(), &end["isSaved"]), ("end", &true.into()));
    // The program waits until the page has the file.
    assert!(server.get("/file/0") == (200, fs::read(&output).unwrap()));
    drop(live);
    assert!(server.child.wait().unwrap().success());
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_page_adds_markers_while_a_recording_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("take.bin");
    let (mut server, mut stdin) = Server::record(&output);
    let mut live = server.live();
    event(&mut live);
    // The times of the frames begin at 100 s, those of the recording at 0.
    for time in [100.0, 100.5, 101.0] {
        let frame = format!("{{\"time\":{time},\"head\":{{\"position\":[0,1.6,0]}}}}\n");
        stdin.write_all(frame.as_bytes()).unwrap();
        event(&mut live);
    }
    let host = format!("Host: {}", server.host);
    let path = |parameters: &str| format!("/marker{}{parameters}", server.query);
    let post = |path: &str, headers: &[&str]| server.request("POST", path, headers).0;
    for (parameters, status) in [
        ("", 400),
        ("&time=0.5", 400),
        ("&time=NaN&name=a", 400),
        ("&time=inf&name=a", 400),
        ("&time=0.5&name=%ff", 400),
        ("&time=0.5&name=look%20up%26%0Adown", 202),
    ] {
        assert_eq!(post(&path(parameters), &[&host]), status, "{parameters}");
    }
    assert_eq!(post("/marker?time=0.5&name=a", &[&host]), 403);
    let origin = "Origin: https://example.com";
    assert_eq!(post(&path("&time=0.5&name=a"), &[&host, origin]), 403);
    assert_eq!(server.get("/marker").0, 405);
    let (kind, marker) = event(&mut live);
    assert_eq!(kind, "marker");
    assert_eq!(marker, serde_json::json!([0.5, "look up&\ndown"]));
    drop(stdin);
    assert_eq!(event(&mut live).0, "end");
    drop(live);
    assert!(server.child.wait().unwrap().success());
    let bytes = fs::read(&output).unwrap();
    let recording = inputanim::Recording::parse(&bytes).unwrap();
    let marker = inputanim::Marker::new(0.5, "look up&\ndown");
    assert_eq!(recording.markers, [marker]);
    // Without a recording, markers cannot be added.
    let server = Server::start();
    let path = format!("/marker{}&time=0.5&name=a", server.query);
    let host = format!("Host: {}", server.host);
    assert_eq!(server.request("POST", &path, &[&host]).0, 404);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn pages_that_do_not_read_do_not_stop_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("take.bin");
    let (mut server, mut stdin) = Server::record(&output);
    let silent: Vec<_> = (0..20).map(|_| server.live()).collect();
    // Several times as many frames as the queues and the buffers of the system hold.
    let frames = frames();
    for pass in 0..40 {
        for line in frames.split(|byte| *byte == b'\n') {
            let Ok(mut frame) = serde_json::from_slice::<serde_json::Value>(line) else {
                continue;
            };
            let time = frame["time"].as_f64().unwrap() + 10.0 * f64::from(pass);
            frame["time"] = time.into();
            // One write, because each part of the text would be one otherwise.
            stdin.write_all(format!("{frame}\n").as_bytes()).unwrap();
        }
    }
    drop(stdin);
    drop(silent);
    // Everything is unknown between two passes, which a file of MRTK cannot state.
    assert_eq!(server.child.wait().unwrap().code(), Some(3));
    let bytes = fs::read(&output).unwrap();
    let recording = inputanim::Recording::parse(&bytes).unwrap();
    assert!(recording.duration() > 390.0);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn frames_are_only_for_the_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let (server, stdin) = Server::record(&folder.path().join("take.bin"));
    let host = format!("Host: {}", server.host);
    let live = format!("/live{}", server.query);
    assert_eq!(server.request("GET", "/live", &[&host]).0, 403);
    assert_eq!(server.request("GET", &live, &["Host: example.com"]).0, 403);
    let origin = "Origin: https://example.com";
    assert_eq!(server.request("GET", &live, &[&host, origin]).0, 403);
    assert_eq!(server.request("POST", &live, &[&host]).0, 405);
    assert_eq!(server.get("/file/1").0, 404);
    drop(stdin);
    // Without a recording there are no frames.
    assert_eq!(Server::start().get("/live").0, 404);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_folder_shows_its_recordings_and_with_r_those_of_subfolders() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    for copy in [folder.path().join("a.bin"), inner.join("a.bin")] {
        fs::copy(sample(), copy).unwrap();
    }
    let names = |arguments: &[&OsStr]| {
        let (_, list) = Server::view(arguments).get("/files");
        let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
        let names = list.as_array().unwrap().iter();
        let names = names.map(|file| file["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let path = folder.path().as_os_str();
    assert_eq!(names(&[path]), ["a.bin"]);
    assert_eq!(names(&["-r".as_ref(), path]), ["a.bin", "inner/a.bin"]);
}

/// Links a file. Returns false if the system does not allow it, as Windows without the developer mode.
fn link(target: &Path, link: &Path) -> bool {
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    let linked = std::os::windows::fs::symlink_file(target, link);
    linked.is_ok()
}

/// Writes a report to `report.html` in a folder. Returns the exit code, the messages and the names in the report.
fn report(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, Vec<String>) {
    let mut command = program();
    command.current_dir(folder).arg("report").args(arguments);
    let output = command.args(["-f", "-o", "report.html"]).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let page = fs::read_to_string(folder.join("report.html")).unwrap_or_default();
    let names = page.split(" data-recording=\"").skip(1);
    let names = names.map(|rest| rest[..rest.find('"').unwrap()].to_owned());
    (output.status.code(), messages, names.collect())
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_report_contains_only_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    let bytes = fs::read(sample()).unwrap();
    fs::write(study.join("good.bin"), &bytes).unwrap();
    fs::write(study.join("cut.bin"), &bytes[..bytes.len() / 2]).unwrap();
    // `c2VjcmV0` as base64.
    fs::write(study.join("junk.bin"), "secret secret secret").unwrap();
    fs::write(study.join("empty.bin"), "").unwrap();
    let (code, messages, names) = report(folder.path(), &["-r", "study"]);
    assert_eq!(code, Some(1), "{messages}");
    assert_eq!(names, ["cut.bin", "good.bin"]);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(!page.contains("c2VjcmV0"));
    let junk = Path::new("study").join("junk.bin");
    for expected in [
        "cut.bin: 107 kB, not well formed\n",
        "good.bin: 214 kB\n",
        &format!(
            "error: {}\n  this is a text file without a table",
            junk.display()
        ),
        "2 files included, 2 failed: ",
    ] {
        assert!(messages.contains(expected), "{expected}: {messages}");
    }
    fs::remove_file(folder.path().join("report.html")).unwrap();
    for file in ["study/junk.bin", "study/empty.bin"] {
        let (code, messages, names) = report(folder.path(), &[file]);
        assert_eq!((code, names.len()), (Some(1), 0), "{messages}");
        assert!(
            messages.starts_with(&format!("error: {file}\n")),
            "{messages}"
        );
    }
    assert!(!folder.path().join("report.html").exists());
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_report_contains_json_as_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.arg("convert").arg(sample()).arg("take.json");
    assert!(
        command
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
    let (code, messages, names) = report(folder.path(), &["take.json"]);
    assert_eq!(code, Some(0), "{messages}");
    assert_eq!(names, ["take.bin"]);
}

/// Returns a chunk of a binary glTF file.
fn chunk(kind: &[u8; 4], mut content: Vec<u8>) -> Vec<u8> {
    content.resize(content.len().next_multiple_of(4), b' ');
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [length.as_slice(), kind, &content].concat()
}

/// Returns a glTF file with tangents, which its layout cannot represent.
fn glb_with_tangents() -> Vec<u8> {
    // Two times. For each time: the tangent before it, the position, and the tangent after it.
    let numbers = [0.5, 1.0].into_iter().chain((0..18).map(|n| n as f32));
    let data: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    let description = serde_json::json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "left.Wrist"}],
        "buffers": [{"byteLength": data.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": data.len()}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.5], "max": [1.0]},
            {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3", "byteOffset": 8},
        ],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": 0, "output": 1, "interpolation": "CUBICSPLINE"}],
        }],
    });
    let json = chunk(b"JSON", description.to_string().into_bytes());
    let chunks = [json, chunk(b"BIN\0", data)].concat();
    let length = u32::try_from(12 + chunks.len()).unwrap().to_le_bytes();
    [b"glTF\x02\0\0\0", length.as_slice(), &chunks].concat()
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn view_and_reports_drop_and_report_what_the_layout_cannot_represent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curved.glb");
    fs::write(&file, glb_with_tangents()).unwrap();
    let (status, shown) = Server::view(&[file.as_os_str()]).get("/file/0");
    assert!(status == 200 && shown.starts_with(&inputanim::MAGIC));
    let (code, messages, names) = report(folder.path(), &["curved.glb"]);
    assert_eq!(code, Some(3), "{messages}");
    assert_eq!(names, ["curved.bin"]);
    let expected = "warning: curved.glb: lost: the tangents";
    assert!(messages.contains(expected), "{messages}");
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn links_that_leave_a_folder_are_refused_unless_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir_all(study.join("inner")).unwrap();
    fs::copy(sample(), folder.path().join("secret.bin")).unwrap();
    fs::copy(sample(), study.join("take.bin")).unwrap();
    let made = link(&folder.path().join("secret.bin"), &study.join("out.bin"));
    // Wine makes links that it does not follow.
    if !made || !study.join("out.bin").is_file() {
        return;
    }
    assert!(link(&study.join("take.bin"), &study.join("inner/in.bin")));
    let (code, messages, names) = report(folder.path(), &["-r", "study"]);
    assert_eq!(code, Some(1), "{messages}");
    assert_eq!(names, ["inner/in.bin", "take.bin"]);
    assert!(messages.contains("outside of study\n"), "{messages}");
    let (code, messages, names) = report(folder.path(), &["study/out.bin"]);
    assert_eq!(code, Some(0), "{messages}");
    assert_eq!(names, ["out.bin"]);

    let server = Server::view(&[study.as_os_str()]);
    let list: serde_json::Value = serde_json::from_slice(&server.get("/files").1).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list[0]["name"], "take.bin");
    // A file that becomes such a link later.
    fs::remove_file(study.join("take.bin")).unwrap();
    assert!(link(
        &folder.path().join("secret.bin"),
        &study.join("take.bin")
    ));
    assert_eq!(server.get("/file/0").0, 403);
    let server = Server::view(&[study.join("out.bin").as_os_str()]);
    assert_eq!(server.get("/file/0").0, 200);
}

/// A video whose bytes are the remainders of their places. Its length is not a multiple of a power of two.
fn video() -> Vec<u8> {
    (0..10_000_019_u32)
        .map(|place| (place % 251) as u8)
        .collect()
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn parts_of_the_video_beside_a_recording_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = video();
    fs::copy(sample(), folder.path().join("take.bin")).unwrap();
    fs::write(folder.path().join("take.mp4"), &bytes).unwrap();
    fs::write(folder.path().join("other.mp4"), &bytes).unwrap();
    let server = Server::view(&[folder.path().as_os_str()]);
    let (_, list) = server.get("/files");
    let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
    let expected = serde_json::json!({"name": "take.mp4", "start": 0.0});
    assert_eq!(list[0]["video"], expected);
    let host = format!("Host: {}", server.host);
    let path = format!("/video/0{}", server.query);
    let get = |range: &str| server.request("GET", &path, &[&host, &format!("Range: {range}")]);
    let (status, part) = get("bytes=5000001-5000009");
    assert_eq!((status, &part[..]), (206, &bytes[5_000_001..=5_000_009]));
    let (status, part) = get("bytes=-7");
    assert_eq!((status, &part[..]), (206, &bytes[bytes.len() - 7..]));
    // A large part is shortened, and the browser requests the next part.
    let (status, part) = get("bytes=3-");
    assert_eq!(status, 206);
    assert!(part.len() < 5_000_000 && part[..] == bytes[3..3 + part.len()]);
    assert_eq!(get("bytes=10000019-").0, 416);
    let (status, whole) = server.get("/video/0");
    assert!(status == 200 && whole == bytes);
    for unknown in ["/video/1", "/video/", "/video/take.mp4", "/video/0/x"] {
        assert_eq!(server.get(unknown).0, 404, "{unknown}");
    }
    let without_token = server.request("GET", "/video/0", &[&host]);
    assert_eq!(without_token.0, 403);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn videos_are_those_beside_recordings_or_those_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    for name in ["a.bin", "b.bin"] {
        fs::copy(sample(), study.join(name)).unwrap();
    }
    let path = |name: &str| folder.path().join(name).into_os_string();
    for name in ["study/B.WEBM", "camera.mp4", "a.mov"] {
        fs::write(path(name), "video").unwrap();
    }
    fs::rename(path("study/B.WEBM"), path("study/b.WEBM")).unwrap();
    let videos = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|argument| {
            if argument.starts_with('-') {
                (*argument).into()
            } else {
                path(argument)
            }
        });
        let arguments: Vec<_> = arguments.collect();
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
        let (_, list) = Server::view(&arguments).get("/files");
        let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
        let videos = list.as_array().unwrap().iter();
        let videos =
            videos.map(|file| format!("{} {}", file["video"]["name"], file["video"]["start"]));
        // Windows finds a file by a name in other letters, and the program then uses this name.
        videos.map(|video| video.to_lowercase()).collect::<Vec<_>>()
    };
    let of_b = "\"b.webm\" 0.0";
    assert_eq!(videos(&["study"]), ["null null", of_b]);
    let of_a = "\"a.mov\" -2.5";
    assert_eq!(
        videos(&["study/a.bin", "--video", "a.mov", "--video-offset=-2.5"]),
        [of_a]
    );
    // The name of the video of the only recording does not matter.
    assert_eq!(
        videos(&["study/b.bin", "--video", "camera.mp4"]),
        ["\"camera.mp4\" 0.0"]
    );
    assert_eq!(
        videos(&["study", "--video", "a.mov"]),
        ["\"a.mov\" 0.0", of_b]
    );
    for (arguments, expected) in [
        (
            &["study", "--video", "camera.mp4"][..],
            "camera.mp4: no recording has the name of this video",
        ),
        (
            &["study/a.bin", "--video-offset", "1"],
            "--video-offset has no effect: no recording has a video",
        ),
        (&["study/a.bin", "--video", "none.mp4"], "cannot read"),
        (
            &["study/b.bin", "--video-offset", "soon"],
            "expected seconds",
        ),
    ] {
        let mut command = program();
        command
            .current_dir(folder.path())
            .args(["view", "--no-open"]);
        let output = command.args(arguments).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(messages.contains(expected), "{messages}");
        assert!(!output.status.success());
    }
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_video_that_is_a_link_out_of_the_folder_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    fs::copy(sample(), study.join("take.bin")).unwrap();
    fs::write(folder.path().join("secret.mp4"), "secret").unwrap();
    let made = link(&folder.path().join("secret.mp4"), &study.join("take.mp4"));
    // Wine makes links that it does not follow.
    if !made || !study.join("take.mp4").is_file() {
        return;
    }
    for path in [study.clone(), study.join("take.bin")] {
        let server = Server::view(&[path.as_os_str()]);
        let list: serde_json::Value = serde_json::from_slice(&server.get("/files").1).unwrap();
        assert_eq!(list[0].get("video"), None);
        assert_eq!(server.get("/video/0").0, 404);
    }
    // A video that becomes such a link later.
    fs::remove_file(study.join("take.mp4")).unwrap();
    fs::write(study.join("take.mp4"), "video").unwrap();
    let server = Server::view(&[study.as_os_str()]);
    assert_eq!(server.get("/video/0"), (200, b"video".to_vec()));
    fs::remove_file(study.join("take.mp4")).unwrap();
    assert!(link(
        &folder.path().join("secret.mp4"),
        &study.join("take.mp4")
    ));
    assert_eq!(server.get("/video/0").0, 403);
    fs::remove_file(study.join("take.mp4")).unwrap();
    assert_ne!(server.get("/video/0").0, 200);
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_report_links_videos_by_their_relative_paths() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study 1");
    fs::create_dir(&study).unwrap();
    for name in ["a.bin", "b.bin"] {
        fs::copy(sample(), study.join(name)).unwrap();
    }
    // `dmlkZW8gb2YgYQ==` as base64.
    fs::write(study.join("a.mp4"), "video of a").unwrap();
    let (code, messages, names) =
        report(folder.path(), &["-r", "study 1", "--video-offset", "1.5"]);
    assert_eq!((code, names.len()), (Some(0), 2), "{messages}");
    for expected in [
        "a.bin: 214 kB, with a link to study 1/a.mp4\n",
        "b.bin: 214 kB\n",
        "note: 1 video linked, not included: keep the same paths relative to the report\n",
    ] {
        assert!(messages.contains(expected), "{expected}: {messages}");
    }
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("data-video=\"study%201/a.mp4\" data-start=\"1.5\""));
    assert!(!page.contains("dmlkZW8gb2YgYQ"));
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn a_report_contains_the_recordings_and_their_names() {
    let folder = tempfile::tempdir().unwrap();
    // A name that would end the attribute or the element.
    let name = if cfg!(windows) {
        "a'b.bin"
    } else {
        "a\"><b.bin"
    };
    let copy = folder.path().join(name);
    fs::copy(sample(), &copy).unwrap();
    let report = folder.path().join("report.html");
    let report_of = |copy: &Path| {
        let mut command = program();
        command.arg("report").arg(copy).arg("-o").arg(&report);
        command.output().unwrap().status.code()
    };
    assert_eq!(report_of(&copy), Some(0));
    let text = fs::read_to_string(&report).unwrap();
    assert_eq!(text.matches(" data-recording=\"").count(), 1);
    assert!(!text.contains("data-recording=\"a\"><b.bin"));
    // The recording needs no module for other formats.
    assert!(!text.contains("id=\"formats\""));
    // Refused, because the file exists.
    assert_eq!(report_of(&copy), Some(1));
}

#[test]
#[ignore = "needs the viewer: cargo xtask web"]
fn the_page_is_saved_as_a_file_and_not_replaced_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("inputanim.html");
    let save = |more: &[&str]| {
        let mut program = program();
        program.args(["view", "--save-page"]).arg(&page).args(more);
        program.output().unwrap()
    };
    let saved = save(&[]);
    assert!(saved.status.success(), "{saved:?}");
    let text = fs::read_to_string(&page).unwrap();
    assert!(inputanim_page::viewer() == Some(text.as_str()));
    assert!(text.starts_with("<!doctype html>") && text.contains("id=\"formats\""));
    let message = String::from_utf8(saved.stderr).unwrap();
    assert!(message.starts_with("viewer saved: "), "{message}");
    assert_eq!(save(&[]).status.code(), Some(1));
    assert!(save(&["--force"]).status.success());
    // Options of the server have no effect here.
    assert_eq!(save(&["--force", "--port", "80"]).status.code(), Some(2));
    let mut program = program();
    program.args(["view", "--force"]).arg(sample());
    assert_eq!(program.output().unwrap().status.code(), Some(2));
}
