//! Smoothness of movements.
//!
//! Source: Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet, "On the analysis of movement
//! smoothness", Journal of NeuroEngineering and Rehabilitation 12:112 (2015). The results agree with the
//! authors' reference implementation.

use crate::missing::{Measured, Missing};

/// Parameters of the spectral arc length.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct SparcParameters {
    /// Highest frequency in Hz; 10 by default.
    pub cutoff: f64,
    /// Smallest amplitude, relative to the largest one, that limits the frequency range adaptively;
    /// 0.05 by default.
    pub amplitude: f64,
    /// Padding with zeros: the transform has 2^padding times as many samples as the next power of two;
    /// 4 by default, at most 8.
    pub padding: u32,
}

impl Default for SparcParameters {
    /// Returns the default parameters of SPARC, which are those of the source: a cutoff of 10 Hz, an amplitude of 0.05
    /// and a padding of 4.
    fn default() -> Self {
        SparcParameters {
            cutoff: 10.0,
            amplitude: 0.05,
            padding: 4,
        }
    }
}

/// Computes the spectral arc length (SPARC) of a speed profile at a rate in Hz. The result is 0 or less, and closer to
/// 0 for a smoother movement.
///
/// ```
/// use inputanim_analysis::sparc;
/// let speed: Vec<f64> = (0..200).map(|i| (-5.0 * (i as f64 / 100.0 - 1.0).powi(2)).exp()).collect();
/// let found = sparc(&speed, 100.0, &Default::default()).unwrap();
/// assert!((found - -1.41403).abs() < 1e-5);
/// ```
///
/// # Errors
/// Returns the reason if there are fewer than two samples or no movement.
pub fn sparc(speed: &[f64], rate: f64, parameters: &SparcParameters) -> Measured {
    if speed.len() < 2 {
        return Err(Missing::TooFew);
    }
    let len = speed.len().next_power_of_two() << parameters.padding.min(8);
    let spectrum = magnitudes(speed, len);
    let max = spectrum.iter().copied().fold(0.0, f64::max);
    // `f64::max` ignores NaN, so a signal of NaN has the maximum 0.
    if max <= 0.0 {
        return Err(Missing::Undefined);
    }
    let step = rate / len as f64;
    let within = spectrum
        .iter()
        .enumerate()
        .take_while(|(index, _)| *index as f64 * step <= parameters.cutoff);
    let selected: Vec<f64> = within.map(|(_, magnitude)| magnitude / max).collect();
    let is_large = |magnitude: &f64| *magnitude >= parameters.amplitude;
    let (Some(first), Some(last)) = (
        selected.iter().position(is_large),
        selected.iter().rposition(is_large),
    ) else {
        return Err(Missing::Undefined);
    };
    if first == last {
        return Err(Missing::Undefined);
    }
    let part = 1.0 / (last - first) as f64;
    let arcs = selected[first..=last].windows(2);
    Ok(-arcs
        .map(|pair| libm::hypot(part, pair[1] - pair[0]))
        .sum::<f64>())
}

/// Computes the dimensionless jerk of a speed profile at a rate in Hz. The result has no unit. It is 0 or less, and
/// closer to 0 for a smoother movement.
///
/// # Errors
/// Returns the reason if there are fewer than three samples or no movement.
pub fn dimensionless_jerk(speed: &[f64], rate: f64) -> Measured {
    if speed.len() < 3 {
        return Err(Missing::TooFew);
    }
    let peak = speed.iter().copied().fold(0.0, f64::max);
    if peak <= 0.0 {
        return Err(Missing::Undefined);
    }
    let duration = speed.len() as f64 / rate;
    let jerk = |samples: &[f64]| (samples[2] - 2.0 * samples[1] + samples[0]) * rate * rate;
    let squares: f64 = speed.windows(3).map(|samples| jerk(samples).powi(2)).sum();
    Ok(-duration.powi(3) / (peak * peak) * squares / rate)
}

/// Computes the logarithm of the dimensionless jerk (LDLJ) of a speed profile at a rate in Hz. The result is larger for
/// a smoother movement.
///
/// # Errors
/// Returns the reason if there are fewer than three samples, no movement or no jerk.
pub fn log_dimensionless_jerk(speed: &[f64], rate: f64) -> Measured {
    let jerk = dimensionless_jerk(speed, rate)?;
    if jerk < 0.0 {
        Ok(-libm::log(-jerk))
    } else {
        Err(Missing::Undefined)
    }
}

/// Returns the magnitudes of the Fourier transform of a signal, for the frequencies from 0 to half the sampling rate.
/// The signal is padded with zeros to `len` samples, a power of two.
///
/// This is a radix-2 transform. A crate would select vector instructions at run time, so that results would differ
/// between processors.
fn magnitudes(signal: &[f64], len: usize) -> Vec<f64> {
    let mut re = vec![0.0; len];
    let mut im = vec![0.0; len];
    let bits = len.trailing_zeros();
    for (index, &value) in signal.iter().enumerate() {
        // Order of reversed bits, which the butterflies turn into the natural one.
        re[index.reverse_bits() >> (usize::BITS - bits)] = value;
    }
    let mut half = 1;
    while half < len {
        let step = -std::f64::consts::PI / half as f64;
        for offset in 0..half {
            let (sin, cos) = libm::sincos(step * offset as f64);
            for low in (offset..len).step_by(2 * half) {
                let high = low + half;
                let (x, y) = (
                    re[high] * cos - im[high] * sin,
                    re[high] * sin + im[high] * cos,
                );
                (re[high], im[high]) = (re[low] - x, im[low] - y);
                (re[low], im[low]) = (re[low] + x, im[low] + y);
            }
        }
        half *= 2;
    }
    let pairs = re.iter().zip(&im).take(len / 2 + 1);
    pairs.map(|(&re, &im)| libm::hypot(re, im)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signal of the reference implementation's example: exp(−5t²) from −1 s to 1 s at 100 Hz.
    fn gaussian() -> Vec<f64> {
        let time = |index: i32| -1.0 + f64::from(index) / 100.0;
        (0..200)
            .map(|index| (-5.0 * time(index).powi(2)).exp())
            .collect()
    }

    #[test]
    fn golden_values_of_the_reference_implementation() {
        let near = |found: Measured, expected: f64| {
            let found = found.unwrap();
            assert!((found - expected).abs() < 5e-6, "{found}, not {expected}");
        };
        near(
            sparc(&gaussian(), 100.0, &SparcParameters::default()),
            -1.41403,
        );
        near(dimensionless_jerk(&gaussian(), 100.0), -335.74684);
        near(log_dimensionless_jerk(&gaussian(), 100.0), -5.81636);
    }

    #[test]
    fn smoothness_does_not_depend_on_the_size_of_the_movement() {
        let large: Vec<f64> = gaussian().into_iter().map(|speed| 7.0 * speed).collect();
        let parameters = SparcParameters::default();
        for (a, b) in [
            (
                sparc(&large, 100.0, &parameters),
                sparc(&gaussian(), 100.0, &parameters),
            ),
            (
                dimensionless_jerk(&large, 100.0),
                dimensionless_jerk(&gaussian(), 100.0),
            ),
        ] {
            assert!((a.unwrap() - b.unwrap()).abs() < 1e-9);
        }
    }

    #[test]
    fn no_movement_has_no_smoothness() {
        for speed in [vec![], vec![1.0], vec![0.0; 50], vec![f64::NAN; 50]] {
            assert!(sparc(&speed, 60.0, &SparcParameters::default()).is_err());
            assert!(log_dimensionless_jerk(&speed, 60.0).is_err());
        }
    }
}
