//! What people see: lines on standard output, complaints on standard error, and a progress bar on standard
//! error for long work on a terminal.

use crate::error;
use crate::streams::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Work that takes longer than this gets a progress bar.
const PATIENCE: Duration = Duration::from_secs(1);

const OF_TOTAL: &str =
    "{percent:>3}% [{wide_bar}] {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
const OPEN_ENDED: &str = "{spinner} {binary_bytes}, {binary_bytes_per_sec}, {elapsed}";
const STEPS: &str = "{percent:>3}% [{wide_bar}] {msg}, {eta} left";

/// Standard output and standard error.
pub struct Console {
    /// Hidden until the work has taken [`PATIENCE`].
    bar: ProgressBar,
    drawable: bool,
    drawn: OnceLock<()>,
    started: Instant,
    /// Whether the length of some input is unknown.
    open_ended: AtomicBool,
    output: Mutex<Output>,
    /// Whether someone waits for each line, and lines would collide with the bar.
    output_is_terminal: bool,
}

impl Console {
    /// With a progress bar if `progress` is set and standard error is a terminal.
    pub fn new(progress: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        bar.set_style(style(OPEN_ENDED));
        Console {
            bar,
            drawable: progress && io::stderr().is_terminal(),
            drawn: OnceLock::new(),
            started: Instant::now(),
            open_ended: AtomicBool::new(false),
            output: Mutex::default(),
            output_is_terminal: io::stdout().is_terminal(),
        }
    }

    /// With a progress bar for this many steps, if standard error is a terminal.
    pub fn steps(count: usize) -> Self {
        let console = Console::new(true);
        console.bar.set_length(count as u64);
        console.bar.set_style(style(STEPS));
        console
    }

    /// Counts a finished step and shows its name. The bar moves at no other time: nothing may run beside the
    /// work that is timed.
    pub fn step(&self, what: &str) {
        if self.drawable {
            self.bar.set_message(what.to_owned());
            self.bar.inc(1);
            if self.started.elapsed() >= PATIENCE {
                self.drawn.get_or_init(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
            }
        }
    }

    /// Adds an input of this length, if known, to the work ahead. Calls `length` only if there is a bar.
    pub fn expect(&self, length: impl FnOnce() -> Option<u64>) {
        if self.drawable {
            match length() {
                Some(length) => self.bar.inc_length(length),
                None => self.open_ended.store(true, Relaxed),
            }
        }
    }

    /// Tells the bar that all the work ahead is known now.
    pub fn expect_no_more(&self) {
        if self.drawable && !self.open_ended.load(Relaxed) {
            self.bar.set_style(style(OF_TOTAL));
        }
    }

    /// Counts processed bytes. Any thread may call it.
    pub fn advance(&self, bytes: usize) {
        if self.drawable {
            self.bar.inc(bytes as u64);
            if self.started.elapsed() >= PATIENCE {
                self.drawn.get_or_init(|| {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                    self.bar.enable_steady_tick(Duration::from_millis(100));
                });
            }
        }
    }

    /// Prints lines: on a terminal at once, and elsewhere with those that follow.
    pub fn print(&self, lines: &[u8]) -> io::Result<()> {
        self.output().write_all(lines)?;
        if self.output_is_terminal { self.flush() } else { Ok(()) }
    }

    /// Writes `keylane: message` to standard error, behind the lines that were printed before it.
    pub fn complain(&self, message: &str) {
        self.bar.suspend(|| {
            self.output().flush_or_keep_the_error();
            error::complain(message);
        });
    }

    /// Writes the lines that wait. The next call returns the error, if there is one.
    pub fn flush_or_keep_the_error(&self) {
        self.output().flush_or_keep_the_error();
    }

    /// Writes the lines that wait.
    pub fn flush(&self) -> io::Result<()> {
        let flush = || self.output().flush();
        if self.output_is_terminal { self.bar.suspend(flush) } else { flush() }
    }

    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("=> ").tick_chars("|/-\\ ")
}
