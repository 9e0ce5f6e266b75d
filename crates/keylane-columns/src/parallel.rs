//! Work on ranges of rows in threads.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Fewer rows than this are one range. So a thread has enough to do, and a kernel full batches.
const RANGE: usize = 8192;

/// How many ranges there are for each thread, so that a slow thread does not hold up the others.
const SHARE: usize = 4;

/// Calls `work` for ranges of `tags`, with the first row of each. Returns the error of the first range that fails.
pub fn ranges<T: Send, E: Send>(
    threads: NonZeroUsize,
    tags: &mut [T],
    work: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if threads.get() == 1 || tags.len() <= RANGE {
        return work(0, tags);
    }
    let size = tags.len().div_ceil(threads.get().saturating_mul(SHARE)).max(RANGE);
    let others = threads.get().min(tags.len().div_ceil(size)) - 1;
    let queue = Mutex::new(tags.chunks_mut(size).enumerate());
    let first: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let run = || {
        loop {
            let Some((index, range)) = locked(&queue).next() else { break };
            let Err(error) = work(index * size, range) else { continue };
            let mut first = locked(&first);
            if first.as_ref().is_none_or(|&(before, _)| index < before) {
                *first = Some((index, error));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            // A thread that cannot be started leaves its ranges to the others.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// What a thread left is whole: nothing panics while it holds a lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_reached_once() {
        for threads in [1, 2, 3, 64] {
            for rows in [0, 1, RANGE, RANGE + 1, 5 * RANGE + 7, 100 * RANGE] {
                let mut tags = vec![0; rows];
                let work = |start: usize, tags: &mut [usize]| {
                    tags.iter_mut().enumerate().for_each(|(row, tag)| *tag += start + row + 1);
                    Ok::<(), ()>(())
                };
                let threads = NonZeroUsize::new(threads).expect("not 0");
                assert_eq!(ranges(threads, &mut tags, work), Ok(()));
                assert!(tags.iter().enumerate().all(|(row, &tag)| tag == row + 1));
            }
        }
    }

    #[test]
    fn the_first_error_is_returned() {
        let mut tags = vec![0; 50 * RANGE];
        let work = |start: usize, _: &mut [i32]| if start < 9 * RANGE { Ok(()) } else { Err(start) };
        let size = tags.len().div_ceil(4 * SHARE);
        let found = ranges(NonZeroUsize::MIN.saturating_add(3), &mut tags, work);
        assert_eq!(found, Err((9 * RANGE).next_multiple_of(size)));
    }
}
