//! `cargo xtask docs`: builds the documentation as a site with search, in `target/docs`.
//!
//! The Markdown files stay readable where they are: the site consists of copies of them, and `docs/README.md` is its
//! table of contents. mdBook builds it, because its search works on a disk, without a server, and its output depends only
//! on the input. Measured with these documents on 2026-11-27:
//!
//! | program | installation | build | site | search on a disk | dead links |
//! |---|---|---|---|---|---|
//! | mdBook 0.5.4, unoptimised | 69 CPU s, 123 crates | 1.3 CPU s | 5.6 MB, 1.6 MB compressed | sections, with excerpts | – |
//! | mdBook 0.5.4, optimised | 132 CPU s | 0.3 CPU s | the same | the same | – |
//! | Zensical 0.1.1 | 1 CPU s, 104 MB from PyPI | 2.2 CPU s | 4.2 MB | does not open | not found |
//! | Sphinx 9.2, Furo, MyST | 0.5 CPU s, 78 MB, 33 packages from PyPI | 5.2 CPU s | 7.2 MB | pages, without excerpts | found, also anchors |
//!
//! This module finds dead links itself, in the documents and in the site. Links to other web sites are not checked. The
//! tests check the documents without building the site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use fs_err as fs;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::process::{output, root, target};
use crate::setup;

/// Version of mdBook. It is fixed, because the bytes of the site depend on it.
const MDBOOK: &str = "0.5.4";

/// The settings of mdBook. The documents are not templates, and their punctuation stays. Examples in Rust cannot run on
/// a disk, and the fonts of the system replace half a megabyte of fonts.
const BOOK: &str = r#"
[book]
title = "inputanim"
[build]
create-missing = false
use-default-preprocessors = false
[output.html]
additional-css = ["site.css"]
default-theme = "light"
input-404 = ""
no-section-label = true
smart-punctuation = false
[output.html.playground]
runnable = false
[output.html.print]
enable = false
"#;

/// Tables and outputs of commands are wide.
const STYLE: &str = ":root { --content-max-width: 900px; }\n";

/// Builds the site of the documentation in `target/docs`, and prints the path of its first page.
pub(crate) fn run_all() -> Result<()> {
    let site = target().join("docs");
    build(&site)?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Builds the site of the documentation in the folder `site`. Existing files in the folder are removed.
///
/// # Errors
/// Returns an error if a link of a document or of the site is dead.
pub(crate) fn build(site: &Path) -> Result<()> {
    Links::of_documents()?.check()?;
    let book = target().join("xtask/docs");
    if book.exists() {
        fs::remove_dir_all(&book)?;
    }
    let documents = documents()?;
    for document in &documents {
        let from = root().join(document);
        let to = book.join("src").join(as_index(&document.to_string_lossy()));
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        if is_markdown(document) {
            let text = fs::read_to_string(from)?;
            fs::write(to, with_links_of_site(&text, document, &documents))?;
        } else {
            fs::copy(from, to)?;
        }
    }
    fs::write(book.join("src/SUMMARY.md"), summary(&documents)?)?;
    fs::write(book.join("book.toml"), BOOK)?;
    fs::write(book.join("site.css"), STYLE)?;
    // mdBook includes its fonts only if the theme has no such file.
    fs::create_dir_all(book.join("theme/fonts"))?;
    fs::write(book.join("theme/fonts/fonts.css"), "/* none */\n")?;
    output(
        // Optimisation would take longer than it saves.
        Command::new(setup::program(
            "mdbook",
            MDBOOK,
            &["--debug", "--no-default-features", "--features=search"],
        )?)
        .args(["build", "--dest-dir"])
        .arg(site)
        .arg(&book)
        .env("MDBOOK_LOG", "warn"),
    )?;
    Links::of_site(site)?.check()
}

/// Returns the paths of the files from which the site is built, relative to the root of the workspace.
fn documents() -> Result<BTreeSet<PathBuf>> {
    let mut documents = committed_files()?;
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "spec/mcap.md",
    ];
    documents.retain(|path| path.starts_with("docs") || top.iter().any(|name| path == *name));
    Ok(documents)
}

/// Returns the paths of the files that git tracks, relative to the root of the workspace.
fn committed_files() -> Result<BTreeSet<PathBuf>> {
    let listed = output(Command::new("git").args(["ls-files", "-z"]))?;
    let listed = String::from_utf8(listed)?;
    let paths = listed.split_terminator('\0').map(PathBuf::from);
    Ok(paths.collect())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Returns the table of contents for mdBook: the headings and the first links of the table rows in docs/README.md.
/// Fails if a page in `documents` is not in it.
fn summary(documents: &BTreeSet<PathBuf>) -> Result<String> {
    let index = Path::new("docs/README.md");
    let text = fs::read_to_string(root().join(index))?;
    let mut summary = "[inputanim](index.md)\n[All pages](docs/index.md)\n".to_owned();
    let mut missing: BTreeSet<&PathBuf> = documents.iter().collect();
    missing.retain(|document| is_markdown(document) && !document.ends_with("README.md"));
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            summary += &format!("\n# {title}\n\n");
        }
        let Some((_, link)) = line.split_once("](").filter(|_| line.starts_with('|')) else {
            continue;
        };
        let address = link.split(')').next().unwrap_or_default();
        let page = resolve(index, address).filter(|page| missing.remove(page));
        if let Some(page) = page {
            let text = fs::read_to_string(root().join(&page))?;
            let title = text.lines().next().unwrap_or_default();
            let title = title.trim_start_matches("# ");
            summary += &format!("- [{title}]({})\n", page.display());
        }
    }
    ensure!(
        missing.is_empty(),
        "pages that docs/README.md does not list: {missing:?}"
    );
    Ok(summary)
}

/// Returns the text of a Markdown document with its links changed for the site: links to README.md lead to index.md,
/// because web servers show index.html for a folder, and links to files that are not in the site become text.
/// `documents` are the files of the site.
fn with_links_of_site(text: &str, document: &Path, documents: &BTreeSet<PathBuf>) -> String {
    let mut changed = String::new();
    let mut end = 0;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. }) = event else {
            continue;
        };
        // Addresses in angle brackets have no label and stay.
        let link = text[range.clone()].strip_prefix('[');
        let Some((label, address)) = link.and_then(|link| link.rsplit_once("](")) else {
            continue;
        };
        changed += &text[end..range.start];
        end = range.end;
        let is_in_site = resolve(document, &dest_url).is_some_and(|file| documents.contains(&file));
        if is_in_site || is_external(&dest_url) {
            changed += &format!("[{label}]({}", as_index(address));
        } else {
            changed += label;
        }
    }
    changed + &text[end..]
}

/// Replaces README.md by index.md in a path or address, as in the site.
fn as_index(address: &str) -> String {
    address.replace("README.md", "index.md")
}

/// Returns the file to which an address in a document leads, relative to the root; a part after `#` is ignored. `None`
/// if the address leads out of the root.
fn resolve(document: &Path, address: &str) -> Option<PathBuf> {
    let file = address.split('#').next().unwrap_or_default();
    if file.is_empty() {
        return Some(document.to_owned());
    }
    let mut path = document.parent().unwrap_or(Path::new("")).to_owned();
    for component in Path::new(file).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

fn is_external(address: &str) -> bool {
    ["http:", "https:", "data:", "mailto:"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
}

/// The links of documents or of a site.
struct Links {
    files: BTreeSet<PathBuf>,
    pages: BTreeMap<PathBuf, Page>,
}

/// The names of the parts of a page, and the addresses of its links and images.
#[derive(Default)]
struct Page {
    parts: BTreeSet<String>,
    addresses: Vec<String>,
}

impl Links {
    /// Reads the links of all Markdown files of the repository.
    fn of_documents() -> Result<Links> {
        Links::read(&root(), committed_files()?, "md", Page::of_markdown)
    }

    /// Reads the links of all pages (HTML) of the site in a folder.
    fn of_site(folder: &Path) -> Result<Links> {
        let files = crate::dist::tree(folder)?.into_iter().collect();
        Links::read(folder, files, "html", Page::of_html)
    }

    fn read(
        root: &Path,
        files: BTreeSet<PathBuf>,
        extension: &str,
        parse: fn(&str) -> Page,
    ) -> Result<Links> {
        let is_page = |path: &&PathBuf| path.extension().is_some_and(|end| end == extension);
        let mut pages = BTreeMap::new();
        for path in files.iter().filter(is_page) {
            pages.insert(path.clone(), parse(&fs::read_to_string(root.join(path))?));
        }
        Ok(Links { files, pages })
    }

    /// Checks that all links lead to a file, a folder or a part of a page.
    fn check(&self) -> Result<()> {
        let dead = self.dead();
        ensure!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
        Ok(())
    }

    /// Returns the dead links, each as a text with its page and its address.
    fn dead(&self) -> Vec<String> {
        let mut dead = Vec::new();
        for (path, page) in &self.pages {
            for address in &page.addresses {
                if !self.leads_somewhere(path, address) {
                    dead.push(format!("{}: {address}", path.display()));
                }
            }
        }
        dead
    }

    fn leads_somewhere(&self, page: &Path, address: &str) -> bool {
        if is_external(address) {
            return true;
        }
        let Some(file) = resolve(page, address) else {
            return false;
        };
        match address.split_once('#') {
            // `#` alone is the top of a page.
            Some((_, part)) if !part.is_empty() => {
                let page = self.pages.get(&file);
                page.is_some_and(|page| page.parts.contains(part))
            }
            _ => self.files.iter().any(|known| known.starts_with(&file)),
        }
    }
}

impl Page {
    fn of_markdown(text: &str) -> Page {
        let mut page = Page::default();
        let mut title = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(title) = &mut title {
                        *title += &text;
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let name = part_name(&title.take().unwrap_or_default());
                    // A heading that exists already gets a number.
                    let numbered = (1..).map(|number| format!("{name}-{number}"));
                    let mut names = std::iter::once(name.clone()).chain(numbered);
                    let free = names.find(|name| !page.parts.contains(name));
                    page.parts.extend(free);
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.addresses.push(dest_url.into_string());
                }
                _ => {}
            }
        }
        page
    }

    fn of_html(text: &str) -> Page {
        let mut page = Page::default();
        let tags = text.split('<').filter_map(|tag| tag.split('>').next());
        for tag in tags {
            let value = |name: &str| {
                let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
                Some(rest.split('"').next().unwrap_or(rest).to_owned())
            };
            page.parts.extend(value("id"));
            page.addresses.extend(value("href"));
            page.addresses.extend(value("src"));
        }
        page
    }
}

/// Returns the part of an address for a heading, as git hosts and mdBook form it: `for-all-commands`.
fn part_name(title: &str) -> String {
    let letters = title.to_lowercase();
    let letters = letters.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => Some(letter).filter(|letter| letter.is_alphanumeric()),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_of_the_documents_is_dead() {
        Links::of_documents().unwrap().check().unwrap();
    }

    #[test]
    fn the_index_lists_all_documents() {
        let summary = summary(&documents().unwrap()).unwrap();
        for line in ["# Researchers", "- [Architecture](ARCHITECTURE.md)"] {
            assert!(summary.lines().any(|found| found == line), "{summary}");
        }
    }

    #[test]
    fn links_to_missing_files_and_parts_are_dead() {
        let text = "# A `b`: C\n## D\n## D\n[1](b.md#x) [2](#a-b-c) [3](#d-1) [4](#d-2) [5](../a) [6](c.md)\n";
        let pages = [("docs/a.md", text), ("docs/b.md", "# Y\n![](i/j.png)")];
        let pages = pages.map(|(path, text)| (PathBuf::from(path), Page::of_markdown(text)));
        let links = Links {
            files: ["docs/a.md", "docs/b.md", "docs/i/j.png", "a/k"]
                .map(PathBuf::from)
                .into(),
            pages: pages.into(),
        };
        let dead = ["b.md#x", "#d-2", "c.md"];
        assert_eq!(links.dead(), dead.map(|link| format!("docs/a.md: {link}")));
        let page = Page::of_html("<h1 id=\"a\"><a href=\"b.html#c\">&lt;a href=\"d\"&gt;</a>");
        assert!(page.parts.contains("a"));
        assert_eq!(page.addresses, ["b.html#c"]);
    }

    #[test]
    fn links_to_files_outside_of_the_site_become_text() {
        let documents = ["README.md", "docs/b.md"].map(PathBuf::from).into();
        let text = "[1](../README.md#x) [`2` [a]](../samples) `[3](c)` [4](https://a.b/c.md) ![5](d.png) [6](#e)\n";
        let kept =
            "[1](../index.md#x) `2` [a] `[3](c)` [4](https://a.b/c.md) ![5](d.png) [6](#e)\n";
        let shown = with_links_of_site(text, Path::new("docs/b.md"), &documents);
        assert_eq!(shown, kept);
    }
}
