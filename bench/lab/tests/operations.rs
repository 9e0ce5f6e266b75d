//! The operations of bitsliced SipHash, counted while it runs, are those of docs/research/BITSLICE.md.

use keylane::job::siphash::{Counted, State};
use keylane_lab::bitslice::{Operations, Plan};
use std::fs;
use std::num::NonZeroU8;

/// SipHash-c-d of one word.
fn count(c: u8, d: u8, naive: bool) -> Operations {
    let some = |rounds| NonZeroU8::new(rounds).expect("at least one round");
    let rounds = Counted::new(some(c), some(d));
    Operations::of(&Plan::new(&State::new([1, 2], false), rounds, false, false), naive)
}

/// The table's lines: a half round, by the difference of 2-5 and 2-4, and a whole tag. `lanes` messages one by one take
/// 7 operations in a half round: 2 additions, 3 rotations, 2 xors.
fn table() -> String {
    let mut text =
        "| | operations | by ternary logic | loads | stores |\n| --- | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    text += &format!("| half a round, 256 messages one by one | {} | | | |\n", 7 * 256);
    let line = |what: &str, part: usize, of: Operations, without: Operations| {
        let difference = |count: fn(Operations) -> usize| (count(of) - count(without)) / part;
        format!(
            "| {what} | {} | {} | {} | {} |\n",
            difference(Operations::plain),
            difference(Operations::ternary),
            difference(|it| it.loads),
            difference(|it| it.stores),
        )
    };
    for (name, naive) in [("the prior work's", true), ("keylane's", false)] {
        text += &line(&format!("half a round, {name}"), 2, count(2, 5, naive), count(2, 4, naive));
    }
    for (name, naive) in [("the prior work's", true), ("keylane's", false)] {
        text +=
            &line(&format!("SipHash-2-4 of one word, {name}"), 1, count(2, 4, naive), Operations::default());
    }
    text
}

#[test]
fn the_page_has_the_counts() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/research/BITSLICE.md");
    let page = fs::read_to_string(page).expect("the page");
    let table = table();
    assert!(page.contains(&table), "docs/research/BITSLICE.md lacks this table:\n\n{table}");
}
