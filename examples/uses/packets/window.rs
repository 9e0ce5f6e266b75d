//! Which counters came already.

/// How far behind the highest counter a packet may come.
const WIDTH: u64 = 128;

/// The counters that were accepted. Older ones than the window count as accepted.
#[derive(Default)]
pub struct Window {
    /// One more than the highest counter, or 0 before the first.
    next: u64,
    /// Bit i stands for the counter `next - 1 - i`.
    seen: u128,
}

impl Window {
    /// Whether this counter is new. If so, it is not new again.
    pub fn accept(&mut self, counter: u64) -> bool {
        let Some(next) = counter.checked_add(1) else { return false };
        if next > self.next {
            let shift = u32::try_from(next - self.next).ok();
            self.seen = shift.and_then(|shift| self.seen.checked_shl(shift)).unwrap_or(0) | 1;
            self.next = next;
            return true;
        }
        let behind = self.next - next;
        let new = behind < WIDTH && self.seen >> behind & 1 == 0;
        if new {
            self.seen |= 1 << behind;
        }
        new
    }
}
