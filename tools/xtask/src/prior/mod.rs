//! `cargo xtask prior STORY`: measures again what a piece of prior work measured, and prints its figures beside those of
//! this machine and of the newest records. It writes below `target/` only.

mod figures;
mod stories;
mod table;

use crate::tables::forms;
use crate::tables::records::Records;
use crate::{output, run};
use anyhow::{Context, Result, bail, ensure};
use figures::{Figures, Published};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stories::{STORIES, Story};
use table::{NOW, Table};

/// What a plot of a story is called in docs/plots.
const PLOT: &str = "prior-";

/// How often to measure if other load leaves no verdict.
const ATTEMPTS: usize = 3;

/// Why there may be no verdict.
const LOST: &str =
    "too little was measured for a verdict: other load cost some cells half of their samples; run it again";

/// What `cargo xtask prior` can do.
#[derive(clap::Args)]
pub struct Options {
    /// The story; without one, the list of them
    story: Option<String>,
    /// Take few samples: at most a minute once built, two for go
    #[arg(long)]
    quick: bool,
    /// Also draw the table
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// With bitslice: a checkout of majek/bitsliced-siphash, to run the author's own program too. With apple: a
    /// folder with src/sip_aarch64_apple.s of tshakalekholoane/sip, for a model of the M1
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
}

/// Measures a story and prints its table and its verdict.
pub fn prior(root: &Path, options: &Options) -> Result<()> {
    let Some(name) = &options.story else {
        for story in &STORIES {
            println!("cargo xtask prior {:<9} {}", story.name, story.about);
        }
        return Ok(());
    };
    let story = story(name)?;
    let has_source = ["apple", "bitslice"].contains(&story.name);
    ensure!(options.source.is_none() || has_source, "--source is for apple and bitslice");
    let folder = root.join("target/prior").join(story.name);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let cpus = Records::find(root)?;
    let mut tried = 0;
    let (table, verdict) = loop {
        let mut columns = vec![(NOW.to_owned(), measured(root, story, options, &folder)?)];
        columns.extend(recorded(story, &cpus)?);
        let table = Table::new(story, Published::read(root, story.name)?, columns)?;
        let verdict = table.verdict(NOW)?;
        tried += 1;
        if verdict.is_some() || tried == ATTEMPTS {
            break (table, verdict);
        }
    };
    println!("\n{}\n\n{}", story.title, table.text());
    let verdict = verdict.context(LOST)?;
    println!("Verdict: {verdict}.");
    if let Some(file) = &options.plot {
        fs::write(file, table.svg()).with_context(|| file.display().to_string())?;
        println!("Plot: {}", file.display());
    }
    Ok(())
}

/// The story of that name.
fn story(name: &str) -> Result<&'static Story> {
    let names = || STORIES.iter().map(|story| story.name).collect::<Vec<_>>().join(", ");
    let found = STORIES.iter().find(|story| story.name == name);
    found.with_context(|| format!("no story {name:?}: {}", names()))
}

/// The table of docs/research/PRIOR.md: the published figures beside the newest records.
pub fn markdown(root: &Path, cpus: &[Records], name: &str) -> Result<String> {
    let story = story(name)?;
    Table::new(story, Published::read(root, name)?, recorded(story, cpus)?)?.markdown()
}

/// The survey's whole tables of Poly1305 beside the newest records.
pub fn survey(root: &Path, cpus: &[Records]) -> Result<String> {
    let story = story("poly1305")?;
    let lines = stories::survey(&Published::read(root, story.name)?, &recorded(story, cpus)?);
    Ok(format!("\n{}\n", forms::figures(&lines)))
}

/// The runs of Go's maps as they were published, beside the newest records.
pub fn runs(root: &Path, cpus: &[Records]) -> Result<String> {
    let story = story("go")?;
    let lines = stories::runs(&Published::read(root, story.name)?, &recorded(story, cpus)?)?;
    Ok(format!("\n{}\n", forms::figures(&lines)))
}

/// Every plot of that page: the name of its file, and the SVG.
pub fn plots(root: &Path, cpus: &[Records]) -> Result<Vec<(String, String)>> {
    let plot = |story: &Story| {
        let table = Table::new(story, Published::read(root, story.name)?, recorded(story, cpus)?)?;
        Ok((format!("{PLOT}{}.svg", story.name), table.svg()))
    };
    STORIES.iter().map(plot).collect()
}

/// The newest records of each CPU.
fn recorded(story: &Story, cpus: &[Records]) -> Result<Vec<(String, Figures)>> {
    cpus.iter().map(|records| Ok((records.name(), Figures::of_records(records, story.records)?))).collect()
}

/// What this machine measures now. Nothing but what the story needs is built.
fn measured(root: &Path, story: &Story, options: &Options, folder: &Path) -> Result<Figures> {
    let mut figures = Figures::default();
    for (suite, only) in story.suites {
        let file = folder.join(format!("{suite}.csv"));
        // A suite that files nothing must not leave the figures of an earlier run in its place.
        if file.exists() {
            fs::remove_file(&file).with_context(|| file.display().to_string())?;
        }
        let mut bench = Command::new("cargo");
        let features = ["--no-default-features", "--features", "internals,reference"];
        bench
            .args(["run", "--quiet", "--release"])
            .args(features)
            .args(["--", *suite, "--draft"])
            .arg(folder);
        bench.args(options.quick.then_some("--quick"));
        bench.args(only.map(|only| format!("--only={only}")));
        // Its own tables would hide the one that this command prints.
        bench.stdout(Stdio::null());
        run(&root.join("bench"), &mut bench)?;
        figures.add(suite, &file)?;
    }
    match story.name {
        "redis" => clock(root, folder, &mut figures)?,
        "go" => lives(root, options.quick, folder, &mut figures)?,
        "apple" => {
            if let Some(source) = &options.source {
                modelled(root, source, &mut figures)?;
            }
        }
        "bitslice" => {
            if let Some(source) = &options.source {
                theirs(source, folder, &mut figures)?;
            }
        }
        _ => {}
    }
    Ok(figures)
}

/// Compiles and runs contrib/redis/clock.c: a million hashes with `clock()` around each, and around all.
fn clock(root: &Path, folder: &Path, figures: &mut Figures) -> Result<()> {
    let program = folder.join("clock");
    let contrib = root.join("contrib/redis");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O3", "-I"]).arg(root.join("crates/keylane-capi/include"));
    compiler.args(["clock.c", "siphash.c"].map(|file| contrib.join(file))).arg("-o").arg(&program);
    run(root, &mut compiler)?;
    for (how, figure) in spoken(&output(&mut Command::new(&program))?)? {
        figures.put(["redis/clock", "", "ns a hash of 20 bytes", "clock()", &how], figure);
    }
    Ok(())
}

/// Lines of a name and a figure.
fn spoken(text: &str) -> Result<Vec<(String, f64)>> {
    let line = |line: &str| {
        let (name, figure) = line.rsplit_once(' ').with_context(|| format!("no figure: {line}"))?;
        Ok((name.to_owned(), figure.parse().with_context(|| line.to_owned())?))
    };
    text.lines().map(line).collect()
}

/// Builds and measures contrib/go-runtime.
fn lives(root: &Path, is_quick: bool, folder: &Path, figures: &mut Figures) -> Result<()> {
    let mut script = Command::new(root.join("contrib/go-runtime/try.sh"));
    script.arg(if is_quick { "quick" } else { "figures" });
    // Each mode has its own programs and samples, and a run adds no samples to those of an earlier one.
    let folder = folder.join(if is_quick { "quick" } else { "full" });
    for samples in ["figures.txt", "lives.csv"] {
        let samples = folder.join(samples);
        if samples.exists() {
            fs::write(&samples, "").with_context(|| samples.display().to_string())?;
        }
    }
    script.arg(&folder).stdout(Stdio::null());
    run(root, &mut script)?;
    figures.add("go-runtime/lives", &folder.join("lives.csv"))
}

/// Models the loop of the author's assembly for the M1.
fn modelled(root: &Path, source: &Path, figures: &mut Figures) -> Result<()> {
    let names = ["src/sip_aarch64_apple.s", "src/sip_aarch64_apple.S", "sip_aarch64_apple.s"];
    let file = names.iter().map(|name| source.join(name)).find(|file| file.is_file());
    let file = file.with_context(|| format!("{}: no {}", source.display(), names[0]))?;
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    let mut workshop = Command::new("cargo");
    workshop.args(["run", "--quiet", "--release", "--bin", "keylane-workshop", "--", "model", "--loops"]);
    for (model, cycles) in turn(&output(workshop.arg(file).current_dir(root))?)? {
        figures.put(["apple/model", "", "his loop", "cycles a word", model], cycles);
    }
    Ok(())
}

/// The cycles of a turn of the only loop, which does a word: one line of `cargo xtask model --loops`.
fn turn(text: &str) -> Result<[(&'static str, f64); 2]> {
    let fields: Vec<&str> = text.trim().split('\t').collect();
    let [_, _, one, each] = fields[..] else { bail!("not one loop: {text}") };
    let number = |text: &str| text.parse::<f64>().with_context(|| text.to_owned());
    Ok([("one queue", number(one)?), ("queues", number(each)?)])
}

/// Compiles the author's program as he did, if clang is here, and runs it with 256 messages.
fn theirs(source: &Path, folder: &Path, figures: &mut Figures) -> Result<()> {
    let source = source.canonicalize().with_context(|| source.display().to_string())?;
    let compiler =
        ["clang", "gcc"].into_iter().find(|name| output(Command::new(name).arg("--version")).is_ok());
    let compiler = compiler.context("neither clang nor gcc is here")?;
    let input: String = (0..256).map(|i| format!("{:x}\n", i % 255)).collect();
    let mut text = String::new();
    for (name, files) in [("siphash", ["siphash.c", "csiphash.c"]), ("bitslice", ["bitslice.c", "bitmain.c"])]
    {
        let program = folder.join(name);
        let mut build = Command::new(compiler);
        build.args(["-w", "-O3", "-funroll-loops", "-mavx", "-maes"]).arg("-o").arg(&program);
        run(folder, build.args(files.map(|file| source.join(file))))?;
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| name.to_owned())?;
        child.stdin.take().context("its input")?.write_all(input.as_bytes())?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{name}: {}", output.status);
        text += &String::from_utf8_lossy(&output.stderr);
    }
    for (part, cycles) in counted(&text)? {
        figures.put(["bitslice/theirs", "", "256 messages", part, ""], cycles);
    }
    Ok(())
}

/// The cycles that the author's programs report: `cycles=N`, and `cycles: counting=N transpose=N`.
fn counted(text: &str) -> Result<Vec<(&'static str, f64)>> {
    let parts = [("one by one", "cycles="), ("counting", "counting="), ("transpose", "transpose=")];
    let mut counts = Vec::new();
    for (part, head) in parts {
        let word = text.split_whitespace().find_map(|word| word.strip_prefix(head));
        let Some(word) = word else { bail!("the author's program does not say {head}") };
        counts.push((part, word.parse().with_context(|| word.to_owned())?));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_story_is_named() {
        let error = story("zlib").err().unwrap().to_string();
        assert_eq!(error, "no story \"zlib\": redis, apple, bitslice, go, poly1305");
    }

    #[test]
    fn the_authors_program_is_understood() {
        let text = "cycles=9768\ncycles: counting=11278 transpose=13900\n";
        let expected = [("one by one", 9768.0), ("counting", 11278.0), ("transpose", 13900.0)];
        assert_eq!(counted(text).unwrap(), expected);
        assert!(counted("cycles=9768\n").is_err());
        assert!(counted("cycles=x\ncycles: counting=1 transpose=2\n").is_err());
    }

    #[test]
    fn the_model_says_what_one_loop_takes() {
        assert_eq!(turn("_f\t33\t9.00\t9.90\n").unwrap(), [("one queue", 9.0), ("queues", 9.9)]);
        assert!(turn("").is_err() && turn("_f\t33\t9.00\tx\n").is_err());
        assert!(turn("_f\t33\t9.00\t9.90\n_f\t3\t1.00\t1.00\n").is_err());
    }

    #[test]
    fn lines_of_the_clock_are_read() {
        assert_eq!(
            spoken("each 590.5\nall 7\n").unwrap(),
            [("each".to_owned(), 590.5), ("all".to_owned(), 7.0)]
        );
        assert!(spoken("each\n").is_err() && spoken("each x\n").is_err());
    }
}
