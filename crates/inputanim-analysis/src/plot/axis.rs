//! Numbers of axes.

/// Returns the numbers from `low` to `high` that an axis labels: multiples of a step of 1, 2 or 5 times a power of ten,
/// at most about `count`. Returns only `low` if the range is empty or not finite.
pub(super) fn ticks(low: f64, high: f64, count: f64) -> Vec<f64> {
    let step = round_step((high - low) / count);
    if !step.is_finite() || step <= 0.0 {
        return vec![low];
    }
    let first = libm::ceil(low / step);
    let numbers = (0..100).map(|index| (first + f64::from(index)) * step);
    numbers
        .take_while(|tick| *tick <= high + 1e-9 * step)
        .collect()
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is not smaller than `least`. NaN if `least` is not
/// finite, or not above 0.
pub(super) fn round_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return f64::NAN;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(least)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps
        .into_iter()
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(least)
}

/// Formats the number of a label of an axis: with at most three decimals and without trailing zeros, or in scientific
/// notation from a million on.
pub(super) fn number(value: f64) -> String {
    // Damaged recordings have values up to 3e38.
    if value.abs() >= 1e6 {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(ticks(0.0, 9.0, 8.0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        let texts: Vec<String> = ticks(-0.07, 0.25, 4.0).into_iter().map(number).collect();
        assert_eq!(texts, ["0", "0.1", "0.2"]);
        assert_eq!(ticks(3.0, 3.0, 4.0), [3.0]);
        assert_eq!(ticks(f64::NAN, 1.0, 4.0).len(), 1);
        assert_eq!([number(-0.25), number(3e38)], ["−0.25", "3.0e38"]);
    }

    #[test]
    fn steps_are_not_smaller() {
        assert_eq!([0.9, 1.0, 1.1, 30.0].map(round_step), [1.0, 1.0, 2.0, 50.0]);
        assert!(round_step(0.0).is_nan());
    }
}
