//! Samples in turns with other processes. `pair` starts several processes, and lets one after the other take a sample of
//! the same cell.
//!
//! What such a process writes, a line each:
//!
//! ```text
//! cell LABEL                      it is ready to measure the cell; then, for each line "turn ROUND" that it reads:
//! cycles NUMBER | dropped         a sample, or one that was dropped. "next" leaves the cell.
//! table SUITE|ROUNDS|TITLE        the cells since the previous table belong to this one
//! end
//! ```

use crate::suite::Table;
use keylane_measure::sample::{Contest, Measured, Samples, interleaved};
use std::io::{self, BufRead, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether another process gives the turns.
static SERVED: AtomicBool = AtomicBool::new(false);

/// From now on this process measures when it is its turn.
pub fn serve() {
    SERVED.store(true, Relaxed);
}

/// Whether this process measures only when it is its turn, and only keylane as its users get it.
pub fn are_given() -> bool {
    SERVED.load(Relaxed)
}

/// Measures until each contender has `pairs` samples. If turns are given, only keylane is measured, and there are no
/// samples to return.
pub fn measure(contest: &mut impl Contest, pairs: usize, label: &str) -> Measured {
    if !are_given() {
        return interleaved(contest, pairs);
    }
    let contenders = contest.contenders();
    // Whoever gives the turns may have gone. Nothing is left to do then.
    if contenders > 0 && take(contest, label, &mut io::stdin().lock(), &mut io::stdout().lock()).is_err() {
        process::exit(1);
    }
    Measured {
        samples: vec![Samples::default(); contenders],
        ours: contest.ours(),
        again: Samples::default(),
    }
}

/// Takes samples of keylane as `turns` says.
fn take(
    contest: &mut impl Contest,
    label: &str,
    turns: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<()> {
    say(out, &format!("cell {label}"))?;
    loop {
        let mut line = String::new();
        turns.read_line(&mut line)?;
        let round = match line.trim().split_once(' ') {
            None if line.trim() == "next" => return Ok(()),
            Some(("turn", round)) => round.parse().ok(),
            _ => None,
        };
        let round = round.ok_or(io::ErrorKind::InvalidData)?;
        let turn = &mut Turn { contest, round };
        // Another process has used the core and its caches. The first series brings back what is this one's.
        let cycles = interleaved(turn, 1).again.cycles();
        say(out, &cycles.map_or("dropped".to_owned(), |cycles| format!("cycles {}", cycles.median)))?;
    }
}

/// Ends a table.
///
/// # Errors
/// Those of standard output.
pub fn end_table(table: &Table) -> io::Result<()> {
    let rounds = table.rounds.map_or_else(String::new, |rounds| rounds.to_string());
    say(&mut io::stdout().lock(), &format!("table {}|{rounds}|{}", table.suite, table.title))
}

/// Ends everything.
///
/// # Errors
/// Those of standard output.
pub fn end() -> io::Result<()> {
    say(&mut io::stdout().lock(), "end")
}

fn say(out: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(out, "{line}")?;
    out.flush()
}

/// keylane's contender of a contest, in one of its rounds.
struct Turn<'a, C> {
    contest: &'a mut C,
    round: usize,
}

impl<C: Contest> Contest for Turn<'_, C> {
    fn contenders(&self) -> usize {
        1
    }

    fn begin(&mut self, _: usize) {
        self.contest.begin(self.round);
    }

    fn work(&mut self, _: usize) -> Box<dyn FnMut() + '_> {
        let ours = self.contest.ours();
        self.contest.work(ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the rounds that begin, and the contenders that work.
    #[derive(Default)]
    struct Recorded {
        rounds: Vec<usize>,
        contenders: Vec<usize>,
    }

    impl Contest for Recorded {
        fn contenders(&self) -> usize {
            2
        }

        fn begin(&mut self, round: usize) {
            self.rounds.push(round);
        }

        fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
            self.contenders.push(contender);
            Box::new(|| ())
        }
    }

    #[test]
    fn a_turn_is_a_sample_of_the_first_contender() {
        let (mut contest, mut out) = (Recorded::default(), Vec::new());
        take(&mut contest, "8", &mut "turn 3\nturn 4\nnext\nturn 5\n".as_bytes(), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        let [cell, samples @ ..] = &lines[..] else { panic!("{out}") };
        assert_eq!((*cell, samples.len()), ("cell 8", 2));
        assert!(samples.iter().all(|line| line.starts_with("cycles ") || *line == "dropped"), "{out}");
        contest.rounds.dedup();
        assert_eq!(contest.rounds, [3, 4]);
        assert!(contest.contenders.iter().all(|&contender| contender == 0));
    }

    #[test]
    fn a_process_without_turns_ends() {
        for turns in ["", "turn 1\n", "turn x\n", "what\n"] {
            assert!(take(&mut Recorded::default(), "8", &mut turns.as_bytes(), &mut Vec::new()).is_err());
        }
    }
}
