//! The arguments that Polars keeps for a plugin: a dict of text, pickled by protocol 5.

use std::collections::HashMap;

/// Reads a pickled dict from text to text. `None` if it is anything else.
pub fn read(pickle: &[u8]) -> Option<HashMap<String, String>> {
    let mut input = Input(pickle);
    let mut texts: Vec<String> = Vec::new();
    let mut seen: Vec<Option<String>> = Vec::new();
    let mut found = HashMap::new();
    let mut is_dict = false;
    loop {
        match input.byte()? {
            // The protocol, and how long the frame is.
            0x80 => drop(input.take(1)?),
            0x95 => drop(input.take(8)?),
            // Remembers the object before, to which a number refers later. The first is the dict.
            0x94 => seen.push(texts.last().cloned()),
            b'h' => texts.push(seen.get(usize::from(input.byte()?))?.clone()?),
            // The mark before several items.
            b'(' => {}
            b'}' if !is_dict => is_dict = true,
            0x8c => {
                let length = usize::from(input.byte()?);
                texts.push(input.text(length)?);
            }
            b'X' => {
                let length = u32::from_le_bytes(input.take(4)?.try_into().ok()?);
                texts.push(input.text(usize::try_from(length).ok()?)?);
            }
            b's' | b'u' if is_dict && texts.len().is_multiple_of(2) => {
                let mut items = std::mem::take(&mut texts).into_iter();
                while let (Some(name), Some(value)) = (items.next(), items.next()) {
                    found.insert(name, value);
                }
            }
            b'.' => return (is_dict && texts.is_empty()).then_some(found),
            _ => return None,
        }
    }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn text(&mut self, length: usize) -> Option<String> {
        String::from_utf8(self.take(length)?.into()).ok()
    }
}
