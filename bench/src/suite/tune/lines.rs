//! How each method is measured, from the records of the kernels.

use anyhow::{Context, Result};
use keylane::job::limits::{Class, Method};
use keylane_records::{Record, Records, Threshold};
use std::path::Path;

/// A method and its kernel.
#[derive(Debug)]
pub struct Line {
    /// The method. Side "before" never uses it, side "after" always does.
    pub method: Method,
    /// The slot. It selects the call: `mac`, or `mac_batch` for many messages.
    pub slot: &'static str,
    /// The kernel, the same on both sides.
    pub kernel: &'static str,
    /// The previous method.
    pub before: Before,
}

/// The method for shorter messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// No kernel of the slot: the scalar code of `mac`.
    Scalar,
    /// Another loop of the same kernel. To reach it, both sides always use these methods.
    Loop(&'static [Method]),
}

/// Every method, in the order of measurement: a result applies to the lines after it. So a record has the loops of
/// its kernel first, from the inside out. The lines live as long as the program.
pub fn lines() -> Result<&'static [Line]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lines = Vec::new();
    for Record { kernel, path, thresholds, .. } in Records::load(&root)?.kernels {
        let kernel: &str = kernel.leak();
        for Threshold { method, slot, always } in thresholds {
            let line = || -> Result<Line> {
                let before = match always {
                    None => Before::Scalar,
                    Some(names) => {
                        let always: Result<Vec<Method>> = names.iter().map(|name| named(name)).collect();
                        Before::Loop(always?.leak())
                    }
                };
                Ok(Line { method: named(&method)?, slot: slot.leak(), kernel, before })
            };
            lines.push(line().with_context(|| format!("{}: [[threshold]]", path.display()))?);
        }
    }
    Ok(lines.leak())
}

/// The method of this name.
fn named(name: &str) -> Result<Method> {
    let mut all = Method::all();
    all.find(|method| format!("{method:?}") == name)
        .with_context(|| format!("job/limits.rs has no method {name}"))
}

impl Line {
    /// The length from which a side uses each method: this one from `from` on, others as found so far, or as
    /// in the table.
    pub fn methods(&self, from: usize, found: &[(Method, usize)]) -> Vec<(Method, usize)> {
        let always = match self.before {
            Before::Scalar => &[],
            Before::Loop(always) => always,
        };
        let of = |method: Method| match found.iter().find(|(of, _)| *of == method) {
            _ if method == self.method => from,
            _ if always.contains(&method) => 1,
            Some((_, found)) => *found,
            None => method.of(Class::current()),
        };
        Method::all().map(|method| (method, of(method))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::kernels;

    #[test]
    fn every_way_has_a_line() {
        let lines = lines().unwrap();
        for method in Method::all() {
            let count = lines.iter().filter(|line| line.method == method).count();
            assert_eq!(
                count, 1,
                "{method:?} stands under [[threshold]] in {count} records: its kernel's must have it"
            );
        }
    }

    #[test]
    fn a_method_has_the_name_of_the_table() {
        assert_eq!(named("P4Avx2").unwrap(), Method::P4Avx2);
        assert!(named("P4Avx3").unwrap_err().to_string().contains("limits.rs has no method P4Avx3"));
    }

    #[test]
    fn every_slot_is_one() {
        for line in lines().unwrap() {
            assert!(kernels::list().any(|kernel| kernel.slot() == line.slot), "{line:?}");
        }
    }

    #[test]
    fn a_side_says_of_every_way_from_where_on_it_is_taken() {
        let mut lines = lines().unwrap().iter();
        let line = lines.find(|line| line.method == Method::P8Avx512IfmaZmm).unwrap();
        let found = [(Method::P4Avx512IfmaKaratsuba, 777), (Method::P8Avx512Ifma, 555)];
        let methods = line.methods(usize::MAX, &found);
        let of = |method: Method| methods[method as usize];
        assert_eq!(methods.len(), Method::all().count());
        assert_eq!(of(Method::P8Avx512IfmaZmm), (Method::P8Avx512IfmaZmm, usize::MAX));
        assert_eq!(of(Method::P8Avx512Ifma).1, 1);
        assert_eq!(of(Method::P4Avx512IfmaKaratsuba).1, 777);
        assert_eq!(of(Method::P4Avx2).1, Method::P4Avx2.of(Class::current()));
    }
}
