//! Loops over all processors (feature `parallel`).

/// Computes a result for every item, in the order of the items.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Send, R: Send>(
    items: Vec<T>,
    compute: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(compute).collect()
}

/// Computes a result for every item, in the order of the items.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T, R>(items: Vec<T>, compute: impl Fn(T) -> R) -> Vec<R> {
    items.into_iter().map(compute).collect()
}
