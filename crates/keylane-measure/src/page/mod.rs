//! Figures as a page for a browser: one file, which needs no network. It contains no script and works on light and
//! dark backgrounds. `maud` escapes all text from outside.

mod plot;

pub use plot::{Across, Bar, COLOURS, Curve, Down, Plot, Point, bars};

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");

/// The whole page: a title, more lines of style if the page needs any, and its body.
pub fn page(title: &str, more: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(more)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// A length in bytes.
pub fn length(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}
