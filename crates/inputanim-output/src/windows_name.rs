//! Names that Windows cannot have.
//!
//! Source: "Naming Files, Paths, and Namespaces" in Microsoft's documentation of Windows, and the devices `CONIN$` and `CONOUT$`
//! of its documentation of consoles.

use std::path::Path;

/// Returns `true` if Windows can have a file whose path in a folder is this name with slashes.
///
/// Windows may open the device if a part is the name of a device, in any case, also with an extension. It cuts dots and spaces
/// off at the end of a part, a colon leads to a hidden stream of another file, and some characters are not allowed.
///
/// ```
/// use inputanim_output::is_windows_name;
/// assert!(is_windows_name("p1/console.bin"));
/// assert!(!is_windows_name("p1/con.bin"));
/// assert!(!is_windows_name("p1./take.bin"));
/// ```
pub fn is_windows_name(name: &str) -> bool {
    name.split('/').all(is_part)
}

fn is_part(part: &str) -> bool {
    let is_refused =
        |c: char| matches!(c, '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*') || c < ' ';
    !part.is_empty()
        && !part.ends_with(['.', ' '])
        && !part.contains(is_refused)
        && device_of(Path::new(part)).is_none()
}

/// Returns the name of the device if Windows reserves the name of the file for one. An extension does not matter:
/// `aux.bin` is the device AUX, except on the newest versions.
pub(crate) fn device_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_uppercase();
    let stem = name.split(['.', ':']).next()?.trim_end();
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    let is_device = match number {
        Some(number) => {
            let mut digits = "123456789¹²³".chars();
            digits.any(|digit| number.chars().eq([digit]))
        }
        None => ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem),
    };
    is_device.then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_refuses_are_known() {
        for name in [
            "con",
            "p1/NUL.bin",
            "aux/take.bin",
            "com1.tar.gz",
            "LPT9",
            "com\u{b2}.bin",
            "con .bin",
            "conin$",
            "dot.",
            "space ",
            "p1 /take.bin",
            "10:30.bin",
            "a?.bin",
            "tab\t.bin",
            "",
        ] {
            assert!(!is_windows_name(name), "{name:?}");
        }
        for name in [
            "console.bin",
            "p1/null.bin",
            "com.bin",
            "com10.bin",
            "take.con",
            ".hidden",
            "a b.bin",
            "lpt\u{b9}\u{b9}",
            "\u{e4}.bin",
        ] {
            assert!(is_windows_name(name), "{name:?}");
        }
    }

    #[test]
    fn names_that_windows_reserves_are_found_with_any_extension() {
        for (name, device) in [
            ("NUL", Some("NUL")),
            ("takes/aux.bin", Some("AUX")),
            ("com1.tar.gz", Some("COM1")),
            ("Lpt² .bin", Some("LPT²")),
            ("conin$", Some("CONIN$")),
            ("nul:", Some("NUL")),
            ("console.bin", None),
            ("com.bin", None),
            ("com12.bin", None),
            ("con/take.bin", None),
            (".con", None),
        ] {
            assert_eq!(device_of(Path::new(name)).as_deref(), device, "{name}");
        }
    }
}
