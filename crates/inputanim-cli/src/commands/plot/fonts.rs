//! Fonts of PNG: the font of the program, and fonts of the system for the characters that it lacks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use resvg::usvg::fontdb::{Database, FaceInfo, ID, Style};
use skrifa::{FontRef, MetadataProvider};
use unicode_script::{Script, UnicodeScript};

/// The font of the program, so that text looks the same everywhere.
static OWN: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// The fonts of the program and of the system. Reading their names takes a while.
static ALL: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::clone(&OWN);
    fonts.load_system_fonts();
    Arc::new(fonts)
});

/// A figure whose text can be drawn.
pub(super) struct Prepared<'s> {
    /// The figure, which names the font of each character that the font of the program lacks.
    pub(super) svg: Cow<'s, str>,
    pub(super) fonts: Arc<Database>,
    /// The characters that no font has, in order.
    pub(super) missing: Vec<char>,
}

/// Selects a font for each character of a figure. Loads the fonts of the system only if the font of the program
/// lacks a character.
pub(super) fn prepare(svg: &str) -> Prepared<'_> {
    prepare_with(svg, &OWN, || Arc::clone(&ALL))
}

fn prepare_with<'s>(
    svg: &'s str,
    own: &Arc<Database>,
    all: impl FnOnce() -> Arc<Database>,
) -> Prepared<'s> {
    let svg = simplified(svg);
    let mut lacking: BTreeSet<char> = svg.chars().filter(|c| !c.is_ascii()).collect();
    lacking.retain(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'));
    if let Some(base) = own.faces().next() {
        let covered = covered(own, base.id, &lacking);
        lacking.retain(|c| !covered.contains(c));
    }
    if lacking.is_empty() {
        return Prepared {
            svg,
            fonts: Arc::clone(own),
            missing: Vec::new(),
        };
    }
    let fonts = all();
    let families = families(&fonts, &mut lacking);
    Prepared {
        svg: Cow::Owned(with_families(&svg, &families)),
        fonts,
        missing: lacking.into_iter().collect(),
    }
}

/// Replaces sequences of emoji by their first one, and flags by their letters. In a text with several fonts, the
/// renderer drops the characters after a sequence for which one font has a single glyph and another one has several.
fn simplified(svg: &str) -> Cow<'_, str> {
    let is_variant = |c| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    let is_letter = |c| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    let is_emoji =
        |c: char| is_variant(c) || matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}');
    const JOINER: char = '\u{200d}';
    if !svg.contains(|c| is_variant(c) || is_letter(c) || c == JOINER) {
        return Cow::Borrowed(svg);
    }
    let mut simple = String::with_capacity(svg.len());
    let mut before = '\0';
    for c in svg.chars() {
        // Scripts of India use the joiner too.
        let is_joined = c == JOINER && is_emoji(before);
        if is_letter(c) {
            let number = u32::from(c) - 0x1f1e6;
            simple.extend(char::from_u32(u32::from('A') + number));
        } else if !is_variant(c) && !is_joined {
            simple.push(c);
        }
        before = c;
    }
    Cow::Owned(simple)
}

/// Returns those characters of `wanted` for which a font has a glyph.
fn covered(fonts: &Database, id: ID, wanted: &BTreeSet<char>) -> BTreeSet<char> {
    let covered = fonts.with_face_data(id, |data, index| {
        let font = FontRef::from_index(data, index).ok()?;
        let characters = font.charmap();
        let covered = wanted.iter().copied();
        Some(covered.filter(|&c| characters.map(c).is_some()).collect())
    });
    covered.flatten().unwrap_or_default()
}

/// Selects few fonts that together have the characters in `lacking`. Returns the font family of each such character,
/// and removes these characters from `lacking`. The characters that no font has remain.
fn families(fonts: &Database, lacking: &mut BTreeSet<char>) -> BTreeMap<char, String> {
    let usable = fonts.faces().filter_map(|face| {
        let family = &face.families.first()?.0;
        // Other names cannot be written in the SVG.
        let is_plain = !family.contains(['\'', '"', '<', '>', '&', ',']);
        let covered = covered(fonts, face.id, lacking);
        let is_usable = face.style == Style::Normal && is_plain && !covered.is_empty();
        is_usable.then_some((face, family, covered))
    });
    let mut usable: Vec<(&FaceInfo, &String, BTreeSet<char>)> = usable.collect();
    let mut selected = BTreeMap::new();
    while let Some((_, family, covered)) = usable
        .iter()
        .max_by_key(|(face, family, covered)| {
            // The figures have a proportional font without serifs.
            let is_similar = !face.monospaced && !family.contains("Serif");
            let is_regular = face.weight.0 == 400;
            (covered.len(), is_similar, is_regular)
        })
        .filter(|(_, _, covered)| !covered.is_empty())
    {
        let covered = covered.clone();
        selected.extend(covered.iter().map(|&c| (c, (*family).clone())));
        for (_, _, others) in &mut usable {
            others.retain(|c| !covered.contains(c));
        }
        lacking.retain(|c| !covered.contains(c));
    }
    selected
}

/// Returns the SVG with the font families of `families` in its texts: each character in this map is drawn with its
/// family.
fn with_families(svg: &str, families: &BTreeMap<char, String>) -> String {
    let mut marked = String::with_capacity(svg.len() + 64);
    let mut rest = svg;
    while let Some(start) = rest.find("<text ").or_else(|| rest.find("<text>")) {
        let start = start + rest[start..].find('>').map_or(0, |end| end + 1);
        let length = rest[start..].find("</text>").unwrap_or_default();
        let (before, after) = rest.split_at(start);
        let (text, after) = after.split_at(length);
        marked.push_str(before);
        marked.push_str(&text_with_families(text, families));
        rest = after;
    }
    marked.push_str(rest);
    marked
}

fn text_with_families(text: &str, families: &BTreeMap<char, String>) -> String {
    let span =
        |family: &str, text: &str| format!("<tspan font-family=\"'{family}'\">{text}</tspan>");
    let needed = || text.chars().filter_map(|c| families.get(&c));
    // The glyphs of other scripts depend on their neighbours, and the renderer drops some of them in a text with
    // several fonts. Fonts of these scripts usually have Latin letters too.
    if text
        .chars()
        .any(|c| families.contains_key(&c) && !is_simple(c))
    {
        let count = |family: &&String| needed().filter(|other| other == family).count();
        return needed()
            .max_by_key(count)
            .map_or_else(String::new, |family| span(family, text));
    }
    let mut marked = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let family = families.get(&first);
        let end = rest.find(|c| families.get(&c) != family);
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        match family {
            Some(family) => marked.push_str(&span(family, run)),
            None => marked.push_str(run),
        }
        rest = after;
    }
    marked
}

/// Returns `true` if glyphs in the script of this character do not depend on their neighbours, so that a text may be
/// divided between fonts.
fn is_simple(c: char) -> bool {
    matches!(
        c.script(),
        Script::Bopomofo
            | Script::Common
            | Script::Cyrillic
            | Script::Greek
            | Script::Han
            | Script::Hangul
            | Script::Hiragana
            | Script::Katakana
            | Script::Latin
            | Script::Unknown
    )
}

/// Returns the text of a note about characters that no font has, and about fonts that have them.
pub(super) fn missing_note(missing: &[char]) -> String {
    /// The number of characters that are listed for each script.
    const LISTED: usize = 5;
    let mut scripts: BTreeMap<&str, Vec<char>> = BTreeMap::new();
    let mut fonts = BTreeSet::new();
    for &c in missing {
        let script = c.script();
        let name = match script {
            Script::Common | Script::Inherited => "symbols or emoji",
            Script::Unknown => "not assigned",
            script => script.full_name(),
        };
        scripts.entry(name).or_default().push(c);
        fonts.extend(font_of(script));
    }
    let scripts = scripts.into_iter().map(|(name, characters)| {
        let listed = characters.iter().take(LISTED);
        let listed: Vec<String> = listed
            // The terminal may lack a font too.
            .map(|&c| match c.script() {
                Script::Unknown => format!("U+{:04X}", u32::from(c)),
                _ => format!("{c} U+{:04X}", u32::from(c)),
            })
            .collect();
        let more = characters.len().saturating_sub(LISTED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more} ({name})", listed.join(", "))
    });
    let scripts = scripts.collect::<Vec<_>>().join("; ");
    let fonts: Vec<String> = fonts.into_iter().collect();
    let install = if fonts.is_empty() {
        "install a font that has them".to_owned()
    } else {
        format!("install {}", fonts.join(", "))
    };
    format!(
        "no font has these characters, which are drawn as boxes: {scripts}; {install}, or write SVG"
    )
}

/// Returns the name of a font that can be installed for a script. `None` for characters that are not assigned.
fn font_of(script: Script) -> Option<String> {
    match script {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => {
            Some("Noto Sans CJK".to_owned())
        }
        Script::Common | Script::Inherited => Some("Noto Color Emoji".to_owned()),
        Script::Unknown => None,
        script => Some(format!(
            "Noto Sans {}",
            script.full_name().replace('_', " ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fonts(files: &[&[u8]]) -> Arc<Database> {
        let mut fonts = Database::new();
        for file in files {
            fonts.load_font_data(file.to_vec());
        }
        Arc::new(fonts)
    }

    fn never() -> Arc<Database> {
        panic!("the fonts of the system are loaded")
    }

    #[test]
    fn french_greek_and_russian_need_no_other_font() {
        let text = "<text>œuvre naïve, çà, Übung, Ελλάδα, съёмка, 5 °, −1…</text>";
        let prepared = prepare_with(text, &OWN, never);
        assert_eq!(prepared.svg, text);
        assert!(prepared.missing.is_empty());
    }

    #[test]
    fn characters_that_no_font_has_are_named() {
        let text = "<text>Übung: グラブ 🖐 손</text>";
        let prepared = prepare_with(text, &OWN, || fonts(&[]));
        assert_eq!(prepared.svg, text);
        assert_eq!(
            missing_note(&prepared.missing),
            "no font has these characters, which are drawn as boxes: 손 U+C190 (Hangul); グ U+30B0, ブ U+30D6, \
             ラ U+30E9 (Katakana); 🖐 U+1F590 (symbols or emoji); install Noto Color Emoji, Noto Sans CJK, or \
             write SVG"
        );
        assert_eq!(
            missing_note(&['\u{f0000}']),
            "no font has these characters, which are drawn as boxes: U+F0000 (not assigned); install a font that \
             has them, or write SVG"
        );
        let many: Vec<char> = ('ก'..='ฮ').collect();
        let note = missing_note(&many);
        assert!(
            note.contains("and 41 more (Thai); install Noto Sans Thai,"),
            "{note}"
        );
    }

    #[test]
    fn a_font_of_the_system_is_named_for_the_characters_that_need_it() {
        // The first font lacks the letters with double strokes. Both others have them.
        let own = fonts(&[dejavu::sans_mono::bold()]);
        let [sans, serif] = [dejavu::sans::regular(), dejavu::serif::regular()];
        let system = || fonts(&[serif, sans]);
        let text = "<text>a \u{1d538}\u{fe0f}\u{1d539} b \u{10ffff}</text>";
        let prepared = prepare_with(text, &own, system);
        assert_eq!(
            prepared.svg,
            "<text>a <tspan font-family=\"'DejaVu Sans'\">\u{1d538}\u{1d539}</tspan> b \u{10ffff}</text>"
        );
        assert_eq!(prepared.missing, ['\u{10ffff}']);
    }

    #[test]
    fn scripts_with_joined_letters_have_one_font_per_text() {
        let families = [('ก', "Thai"), ('🖐', "Emoji"), ('グ', "Kana")];
        let families = families.map(|(c, family)| (c, family.to_owned()));
        let svg = "<text x=\"1\">a กก 🖐</text><g/><text>グ 🖐 b</text><text>c</text>";
        assert_eq!(
            with_families(svg, &BTreeMap::from(families)),
            "<text x=\"1\"><tspan font-family=\"'Thai'\">a กก 🖐</tspan></text><g/>\
             <text><tspan font-family=\"'Kana'\">グ</tspan> <tspan font-family=\"'Emoji'\">🖐</tspan> b</text>\
             <text>c</text>"
        );
    }

    #[test]
    fn sequences_of_emoji_are_simplified() {
        assert_eq!(
            simplified("👍\u{1f3fd} 🖐\u{fe0f} 🏃\u{200d}♂\u{fe0f} 🇩🇪"),
            "👍 🖐 🏃♂ DE"
        );
        assert!(matches!(simplified("<text>अ</text>"), Cow::Borrowed(_)));
        assert_eq!(simplified("क्\u{200d}ष"), "क्\u{200d}ष");
    }
}
