//! The documentation as HTML, and completions and manual pages.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use super::tree;
use crate::process::{output, root};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52em;margin:2em auto;padding:0 1em}\
    pre{background:#f4f4f4;padding:.8em;overflow-x:auto;line-height:1.3}\
    table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left}\
    img{max-width:100%;height:auto}";

/// Writes README.html and docs/*.html.
pub(super) fn write_html(folder: &Path) -> Result<()> {
    let mut documents = vec![PathBuf::from("README.md")];
    let below = tree(&root().join("docs"))?;
    documents.extend(below.iter().map(|path| Path::new("docs").join(path)));
    fs::create_dir_all(folder.join("docs"))?;
    for document in &documents {
        let (from, to) = (root().join(document), folder.join(document));
        if from.is_dir() {
            // `tree` lists a folder before its files.
            fs::create_dir(to)?;
        } else if is_page(document) {
            let text = fs::read_to_string(from)?;
            fs::write(to.with_extension("html"), page(&text, document, &documents))?;
        } else {
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

fn is_page(document: &Path) -> bool {
    document
        .extension()
        .is_some_and(|extension| extension == "md")
}

/// Converts a document to a page. Links to files that are not in the package become text.
fn page(text: &str, document: &Path, documents: &[PathBuf]) -> String {
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    name_headings(&mut events);
    let folder = document.parent().unwrap_or(Path::new(""));
    let mut are_kept = Vec::new();
    events.retain_mut(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => {
            let address = address(dest_url, folder, documents);
            are_kept.push(address.is_some());
            *dest_url = address.unwrap_or_default().into();
            are_kept.last() == Some(&true)
        }
        Event::End(TagEnd::Link) => are_kept.pop() == Some(true),
        _ => true,
    });
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    let title = text.lines().next().unwrap_or_default();
    let title = title.trim_start_matches(['#', ' ']);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n{body}</html>\n"
    )
}

/// Gives headings the names that links use: `#for-all-commands`.
fn name_headings(events: &mut [Event<'_>]) {
    let mut title = String::new();
    // The loop starts at the end, so that the text of a heading is known at the start of the heading.
    for event in events.iter_mut().rev() {
        match event {
            Event::End(TagEnd::Heading(_)) => title.clear(),
            Event::Text(text) | Event::Code(text) => title.insert_str(0, text),
            Event::Start(Tag::Heading { id, .. }) => {
                let letters = title.to_lowercase();
                let letters = letters.chars().filter_map(|letter| match letter {
                    ' ' => Some('-'),
                    '-' | '_' => Some(letter),
                    _ => Some(letter).filter(|letter| letter.is_alphanumeric()),
                });
                *id = Some(letters.collect::<String>().into());
            }
            _ => {}
        }
    }
}

/// Returns the address in the package for an address in a document, or `None` if the file is not in the
/// package.
fn address(address: &str, folder: &Path, documents: &[PathBuf]) -> Option<String> {
    if address.contains("://") || address.starts_with('#') {
        return Some(address.to_owned());
    }
    let end = address.find('#').unwrap_or(address.len());
    let (file, part) = address.split_at(end);
    let target = match file.strip_prefix("../") {
        Some(file) => PathBuf::from(file),
        None => folder.join(file),
    };
    if target.starts_with("LICENSE-MIT") || target.starts_with("LICENSE-APACHE") {
        return Some(address.to_owned());
    }
    if !documents.contains(&target) {
        return None;
    }
    let file = file.strip_suffix(".md").map(|stem| format!("{stem}.html"));
    Some(file.unwrap_or_else(|| address[..end].to_owned()) + part)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_headings_of_the_package() {
        let documents = ["README.md", "docs/commands.md"].map(PathBuf::from);
        let text = "# A `b`: C\n[1](../README.md#x) [2](commands.md) [3](../samples) [4](https://a.b/c.md) [5](#a-b-c)\n";
        let html = page(text, Path::new("docs/index.md"), &documents);
        for part in [
            "<h1 id=\"a-b-c\">",
            "<a href=\"../README.html#x\">1</a> <a href=\"commands.html\">2</a> 3 ",
            "<a href=\"https://a.b/c.md\">4</a> <a href=\"#a-b-c\">5</a>",
        ] {
            assert!(html.contains(part), "{html}");
        }
    }
}
