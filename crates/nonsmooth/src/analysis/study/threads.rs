//! Tasks on several threads, with results in the order of the tasks.

use std::sync::atomic::{AtomicUsize, Ordering};

/// `task(0) … task(n − 1)`, begun in this order on up to `threads` threads.
pub fn in_parallel<T: Send>(threads: usize, n: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= n {
                return made;
            }
            made.push((i, task(i)));
        }
    };
    let mut made: Vec<(usize, T)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(n)).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    });
    made.sort_unstable_by_key(|(i, _)| *i);
    made.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_keep_the_order_of_the_tasks() {
        for threads in [0, 1, 2, 7, 100] {
            let squares = in_parallel(threads, 50, |i| i * i);
            assert_eq!(squares, (0..50).map(|i| i * i).collect::<Vec<_>>());
        }
        assert!(in_parallel(3, 0, |i| i).is_empty());
    }
}
