//! Equal work on all processors, or on one: where the feature `parallel` is off, and where there
//! is too little of it or no other thread to do it.

/// Does the same with every item, in any order. `size` is how many numbers are read or written
/// in all.
pub(crate) fn for_each<T: Send>(items: Vec<T>, size: usize, work: impl Fn(T) + Sync + Send) {
    /// Handing work to another thread takes as long as some ten thousand numbers.
    #[cfg(feature = "parallel")]
    const WORTH_IT: usize = 1 << 17;
    #[cfg(feature = "parallel")]
    if size >= WORTH_IT && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().for_each(work);
    }
    let _ = size;
    items.into_iter().for_each(work);
}
