//! JSON inside other text: after the place that the console of a browser prints, or as a string of JSON.

/// The longest text before JSON, such as `VM123:1 `.
const MAX_PREFIX: usize = 256;

/// Returns the offset of a JSON object whose first member is one of `members`, or of the JSON string that contains the object.
/// Only the beginning of the text is searched. Returns `None` without such an object.
pub(crate) fn start_of_object(text: &[u8], members: &[&str]) -> Option<usize> {
    let head = &text[..text.len().min(MAX_PREFIX)];
    let mut braces = (0..head.len()).filter(|&offset| head[offset] == b'{');
    braces.find_map(|brace| {
        let (is_string, rest) = quote(&text[brace + 1..])?;
        let is_member = |name: &&str| {
            let rest = rest.strip_prefix(name.as_bytes());
            rest.and_then(quote).is_some()
        };
        if !members.iter().any(is_member) {
            return None;
        }
        // In a string, and in a string inside a string, the quotes of members follow backslashes.
        if is_string {
            head[..brace].iter().position(|&byte| byte == b'"')
        } else {
            Some(brace)
        }
    })
}

/// Returns the text after a quotation mark, and `true` if backslashes are before the mark. White space before it is skipped.
fn quote(mut text: &[u8]) -> Option<(bool, &[u8])> {
    let mut is_string = false;
    loop {
        text = text.trim_ascii_start();
        text = match text {
            [b'"', rest @ ..] => return Some((is_string, rest)),
            [b'\\', b'n' | b'r' | b't', rest @ ..] | [b'\\', rest @ ..] => {
                is_string = true;
                rest
            }
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_behind_short_text_and_in_strings() {
        let start = |text: &str| start_of_object(text.as_bytes(), &["schema", "frames"]);
        assert_eq!(start(r#"{"schema": []}"#), Some(0));
        assert_eq!(start("VM123:1 {\n \"frames\": []}"), Some(8));
        assert_eq!(start(r#"a.js:3 '{"schema": []}'"#), Some(8));
        assert_eq!(start(r#"x "{\"schema\": []}""#), Some(2));
        assert_eq!(start(r#""{\n  \"schema\": []}""#), Some(0));
        assert_eq!(start(r#""\"{\\\"schema\\\": []}\"""#), Some(0));
        assert_eq!(start(r#"{a} {"schema": []}"#), Some(4));
        for other in [
            r#"{"asset": {}}"#,
            r#"{"schemas": []}"#,
            r#"{\"schema\": []}"#,
            "{",
            "",
            "a,b\n1,2",
        ] {
            assert_eq!(start(other), None, "{other}");
        }
        let long = " ".repeat(MAX_PREFIX) + "{\"schema\": []}";
        assert_eq!(start(&long), None);
    }
}
