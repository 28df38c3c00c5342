//! Descriptive statistics.

use crate::missing::{Measured, Missing};

/// The distribution of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the sample, with n − 1; NaN for one value.
    pub sd: f64,
    /// Smallest value.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Largest value.
    pub max: f64,
}

impl Distribution {
    /// Names of the statistics, in the order of [`values`](Self::values).
    pub const NAMES: [&'static str; 6] = ["mean", "sd", "min", "median", "p95", "max"];

    /// Computes the distribution of the values that are finite; `None` if there are none.
    ///
    /// Quantiles are interpolated linearly, as by NumPy and by R's type 7 (Hyndman and Fan 1996).
    ///
    /// ```
    /// use inputanim_analysis::Distribution;
    /// let distribution = Distribution::of([4.0, 1.0, f64::NAN, 3.0, 2.0]).unwrap();
    /// assert_eq!((distribution.mean, distribution.median), (2.5, 2.5));
    /// ```
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Distribution> {
        let mut values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let mean = mean(&values)?;
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in &values {
            min = min.min(value);
            max = max.max(value);
        }
        let sd = standard_deviation(&values).unwrap_or(f64::NAN);
        let [median, p95] = quantiles(&mut values, [0.5, 0.95])?;
        Some(Distribution {
            mean,
            sd,
            min,
            median,
            p95,
            max,
        })
    }

    /// Returns the statistics of the distribution in the order of [`NAMES`](Self::NAMES). The standard deviation of a
    /// single value is [`Missing::TooFew`].
    pub fn values(&self) -> [Measured; 6] {
        let known = |value: f64| {
            if value.is_nan() {
                Err(Missing::TooFew)
            } else {
                Ok(value)
            }
        };
        [
            self.mean,
            self.sd,
            self.min,
            self.median,
            self.p95,
            self.max,
        ]
        .map(known)
    }
}

/// Returns the arithmetic mean; `None` without values.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Returns the standard deviation of a sample (n − 1); `None` for fewer than two values.
pub(crate) fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(libm::sqrt(squares / (values.len() - 1) as f64))
}

/// Returns the quantiles of `values` at the ascending `shares` from 0 to 1, with linear interpolation; `None` without
/// values. The order of `values` changes.
fn quantiles<const N: usize>(values: &mut [f64], shares: [f64; N]) -> Option<[f64; N]> {
    let last = values.len().checked_sub(1)?;
    let mut sorted = 0;
    Some(shares.map(|share| {
        let at = share * last as f64;
        let index = (at as usize).min(last);
        // All values before the last quantile are at most as large, so only the values after it are searched.
        let rest = &mut values[sorted..];
        let (_, &mut low, above) = rest.select_nth_unstable_by(index - sorted, f64::total_cmp);
        sorted = index;
        let between = at - index as f64;
        if between > 0.0 && !above.is_empty() {
            let high = above.iter().copied().fold(f64::INFINITY, f64::min);
            low + (high - low) * between
        } else {
            low
        }
    }))
}

/// Returns Pearson's correlation of the pairs in which both numbers are finite.
///
/// # Errors
/// Returns the reason if there are fewer than three such pairs, or if a variable does not vary.
pub(crate) fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> Measured {
    let pairs: Vec<(f64, f64)> = pairs
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    if pairs.len() < 3 {
        return Err(Missing::TooFew);
    }
    let [x, y, xy] = covariance(&pairs);
    /// Variances below are rounding: values that do not vary have no correlation.
    const MIN_VARIANCE: f64 = 1e-18;
    let least = MIN_VARIANCE * pairs.len() as f64;
    let product = x * y;
    if x > least && y > least {
        Ok(xy / libm::sqrt(product))
    } else {
        Err(Missing::Undefined)
    }
}

/// Returns three sums over all pairs: of the squares of x, of the squares of y, and of the products of x and y. Each
/// number is taken relative to the mean of its variable.
pub(crate) fn covariance(pairs: &[(f64, f64)]) -> [f64; 3] {
    let count = pairs.len().max(1) as f64;
    let sum = pairs.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let (mx, my) = (sum.0 / count, sum.1 / count);
    pairs.iter().fold([0.0; 3], |[x, y, xy], pair| {
        let (dx, dy) = (pair.0 - mx, pair.1 - my);
        [x + dx * dx, y + dy * dy, xy + dx * dy]
    })
}

/// Fits y = intercept + slope · x to pairs of x and y by least squares. Returns the slope and the intercept.
///
/// # Errors
/// Returns the reason if there are fewer than three pairs, or if x does not vary.
pub(crate) fn regression(pairs: &[(f64, f64)]) -> Result<(f64, f64), Missing> {
    let [xx, _, xy] = covariance(pairs);
    if pairs.len() < 3 {
        return Err(Missing::TooFew);
    }
    if xx <= 0.0 {
        return Err(Missing::Undefined);
    }
    let slope = xy / xx;
    let count = pairs.len() as f64;
    let rest: f64 = pairs.iter().map(|(x, y)| y - slope * x).sum();
    Ok((slope, rest / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_numpy() {
        // numpy: mean, std(ddof=1), quantile(0.5), quantile(0.95) of these numbers.
        let found = Distribution::of([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]).unwrap();
        assert!((found.mean - 3.833_333_333_333_333_5).abs() < 1e-12);
        assert!((found.sd - 2.994_439_290_863_427).abs() < 1e-12);
        assert_eq!(
            (found.min, found.median, found.p95, found.max),
            (1.0, 3.5, 8.0, 9.0)
        );
        assert_eq!(Distribution::of([f64::NAN]), None);
        assert!(Distribution::of([2.0]).unwrap().sd.is_nan());
    }

    #[test]
    fn a_line_has_correlation_1_and_is_fitted_exactly() {
        let line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        assert_eq!(regression(&line), Ok((2.0, 1.0)));
        assert!((correlation(line.into_iter()).unwrap() - 1.0).abs() < 1e-12);
        let flat = [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)];
        assert_eq!(correlation(flat.into_iter()), Err(Missing::Undefined));
    }
}
