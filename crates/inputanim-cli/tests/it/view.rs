//! `inputanim view` and `inputanim report`: the server, and the page with recordings inside.
//!
//! `cargo xtask web --test` tests the page itself in a browser. A build without the page says how to get it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::support::program;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin")
}

/// Returns whether the program was built after the page.
fn has_page() -> bool {
    !include_str!(concat!(env!("OUT_DIR"), "/inputanim.html")).is_empty()
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
        let mut child = program()
            .args(["view", "--no-open"])
            .arg(sample())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://").unwrap();
        let (host, query) = rest.split_once('/').unwrap();
        Server {
            host: host.to_owned(),
            query: query.to_owned(),
            child,
        }
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
fn a_build_without_the_page_says_how_to_get_it() {
    if has_page() {
        return;
    }
    for verb in [&["view", "--no-open"][..], &["report", "-o", "report.html"]] {
        let output = program().args(verb).arg(sample()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains("hint: in the source code, `cargo xtask web`"),
            "{message}"
        );
    }
}

#[test]
fn the_server_answers_only_requests_of_its_own_page() {
    if !has_page() {
        return;
    }
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
}

#[test]
fn slow_clients_do_not_block_others() {
    if !has_page() {
        return;
    }
    let server = Server::start();
    let slow: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/files").0, 200);
    drop(slow);
}

#[test]
fn a_report_contains_the_recordings_and_their_names() {
    if !has_page() {
        return;
    }
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
    // Refused, because the file exists.
    assert_eq!(report_of(&copy), Some(1));
}
