//! What reveals a key in memory.

use base16ct::{lower, upper};
use std::collections::BTreeMap;

/// A key without small or repeated numbers.
pub fn key(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i * 7 + i * 73 + 41) as u8).collect()
}

/// Each of these reveals eight bytes of the key, or six: its bytes, their digits, and words of the prepared key.
/// Each has a name and at least eight bytes.
pub fn forms(key: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut forms = Vec::new();
    for part in key.chunks(8) {
        forms.push(("raw", part.to_vec()));
        forms.push(("hex", lower::encode_string(part).into_bytes()));
        forms.push(("hex", upper::encode_string(part).into_bytes()));
        forms.extend(part.windows(6).map(|part| ("base64", base64(part))));
    }
    let word = |i: usize| u64::from_le_bytes(key[8 * i..8 * i + 8].try_into().unwrap());
    let prepared = match key.len() {
        // The state before the first word, without its second: a double tag changes that.
        16 => vec![
            word(0) ^ 0x736f_6d65_7073_6575,
            word(0) ^ 0x6c79_6765_6e65_7261,
            word(1) ^ 0x7465_6462_7974_6573,
        ],
        // r without the bits that are ignored. The rest of the key is used as it is.
        32 => vec![word(0) & 0x0fff_fffc_0fff_ffff, word(1) & 0x0fff_fffc_0fff_fffc],
        _ => vec![],
    };
    forms.extend(prepared.into_iter().map(|word| ("prepared", word.to_ne_bytes().to_vec())));
    forms
}

/// Eight digits for six bytes.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let number = bytes.iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    (0..8).map(|i| digits[(number >> (42 - 6 * i)) as usize & 63]).collect()
}

/// How often forms of each name stand in the memory; of forms with one name, the most frequent counts.
pub fn copies(memory: &[u8], forms: &[(&'static str, Vec<u8>)]) -> BTreeMap<&'static str, usize> {
    let mut begins = [false; 256];
    forms.iter().for_each(|(_, form)| begins[usize::from(form[0])] = true);
    let mut counts = vec![0; forms.len()];
    for place in (0..memory.len()).filter(|&i| begins[usize::from(memory[i])]).map(|i| &memory[i..]) {
        for (count, (_, form)) in counts.iter_mut().zip(forms) {
            *count += usize::from(place.starts_with(form));
        }
    }
    let mut names = BTreeMap::new();
    for (count, (name, _)) in counts.into_iter().zip(forms).filter(|(count, _)| *count > 0) {
        let most = names.entry(*name).or_insert(0);
        *most = count.max(*most);
    }
    names
}
