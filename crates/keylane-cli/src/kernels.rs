//! `keylane kernels`: the table of kernels.

use crate::args::KernelsArgs;
use crate::error::{Error, Outcome};
use crate::streams::Output;
use keylane::kernels::{KernelInfo, list};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Runs the command.
pub fn run(args: &KernelsArgs) -> Result<Outcome, Error> {
    let mut output = Output::default();
    if args.json {
        let kernels: Value = list().map(|kernel| object(&kernel)).collect();
        writeln!(output, "{kernels:#}")?;
    } else {
        let mut rows = vec![["slot", "kernel", "lanes", "requires", "status"].map(str::to_owned)];
        rows.extend(list().map(|kernel| row(&kernel)));
        write_table(&mut output, &rows)?;
    }
    output.flush()?;
    Ok(Outcome::Success)
}

fn object(kernel: &KernelInfo) -> Value {
    json!({
        "slot": kernel.slot(),
        "kernel": kernel.id(),
        "lanes": kernel.lanes(),
        "requires": kernel.requires().collect::<Vec<_>>(),
        "status": kernel.status().to_string(),
    })
}

fn row(kernel: &KernelInfo) -> [String; 5] {
    let requires: Vec<_> = kernel.requires().collect();
    [
        kernel.slot().to_owned(),
        kernel.id().to_owned(),
        kernel.lanes().to_string(),
        if requires.is_empty() { "-".to_owned() } else { requires.join(",") },
        kernel.status().to_string(),
    ]
}

/// Writes columns, each as wide as its widest cell.
fn write_table<const N: usize>(output: &mut impl Write, rows: &[[String; N]]) -> io::Result<()> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(output, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
