//! Detection of captures of hands by Unity, which have no magic bytes.

/// Returns `true` if the bytes are the beginning of a capture of hands by Unity: a version that is known, a name, and plausible
/// numbers after it.
pub(super) fn is_handsbin(bytes: &[u8]) -> bool {
    is_plausible(bytes).unwrap_or(false)
}

/// Returns `None` if the bytes end within the header.
fn is_plausible(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes;
    let version = integer(&mut rest)?;
    let is_known = match version {
        1 => true,
        2 => {
            let (flags, options) = (integer(&mut rest)?, integer(&mut rest)?);
            (0..=0xff).contains(&flags) && (0..=1).contains(&options)
        }
        _ => false,
    };
    if !is_known {
        return Some(false);
    }
    let name = text(&mut rest)?;
    let is_name = str::from_utf8(name).is_ok_and(|name| !name.contains(char::is_control));
    let duration = f32::from_le_bytes(array(&mut rest)?);
    let number = integer(&mut rest)?;
    let is_count = match version {
        // The number of frames, and the time and the states of the first frame.
        1 => {
            number == 0
                || number > 0
                    && f32::from_le_bytes(array(&mut rest)?).is_finite()
                    && array::<4>(&mut rest)?.iter().all(|&state| state <= 1)
        }
        // The number of joints.
        _ => number == 26,
    };
    Some(is_name && is_count && duration.is_finite() && duration >= 0.0)
}

fn array<const SIZE: usize>(rest: &mut &[u8]) -> Option<[u8; SIZE]> {
    let (value, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*value)
}

fn integer(rest: &mut &[u8]) -> Option<i32> {
    array(rest).map(i32::from_le_bytes)
}

/// Returns the bytes of a text, which has its length as LEB128 before it.
fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut size = 0;
    for shift in [0, 7, 14, 21] {
        let [byte] = array(rest)?;
        size |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let (text, after) = rest.split_at_checked(size)?;
            *rest = after;
            return Some(text);
        }
    }
    None
}
