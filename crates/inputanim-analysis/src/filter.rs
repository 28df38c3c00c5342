//! Savitzky-Golay derivatives.
//!
//! Method: in a window of an odd number of samples, a polynomial is fitted by least squares, and its
//! derivative is evaluated at the centre (Savitzky and Golay 1964). Near the ends, the polynomial of the
//! first or last complete window is evaluated off its centre. The weights are computed from Gram
//! polynomials (Gorry 1990), which is exact for every position in the window. The result agrees with
//! `scipy.signal.savgol_filter` with `mode="interp"`.

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
    pub const MAX_WINDOW: usize = 999;

    /// Computes the weights for a window (an odd number of samples; an even one is increased by one)
    /// and a polynomial order, which is limited to `window - 1` and to 8.
    pub fn new(window: usize, order: usize) -> SavitzkyGolay {
        let half = window.clamp(3, SavitzkyGolay::MAX_WINDOW) / 2;
        let order = order.clamp(1, 8).min(2 * half);
        let weights = [1, 2, 3].map(|derivative| weights(half, order, derivative));
        SavitzkyGolay {
            half,
            order,
            weights,
        }
    }

    /// Returns the number of samples in a window.
    pub fn window(&self) -> usize {
        2 * self.half + 1
    }

    /// Returns the order of the polynomial.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns a derivative (1 to 3) of each sample of an uninterrupted signal at a rate in Hz. Returns
    /// `None` if the signal is shorter than the window.
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

/// Returns the weights for every evaluated position of the window, position by position.
fn weights(half: usize, order: usize, derivative: usize) -> Vec<f64> {
    let m = half as f64;
    // Gram polynomials at every position, without and with the derivative.
    let plain = gram(half, order, 0);
    let derived = gram(half, order, derivative);
    let norm = |k: usize| {
        let k = k as f64;
        (2.0 * k + 1.0) * falling(2.0 * m, k) / falling(2.0 * m + k + 1.0, k + 1.0)
    };
    let norms: Vec<f64> = (0..=order).map(norm).collect();
    let window = 2 * half + 1;
    let weight = |position: usize, sample: usize| {
        let terms = norms.iter().enumerate();
        let terms = terms.map(|(k, norm)| norm * plain[k][sample] * derived[k][position]);
        terms.sum::<f64>()
    };
    (0..window * window)
        .map(|index| weight(index / window, index % window))
        .collect()
}

/// Returns the product of `count` factors from `top` downwards.
fn falling(top: f64, count: f64) -> f64 {
    (0..count as usize).map(|step| top - step as f64).product()
}

/// Returns a derivative of the Gram polynomials 0 to `order` at every position of the window.
fn gram(half: usize, order: usize, derivative: usize) -> Vec<Vec<f64>> {
    let m = half as f64;
    let positions: Vec<f64> = (0..2 * half + 1).map(|at| at as f64 - m).collect();
    // The recurrence for a derivative needs the derivative below it.
    let mut below: Vec<Vec<f64>> = Vec::new();
    for s in 0..=derivative {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(order + 1);
        for k in 0..=order {
            let row = positions.iter().enumerate().map(|(at, position)| {
                if k == 0 {
                    return if s == 0 { 1.0 } else { 0.0 };
                }
                let step = k as f64;
                let lower = if s == 0 {
                    0.0
                } else {
                    s as f64 * below[k - 1][at]
                };
                let before = if k == 1 { 0.0 } else { rows[k - 2][at] };
                let divisor = step * (2.0 * m - step + 1.0);
                (4.0 * step - 2.0) / divisor * (position * rows[k - 1][at] + lower)
                    - (step - 1.0) * (2.0 * m + step) / divisor * before
            });
            let row: Vec<f64> = row.collect();
            rows.push(row);
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
        // Savitzky and Golay 1964, table of first derivatives: quadratic, five points.
        let filter = SavitzkyGolay::new(5, 2);
        let centre = &filter.weights[0][10..15];
        for (weight, expected) in centre.iter().zip([-0.2, -0.1, 0.0, 0.1, 0.2]) {
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
        let filter = SavitzkyGolay::new(11, 3);
        for (derivative, expected) in [
            (1, |t: f64| 3.0 * t * t),
            (2, |t: f64| 6.0 * t),
            (3, |_: f64| 6.0),
        ] as [(usize, fn(f64) -> f64); 3]
        {
            let found = filter.derivative(&signal, derivative, rate).unwrap();
            for (index, [cubic, _, constant]) in found.into_iter().enumerate() {
                assert!((cubic - expected(time(index))).abs() < 1e-8, "{derivative}");
                assert!(constant.abs() < 1e-8);
            }
        }
        assert!(filter.derivative(&signal[..10], 1, rate).is_none());
    }

    #[test]
    fn windows_and_orders_of_any_size_are_limited() {
        for (window, order) in [(0, 0), (4, 9), (3, 2), (usize::MAX, usize::MAX)] {
            let filter = SavitzkyGolay::new(window, order);
            assert!(filter.window() % 2 == 1 && filter.order() < filter.window());
        }
    }
}
