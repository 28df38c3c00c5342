//! The documentation as HTML, and completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

use crate::process::{output, root};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52em;margin:2em auto;padding:0 1em}\
    pre{background:#f4f4f4;padding:.8em;overflow-x:auto;line-height:1.3}\
    table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left}";

/// Writes README.html and docs/*.html.
pub(super) fn write_html(folder: &Path) -> Result<()> {
    convert(&root().join("README.md"), &folder.join("README.html"))?;
    fs::create_dir_all(folder.join("docs"))?;
    for entry in fs::read_dir(root().join("docs"))? {
        let path = entry?.path();
        let name = path.file_name().context("a document has a name")?;
        let copy = folder.join("docs").join(name);
        if path.extension().is_some_and(|extension| extension == "md") {
            convert(&path, &copy.with_extension("html"))?;
        } else if path.is_file() {
            fs::copy(&path, copy)?;
        }
    }
    Ok(())
}

fn convert(from: &Path, to: &Path) -> Result<()> {
    let text = fs::read_to_string(from)?;
    let mut options = Options::ENABLE_TABLES;
    options |= Options::ENABLE_HEADING_ATTRIBUTES;
    let events = Parser::new_ext(&text, options).map(|event| match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: page(dest_url),
            title,
            id,
        }),
        event => event,
    });
    let mut body = String::new();
    html::push_html(&mut body, events);
    let title = text.lines().next().unwrap_or_default();
    let title = title.trim_start_matches(['#', ' ']);
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n{body}</html>\n"
    );
    Ok(fs::write(to, page)?)
}

/// Returns the address of a page for that of a document.
fn page(address: CowStr<'_>) -> CowStr<'_> {
    let (file, part) = match address.find('#') {
        Some(at) => address.split_at(at),
        None => (&*address, ""),
    };
    match file.strip_suffix(".md") {
        Some(stem) if !file.contains("://") => format!("{stem}.html{part}").into(),
        _ => address,
    }
}

/// Writes the completions of a shell.
pub(super) fn write_completions(program: &Path, shell: &str, path: &Path) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    let script = output(Command::new(program).args(["completions", shell]))?;
    Ok(fs::write(path, script)?)
}

/// Writes the manual pages of all commands.
pub(super) fn write_manuals(program: &Path, folder: &Path) -> Result<()> {
    output(Command::new(program).args(["man", "-o"]).arg(folder))?;
    Ok(())
}
