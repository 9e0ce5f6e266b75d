//! The pages in a browser: that of `keylane bench --html`, and docs/results.html.

use crate::tool::{Dir, not_run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that open a page without a screen, the smallest first.
const BROWSERS: [&str; 2] = ["chromium-headless-shell", "chromium"];

/// Looks at every plot, and leaves its verdict as the page.
const LOOK: &str = include_str!("browser.js");

/// The widths of a large screen and of a telephone.
const WIDTHS: [u32; 2] = [1280, 360];

/// A browser. Without one, what it would show is not tested.
fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let found = BROWSERS.into_iter().find(works);
    if found.is_none() {
        not_run(&format!("there is no browser: {}", BROWSERS.join(", ")));
    }
    found
}

/// What a browser makes of a page.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    plots: usize,
    /// Cells that keylane loses, each with its mark.
    marks: usize,
    /// Lines in the browser's console, and faults that `LOOK` names.
    faults: Vec<String>,
}

/// Opens a page. Every line in the console is a fault.
fn open(browser: &str, page: &str, width: u32) -> Seen {
    let dir = Dir::new();
    assert_eq!(page.matches("</body>").count(), 1);
    let path = dir.write("page.html", page.replace("</body>", &format!("<script>\n{LOOK}</script></body>")));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"])
        .args(["--virtual-time-budget=10000", "--timeout=60000", "--dump-dom"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--user-data-dir={}", dir.path().join("browser").display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let (out, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let verdict = out.split_once("<pre>plots and marks:\n").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (verdict, _) = verdict.unwrap_or_else(|| panic!("no verdict\n{log}\n{out}"));
    let mut lines = verdict.lines();
    let mut count = || lines.next().and_then(|line| line.parse().ok()).unwrap();
    let (plots, marks) = (count(), count());
    let console = log.lines().filter(|line| line.contains(":CONSOLE"));
    Seen { plots, marks, faults: lines.chain(console).map(str::to_owned).collect() }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_page_of_results_has_a_plot_for_each_table() {
    let Some(browser) = browser() else { return };
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (page, text) = (read("docs/results.html"), read("bench/record/RESULTS.md"));
    for outside in ["<script", "<link", "src=", "@import", "url(", "href=\"http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let plots = text.lines().filter(|line| line.contains(" (`bench/record/")).count();
    // "| AMD EPYC (Zen 4) | 163 of 683 cells | ..."
    let lost = |line: &str| -> Option<usize> {
        line.split(" | ").nth(1)?.strip_suffix(" cells")?.split(' ').next()?.parse().ok()
    };
    let marks = text.lines().filter_map(lost).sum();
    assert!(plots > 0, "{text}");
    for width in WIDTHS {
        assert_eq!(open(browser, &page, width), Seen { plots, marks, faults: vec![] }, "{width}");
    }
}

#[test]
fn the_page_of_a_run_draws_every_plot() {
    let Some(browser) = browser() else { return };
    let dir = Dir::new();
    let columns = "suite,rounds,table,cell,engine,side,cycles_lower,cycles_median,cycles_upper,keylane_ratio_lower,\
        keylane_ratio_median,keylane_ratio_upper,above_keylane_lower,above_keylane_median,above_keylane_upper,kept,\
        dropped,pairs";
    let line = "poly1305-one,,independent calls,64,a peer,peer,99,100,101,,,,,,,7,0,0";
    dir.write("record.csv", format!("{columns}\n{line}\n"));
    let run = dir.run("bench --samples 1 --html page.html --peers record.csv");
    if cfg!(debug_assertions) {
        // Such a build measures nothing.
        assert_eq!(run.code, Some(1), "{run:?}");
        return;
    }
    run.ok();
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    for width in WIDTHS {
        let seen = open(browser, &page, width);
        assert_eq!((seen.marks, &seen.faults[..]), (0, &[][..]), "{width}");
        // How many there are depends on the samples that other work left.
        assert!(seen.plots > 0, "{seen:?}");
        assert_eq!(seen.plots, page.matches("role=\"img\"").count(), "{width}");
    }
}

/// Each fault that the tests above must find.
#[test]
fn a_fault_of_a_page_is_found() {
    let Some(browser) = browser() else { return };
    let good = "<!DOCTYPE html><html><head><title>page</title></head><body><article><table></table>\
        <svg role=\"img\" aria-label=\"a plot\" viewBox=\"0 0 9 9\"><polyline points=\"0,0 9,9\"/></svg></article></body></html>";
    assert_eq!(open(browser, good, 1280), Seen { plots: 1, marks: 0, faults: vec![] });
    let choice = "<input type=\"radio\" name=\"cpu\" value=\"one\"><article class=\"cpu two\">";
    for (from, to, fault) in [
        ("</article>", "</article><script>throw new Error('thrown')</script>", "Uncaught Error: thrown"),
        ("</article>", "</article><script>console.error('said')</script>", "\"said\""),
        ("<polyline points=\"0,0 9,9\"/>", "", "nothing drawn: a plot"),
        ("0,0 9,9", "", "a line is not drawn: a plot"),
        ("0,0 9,9", "0,NaN 9,9", "attribute points: Expected number"),
        ("<polyline", "<polyline style=\"display: none\"", "no size: a plot"),
        ("<article>", "<article hidden>", "never shown: a plot"),
        (" role=\"img\"", "", "no plot: "),
        ("<article>", choice, "not chosen: a plot"),
        ("<article>", "<article style=\"width: 5000px\">", "wider than the window"),
        ("</article>", "</article><table><tr><td class=\"lost\">1.1</table>", "not every cell that is lost"),
    ] {
        assert!(good.contains(from), "{from}");
        let seen = open(browser, &good.replace(from, to), 1280);
        assert!(seen.faults.iter().any(|found| found.contains(fault)), "{fault}: {seen:?}");
    }
}
