//! The five stories: which figures each shows, and what they say.

use super::figures::{Figures, Published};
use anyhow::Result;
use keylane_measure::record::digits;

/// Ratios that differ by less than this are level: so much do two runs of one program differ.
const LEVEL: f64 = 0.03;

/// Finds a figure of a CPU, or computes it from some.
type Of = Box<dyn Fn(&Figures) -> Option<f64>>;

/// A piece of prior work, and what keylane did with it.
pub struct Story {
    /// The command's word.
    pub name: &'static str,
    /// A line for the list.
    pub about: &'static str,
    /// The title of its table and its plot.
    pub title: &'static str,
    /// The suites of `bench/` that measure it, and which of their tables.
    pub suites: &'static [(&'static str, Option<&'static str>)],
    /// The records that it shows.
    pub records: &'static [&'static str],
    /// The columns of published figures.
    pub heads: &'static [&'static str],
    /// The lines of its table.
    pub rows: fn(&Published) -> Result<Vec<Row>>,
    /// What the figures of a CPU say, or nothing if some are missing.
    pub verdict: fn(&Published, &Figures) -> Result<Option<String>>,
}

/// How a figure is written.
#[derive(Clone, Copy, PartialEq)]
pub enum Unit {
    /// Three digits.
    Plain,
    /// A ratio of times, as the percent that it adds.
    Percent,
}

/// A line of a story's table.
pub struct Row {
    /// What it shows, with the unit.
    pub what: String,
    /// The published figures, a column each, and what they were measured on if the lines differ in it.
    pub published: Vec<Option<(f64, &'static str)>>,
    /// How figures are written.
    pub unit: Unit,
    /// Whether the plot has it.
    pub is_drawn: bool,
    /// The figure of a CPU.
    pub of: Of,
}

impl Row {
    fn new(what: &str, published: Option<f64>, of: impl Fn(&Figures) -> Option<f64> + 'static) -> Row {
        let published = vec![published.map(|figure| (figure, ""))];
        Row { what: what.to_owned(), published, unit: Unit::Plain, is_drawn: false, of: Box::new(of) }
    }

    /// The same, in the plot too.
    fn drawn(self) -> Row {
        Row { is_drawn: true, ..self }
    }
}

/// The stories, in the order of docs/research/PRIOR.md.
pub const STORIES: [Story; 5] = [
    Story {
        name: "redis",
        about: "SipHash inside Redis [Redis-study]: do whole-word loads matter, and what can show it?",
        title: "SipHash inside Redis: times what whole words, rotations and one load take",
        suites: &[("ablation-siphash", None)],
        records: &["ablation-siphash", "redis/compare"],
        heads: &["published"],
        rows: redis,
        verdict: redis_verdict,
    },
    Story {
        name: "apple",
        about: "SipHash-2-4 by hand for Apple silicon [Apple-SipHash]: 2.37 GB/s, and SHA-256 beside it",
        title: "SipHash-2-4 of 128 KiB",
        suites: &[("siphash-one", Some("long messages")), ("against-macs", Some("MACs and keyed hashes"))],
        records: &["siphash-one", "against-macs"],
        heads: &["published, M1"],
        rows: apple,
        verdict: apple_verdict,
    },
    Story {
        name: "bitslice",
        about: "bitsliced SipHash [Bitslice]: 256 messages at once, which lost to one by one",
        title: "256 SipHash-2-4, cycles a message",
        suites: &[("bitslice", None)],
        records: &["bitslice"],
        heads: &["published, an i7 of 2013"],
        rows: bitslice,
        verdict: bitslice_verdict,
    },
    Story {
        name: "go",
        about: "SipHash under Go's maps [Go-maps]: what twelve benchmarks take, beside the AES hash",
        title: "Go's map under SipHash-2-4 beside its own hash: a map's whole life",
        suites: &[],
        records: &["go-runtime/lives"],
        heads: &["run 1", "run 2", "run 3 (1-1)", "run 4", "run 5"],
        rows: go,
        verdict: go_verdict,
    },
    Story {
        name: "poly1305",
        about: "Poly1305 in every radix [OpenSSL-survey]: cycles a byte by base and by multiplier",
        title: "Poly1305 by base, cycles a byte of a long message",
        suites: &[("poly1305-radix", None)],
        records: &["poly1305-radix"],
        heads: &["published"],
        rows: poly1305,
        verdict: poly1305_verdict,
    },
];

/// `ours` beside `theirs`, in times.
fn judged(ours: f64, theirs: f64) -> String {
    let ratio = ours / theirs;
    if ratio > 1.0 + LEVEL {
        format!("loses ({ratio:.2} times the time)")
    } else if ratio < 1.0 - LEVEL {
        format!("wins ({ratio:.2} of the time)")
    } else {
        format!("is level ({ratio:.2})")
    }
}

/// A figure divided by another.
fn over(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? / b?)
}

/// An ablation of SipHash-1-2, which is Redis': messages of 20 bytes, or of 4 to 20.
fn ablation(figures: &Figures, cell: &str, engine: &str) -> Option<f64> {
    let table = if cell == "20" { "ablations, constant length" } else { "ablations, unpredictable length" };
    figures.get(["ablation-siphash", "1-2", table, cell, engine])
}

/// An ablation beside the base.
fn ablated(figures: &Figures, cell: &str, engine: &str) -> Option<f64> {
    over(ablation(figures, cell, engine), ablation(figures, cell, "siphash_x1_base"))
}

/// keylane beside Redis' own function, with keys of 1 to 16 bytes.
fn beside_redis(figures: &Figures) -> Option<f64> {
    let group = "independent calls, cycles a key, mixed lengths";
    figures.get(["redis/compare", "", group, "1..16 bytes", "ratio"])
}

/// Nanoseconds a hash, by contrib/redis/clock.c.
fn clocked(figures: &Figures, how: &str) -> Option<f64> {
    figures.get(["redis/clock", "", "ns a hash of 20 bytes", "clock()", how])
}

fn redis(published: &Published) -> Result<Vec<Row>> {
    let group = "10^6 hashes of fresh random records, AArch64";
    let words = published.get(group, "default", "mean")?;
    let bytes = published.get(group, "bytes one by one", "mean")?;
    Ok(vec![
        Row::new("bytes one by one, as compiled / whole words", Some(bytes / words), |figures| {
            ablated(figures, "20", "siphash_x1_bytes")
        })
        .drawn(),
        Row::new("bytes that the compiler may not join / whole words", None, |figures| {
            ablated(figures, "20", "siphash_x1_bytes_hidden")
        })
        .drawn(),
        Row::new("a rotation as two shifts / as one instruction", None, |figures| {
            ablated(figures, "20", "siphash_x1_shifts")
        })
        .drawn(),
        Row::new("two words of a message in a vector / scalar", None, |figures| {
            ablated(figures, "20", "siphash_x1_sse2_halves")
        })
        .drawn(),
        Row::new("tail by a switch / by one load, 4 to 20 bytes", None, |figures| {
            ablated(figures, "4..20", "siphash_x1_switch")
        })
        .drawn(),
        Row::new("a message in each lane of a vector / one by one, 4 to 20 bytes", None, |figures| {
            let lanes = ["siphash_x8_avx512", "siphash_x4_avx2", "siphash_x4_sse2"];
            lanes.iter().find_map(|lanes| ablated(figures, "4..20", lanes))
        })
        .drawn(),
        Row::new("keylane / Redis' siphash.c, keys of 1 to 16 bytes", None, beside_redis).drawn(),
        Row::new("ns a hash, `clock()` around each", Some(words * 1e3), |figures| clocked(figures, "each")),
        Row::new("ns a hash, one `clock()` around 10^6", None, |figures| clocked(figures, "all")),
    ])
}

fn redis_verdict(_: &Published, figures: &Figures) -> Result<Option<String>> {
    let of = |cell, engine| ablated(figures, cell, engine);
    let (Some(bytes), Some(hidden), Some(switch)) =
        (of("20", "siphash_x1_bytes"), of("20", "siphash_x1_bytes_hidden"), of("4..20", "siphash_x1_switch"))
    else {
        return Ok(None);
    };
    let mut text = format!(
        "beside whole words, bytes that the compiler joins take {bytes:.2} of the time and bytes that it may not take \
         {hidden:.2}; one load for the tail {} against the switch",
        judged(1.0, switch)
    );
    if let Some(ratio) = beside_redis(figures) {
        text += &format!("; keylane {} against Redis' function", judged(ratio, 1.0));
    }
    if let Some(times) = over(clocked(figures, "each"), clocked(figures, "all")) {
        let shows = if times > 2.0 { "measures the clock" } else { "measures the hash" };
        text += &format!(
            "; `clock()` around each hash takes {times:.0} times as long as the hash, so it {shows}"
        );
    }
    Ok(Some(text))
}

/// The bytes of the prior work's message.
const LONG: f64 = 131_072.0;

/// Cycles of 128 KiB.
fn long(figures: &Figures, engine: &str) -> Option<f64> {
    figures.get(["siphash-one", "2-4", "long messages, independent calls", "131072", engine])
}

/// The same in GB/s.
fn speed(figures: &Figures, engine: &str) -> Option<f64> {
    Some(LONG / long(figures, engine)? * figures.clock("siphash-one")?)
}

/// Cells of `against-macs`: the prior work's message, one whose keys and ends count for nothing beside it, and a word.
const LONG_CELL: &str = "131072 B";
const LESS_LONG: &str = "16384 B";
const WORD: &str = "8 B";

/// A cell of `against-macs`.
fn mac(figures: &Figures, cell: &str, engine: &str) -> Option<f64> {
    let table = if cell == LONG_CELL { "MACs and keyed hashes, 128 KiB" } else { "MACs and keyed hashes" };
    let of = |engine: &str| figures.get(["against-macs", "", table, cell, engine]);
    // The name of SHA-256 ends so if the CPU has instructions for it.
    of(engine).or_else(|| of(&format!("{engine} (sha)")))
}

/// SHA-256 beside SipHash-2-4: how many times as long it takes.
fn sha(figures: &Figures, cell: &str) -> Option<f64> {
    over(mac(figures, cell, "SHA-256 without key"), mac(figures, cell, "keylane SipHash-2-4"))
}

/// The M1's clock in GHz. The prior work does not say at which one it ran.
const M1: f64 = 3.2;

/// The author's own assembly in a model of the M1, in cycles a word.
fn his_word(figures: &Figures, model: &str) -> Option<f64> {
    figures.get(["apple/model", "", "his loop", "cycles a word", model])
}

/// SHA-256 of this many bytes in GB/s.
fn sha_speed(figures: &Figures, cell: &str, bytes: f64) -> Option<f64> {
    Some(bytes / mac(figures, cell, "SHA-256 without key")? * figures.clock("against-macs")?)
}

/// The reference's code, by clang if it is here.
fn reference(figures: &Figures) -> Option<f64> {
    long(figures, "C clang -O2").or_else(|| long(figures, "C gcc -O2"))
}

fn apple(published: &Published) -> Result<Vec<Row>> {
    let get = |row: &str| published.get("128 KiB, Apple M1", row, "");
    let (gcc, clang) = (get("reference C by gcc")?, get("reference C by clang")?);
    let (hand, sha256) = (get("by hand")?, get("SHA-256 by corecrypto")?);
    Ok(vec![
        Row::new("the reference in C by gcc, GB/s", Some(gcc), |figures| speed(figures, "C gcc -O2")).drawn(),
        Row::new("the same by clang, GB/s", Some(clang), |figures| speed(figures, "C clang -O2")).drawn(),
        Row::new("by hand (M1) / keylane (others), GB/s", Some(hand), |figures| speed(figures, "keylane"))
            .drawn(),
        Row::new("SHA-256 by the CPU's instructions, GB/s", Some(sha256), |figures| {
            sha_speed(figures, LONG_CELL, LONG)
        })
        .drawn(),
        Row::new("the same of 16 KiB, GB/s", None, |figures| sha_speed(figures, LESS_LONG, 16_384.0)).drawn(),
        Row::new("by hand or keylane, bytes a cycle", None, |figures| Some(LONG / long(figures, "keylane")?)),
        Row::new("its speed / the reference's by clang", Some(hand / clang), |figures| {
            over(reference(figures), long(figures, "keylane"))
        }),
        Row::new("its speed / SHA-256's", Some(hand / sha256), |figures| sha(figures, LONG_CELL)),
        Row::new("the same of 16 KiB", None, |figures| sha(figures, LESS_LONG)),
        Row::new("the same of 8 bytes", None, |figures| sha(figures, WORD)),
        Row::new("SipHash-2-4 of 8 bytes (as a one-time password's counter), cycles", None, |figures| {
            mac(figures, WORD, "keylane SipHash-2-4")
        }),
        Row::new("HMAC-SHA-256 of the same, cycles", None, |figures| mac(figures, WORD, "HMAC-SHA-256")),
        Row::new(
            "his assembly, cycles a word: at 3.2 GHz / in a model of the M1",
            Some(M1 * 8.0 / hand),
            |figures| his_word(figures, "one queue"),
        ),
        Row::new("the same, in the model with a queue for each unit", None, |figures| {
            his_word(figures, "queues")
        }),
    ])
}

fn apple_verdict(published: &Published, figures: &Figures) -> Result<Option<String>> {
    let get = |row: &str| published.get("128 KiB, Apple M1", row, "");
    let mut text = Vec::new();
    if let (Some(ours), Some(reference)) = (long(figures, "keylane"), reference(figures)) {
        text.push(format!("keylane {} against the reference in C", judged(ours, reference)));
    }
    if let Some(speed) = speed(figures, "keylane") {
        let hand = get("by hand")?;
        let judgement = judged(hand, speed);
        text.push(format!("at {speed:.2} GB/s it {judgement} against {hand:.2} by hand on an M1"));
    }
    // Records before the prior work's length have 16 KiB only. Long messages of either length run at one speed.
    let long = sha(figures, LONG_CELL).map(|ratio| (ratio, "128 KiB"));
    let long = long.or_else(|| sha(figures, LESS_LONG).map(|ratio| (ratio, "16 KiB")));
    if let (Some((long, len)), Some(short)) = (long, sha(figures, WORD)) {
        let (long, short) = (judged(1.0, long), judged(1.0, short));
        text.push(format!(
            "against SHA-256 by the CPU's instructions it {long} with {len} and {short} with 8 bytes"
        ));
    }
    if let (Some(one), Some(each)) = (his_word(figures, "one queue"), his_word(figures, "queues")) {
        let measured = M1 * 8.0 / get("by hand")?;
        text.push(format!(
            "his assembly takes {one:.1} to {each:.1} cycles a word in the models of an M1, and {measured:.1} if his ran \
             at {M1:.1} GHz"
        ));
    }
    Ok((!text.is_empty()).then(|| text.join("; ")))
}

/// The prior work's messages in a call.
const MESSAGES: f64 = 256.0;

/// A part of a call for 256 messages.
fn part(figures: &Figures, part: &str, engine: &str) -> Option<f64> {
    figures.get(["bitslice", "2-4", "rows of 7 bytes, bitsliced, 256 in a call", part, engine])
}

const ONE_BY_ONE: &str = "keylane one by one";
const BITSLICED: &str = "siphash_x256_avx2_bitslice";

/// The fastest kernel that keeps whole words in its lanes.
fn vertical(figures: &Figures) -> Option<f64> {
    let kernels = ["siphash_x8_avx512", "siphash_x4_avx2", "siphash_x4_sse2", "siphash_x4_neon"];
    kernels.iter().filter_map(|kernel| part(figures, "whole", kernel)).min_by(f64::total_cmp)
}

fn transposes(figures: &Figures) -> Option<f64> {
    Some(part(figures, "in", BITSLICED)? + part(figures, "out", BITSLICED)?)
}

/// A call of the author's own program, in cycles of the time-stamp counter.
fn theirs(figures: &Figures, part: &str) -> Option<f64> {
    figures.get(["bitslice/theirs", "", "256 messages", part, ""])
}

fn bitslice(published: &Published) -> Result<Vec<Row>> {
    let get = |row: &str| published.get("an i7 of 2013", row, "");
    let one = get("256 SipHash one by one")? / MESSAGES;
    let compute = get("256 SipHash bitsliced: computation")? / MESSAGES;
    let moved = get("256 SipHash bitsliced: transposes")? / MESSAGES;
    let one_by_one = |figures: &Figures| part(figures, "whole", ONE_BY_ONE);
    let cell =
        |figures: &Figures, table: &str, engine: &str| figures.get(["bitslice", "", table, "cycles", engine]);
    let or = move |figures: &Figures, engine| {
        cell(figures, "256 pairs of 4-bit numbers or'ed, a call for a message", engine)
    };
    Ok(vec![
        Row::new("one by one", Some(one), one_by_one).drawn(),
        Row::new("bitsliced in AVX (his) or AVX2, the computation", Some(compute), |figures| {
            part(figures, "compute", BITSLICED)
        })
        .drawn(),
        Row::new("the transposes", Some(moved), transposes).drawn(),
        Row::new("the whole call", Some(compute + moved), |figures| part(figures, "whole", BITSLICED))
            .drawn(),
        Row::new("the fastest vertical kernel, the whole call", None, vertical).drawn(),
        Row::new("the computation / one by one", Some(compute / one), move |figures| {
            over(part(figures, "compute", BITSLICED), one_by_one(figures))
        }),
        Row::new("the whole call / one by one", Some((compute + moved) / one), move |figures| {
            over(part(figures, "whole", BITSLICED), one_by_one(figures))
        }),
        Row::new("the same, 2048 messages in a call", None, |figures| {
            let of = |engine| {
                let table = "rows of 7 bytes, bitsliced, 2048 in a call";
                figures.get(["bitslice", "2-4", table, "whole", engine])
            };
            over(of(BITSLICED), of(ONE_BY_ONE))
        }),
        Row::new("a plain stand-in of keylane's: the computation / one by one", None, move |figures| {
            over(part(figures, "compute", "siphash_x256_naive_bitslice"), one_by_one(figures))
        }),
        Row::new("his program on this CPU: the computation / one by one", None, |figures| {
            over(theirs(figures, "counting"), theirs(figures, "one by one"))
        }),
        Row::new("his program on this CPU: the whole / one by one", None, |figures| {
            over(
                Some(theirs(figures, "counting")? + theirs(figures, "transpose")?),
                theirs(figures, "one by one"),
            )
        }),
        Row::new(
            "a transpose of 8 x 256 bits, cycles",
            Some(get("transpose of an 8 x 256 bit matrix")?),
            move |figures| cell(figures, "8 x 256 bits transposed, a call for a message", BITSLICED),
        ),
        Row::new(
            "256 pairs of 4-bit numbers or'ed, one by one, cycles",
            Some(get("or of 256 pairs of 4-bit numbers: plain")?),
            move |figures| or(figures, "one by one"),
        ),
        Row::new(
            "the same bitsliced",
            Some(get("or of 256 pairs of 4-bit numbers: bitsliced")?),
            move |figures| or(figures, "bitsliced as compiled"),
        ),
    ])
}

fn bitslice_verdict(_: &Published, figures: &Figures) -> Result<Option<String>> {
    let one = part(figures, "whole", ONE_BY_ONE);
    let (Some(one), Some(compute), Some(whole), Some(vertical)) =
        (one, part(figures, "compute", BITSLICED), part(figures, "whole", BITSLICED), vertical(figures))
    else {
        return Ok(None);
    };
    let mut text = format!(
        "against one by one, keylane's bitsliced AVX2 {} without its transposes and {} with them; against the fastest \
         vertical kernel it {}",
        judged(compute, one),
        judged(whole, one),
        judged(whole, vertical)
    );
    if let (Some(one), Some(counting), Some(transpose)) =
        (theirs(figures, "one by one"), theirs(figures, "counting"), theirs(figures, "transpose"))
    {
        let (alone, all) = (judged(counting, one), judged(counting + transpose, one));
        text += &format!("; his own program here {alone} without its transposes and {all} with them");
    }
    Ok(Some(text))
}

/// The prior work's twelve benchmarks, and the group and the row of the same in `lives.csv`.
const LIVES: [(&str, &str, &str); 12] = [
    ("IntMap10", "integers", "10"),
    ("IntMap100", "integers", "100"),
    ("IntMap10000", "integers", "10000"),
    ("IntMap1000000", "integers", "1000000"),
    ("StringMap10", "strings, keys printed", "10 of 2 bytes"),
    ("StringMap100", "strings, keys printed", "100 of 4 bytes"),
    ("StringMap10000", "strings, keys printed", "10000 of 6 bytes"),
    ("StringMap1000000", "strings, keys printed", "1000000 of 8 bytes"),
    ("StringMap10Medium", "strings, keys printed", "10 of 20 bytes"),
    ("StringMap10Large", "strings, keys printed", "10 of 100 bytes"),
    ("StringMap100Medium", "strings, keys printed", "100 of 20 bytes"),
    ("StringMap100Large", "strings, keys printed", "100 of 100 bytes"),
];

/// The prior work's runs, a column each.
const RUNS: [&str; 5] = [
    "1 SipHash-2-4",
    "2 SipHash-2-4 with 8-byte keys unrolled",
    "3 SipHash-1-1 with 8-byte keys unrolled",
    "4 SipHash-2-4 on amd64 only",
    "5 SipHash-2-4 with rotations as one instruction",
];

/// A figure of `lives.csv` on a 64-bit CPU.
fn life(figures: &Figures, group: &str, row: &str, column: &str) -> Option<f64> {
    let of = |target| figures.get(["go-runtime/lives", "", &format!("{target}, {group}"), row, column]);
    of("amd64").or_else(|| of("arm64"))
}

fn go(published: &Published) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (benchmark, group, row) in LIVES {
        let mut runs = Vec::new();
        for run in RUNS {
            let [old, new] = ["old", "new"].map(|column| published.get(run, benchmark, column));
            runs.push(Some((new? / old?, "")));
        }
        let of = Box::new(move |figures: &Figures| life(figures, group, row, "2-4"));
        rows.push(Row {
            what: benchmark.to_owned(),
            published: runs,
            unit: Unit::Percent,
            is_drawn: true,
            of,
        });
    }
    for (kind, column) in
        [("integers", "1-3"), ("integers", "2-4"), ("integers", "Go's portable")].into_iter().chain(
            ["strings of 2 to 6 bytes", "strings of 20 bytes", "strings of 100 bytes"]
                .map(|kind| (kind, "1-3")),
        )
    {
        let name = if column.starts_with("Go") {
            "Go's portable hash".to_owned()
        } else {
            format!("SipHash-{column}")
        };
        let of = move |figures: &Figures| life(figures, "means", kind, column);
        let row = Row::new(&format!("mean of {kind}, {name}"), None, of);
        rows.push(Row { published: vec![None; RUNS.len()], unit: Unit::Percent, ..row });
    }
    Ok(rows)
}

/// The prior work's runs as it prints them, in nanoseconds of a benchmark with the old hash and the new one, then Go's AES
/// hash and SipHash-2-4 on each CPU with records. The heads come first.
pub fn runs(published: &Published, columns: &[(String, Figures)]) -> Result<Vec<Vec<String>>> {
    let [integers, ..] = LIVES;
    let lives = |figures: &Figures, (_, group, row): (&str, &str, &str)| {
        let keys: f64 = row.split(' ').next()?.parse().ok()?;
        let old = life(figures, group, row, "AES, ns")? * keys;
        Some((old, old * life(figures, group, row, "2-4")?))
    };
    let columns: Vec<_> = columns.iter().filter(|(_, figures)| lives(figures, integers).is_some()).collect();
    let heads = RUNS.map(|run| format!("run {run}")).into_iter();
    let names = columns.iter().map(|(name, _)| name.clone());
    let mut lines = vec![["old / new, ns".to_owned()].into_iter().chain(heads).chain(names).collect()];
    for benchmark in LIVES {
        let mut line = vec![benchmark.0.to_owned()];
        for run in RUNS {
            let [old, new] = ["old", "new"].map(|column| published.get(run, benchmark.0, column));
            line.push(format!("{} / {}", old?, new?));
        }
        line.extend(columns.iter().map(|(_, figures)| {
            lives(figures, benchmark).map_or_else(String::new, |(old, new)| format!("{old:.0} / {new:.0}"))
        }));
        lines.push(line);
    }
    Ok(lines)
}

/// The kinds of keys with an aim for SipHash-1-3.
const AIMED: [&str; 4] =
    ["integers", "strings of 2 to 6 bytes", "strings of 20 bytes", "strings of 100 bytes"];

fn go_verdict(_: &Published, figures: &Figures) -> Result<Option<String>> {
    let cells: Vec<f64> =
        LIVES.iter().filter_map(|(_, group, row)| life(figures, group, row, "2-4")).collect();
    if cells.is_empty() {
        return Ok(None);
    }
    let lost = cells.iter().filter(|&&cell| cell > 1.0 + LEVEL).count();
    let won = cells.iter().filter(|&&cell| cell < 1.0 - LEVEL).count();
    let mut text = format!(
        "SipHash-2-4 loses to Go's AES hash in {lost} of {} benchmarks, wins {won} and is level in the rest",
        cells.len()
    );
    let aims: Vec<(f64, f64, &str)> = AIMED
        .iter()
        .filter_map(|kind| {
            let of = |column| life(figures, "means", kind, column);
            Some((of("1-3")?, of("aim of 1-3")?, *kind))
        })
        .collect();
    if !aims.is_empty() {
        let missed = aims.iter().filter(|(mean, aim, _)| mean > aim);
        let missed: Vec<String> =
            missed.map(|(mean, aim, kind)| format!("{kind}: {mean:.2} instead of {aim:.2}")).collect();
        text += &match &missed[..] {
            [] => format!("; SipHash-1-3 meets all {} aims", aims.len()),
            some => {
                format!("; SipHash-1-3 misses {} of {} aims ({})", some.len(), aims.len(), some.join(", "))
            }
        };
    }
    Ok(Some(text))
}

/// A cell of `poly1305-radix`.
fn radix(figures: &Figures, cell: &str, engine: &str) -> Option<f64> {
    let table = "by base and instructions; but for 16 bytes, a byte counted as a message";
    figures.get(["poly1305-radix", "", table, cell, engine])
}

const A_BYTE: &str = "a byte of 16384";

/// A column of the survey's tables: its head, the survey's names for it, and keylane's kernel of the same base.
type Method = (&'static str, &'static [&'static str], &'static str);

const METHODS: [Method; 7] = [
    ("2^64", &["base 2^64"], "poly1305_x1_u64"),
    ("2^32", &["base 2^32"], "poly1305_x1_u32"),
    ("floating point", &["floating point"], "poly1305_x1_f64"),
    ("x87", &["x87 base 2^32"], "poly1305_x1_x87"),
    ("2^26, SSE2 or NEON in 32-bit code", &["SSE2 32-bit", "NEON 32-bit"], "poly1305_p2_sse2"),
    ("2^26, AVX or NEON in 64-bit code", &["AVX 64-bit", "NEON 64-bit"], "poly1305_p4_neon"),
    ("2^26, AVX2", &["AVX2 64-bit"], "poly1305_p4_avx2"),
];

/// The survey's tables of cycles a byte as lines of one, then a line for each CPU with records. The heads come first.
pub fn survey(published: &Published, columns: &[(String, Figures)]) -> Vec<Vec<String>> {
    let heads = METHODS.iter().map(|(head, ..)| (*head).to_owned());
    let mut lines = vec![["CPU".to_owned()].into_iter().chain(heads).collect::<Vec<_>>()];
    let mut add = |cpu: String, figure: &dyn Fn(&Method) -> Option<f64>| {
        let cells: Vec<String> =
            METHODS.iter().map(|method| figure(method).map_or_else(String::new, digits)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            lines.push([cpu].into_iter().chain(cells).collect());
        }
    };
    let groups: Vec<&str> = METHODS.iter().flat_map(|(_, groups, _)| groups.iter().copied()).collect();
    for cpu in published.rows(&groups) {
        let figure =
            |(_, groups, _): &Method| groups.iter().find_map(|group| published.get(group, cpu, "").ok());
        add(cpu.to_owned(), &figure);
    }
    for (name, figures) in columns {
        add(format!("keylane, {name}"), &|(_, _, kernel): &Method| radix(figures, A_BYTE, kernel));
    }
    lines
}

/// A single block beside one of a long message, in base 2^64.
fn single(figures: &Figures) -> Option<f64> {
    let engine = "poly1305_x1_u64";
    over(radix(figures, "16 bytes", engine), Some(16.0 * radix(figures, A_BYTE, engine)?))
}

fn poly1305(published: &Published) -> Result<Vec<Row>> {
    // What the survey measured, and the CPU; which kernel is of the same base.
    let bases = [
        ("base 2^64", Some(("base 2^64", "Haswell")), "poly1305_x1_u64"),
        ("base 2^32", Some(("base 2^32", "Haswell")), "poly1305_x1_u32"),
        ("base 2^26 in SSE2", Some(("SSE2 32-bit", "Haswell")), "poly1305_p2_sse2"),
        ("base 2^26 in AVX2", Some(("AVX2 64-bit", "Haswell")), "poly1305_p4_avx2"),
        ("base 2^26 in NEON", Some(("NEON 64-bit", "Apple A7")), "poly1305_p4_neon"),
        ("base 2^26 in AVX-512", None, "poly1305_p8_avx512f"),
        ("base 2^44 in AVX-512 IFMA", None, "poly1305_p8_avx512ifma"),
        ("floating point", Some(("floating point", "POWER7")), "poly1305_x1_f64"),
        ("base 2^32 on the x87", Some(("x87 base 2^32", "latest Intel")), "poly1305_x1_x87"),
    ];
    let mut rows = Vec::new();
    for (what, source, engine) in bases {
        let quoted = match source {
            Some((method, cpu)) => Some((published.get(method, cpu, "")?, cpu)),
            None => None,
        };
        let of = move |figures: &Figures| radix(figures, A_BYTE, engine);
        rows.push(Row { published: vec![quoted], ..Row::new(what, None, of).drawn() });
    }
    rows.push(
        Row::new("keylane as its users get it", None, |figures| radix(figures, A_BYTE, "keylane")).drawn(),
    );
    let block = published.get("claims", "one block of 16 bytes, Haswell", "about")?;
    let block = vec![Some((block, "Haswell"))];
    let of = |figures: &Figures| radix(figures, "16 bytes", "keylane");
    rows.push(Row { published: block, ..Row::new("a message of 16 bytes, cycles", None, of) });
    let times = published.get("claims", "one block of 16 bytes over one of a large buffer", "least")?;
    let times = vec![Some((times, "to 5"))];
    rows.push(Row {
        published: times,
        ..Row::new("one block alone / one of a large buffer, base 2^64", None, single)
    });
    Ok(rows)
}

fn poly1305_verdict(published: &Published, figures: &Figures) -> Result<Option<String>> {
    let best = published.get("AVX2 64-bit", "Haswell", "")?;
    let scalar = published.get("base 2^64", "Haswell", "")?;
    let least = published.get("claims", "one block of 16 bytes over one of a large buffer", "least")?;
    let of = |engine| radix(figures, A_BYTE, engine);
    let (Some(ours), Some(base64), Some(single)) = (of("keylane"), of("poly1305_x1_u64"), single(figures))
    else {
        return Ok(None);
    };
    let claim = if single < least { "less than" } else { "not less than" };
    Ok(Some(format!(
        "keylane {} against the survey's fastest ({best:.2}, Haswell) and its base 2^64 {} against the survey's \
         ({scalar:.2}); a block alone takes {single:.1} times one of a large buffer, {claim} the {least:.0} that the \
         survey names",
        judged(ours, best),
        judged(base64, scalar)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn published(story: &str) -> Published {
        Published::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), story).unwrap()
    }

    fn verdict(story: &str, figures: &Figures) -> Option<String> {
        let story = STORIES.iter().find(|it| it.name == story).unwrap();
        (story.verdict)(&published(story.name), figures).unwrap()
    }

    #[test]
    fn every_story_finds_its_published_figures() {
        for story in &STORIES {
            let rows = (story.rows)(&published(story.name)).unwrap();
            assert!(rows.iter().all(|row| row.published.len() == story.heads.len()), "{}", story.name);
            assert!(rows.iter().any(|row| row.is_drawn && row.published.iter().any(Option::is_some)));
            // Without figures there is no verdict, and no line has a figure.
            assert_eq!(verdict(story.name, &Figures::default()), None);
            assert!(rows.iter().all(|row| (row.of)(&Figures::default()).is_none()));
        }
    }

    #[test]
    fn the_survey_has_a_line_for_each_cpu() {
        let mut figures = Figures::default();
        let table = "by base and instructions; but for 16 bytes, a byte counted as a message";
        figures.put(["poly1305-radix", "", table, A_BYTE, "poly1305_x1_u32, base 2^32, baseline"], 2.15);
        let columns = [("Zen 9".to_owned(), figures), ("Zen 10".to_owned(), Figures::default())];
        let lines = survey(&published("poly1305"), &columns);
        assert!(lines.iter().all(|line| line.len() == METHODS.len() + 1));
        assert!(lines.contains(
            &["Haswell", "1.10", "3.88", "", "", "1.18", "1.11", "0.650"].map(str::to_owned).to_vec()
        ));
        assert_eq!(lines.last().unwrap()[..3], ["keylane, Zen 9", "", "2.15"].map(str::to_owned));
    }

    #[test]
    fn the_runs_have_a_line_for_each_benchmark() {
        let mut figures = Figures::default();
        for (column, figure) in [("AES, ns", 98.5), ("2-4", 1.5)] {
            figures.put(["go-runtime/lives", "", "amd64, integers", "10", column], figure);
        }
        let columns = [("Zen 9".to_owned(), figures), ("Zen 10".to_owned(), Figures::default())];
        let lines = runs(&published("go"), &columns).unwrap();
        assert!(lines.len() == 1 + LIVES.len() && lines.iter().all(|line| line.len() == 1 + RUNS.len() + 1));
        assert_eq!((lines[0][1].as_str(), lines[0][6].as_str()), ("run 1 SipHash-2-4", "Zen 9"));
        assert_eq!((lines[1][1].as_str(), lines[1][6].as_str()), ("4118 / 5419", "985 / 1478"));
        assert_eq!(lines[2][6], "");
    }

    #[test]
    fn a_ratio_is_won_lost_or_level() {
        assert_eq!(judged(2.0, 1.0), "loses (2.00 times the time)");
        assert_eq!(judged(1.0, 2.0), "wins (0.50 of the time)");
        assert_eq!(judged(1.02, 1.0), "is level (1.02)");
    }

    #[test]
    fn bitslicing_can_win_and_lose() {
        let of = |whole: f64, vertical: f64| {
            let mut figures = Figures::default();
            let mut put = |cell, engine, figure| {
                let table = "rows of 7 bytes, bitsliced, 256 in a call";
                figures.put(["bitslice", "2-4", table, cell, engine], figure);
            };
            put("whole", ONE_BY_ONE, 30.0);
            put("compute", BITSLICED, 10.0);
            put("whole", BITSLICED, whole);
            put("whole", "siphash_x4_avx2", vertical);
            verdict("bitslice", &figures).unwrap()
        };
        let lost = of(60.0, 12.0);
        assert!(lost.contains("wins (0.33 of the time) without its transposes"), "{lost}");
        assert!(lost.contains("loses (2.00 times the time) with them"), "{lost}");
        assert!(lost.contains("vertical kernel it loses (5.00"), "{lost}");
        assert!(of(15.0, 30.0).contains("vertical kernel it wins (0.50"));
    }

    #[test]
    fn apple_can_lose_to_the_reference_to_the_hand_and_to_sha() {
        let of = |ours: f64, sha: f64| {
            let mut figures = Figures::default();
            let table = "long messages, independent calls";
            figures.put(["siphash-one", "2-4", table, "131072", "keylane"], ours);
            figures.put(["siphash-one", "2-4", table, "131072", "C clang -O2"], 150_000.0);
            for cell in ["8 B", "16384 B"] {
                let table = "MACs and keyed hashes";
                figures.put(["against-macs", "", table, cell, "keylane SipHash-2-4"], 100.0);
                figures.put(["against-macs", "", table, cell, "SHA-256 without key (sha)"], sha);
            }
            verdict("apple", &figures).unwrap()
        };
        let lost = of(300_000.0, 50.0);
        assert!(lost.starts_with("keylane loses (2.00 times the time) against the reference"), "{lost}");
        assert!(lost.contains("it loses (2.00 times the time) with 16 KiB"), "{lost}");
        let won = of(75_000.0, 200.0);
        assert!(won.starts_with("keylane wins (0.50"), "{won}");
        assert!(won.contains("it wins (0.50 of the time) with 16 KiB"), "{won}");
        let mut figures = Figures::default();
        for (table, cell, sha) in
            [("MACs and keyed hashes, 128 KiB", "131072 B", 150.0), ("MACs and keyed hashes", "8 B", 400.0)]
        {
            figures.put(["against-macs", "", table, cell, "keylane SipHash-2-4"], 100.0);
            figures.put(["against-macs", "", table, cell, "SHA-256 without key (sha)"], sha);
        }
        let both = verdict("apple", &figures).unwrap();
        assert!(both.contains("it wins (0.67 of the time) with 128 KiB"), "{both}");
    }

    #[test]
    fn aims_of_maps_are_met_or_missed() {
        let of = |mean: f64| {
            let mut figures = Figures::default();
            for (_, group, row) in LIVES {
                figures.put(["go-runtime/lives", "", &format!("amd64, {group}"), row, "2-4"], mean);
            }
            figures.put(["go-runtime/lives", "", "amd64, means", "integers", "1-3"], mean);
            figures.put(["go-runtime/lives", "", "amd64, means", "integers", "aim of 1-3"], 1.15);
            verdict("go", &figures).unwrap()
        };
        let lost = of(1.4);
        assert!(
            lost.contains("loses to Go's AES hash in 12 of 12") && lost.contains("misses 1 of 1"),
            "{lost}"
        );
        let won = of(0.9);
        assert!(won.contains("in 0 of 12 benchmarks, wins 12") && won.contains("meets all 1 aims"), "{won}");
    }

    #[test]
    fn redis_and_poly1305_can_lose_too() {
        let mut figures = Figures::default();
        for (cell, table) in
            [("20", "ablations, constant length"), ("4..20", "ablations, unpredictable length")]
        {
            for (engine, cycles) in
                [("base", 20.0), ("bytes", 20.0), ("bytes_hidden", 30.0), ("switch", 10.0)]
            {
                let name = ["ablation-siphash", "1-2", table, cell, &format!("siphash_x1_{engine}")];
                figures.put(name, cycles);
            }
        }
        let group = "ns a hash of 20 bytes";
        figures.put(["redis/clock", "", group, "clock()", "each"], 600.0);
        figures.put(["redis/clock", "", group, "clock()", "all"], 6.0);
        let text = verdict("redis", &figures).unwrap();
        assert!(text.contains("one load for the tail loses (2.00") && text.contains("1.50"), "{text}");
        assert!(text.contains("100 times as long as the hash, so it measures the clock"), "{text}");

        let table = "by base and instructions; but for 16 bytes, a byte counted as a message";
        for (engine, cycles) in [("keylane", 1.3), ("poly1305_x1_u64, base 2^64, baseline", 1.1)] {
            figures.put(["poly1305-radix", "", table, A_BYTE, engine], cycles);
        }
        figures.put(["poly1305-radix", "", table, "16 bytes", "poly1305_x1_u64, base 2^64, baseline"], 88.0);
        let text = verdict("poly1305", &figures).unwrap();
        assert!(
            text.contains("keylane loses (2.00 times") && text.contains("base 2^64 is level (1.00)"),
            "{text}"
        );
        assert!(text.contains("5.0 times one of a large buffer, not less than the 4"), "{text}");
    }
}
