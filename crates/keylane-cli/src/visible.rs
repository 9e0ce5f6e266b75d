//! Text that a terminal shows character by character.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Unicode's property `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt` of Unicode 14): characters that show
/// nothing by themselves, and marks of direction, which move others.
const IGNORABLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Whether a terminal shows this character where it stands. It does not show control characters, ignorable characters
/// and annotation marks. It shows no difference between the space and other blanks, which may also break a line.
pub fn is_visible(char: char) -> bool {
    let is_ignorable = IGNORABLE.iter().any(|range| range.contains(&char));
    let is_annotation = matches!(char, '\u{fff9}'..='\u{fffb}');
    // The pattern of Braille without dots is no whitespace, but blank.
    let is_blank = char == '\u{2800}' || char.is_whitespace() && char != ' ';
    !(char.is_control() || is_ignorable || is_annotation || is_blank)
}

/// `\xHH` for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// The text, with the bytes of other characters than visible ones as `\xHH`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_visible) {
        return Cow::Borrowed(text);
    }
    let show = |char: char| {
        let mut utf8 = [0; 4];
        let utf8 = char.encode_utf8(&mut utf8);
        if is_visible(char) { utf8.to_owned() } else { hex(utf8.as_bytes()) }
    };
    Cow::Owned(text.chars().map(show).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number is the total that `DerivedCoreProperties.txt` states.
    #[test]
    fn the_table_has_all_ignorable_characters() {
        assert!(IGNORABLE.is_sorted_by(|a, b| a.end() < b.start()));
        assert_eq!(IGNORABLE.iter().map(|range| range.clone().count()).sum::<usize>(), 4174);
    }

    #[test]
    fn what_shows_and_what_does_not() {
        let hidden = "\0\t\n\x7f\u{85}\u{9b}\u{61c}\u{2029}\u{202e}\u{2066}\u{feff}\u{fe0f}\u{34f}\u{180b}\u{17b4}\u{2065}\
            \u{e0100}\u{fff9}\u{1d173}\u{a0}\u{1680}\u{2003}\u{202f}\u{3000}\u{2800}";
        assert_eq!(hidden.chars().filter(|&char| is_visible(char)).collect::<String>(), "");
        // The Latin and the Cyrillic a look alike, and stay; so do accents and the replacement character.
        let shown = " !~a\u{430}\u{e4}\u{301}\u{6dd}\u{4e00}\u{fffd}\u{1f600}";
        assert!(shown.chars().all(is_visible));
    }
}
