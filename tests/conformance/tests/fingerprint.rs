//! Prints fingerprints that must be the same on every machine: `cargo xtask cross` compares them.

use keylane_conformance::fingerprint;

fn main() {
    for line in fingerprint::lines() {
        println!("fingerprint {line}");
    }
}
