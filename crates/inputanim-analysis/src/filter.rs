//! Savitzky-Golay derivatives.
//!
//! Method: in a window, a polynomial is fitted by weighted least squares, and its derivative is evaluated at the centre
//! (Savitzky and Golay 1964). Near the ends, the polynomial of the first or last complete window is evaluated off its
//! centre. The width of the window may be a fraction of a sample: each sample stands for the time of one interval
//! around it, and the two outermost samples have the weight of the part that is within the window. The cut-off
//! frequency of a window in seconds is therefore nearly the same at all rates. The polynomials are orthogonal for these
//! weights (Forsythe 1957). For an odd number of samples, the result agrees with `scipy.signal.savgol_filter` with
//! `mode="interp"`.

use std::ops::RangeInclusive;

/// Weights of a Savitzky-Golay filter for derivatives 1 to 3.
#[derive(Clone, Debug)]
pub struct SavitzkyGolay {
    half: usize,
    order: usize,
    /// For each derivative, the weights of the window for each evaluated position in it.
    weights: [Vec<f64>; 3],
}

impl SavitzkyGolay {
    /// Maximum number of samples in a window.
    pub const MAX_WINDOW: f64 = 999.0;

    /// Orders of the polynomial. Lower orders have no third derivative.
    pub const ORDERS: RangeInclusive<usize> = 3..=8;

    /// Computes the weights for a window in samples, which may be a fraction, and an order of the
    /// polynomial. A window of fewer than `order + 2` samples is widened to this number, because narrower
    /// windows do not determine the polynomial or fit it through every sample.
    ///
    /// Returns `None` if the window is not above 0 and at most [`MAX_WINDOW`](Self::MAX_WINDOW), or if the
    /// order is not one of [`ORDERS`](Self::ORDERS).
    pub fn new(window: f64, order: usize) -> Option<SavitzkyGolay> {
        let is_valid = window > 0.0 && window <= SavitzkyGolay::MAX_WINDOW;
        if !is_valid || !SavitzkyGolay::ORDERS.contains(&order) {
            return None;
        }
        let window = window.max(order as f64 + 2.0);
        // Windows in seconds are often rounded, such as 0.1833 s for 11 samples at 60 Hz.
        let whole = libm::round(window);
        let window = if (window - whole).abs() < 0.005 {
            whole
        } else {
            window
        };
        let reach = (window - 1.0) / 2.0;
        let half = libm::ceil(reach) as usize;
        let mut shares = vec![1.0; 2 * half + 1];
        let outermost = reach - (half as f64 - 1.0);
        shares[0] = outermost;
        shares[2 * half] = outermost;
        let weights = [1, 2, 3].map(|derivative| weights(&shares, order, derivative));
        Some(SavitzkyGolay {
            half,
            order,
            weights,
        })
    }

    /// Returns the number of samples in a window, including the two outermost samples, which may count only in part.
    pub fn window(&self) -> usize {
        2 * self.half + 1
    }

    /// Returns the order of the polynomial of the filter.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the derivative of order 1, 2 or 3 at each sample of a signal without gaps. `rate` is the sampling rate
    /// in Hz. Returns `None` if the signal is shorter than the window, or for another order.
    pub fn derivative(
        &self,
        signal: &[[f64; 3]],
        derivative: usize,
        rate: f64,
    ) -> Option<Vec<[f64; 3]>> {
        let window = self.window();
        let last = signal.len().checked_sub(window)?;
        let weights = self.weights.get(derivative.checked_sub(1)?)?;
        let scale = rate.powi(derivative as i32);
        let at = |index: usize| {
            let start = index.saturating_sub(self.half).min(last);
            let weights = &weights[(index - start) * window..][..window];
            let mut sum = [0.0; 3];
            for (sample, weight) in signal[start..start + window].iter().zip(weights) {
                for (sum, value) in sum.iter_mut().zip(sample) {
                    *sum += value * weight;
                }
            }
            sum.map(|sum| sum * scale)
        };
        Some((0..signal.len()).map(at).collect())
    }
}

/// Returns the weights of the filter for the derivative at each position of the window: first one weight for each
/// sample for the first position, then those for the next position, and so on. `shares` has the weight of each sample
/// in the least squares fit, and `order` is the order of the polynomial.
fn weights(shares: &[f64], order: usize, derivative: usize) -> Vec<f64> {
    let plain = orthogonal(shares, order, 0);
    let derived = orthogonal(shares, order, derivative);
    let products = plain.iter().map(|row| product(shares, row, row));
    let norms: Vec<f64> = products.collect();
    let window = shares.len();
    // Positions are scaled to −1 to 1.
    let scale = (2.0 / (window - 1) as f64).powi(derivative as i32);
    let weight = |position: usize, sample: usize| {
        let terms = norms.iter().enumerate();
        let terms = terms.map(|(k, norm)| plain[k][sample] * derived[k][position] / norm);
        shares[sample] * scale * terms.sum::<f64>()
    };
    (0..window * window)
        .map(|index| weight(index / window, index % window))
        .collect()
}

/// Returns the weighted scalar product of two polynomials. `a` and `b` are their values at the samples, and `shares`
/// are the weights of the samples.
fn product(shares: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let terms = shares.iter().zip(a.iter().zip(b));
    terms.map(|(share, (a, b))| share * a * b).sum()
}

/// Returns a table of values of the orthogonal polynomials, or of their derivative of order `derivative`, if this is
/// not 0. It has a row for each degree from 0 to `order`, and a column for each position of the window, which is scaled
/// to −1 to 1. `shares` are the weights of the samples.
fn orthogonal(shares: &[f64], order: usize, derivative: usize) -> Vec<Vec<f64>> {
    let half = (shares.len() - 1) as f64 / 2.0;
    let positions: Vec<f64> = (0..shares.len())
        .map(|at| (at as f64 - half) / half)
        .collect();
    // The polynomials themselves are needed for the factors of the recurrence, and the recurrence of a
    // derivative needs the derivative below it.
    let mut factors: Vec<f64> = vec![0.0];
    let mut below: Vec<Vec<f64>> = Vec::new();
    for s in 0..=derivative {
        let constant = if s == 0 { 1.0 } else { 0.0 };
        let mut rows = vec![vec![constant; shares.len()]];
        for k in 0..order {
            if s == 0 && k > 0 {
                let factor = product(shares, &rows[k], &rows[k])
                    / product(shares, &rows[k - 1], &rows[k - 1]);
                factors.push(factor);
            }
            let next = positions.iter().enumerate().map(|(at, position)| {
                let lower = if s == 0 { 0.0 } else { s as f64 * below[k][at] };
                let before = if k == 0 { 0.0 } else { rows[k - 1][at] };
                position * rows[k][at] + lower - factors[k] * before
            });
            let next = next.collect();
            rows.push(next);
        }
        below = rows;
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_published_ones() {
        // Savitzky and Golay 1964, table of first derivatives: cubic, seven points.
        let filter = SavitzkyGolay::new(7.0, 3).unwrap();
        let centre = &filter.weights[0][21..28];
        let table = [22.0, -67.0, -58.0, 0.0, 58.0, 67.0, -22.0];
        for (weight, expected) in centre.iter().zip(table.map(|weight| weight / 252.0)) {
            assert!((weight - expected).abs() < 1e-12, "{centre:?}");
        }
    }

    #[test]
    fn derivatives_of_a_cubic_are_exact_up_to_the_ends() {
        let rate = 60.0;
        let time = |index: usize| index as f64 / rate;
        let signal: Vec<[f64; 3]> = (0..40)
            .map(|index| [time(index).powi(3), time(index), 1.0])
            .collect();
        let expected = |derivative: usize, t: f64| match derivative {
            1 => 3.0 * t * t,
            2 => 6.0 * t,
            _ => 6.0,
        };
        let windows = [5.0, 11.0, 12.4, 16.5].into_iter();
        for (window, derivative) in
            windows.flat_map(|window| [1, 2, 3].map(|derivative| (window, derivative)))
        {
            let filter = SavitzkyGolay::new(window, 3).unwrap();
            let found = filter.derivative(&signal, derivative, rate).unwrap();
            for (index, [cubic, _, constant]) in found.into_iter().enumerate() {
                let error = (cubic - expected(derivative, time(index))).abs();
                assert!(error < 1e-7, "{derivative}, {window}: {error}");
                assert!(constant.abs() < 1e-7);
            }
            let short = &signal[..filter.window() - 1];
            assert!(filter.derivative(short, 1, rate).is_none());
        }
    }

    #[test]
    fn a_sine_is_damped_alike_at_all_rates() {
        let jerk = |rate: f64| {
            let angular = 2.0 * std::f64::consts::PI * 4.0;
            let position = |index: usize| (angular * index as f64 / rate).sin();
            let signal: Vec<[f64; 3]> = (0..(3.0 * rate) as usize)
                .map(|index| [position(index), 0.0, 0.0])
                .collect();
            let filter = SavitzkyGolay::new(11.0 / 60.0 * rate, 3).unwrap();
            let jerk = filter.derivative(&signal, 3, rate).unwrap();
            let jerk = jerk.into_iter().map(|[x, ..]| x.abs());
            jerk.fold(0.0, f64::max) / angular.powi(3)
        };
        for rate in [60.0, 72.0, 90.0, 97.3, 120.0, 240.0] {
            let ratio = jerk(rate) / jerk(60.0);
            assert!((ratio - 1.0).abs() < 0.04, "{rate} Hz: {ratio}");
        }
    }

    #[test]
    fn windows_and_orders_out_of_range_are_refused_and_narrow_windows_widened() {
        for (window, order) in [(0.0, 3), (f64::NAN, 3), (1e3, 3), (11.0, 2), (11.0, 9)] {
            assert!(SavitzkyGolay::new(window, order).is_none());
        }
        for (window, order, samples) in [(0.1, 3, 5), (11.0, 3, 11), (10.998, 3, 11), (11.1, 3, 13)]
        {
            let filter = SavitzkyGolay::new(window, order).unwrap();
            assert_eq!(filter.window(), samples, "{window}");
        }
    }
}
