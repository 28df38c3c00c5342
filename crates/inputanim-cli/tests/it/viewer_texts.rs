//! The texts of findings and measures in the languages of the viewer: none is missing, and numbers agree with the library.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use inputanim::doctor::Code;
use inputanim_analysis::{EventKind, Quantity};

const LANGUAGES: [&str; 5] = ["fr", "ko", "ru", "zh-Hans", "zh-Hant"];

/// The texts in each language.
type Texts = BTreeMap<String, Vec<String>>;

fn read(name: &str) -> BTreeMap<String, Texts> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/texts");
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

/// Returns the decimal sign of a language.
fn decimal_sign(language: &str) -> char {
    match language {
        "fr" | "ru" => ',',
        _ => '.',
    }
}

/// Returns the numbers in a text with this decimal sign, and the versions, which have points in all languages. All are returned with
/// points.
fn numbers(text: &str, decimal_sign: char) -> BTreeSet<String> {
    let is_sign = |letter: char| letter == '.' || letter == decimal_sign;
    let parts = text.split(|letter: char| !letter.is_ascii_digit() && !is_sign(letter));
    let parts = parts.map(|part| part.trim_matches(is_sign));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| part.replace(decimal_sign, ".")).collect()
}

/// Checks the translations of some texts: none is missing or in English, and all have the numbers of the English text.
fn check(name: &str, translated: &Texts, english: &[&str]) {
    let languages: Vec<&str> = translated.keys().map(String::as_str).collect();
    assert_eq!(languages, LANGUAGES, "{name}");
    for (language, texts) in translated {
        assert_eq!(texts.len(), english.len(), "{name} in {language}");
        for (text, english) in texts.iter().zip(english) {
            assert!(!text.is_empty() && text != english, "{name} in {language}");
            let (english, found) = (numbers(english, '.'), numbers(text, decimal_sign(language)));
            let missing: Vec<_> = english.difference(&found).collect();
            assert!(
                missing.is_empty(),
                "{name} in {language}: {missing:?} in {text}"
            );
        }
    }
}

#[test]
fn every_finding_has_texts_in_every_language() {
    let texts = read("findings.json");
    assert_eq!(texts.len(), Code::ALL.len());
    for code in Code::ALL {
        let english = [code.title(), code.meaning(), code.advice()];
        check(code.id(), &texts[code.id()], &english);
    }
}

#[test]
fn every_measure_has_texts_in_every_language() {
    let texts = read("measures.json");
    assert_eq!(texts.len(), Quantity::ALL.len());
    for quantity in Quantity::ALL {
        check(
            quantity.name,
            &texts[quantity.name],
            &["", quantity.definition],
        );
    }
}

#[test]
fn every_text_of_a_list_is_in_every_language() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/texts");
    let texts = fs::read(folder.join("page.json")).unwrap();
    let texts: Texts = serde_json::from_slice(&texts).unwrap();
    for (key, translated) in &texts {
        assert_eq!(translated.len(), 1 + LANGUAGES.len(), "{key}");
        // The library has the English text of errors.
        let first = usize::from(key.starts_with("error."));
        assert!(
            translated[first..].iter().all(|text| !text.is_empty()),
            "{key}"
        );
    }
    for kind in EventKind::ALL {
        assert!(
            texts.contains_key(&format!("event.{}", kind.name())),
            "{kind}"
        );
    }
}
