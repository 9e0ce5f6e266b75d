//! `chacha20`: the key stream of ChaCha20, of one message at a time and of many in one call.

use super::contenders::{Columns, Contender};
use super::{Plan, Show, aead};
use crate::engine::aead::KEY;
use crate::engine::chacha20::{Engine, MANY, many, one, peers};
use anyhow::{Result, ensure};
use keylane_measure::data::Random;
use std::iter::zip;

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn chacha20(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let title = "one message, by its length";
    if plan.has(title) {
        let (engines, missing) = one()?;
        show(columns(plan, engines, 1)?.table("chacha20", None, title, missing))?;
    }
    let title = format!("{MANY} messages in a call, by their lengths");
    if plan.has(&title) {
        let (engines, missing) = many()?;
        show(columns(plan, engines, MANY)?.table("chacha20", None, title, missing))?;
    }
    Ok(())
}

/// A column for each length.
fn columns(plan: &Plan, mut engines: Vec<Engine>, size: usize) -> Result<Columns> {
    engines.extend(peers());
    let mut columns = Columns::default();
    let nonces = aead::nonces(size);
    for len in aead::LENGTHS {
        let text = Random::new(9).bytes(size * len);
        let right: Vec<u8> = zip(&nonces, text.chunks(len))
            .flat_map(|(nonce, text)| keylane_ref::chacha20(&KEY, 1, nonce, text))
            .collect();
        let mut copies: Vec<Vec<u8>> = engines.iter().map(|_| text.clone()).collect();
        let mut contenders = Vec::new();
        for (engine, copy) in zip(&engines, &mut copies) {
            (engine.run)(&nonces, &mut copy.chunks_mut(len).collect::<Vec<_>>());
            ensure!(*copy == right, "{}: wrong answers for {len} bytes", engine.name);
            let mut texts: Vec<&mut [u8]> = copy.chunks_mut(len).collect();
            let nonces = &nonces;
            contenders.push(Contender::new(&engine.name, engine.side, move || {
                (engine.run)(nonces, &mut texts);
            }));
        }
        columns.measure(plan, len.to_string(), (size, size * (200 + len)), contenders);
    }
    Ok(columns)
}
