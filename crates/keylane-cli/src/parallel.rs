//! Work on many items at a time, with the results in the items' order.

use crate::error::{Error, reason};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::available_parallelism;

/// How many items may be in progress or done while the oldest one is unfinished. It bounds the memory, and is
/// enough to keep the threads busy beside one long file.
const WINDOW: usize = 512;

/// Calls `work` for each item on a pool of threads, and `each` for each result on this thread. Calls `idle` before this
/// thread waits. There are at most `most` items. If `each` or `idle` fails, its error is returned, and the flag passed to `work` is set.
pub fn in_order<I: Send, R: Send>(
    threads: Option<NonZeroUsize>,
    most: usize,
    items: impl Iterator<Item = I>,
    work: impl Fn(I, &AtomicBool) -> R + Sync,
    mut each: impl FnMut(R) -> Result<(), Error>,
    mut idle: impl FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let count = match (most, threads) {
        (0 | 1, _) => 1,
        (_, Some(threads)) => threads.get(),
        (_, None) => available_parallelism().map_or(1, NonZeroUsize::get),
    };
    // More threads than `WINDOW` items would idle.
    let count = count.min(WINDOW);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let pool = pool.map_err(|error| {
        let threads = if count == 1 { "a thread".to_owned() } else { format!("{count} threads") };
        Error::Failed(format!("cannot start {threads}: {}", reason(&error)))
    })?;
    let (work, stop) = (&work, &AtomicBool::new(false));
    pool.in_place_scope_fifo(|scope| {
        let mut items = items.fuse();
        let mut pending = VecDeque::new();
        loop {
            // Hands out what is ready before it asks for the next item, which may take long to come.
            let ready = pending.front().and_then(|oldest: &mpsc::Receiver<R>| oldest.try_recv().ok());
            let done = if let Some(result) = ready {
                pending.pop_front();
                each(result)
            } else if pending.len() < WINDOW
                && let Some(item) = items.next()
            {
                let (sender, receiver) = mpsc::sync_channel(1);
                scope.spawn_fifo(move |_| {
                    if !stop.load(Relaxed) {
                        // After an error nobody receives: a failed send is no fault.
                        let _ = sender.send(work(item, stop));
                    }
                });
                pending.push_back(receiver);
                continue;
            } else {
                let Some(oldest) = pending.pop_front() else { return Ok(()) };
                idle().and_then(|()| match oldest.recv() {
                    Ok(result) => each(result),
                    // The worker has panicked; the scope passes the panic on.
                    Err(_) => Ok(()),
                })
            };
            if let Err(error) = done {
                stop.store(true, Relaxed);
                return Err(error);
            }
        }
    })
}
