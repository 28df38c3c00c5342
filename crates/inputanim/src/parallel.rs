//! Loops over all processors (feature `parallel`).
//!
//! A loop runs on one thread if the feature is off, if it is too short to gain from more, or if there is only one
//! thread. In a thread of a rayon pool, a loop uses that pool. Otherwise it uses a pool of this library. Each process
//! has its own pool, because a child of `fork` does not have the threads of its parent: a loop in the pool of the
//! parent would never end.

/// Calls a function with every item, in any order. Uses several threads if `size`, the number of values that all calls
/// together read or write, is large enough.
pub fn for_each<T: Send>(items: Vec<T>, size: usize, work: impl Fn(T) + Sync + Send) {
    /// Minimum size of a parallel loop. The start of one takes as long as the work on some ten thousand values.
    #[cfg(feature = "parallel")]
    const MIN_SIZE: usize = 1 << 17;
    #[cfg(feature = "parallel")]
    if size >= MIN_SIZE && items.len() > 1 {
        return pool::for_each(items, work);
    }
    let _ = size;
    items.into_iter().for_each(work);
}

/// Computes a result for every item, and returns the results in the order of the items. Uses several threads if `size`,
/// the number of values that all calls together read, is large enough.
///
/// ```
/// let squares = inputanim::parallel::map(vec![1, 2, 3], 3, |number| number * number);
/// assert_eq!(squares, [1, 4, 9]);
/// ```
pub fn map<T: Send, R: Send>(
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

/// The threads of this process.
#[cfg(feature = "parallel")]
mod pool {
    use std::mem;
    use std::process;
    use std::sync::Arc;

    use arc_swap::ArcSwapOption;
    use rayon::prelude::*;
    use rayon::{ThreadPool, ThreadPoolBuilder};

    /// Calls a function with every item: in the rayon pool of the current thread if there is one, else in the pool of
    /// this library, or on the current thread if the system cannot start threads.
    pub(super) fn for_each<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
        // A thread of a rayon pool uses that pool, which the caller may have limited to some threads.
        if rayon::current_thread_index().is_some() {
            return parallel(items, work);
        }
        match of_process(&POOL, process::id()) {
            Some(pool) => pool.install(|| parallel(items, work)),
            None => items.into_iter().for_each(work),
        }
    }

    fn parallel<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
        if rayon::current_num_threads() > 1 {
            items.into_par_iter().for_each(work);
        } else {
            items.into_iter().for_each(work);
        }
    }

    // There is no lock here: another thread might hold it during a fork, and it would stay locked in the child.
    static POOL: ArcSwapOption<ProcessPool> = ArcSwapOption::const_empty();

    /// The threads of one process.
    struct ProcessPool {
        process: u32,
        /// `None` while it is dropped.
        threads: Option<ThreadPool>,
    }

    impl ProcessPool {
        fn install(&self, work: impl FnOnce() + Send) {
            match &self.threads {
                Some(threads) => threads.install(work),
                None => work(),
            }
        }
    }

    impl Drop for ProcessPool {
        fn drop(&mut self) {
            // To drop a pool, rayon takes locks that the threads of the pool share. In a child of fork, these may stay
            // locked forever.
            if self.process != process::id() {
                mem::forget(self.threads.take());
            }
        }
    }

    /// Returns the thread pool of the process with the id `process`. Creates it if `place` has no pool, or the pool of
    /// another process. Returns `None` if the system cannot start threads.
    fn of_process(place: &ArcSwapOption<ProcessPool>, process: u32) -> Option<Arc<ProcessPool>> {
        let found = place.load_full();
        if let Some(pool) = found.as_ref().filter(|pool| pool.process == process) {
            return Some(Arc::clone(pool));
        }
        let threads = ThreadPoolBuilder::new()
            .thread_name(|index| format!("inputanim-{index}"))
            .build()
            .ok()?;
        let made = Arc::new(ProcessPool {
            process,
            threads: Some(threads),
        });
        let before = place.compare_and_swap(&found, Some(Arc::clone(&made)));
        // Another thread may have been faster. Its pool stays, and the threads of this one end.
        let other = before.as_ref().filter(|pool| pool.process == process);
        Some(other.map_or(made, Arc::clone))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn each_process_has_one_pool() {
            let place = ArcSwapOption::const_empty();
            let of = |process| of_process(&place, process).expect("threads start");
            let first = of(1);
            assert!(Arc::ptr_eq(&first, &of(1)));
            let second = of(2);
            assert!(!Arc::ptr_eq(&first, &second));
            assert_eq!((first.process, second.process), (1, 2));
            assert!(Arc::ptr_eq(&second, &of(2)));
        }

        #[test]
        fn threads_that_start_at_once_share_a_pool() {
            let place = ArcSwapOption::const_empty();
            let id = process::id();
            let pools: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|_| scope.spawn(|| of_process(&place, id)))
                    .collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().expect("it does not panic"))
                    .collect()
            });
            let [first, others @ ..] = &pools[..] else {
                unreachable!("there are eight")
            };
            let first = first.as_ref().expect("threads start");
            assert!(
                others
                    .iter()
                    .flatten()
                    .all(|other| Arc::ptr_eq(first, other))
            );
        }
    }
}
