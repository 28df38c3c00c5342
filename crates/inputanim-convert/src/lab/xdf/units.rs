//! The units of positions.

use std::collections::BTreeMap;

use inputanim::CurvePath;

use super::file::XdfFile;
use super::target::Target;
use crate::shared::report::listed;
use crate::shared::units::{Quantity, is_position};

/// Converts positions to metres if the header states another unit and their mapping has no factor, and returns a note for
/// each stream and unit with positions that are converted, or that the factors of their mappings do not convert to metres.
pub(super) fn convert(
    file: &XdfFile<'_>,
    targets: &mut BTreeMap<CurvePath, Target>,
) -> Vec<String> {
    /// The largest number of curves of a note.
    const LISTED: usize = 3;
    // The stream, the unit, and true if it is converted.
    let mut found: BTreeMap<(usize, &str, bool), Vec<CurvePath>> = BTreeMap::new();
    for (&path, target) in targets {
        let stated = file.streams[target.stream]
            .header
            .units
            .get(target.channel.index);
        let Some(Some(unit)) = stated else {
            continue;
        };
        let factor = &mut target.channel.factor;
        if !is_position(path) || is_converted(unit, *factor) {
            continue;
        }
        let converting = Quantity::Length.size(unit).filter(|_| !target.has_factor);
        if let Some(metres) = converting {
            *factor *= metres;
        }
        let key = (target.stream, unit.as_str(), converting.is_some());
        found.entry(key).or_default().push(path);
    }
    let notes = found
        .into_iter()
        .map(|((stream, unit, is_converted), paths)| {
            let factor = match Quantity::Length.size(unit) {
                Some(_) if is_converted => "the numbers were converted to metres".to_owned(),
                Some(factor) => format!("a factor of {factor} converts them to metres"),
                None => "the numbers are read as metres".to_owned(),
            };
            let (stream, paths) = (file.label(stream), listed(paths, LISTED));
            format!("{stream}: the unit of {paths} is {unit:?}; {factor}")
        });
    notes.collect()
}

/// Returns `true` if `factor` converts numbers of `unit` to metres. Returns `true` for metres with any factor too,
/// because the unit in the file may be wrong, and for an unknown unit with a factor other than 1 or −1.
fn is_converted(unit: &str, factor: f64) -> bool {
    match Quantity::Length.size(unit) {
        Some(metres) => metres == 1.0 || (factor.abs() / metres - 1.0).abs() < 1e-6,
        None => factor.abs() != 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_may_flip_an_axis() {
        assert!(is_converted("mm", -0.001));
        assert!(!is_converted("mm", 1.0));
        assert!(is_converted("m", 0.001));
        assert!(is_converted("parsec", 3.0857e16) && !is_converted("parsec", -1.0));
    }
}
