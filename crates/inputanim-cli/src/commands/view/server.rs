//! The server of the viewer, on the loopback address.
//!
//! Other pages in the same browser, and other users of the computer, must not read recordings. Each request
//! therefore needs a random token, and the header `Host` of this address, which a page of another site
//! cannot send even if its name resolves to this computer. A request with the header `Origin` of another
//! site is refused too.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context;
use serde::Serialize;
use tiny_http::{Header, Method, Request, Response, ResponseBox};

use crate::page;

/// Number of requests that are answered at the same time, so that a slow client delays no other.
const WORKERS: usize = 8;

/// A server of the viewer and of some files.
pub(super) struct Server {
    server: tiny_http::Server,
    address: SocketAddr,
    token: String,
    page: &'static str,
    files: Vec<PathBuf>,
}

/// A file in the list of the page.
#[derive(Serialize)]
struct Listed {
    name: String,
    /// Changes when the file changes.
    tag: String,
}

impl Server {
    /// Starts a server on a port; 0 selects a free one.
    pub(super) fn start(
        port: u16,
        page: &'static str,
        files: Vec<PathBuf>,
    ) -> anyhow::Result<Server> {
        let server = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port))
            .map_err(anyhow::Error::from_boxed)
            .with_context(|| format!("cannot open port {port}"))?;
        let address = server
            .server_addr()
            .to_ip()
            .context("the server has no address")?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).context("cannot make a random token")?;
        Ok(Server {
            server,
            address,
            token: random.iter().map(|byte| format!("{byte:02x}")).collect(),
            page,
            files,
        })
    }

    /// Returns the address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Answers requests until the program ends.
    pub(super) fn run(&self) {
        std::thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| {
                    while let Ok(request) = self.server.recv() {
                        let response = self.answer(&request);
                        // The client may be gone, which concerns nobody else.
                        let _ = request.respond(response);
                    }
                });
            }
        });
    }

    fn answer(&self, request: &Request) -> ResponseBox {
        if !self.is_allowed(request) {
            return text(
                403,
                "403: the address needs its token; copy it from the terminal",
            );
        }
        if *request.method() != Method::Get {
            return text(405, "405: only GET is supported");
        }
        let path = request.url().split('?').next().unwrap_or_default();
        match path {
            "/" => with_type(Response::from_string(self.page), "text/html; charset=utf-8"),
            "/files" => match serde_json::to_string(&self.list()) {
                Ok(list) => with_type(Response::from_string(list), "application/json"),
                Err(error) => text(500, &format!("500: {error}")),
            },
            // Files have numbers, so that no path can leave the list.
            _ => match self.file(path).map(fs::read) {
                Some(Ok(bytes)) => {
                    with_type(Response::from_data(bytes), "application/octet-stream")
                }
                Some(Err(error)) => text(500, &format!("500: {error}")),
                None => text(404, "404: there is no such file"),
            },
        }
    }

    fn file(&self, path: &str) -> Option<&PathBuf> {
        let index: usize = path.strip_prefix("/file/")?.parse().ok()?;
        self.files.get(index)
    }

    /// Returns true if a request is from the page of this server.
    fn is_allowed(&self, request: &Request) -> bool {
        let hosts = [
            self.address.to_string(),
            format!("localhost:{}", self.address.port()),
        ];
        let host = header(request, "Host").is_some_and(|host| hosts.iter().any(|own| own == host));
        let origin = header(request, "Origin").is_none_or(|origin| {
            let origin = origin.strip_prefix("http://").unwrap_or_default();
            hosts.iter().any(|own| own == origin)
        });
        let query = request.url().split_once('?').map_or("", |(_, query)| query);
        let mut tokens = query
            .split('&')
            .filter_map(|pair| pair.strip_prefix("token="));
        host && origin && tokens.any(|token| is_same(token, &self.token))
    }

    fn list(&self) -> Vec<Listed> {
        let listed = |path: &PathBuf| Listed {
            name: page::name_of(path),
            // A file that cannot be read now has another tag when it can.
            tag: tag(path).unwrap_or_default(),
        };
        self.files.iter().map(listed).collect()
    }
}

/// Compares texts in a time that does not depend on where they differ.
fn is_same(a: &str, b: &str) -> bool {
    let differences = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}

/// Returns the time and the size of a file as a text.
fn tag(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    let time = metadata.modified()?.duration_since(UNIX_EPOCH);
    let time = time.map_or(0, |time| time.as_nanos());
    Ok(format!("{time}-{}", metadata.len()))
}

fn header<'r>(request: &'r Request, name: &'static str) -> Option<&'r str> {
    let header = request
        .headers()
        .iter()
        .find(|header| header.field.equiv(name));
    header.map(|header| header.value.as_str())
}

fn text(status: u16, message: &str) -> ResponseBox {
    let response = Response::from_string(message).with_status_code(status);
    with_type(response, "text/plain; charset=utf-8")
}

fn with_type<R: io::Read + Send + 'static>(response: Response<R>, content: &str) -> ResponseBox {
    let headers = [
        ("Content-Type", content),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ];
    let mut response = response.boxed();
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}
