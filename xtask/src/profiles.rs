//! `cargo xtask profiles FILE`: makes the list of interaction profiles of OpenXR from the registry of Khronos.

use fs_err as fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use roxmltree::{Document, Node, ParsingOptions};

use crate::process::root;

/// The registry.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The registry of OpenXR: specification/registry/xr.xml of the repository OpenXR-Docs of Khronos
    file: PathBuf,
}

/// The length of a line at most.
const WIDTH: usize = 128;

const HANDS: [&str; 2] = ["/user/hand/left", "/user/hand/right"];

/// The kinds of components in the registry and in the list, in the order of the list.
const KINDS: [(&str, &str); 5] = [
    ("XR_ACTION_TYPE_BOOLEAN_INPUT", "boolean"),
    ("XR_ACTION_TYPE_FLOAT_INPUT", "float"),
    ("XR_ACTION_TYPE_VECTOR2F_INPUT", "vector"),
    ("XR_ACTION_TYPE_POSE_INPUT", "pose"),
    ("XR_ACTION_TYPE_VIBRATION_OUTPUT", "haptic"),
];

/// The poses of all profiles of hands, also of profiles for which the registry does not list them (`XR_EXT_palm_pose` and
/// `XR_EXT_hand_interaction`).
const COMMON: &str = "\
with XR_VERSION_1_1,XR_KHR_maintenance1 pose grip_surface/pose
with XR_EXT_palm_pose pose palm_ext/pose
with XR_EXT_hand_interaction pose pinch_ext/pose poke_ext/pose
";

/// A component that a version or an extension adds to a profile.
struct Added {
    profile: String,
    /// The version or the extension.
    by: String,
    word: String,
    kind: &'static str,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = root().join("crates/inputanim-openxr/src/profiles.txt");
    let old = fs::read_to_string(&path)?;
    let text = fs::read_to_string(&args.file)?;
    let list = list(&text).with_context(|| args.file.display().to_string())?;
    // The comment at the beginning names the version of the registry and describes the form.
    let comment: String = old
        .lines()
        .take_while(|line| line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    let new = format!("{comment}{COMMON}{list}");
    if new == old {
        println!("{} is the list of this registry", path.display());
        return Ok(());
    }
    fs::write(&path, new)?;
    println!(
        "{} has changed: the first line names the version of the registry",
        path.display()
    );
    Ok(())
}

/// Returns the lines of all profiles of a registry.
fn list(text: &str) -> Result<String> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)?;
    let registry = document.root_element();
    let owners: Vec<(Node<'_, '_>, &str)> = registry
        .descendants()
        .filter(|node| node.has_tag_name("feature") || node.has_tag_name("extension"))
        .filter(|node| node.attribute("supported") != Some("disabled"))
        .filter_map(|node| Some((node, node.attribute("name")?)))
        .collect();
    let requires = || {
        owners.iter().flat_map(|(owner, name)| {
            let parts = owner.children().filter(|node| node.has_tag_name("require"));
            parts.map(move |part| (part, *name))
        })
    };
    let enabled_by = |profile: &str| -> Vec<&str> {
        let found = requires().filter(|(part, _)| {
            let mut profiles = part
                .children()
                .filter(|node| node.has_tag_name("interaction_profile"));
            profiles.any(|node| node.attribute("name") == Some(profile))
        });
        found.map(|(_, name)| name).collect()
    };
    let mut added = Vec::new();
    for (part, name) in requires() {
        for extend in part.children().filter(|node| node.has_tag_name("extend")) {
            let Some(profile) = extend.attribute("interaction_profile_path") else {
                continue;
            };
            // One of the owner and of the extension on which the part depends has the profile; the other one adds to it.
            let owners = enabled_by(profile);
            let by = match part.attribute("depends") {
                Some(other) if owners.contains(&other) => name,
                Some(other) if owners.contains(&name) => other,
                Some(other) => bail!(
                    "{name} adds to {profile} if there is {other}, which the list cannot state"
                ),
                None => name,
            };
            ensure!(!by.contains('+'), "the list cannot state `{by}`");
            for component in components(extend) {
                let (kind, word) = word(component)?;
                let (profile, by) = (profile.to_owned(), by.to_owned());
                added.push(Added {
                    profile,
                    by,
                    word,
                    kind,
                });
            }
        }
    }
    let mut list = String::new();
    let profiles = registry
        .descendants()
        .filter(|node| node.has_tag_name("interaction_profile"));
    for profile in profiles.filter(|node| node.has_attribute("title")) {
        let name = profile
            .attribute("name")
            .context("a profile without a name")?;
        let short = name
            .strip_prefix("/interaction_profiles/")
            .context("a name of a profile")?;
        let by = enabled_by(name);
        if by.is_empty() {
            continue;
        }
        list += &format!("\nprofile {short}\nby {}\n", by.join(","));
        let users: Vec<&str> = profile
            .children()
            .filter(|node| node.has_tag_name("user_path"))
            .filter_map(|node| node.attribute("path"))
            .collect();
        let is_of_hands = users == HANDS;
        if !is_of_hands {
            push(&mut list, "user", &users);
        }
        let words: Vec<(&str, String)> = components(profile).map(word).collect::<Result<_>>()?;
        for (_, kind) in KINDS {
            let of_kind: Vec<&str> = words
                .iter()
                .filter(|(other, _)| *other == kind)
                .map(|(_, word)| &**word)
                .collect();
            push(&mut list, kind, &of_kind);
        }
        push_added(&mut list, name, is_of_hands, &added);
    }
    Ok(list)
}

/// Adds the lines of the components that versions and extensions add to a profile.
fn push_added(list: &mut String, profile: &str, is_of_hands: bool, added: &[Added]) {
    // The same component may be added by several of them.
    let mut groups: Vec<(String, &str, Vec<&str>)> = Vec::new();
    let mut seen = Vec::new();
    for one in added.iter().filter(|one| one.profile == profile) {
        if seen.contains(&&*one.word) {
            continue;
        }
        seen.push(&one.word);
        let same = added
            .iter()
            .filter(|other| other.profile == profile && other.word == one.word);
        let mut by: Vec<&str> = same.map(|other| &*other.by).collect();
        by.dedup();
        let by = by.join(",");
        match groups
            .iter_mut()
            .find(|(other, kind, _)| *other == by && *kind == one.kind)
        {
            Some((_, _, words)) => words.push(&one.word),
            None => groups.push((by, one.kind, vec![&one.word])),
        }
    }
    for (by, kind, words) in groups {
        let is_common = |word: &&str| {
            is_of_hands
                && COMMON
                    .lines()
                    .any(|line| line.split(' ').skip(3).any(|other| other == *word))
        };
        let words: Vec<&str> = words.into_iter().filter(|word| !is_common(word)).collect();
        push(list, &format!("with {by} {kind}"), &words);
    }
}

fn components<'a, 'd>(node: Node<'a, 'd>) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children()
        .filter(|node| node.has_tag_name("component"))
}

/// Returns the kind of a component, and its word in the list: `left:x/click`, `system/click!`.
fn word(component: Node<'_, '_>) -> Result<(&'static str, String)> {
    let path = component
        .attribute("subpath")
        .context("a component without a path")?;
    let name = path
        .strip_prefix("/input/")
        .or_else(|| path.strip_prefix("/output/"));
    let name = name.with_context(|| format!("the path {path}"))?;
    let kind = component.attribute("type").unwrap_or_default();
    let found = KINDS.iter().find(|(other, _)| *other == kind);
    let (_, kind) = found.with_context(|| format!("the kind {kind}"))?;
    let side = match component.attribute("user_path") {
        Some(user) => format!("{}:", user.rsplit('/').next().unwrap_or(user)),
        None => String::new(),
    };
    let end = if component.attribute("system") == Some("true") {
        "!"
    } else {
        ""
    };
    Ok((kind, format!("{side}{name}{end}")))
}

/// Adds lines that begin with `start` and have the words. Adds nothing without words.
fn push(list: &mut String, start: &str, words: &[&str]) {
    let mut line = start.to_owned();
    for word in words {
        if line.len() > start.len() && line.len() + 1 + word.len() > WIDTH {
            list.push_str(&line);
            list.push('\n');
            line = start.to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    if line.len() > start.len() {
        list.push_str(&line);
        list.push('\n');
    }
}
