//! The checks of `.ci/checks`: their table in CONTRIBUTING.md, and whether the workflow runs each of them.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

const CHECKS: &str = ".ci/checks";
const WORKFLOW: &str = ".github/workflows/ci.yml";

/// The places where a check can run, as the file names them and as the docs do.
const PLACES: [(&str, &str); 5] = [
    ("quick", "quick"),
    ("commit", "each commit"),
    ("beside", "each commit"),
    ("nightly", "at night, before `dist`"),
    ("portable", "each system and compiler"),
];

/// A line of the file.
struct Check<'a> {
    name: &'a str,
    places: Vec<&'a str>,
    needs: Vec<&'a str>,
    command: &'a str,
}

/// Reads the file.
fn parse(text: &str) -> Result<Vec<Check<'_>>> {
    let mut checks: Vec<Check<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut rest = line;
        let mut word = || {
            let (word, behind) = rest.split_once(' ')?;
            rest = behind.trim_start();
            Some(word)
        };
        let (name, places, needs) = (word(), word(), word());
        let line = || format!("a check has a name, places, needs and a command: {line}");
        let places = places.with_context(line)?.split(',').collect::<Vec<_>>();
        let check = Check {
            name: name.with_context(line)?,
            needs: needs.with_context(line)?.split(',').collect(),
            command: rest,
            places,
        };
        ensure!(!check.command.is_empty() && !check.command.contains('|'), "{}: its command", check.name);
        for place in &check.places {
            ensure!(PLACES.iter().any(|(known, _)| known == place), "{}: no place {place}", check.name);
        }
        ensure!(checks.iter().all(|other| other.name != check.name), "{} is there twice", check.name);
        checks.push(check);
    }
    Ok(checks)
}

/// The lines of CONTRIBUTING.md.
pub fn table(root: &Path) -> Result<String> {
    let text = fs::read_to_string(root.join(CHECKS)).context(CHECKS)?;
    let mut table = "| check | runs | command |\n| --- | --- | --- |\n".to_owned();
    for Check { name, places, command, .. } in parse(&text).context(CHECKS)? {
        let places = places.iter().filter_map(|place| PLACES.iter().find(|(known, _)| known == place));
        let places: Vec<&str> = places.map(|(_, told)| *told).collect();
        table += &format!("| {name} | {} | `{command}` |\n", places.join(", "));
    }
    Ok(table)
}

/// What is wrong with the file and the workflow.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join(CHECKS)).context(CHECKS)?;
    let workflow = fs::read_to_string(root.join(WORKFLOW)).context(WORKFLOW)?;
    Ok(disagreements(&parse(&text).context(CHECKS)?, &workflow))
}

fn disagreements(checks: &[Check<'_>], workflow: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let listed = listed(workflow);
    let in_jobs =
        |check: &&Check<'_>| check.places.iter().any(|it| ["commit", "beside", "nightly"].contains(it));
    for Check { name, .. } in checks.iter().filter(in_jobs) {
        let count = listed.iter().filter(|other| *other == name).count();
        if count != 1 {
            faults.push(format!("{WORKFLOW}: the check {name} is in {count} jobs, and belongs into one"));
        }
    }
    for name in &listed {
        if !checks.iter().filter(in_jobs).any(|check| check.name == *name) {
            faults.push(format!("{WORKFLOW}: {CHECKS} has no check {name}"));
        }
    }
    // One line in any job runs all of these.
    if checks.iter().any(|check| check.places.contains(&"portable"))
        && !workflow.contains("run: .ci/run portable\n")
    {
        faults.push(format!("{WORKFLOW}: no job runs `.ci/run portable`"));
    }
    let oldest = format!("rust:{}.0", env!("CARGO_PKG_RUST_VERSION"));
    for need in checks.iter().flat_map(|check| &check.needs).filter(|need| need.starts_with("rust:1")) {
        if **need != oldest {
            faults.push(format!("{CHECKS}: {need} is not the oldest compiler, {oldest}"));
        }
    }
    for (line, text) in workflow.lines().enumerate() {
        let action = text.trim_start().trim_start_matches("- ").strip_prefix("uses: ");
        if action.is_some_and(|action| !is_pinned(action)) {
            let what =
                "an action is pinned by its commit, with the version behind it: ACTION@COMMIT # VERSION";
            faults.push(format!("{WORKFLOW}:{}: {what}", line + 1));
        }
    }
    faults
}

/// The names in the lists called `checks` of a workflow.
fn listed(workflow: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut lines = workflow.lines().map(str::trim);
    while lines.by_ref().any(|line| line == "checks:") {
        let list = lines.by_ref().map_while(|line| line.strip_prefix("- "));
        names.extend(list.flat_map(str::split_whitespace));
    }
    names
}

/// Whether an action is named by a commit, and by the version for the reader.
fn is_pinned(action: &str) -> bool {
    let commit = action.split_once('@').and_then(|(_, version)| version.split_once(" # v"));
    commit
        .is_some_and(|(commit, _)| commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: &str = "# A comment\n\nformat  quick,commit  -  cargo fmt --check\ngo  beside  go,qemu  go/ci.sh\n\
                       prove  nightly  -  cargo xtask test-all\nrows  quick  -  cargo test\ntests  portable  -  cargo test\n";
    const JOBS: &str = "jobs:\n  commit:\n    matrix:\n      checks:\n        - format go\n    steps:\n      \
                        - uses: actions/checkout@0123456789012345678901234567890123456789 # v1\n      \
                        - run: .ci/run portable\n  nightly:\n      checks:\n        - prove\n";

    /// The faults of a list and a workflow, which must be as many as the parts of them that are expected.
    #[track_caller]
    fn finds(checks: &str, workflow: &str, expected: &[&str]) {
        let faults = disagreements(&parse(checks).unwrap(), workflow);
        assert_eq!(faults.len(), expected.len(), "{faults:#?}");
        for (fault, part) in faults.iter().zip(expected) {
            assert!(fault.contains(part), "{part} is not in {fault}");
        }
    }

    #[test]
    fn the_workflow_has_each_check_once() {
        finds(FEW, JOBS, &[]);
        finds(FEW, &JOBS.replace("format go", "format"), &["the check go is in 0 jobs"]);
        finds(FEW, &JOBS.replace("- prove", "- prove go"), &["the check go is in 2 jobs"]);
        finds(FEW, &JOBS.replace("format go", "format go gone"), &["no check gone"]);
        finds(FEW, &JOBS.replace("- prove", "- prove rows"), &["no check rows"]);
        finds(FEW, &JOBS.replace("run portable", "run"), &["no job runs `.ci/run portable`"]);
    }

    #[test]
    fn actions_are_pinned() {
        for loose in [
            "checkout@v7",
            "checkout@0123456789012345678901234567890123456789",
            "checkout@0123 # v1",
            "checkout",
        ] {
            let used = JOBS.replace("checkout@0123456789012345678901234567890123456789 # v1", loose);
            finds(FEW, &used, &["ci.yml:7: an action is pinned"]);
        }
    }

    #[test]
    fn the_oldest_compiler_is_that_of_the_manifest() {
        let old = FEW.replace("prove  nightly  -", "prove  nightly  rust:1.2.0,rust:nightly");
        finds(&old, JOBS, &["rust:1.2.0 is not the oldest compiler"]);
    }

    #[test]
    fn a_list_that_cannot_be_read() {
        for (from, to) in [
            ("quick,commit", "sometimes"),
            ("prove ", "go "),
            ("cargo xtask test-all", ""),
            ("fmt", "fmt | cat"),
        ] {
            assert!(parse(&FEW.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn the_readme_s_commands_are_checks() {
        let checks = parse(include_str!("../../../.ci/checks")).unwrap();
        for command in ["cargo xtask demo", "cargo test --release --workspace"] {
            let line = |line: &str| {
                line.strip_prefix(command)
                    .is_some_and(|rest| rest.trim_start().is_empty() || rest.trim_start().starts_with('#'))
            };
            assert!(
                include_str!("../../../README.md").lines().any(line),
                "README.md does not have the line: {command}"
            );
            assert!(checks.iter().any(|check| check.command.starts_with(command)), "{command}");
        }
    }
}
