//! Work on many items at a time, with the results in the items' order.

use crate::error::Error;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;

/// How many items may be in work or done before the oldest one is. It bounds the memory, and is
/// enough to keep the threads busy beside one long file.
const WINDOW: usize = 512;

/// Calls `work` for each item on some threads, and `each` for each result on this one. An error of
/// `each` ends it; `work` is told by the flag.
pub fn in_order<I: Send, R: Send>(
    threads: Option<NonZeroUsize>,
    items: impl Iterator<Item = I>,
    work: impl Fn(I, &AtomicBool) -> R + Sync,
    mut each: impl FnMut(R) -> Result<(), Error>,
) -> Result<(), Error> {
    let threads = match items.size_hint() {
        (_, Some(0 | 1)) => 1,
        // More threads than items in work would wait. None is rayon's 0: as many as there are CPUs.
        _ => threads.map_or(0, |threads| threads.get().min(WINDOW)),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::failed("--num-threads", error))?;
    let (work, stop) = (&work, &AtomicBool::new(false));
    pool.in_place_scope_fifo(|scope| {
        let mut items = items.fuse();
        let mut pending = VecDeque::new();
        loop {
            // What is ready goes out before the next item, which may take long to come, is asked for.
            let ready = pending.front().and_then(|oldest: &mpsc::Receiver<R>| oldest.try_recv().ok());
            let result = if let Some(result) = ready {
                pending.pop_front();
                result
            } else if pending.len() < WINDOW
                && let Some(item) = items.next()
            {
                let (sender, receiver) = mpsc::sync_channel(1);
                scope.spawn_fifo(move |_| {
                    if !stop.load(Relaxed) {
                        // Nobody receives after an error, which is why it ended.
                        let _ = sender.send(work(item, stop));
                    }
                });
                pending.push_back(receiver);
                continue;
            } else {
                let Some(oldest) = pending.pop_front() else { return Ok(()) };
                // A worker that leaves no result has panicked, and the scope passes that on.
                let Ok(result) = oldest.recv() else { return Ok(()) };
                result
            };
            if let Err(error) = each(result) {
                stop.store(true, Relaxed);
                return Err(error);
            }
        }
    })
}
