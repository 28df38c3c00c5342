//! Loops over all processors (feature `parallel`).
//!
//! A loop runs on one thread if the feature is off, if it is too short to gain from more, or if there is
//! only one thread.

/// Calls a function with every item, in any order. `size` is the number of values that all calls
/// together read or write.
pub(crate) fn for_each<T: Send>(items: Vec<T>, size: usize, work: impl Fn(T) + Sync + Send) {
    /// Minimum size of a parallel loop. Starting one takes as long as some ten thousand values.
    #[cfg(feature = "parallel")]
    const MIN_SIZE: usize = 1 << 17;
    #[cfg(feature = "parallel")]
    if size >= MIN_SIZE && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().for_each(work);
    }
    let _ = size;
    items.into_iter().for_each(work);
}

/// Computes a result for every item, in the order of the items. `size` is the number of values
/// that are read in total.
pub(crate) fn map<T: Send, R: Send>(
    items: Vec<T>,
    size: usize,
    compute: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work: Vec<(T, &mut Option<R>)> = items.into_iter().zip(&mut results).collect();
    for_each(work, size, |(item, result)| *result = Some(compute(item)));
    // Every call has stored its result, so `flatten` drops nothing.
    results.into_iter().flatten().collect()
}
