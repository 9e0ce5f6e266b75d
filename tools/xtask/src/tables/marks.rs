//! The two marks around a table in a page.

use anyhow::{Context, Result, ensure};

/// How the first mark begins.
pub const BEGIN: &str = "<!-- measured ";

const END: &str = "<!-- end of measured -->";

/// Makes what stands between two marks, of a form, a suite and a text.
pub type Make<'a> = dyn FnMut(&str, &str, &str) -> Result<String> + 'a;

/// A page with new tables, and how many places it has for them.
pub fn rewritten(page: &str, make: &mut Make<'_>) -> Result<(String, usize)> {
    let mut new = String::new();
    let mut rest = page;
    let mut places = 0;
    while let Some(at) = rest.find(BEGIN) {
        ensure!(!rest[..at].contains(END), "{END} without a beginning");
        let line = rest[at..].lines().next().unwrap_or_default();
        let asked = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let asked = asked.with_context(|| format!("not a mark: {line}"))?;
        let (what, text) = asked.split_once(": ").unwrap_or((asked, ""));
        let (form, suite) = what.split_once(' ').unwrap_or((what, ""));
        new += &rest[..at];
        new += line;
        new += "\n";
        new += &make(form, suite, text).with_context(|| line.to_owned())?;
        let end = rest[at..].find(END).with_context(|| format!("no {END} behind {line}"))?;
        let within = &rest[at + line.len()..at + end];
        ensure!(!within.contains(BEGIN), "no {END} behind {line}");
        new += END;
        rest = &rest[at + end + END.len()..];
        places += 1;
    }
    ensure!(!rest.contains(END), "{END} without a beginning");
    Ok((new + rest, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let page = "a\n<!-- measured engines suite: text -->\nold\n<!-- end of measured -->\nb\n";
        let make = &mut |form: &str, suite: &str, text: &str| Ok(format!("{form},{suite},{text}\n"));
        let (new, places) = rewritten(page, make).unwrap();
        assert_eq!(places, 1);
        assert_eq!(new, page.replace("old", "engines,suite,text"));
        assert_eq!(rewritten(&new, make).unwrap().0, new);
        assert_eq!(rewritten("no mark", make).unwrap(), ("no mark".to_owned(), 0));
        assert!(rewritten("<!-- measured engines suite -->\n", make).is_err());
        let two = "<!-- measured a b -->\n<!-- measured a b -->\n<!-- end of measured -->\n";
        assert!(rewritten(two, make).is_err());
        assert!(rewritten("a\n<!-- end of measured -->\n", make).is_err());
    }
}
