//! Text that does nothing on a terminal but appear there.

use std::borrow::Cow;

/// Whether a terminal shows this character where it stands. It does not show control characters and characters
/// without width. Separators of lines and paragraphs break a line, and marks of direction move other characters.
pub fn is_visible(char: char) -> bool {
    let separates = matches!(char, '\u{2028}' | '\u{2029}');
    let directs = matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let has_no_width = matches!(
        char,
        '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200d}'
    ) || matches!(char, '\u{2060}'..='\u{2064}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}');
    !(char.is_control() || separates || directs || has_no_width)
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
