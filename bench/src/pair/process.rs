//! A process that measures when it is its turn.

use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What a process says; see [`turns`](crate::turns).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// It is ready for the cell of this label.
    Cell(String),
    /// A sample in cycles, or none if it was dropped.
    Sample(Option<f64>),
    /// The cells since the previous table are those of this title.
    Table(String),
    /// It is done.
    End,
}

impl Said {
    /// What a line says, if it says anything.
    fn of(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "cell" => Said::Cell(rest.to_owned()),
            "cycles" => Said::Sample(Some(rest.parse().ok().filter(|cycles| *cycles > 0.0)?)),
            "dropped" => Said::Sample(None),
            "table" => {
                let mut parts = rest.splitn(3, '|').filter(|part| !part.is_empty());
                let suite = parts.next()?;
                Said::Table(parts.fold(suite.to_owned(), |title, part| format!("{title}, {part}")))
            }
            "end" => Said::End,
            _ => return None,
        })
    }
}

/// A running process. It is ended when this is dropped.
pub(super) struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a program of the bench. It measures what the arguments say, in its turns.
    pub fn start(program: &Path, arguments: &[String]) -> Result<Self> {
        let mut command = Command::new(program);
        let mut child =
            command.arg("serve").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().context("no pipe to the process")?;
        let from = child.stdout.take().context("no pipe from the process")?;
        Ok(Process { child, to, from: BufReader::new(from) })
    }

    /// Tells the process something.
    pub fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}").context("a process ended too early")
    }

    /// What the process says next. Waits for it.
    pub fn hear(&mut self) -> Result<Said> {
        let mut line = String::new();
        let len = self.from.read_line(&mut line)?;
        ensure!(len > 0, "a process ended too early");
        match Said::of(line.trim_end()) {
            Some(said) => Ok(said),
            None => bail!("not a line of a process in turns: {line:?}"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        assert_eq!(Said::of("cell 40..1500"), Some(Said::Cell("40..1500".to_owned())));
        assert_eq!(Said::of("cycles 12.5"), Some(Said::Sample(Some(12.5))));
        assert_eq!(Said::of("dropped"), Some(Said::Sample(None)));
        assert_eq!(Said::of("table a|1-3|b, c"), Some(Said::Table("a, 1-3, b, c".to_owned())));
        assert_eq!(Said::of("table a||b"), Some(Said::Table("a, b".to_owned())));
        assert_eq!(Said::of("end"), Some(Said::End));
        for wrong in ["", "cycles", "cycles x", "cycles -1", "cycles NaN", "table ", "cello 8"] {
            assert_eq!(Said::of(wrong), None, "{wrong}");
        }
    }
}
