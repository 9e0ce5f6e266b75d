//! `keylane bench`: times every kernel beside the others, on this CPU.
//!
//! * [`work`] is the code timed; [`suites`] defines the lengths and shapes of the messages.
//! * [`measure`] checks and times; [`figures`] and [`run`] hold the results.
//! * [`table`] shows the results in a terminal, [`page`] in a browser.

mod figures;
mod machine;
mod measure;
mod page;
mod run;
mod suites;
mod table;
mod work;

use crate::args::BenchArgs;
use crate::console::Console;
use crate::error::{Error, Outcome, reason};
use crate::input::is_stdin;
use crate::whole_file::{try_report, write_report};
use keylane_measure::canary::Canary;
use keylane_measure::record::{self, Line};
use measure::{Choice, Plan, measure};
use page::Peers;
use run::Run;
use std::path::Path;
use suites::{Table, all, tables};

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<Outcome, Error> {
    // Refuse what can be refused before minutes are spent.
    if let Some(path) = &args.html {
        if is_stdin(path) {
            return Err(Error::usage(
                "--html",
                "needs the name of a file, since the tables go to standard output",
            ));
        }
        try_report(path, args.force).map_err(|error| Error::failed(path, reason(&error)))?;
    }
    let wanted = all().iter().filter(|suite| args.suites.is_empty() || args.suites.contains(suite));
    let tables: Vec<Table> = wanted.flat_map(|&suite| tables(suite)).collect();
    let peers: Vec<Peers> =
        args.peers.iter().map(|path| read(path, args.html.as_deref(), &tables)).collect::<Result<_, _>>()?;
    if cfg!(debug_assertions) {
        let why = "this program was compiled without optimisation, so figures would mean nothing; use cargo's --release";
        return Err(Error::failed("bench", why));
    }

    let (samples, nanoseconds) = if args.quick { (7, 150e3) } else { (31, 300e3) };
    let plan = Plan { samples: args.samples.map_or(samples, usize::from), nanoseconds };
    let slots: Vec<&str> = tables.iter().flat_map(|table| table.slots).copied().collect();
    let choice = Choice::now();
    let mut run = Run::new(plan, &choice, &slots);

    let console = Console::steps(tables.iter().map(|table| table.cells.len()).sum());
    let say = |text: String| {
        if args.json { Ok(()) } else { console.print(text.as_bytes()).and_then(|()| console.flush()) }
    };
    say(table::head(&run))?;
    // The command looks, and does not wait for a quiet machine.
    let mut canary = Canary::here().impatient();
    for table in tables {
        let name = table.name();
        canary.look();
        let measured = measure(table, &choice, plan, || console.step(&name))?;
        say(table::show(&measured))?;
        run.tables.push(measured);
    }
    run.looks = canary.end_suite();
    say(format!("\n{}", table::foot(&run)))?;
    if args.json {
        console.print(format!("{:#}\n", run.object()).as_bytes())?;
    }
    console.flush()?;
    if let Some(path) = &args.html {
        let page = page::page(&run, &peers);
        write_report(path, page.as_bytes(), args.force)
            .map_err(|error| Error::failed(path, reason(&error)))?;
    }
    Ok(Outcome::Success)
}

/// Reads a record or a directory of them. The page must not replace a record, and the records must have peers
/// in the suites to measure.
fn read(path: &Path, page: Option<&Path>, tables: &[Table]) -> Result<Peers, Error> {
    let mut lines = Vec::new();
    for file in record::files(path).map_err(|error| Error::failed(path, reason(&error)))? {
        if page.is_some_and(|page| is_same(page, &file)) {
            return Err(Error::usage("--html", "would replace a record of --peers"));
        }
        let opened = record::open(&file).map_err(|error| Error::failed(&file, reason(&error)))?;
        let record = record::read(opened);
        lines.extend(record.map_err(|error| Error::failed(&file, format!("not a record: {error}")))?);
    }
    let is_wanted = |line: &Line| line.side == "peer" && tables.iter().any(|table| table.suite == line.suite);
    if !lines.iter().any(is_wanted) {
        return Err(Error::failed(path, "has no peers in the suites to measure"));
    }
    Ok(Peers { name: path.display().to_string(), lines })
}

/// Whether both are names of the same existing file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
