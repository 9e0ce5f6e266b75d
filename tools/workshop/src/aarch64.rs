//! Finds the registers that an AArch64 instruction reads and writes.

use crate::listing::{Instruction, Transfer};

/// A register or the flags: 0..=30 the general ones, 31 the stack pointer, 32..=63 the vectors.
pub type Register = u8;

const STACK: Register = 31;
const VECTORS: Register = 32;
pub const FLAGS: Register = 64;

/// What an instruction does to registers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Effects {
    pub reads: Vec<Register>,
    pub writes: Vec<Register>,
    /// The base of an address, if the instruction changes it.
    pub base: Option<Register>,
}

/// Instructions that change a part of their destination or add to it.
const ACCUMULATE: [&str; 22] = [
    "bfi", "bfxil", "bif", "bit", "bsl", "fmla", "fmls", "ins", "mla", "mls", "movk", "shrn2", "sli", "sri",
    "ssra", "tbx", "umlal", "umlal2", "umlsl", "umlsl2", "usra", "xtn2",
];
const WRITE_FLAGS: [&str; 14] = [
    "adcs", "adds", "ands", "bics", "ccmn", "ccmp", "cmn", "cmp", "fcmp", "negs", "ngcs", "sbcs", "subs",
    "tst",
];
/// Those of `FLAGS` that write only the flags.
const COMPARE: [&str; 6] = ["ccmn", "ccmp", "cmn", "cmp", "fcmp", "tst"];
const READ_FLAGS: [&str; 18] = [
    "adc", "adcs", "ccmn", "ccmp", "cinc", "cinv", "cneg", "csel", "cset", "csetm", "csinc", "csinv",
    "csneg", "fcsel", "ngc", "ngcs", "sbc", "sbcs",
];

impl Effects {
    pub fn of(instruction: &Instruction) -> Effects {
        let name = instruction.mnemonic.as_str();
        let operands = &instruction.operands;
        let mut effects = match operands.iter().position(|operand| operand.starts_with('[')) {
            Some(address) => memory(name, operands, address),
            None if instruction.transfer.is_some() || COMPARE.contains(&name) => {
                Effects { reads: all(operands), ..Effects::default() }
            }
            None => {
                let (destination, sources) = operands.split_at(operands.len().min(1));
                let mut reads = all(sources);
                if ACCUMULATE.contains(&name) || name == "mov" && all_lanes(destination) {
                    reads.extend(all(destination));
                }
                Effects { reads, writes: all(destination), base: None }
            }
        };
        if READ_FLAGS.contains(&name)
            || instruction.transfer == Some(Transfer::Jump) && name.starts_with("b.")
        {
            effects.reads.push(FLAGS);
        }
        if WRITE_FLAGS.contains(&name) {
            effects.writes.push(FLAGS);
        }
        effects
    }
}

/// A load or a store. Its address is the operand with this index.
fn memory(name: &str, operands: &[String], address: usize) -> Effects {
    let (data, rest) = operands.split_at(address);
    let (mut reads, mut writes) = (all(rest), Vec::new());
    let base = reads.first().copied();
    // `[x0, #8]!` changes the base before the access, `[x0], #8` and `[x0], x1` behind it.
    let changed = rest.len() > 1 || rest.iter().any(|operand| operand.ends_with('!'));
    if name.starts_with("ld") {
        writes = all(data);
    }
    if name.starts_with("st") || data.iter().any(|operand| operand.contains("}[")) {
        reads.extend(all(data));
    }
    Effects { reads, writes, base: base.filter(|_| changed) }
}

/// Whether the instruction writes one lane of a vector only.
fn all_lanes(operands: &[String]) -> bool {
    operands.iter().any(|operand| operand.ends_with(']'))
}

/// The registers that operands name.
pub fn all(operands: &[String]) -> Vec<Register> {
    operands.iter().flat_map(|operand| registers(operand)).collect()
}

fn registers(operand: &str) -> Vec<Register> {
    let mut found: Vec<Register> = Vec::new();
    for range in operand.split(',') {
        let mut ends =
            range.split('-').map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()).find_map(register));
        match (ends.next().flatten(), ends.next().flatten()) {
            // `{v30.4s-v1.4s}` wraps around.
            (Some(first), Some(last)) if first >= VECTORS && last >= VECTORS => {
                let count = (last + 32 - first) % 32;
                found.extend((0..=count).map(|i| VECTORS + (first - VECTORS + i) % 32));
            }
            (Some(first), _) => found.push(first),
            _ => {}
        }
    }
    found
}

/// The register of a name; none for the zero register.
fn register(name: &str) -> Option<Register> {
    if name == "sp" || name == "wsp" {
        return Some(STACK);
    }
    let (class, number) = name.split_at_checked(1)?;
    let number = number.parse().ok().filter(|&number: &u8| number < 32)?;
    match class {
        "x" | "w" if number < 31 => Some(number),
        "v" | "q" | "d" | "s" | "h" | "b" => Some(VECTORS + number),
        _ => None,
    }
}

pub fn is_vector(register: Register) -> bool {
    (VECTORS..FLAGS).contains(&register)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::Isa;

    fn effects(text: &str) -> (Vec<Register>, Vec<Register>, Option<Register>) {
        let line = format!("0:\t{text}");
        let effects = Effects::of(&Instruction::parse(Isa::Aarch64, &line).expect(text));
        (effects.reads, effects.writes, effects.base)
    }

    #[test]
    fn integers() {
        assert_eq!(effects("eor x1, x2, w3, ror #51"), (vec![2, 3], vec![1], None));
        assert_eq!(effects("mov x1, #0x10"), (vec![], vec![1], None));
        assert_eq!(effects("movk x1, #0x10, lsl #16"), (vec![1], vec![1], None));
        assert_eq!(effects("and sp, x9, #0xffffffffffffffe0"), (vec![9], vec![31], None));
        assert_eq!(effects("adcs x1, x2, xzr"), (vec![2, FLAGS], vec![1, FLAGS], None));
        assert_eq!(effects("cmp x1, x2"), (vec![1, 2], vec![FLAGS], None));
        assert_eq!(effects("csel x1, x2, x3, ls"), (vec![2, 3, FLAGS], vec![1], None));
    }

    #[test]
    fn transfers() {
        assert_eq!(effects("b.ne 1000 <f>"), (vec![FLAGS], vec![], None));
        assert_eq!(effects("tbz w1, #3, 1000 <f>"), (vec![1], vec![], None));
        assert_eq!(effects("b 1000 <f>"), (vec![], vec![], None));
    }

    #[test]
    fn memory() {
        assert_eq!(effects("ldr x1, [x2, x3, lsl #3]"), (vec![2, 3], vec![1], None));
        assert_eq!(effects("ldp q0, q1, [x2], #32"), (vec![2], vec![32, 33], Some(2)));
        assert_eq!(effects("stp x1, x2, [sp, #-16]!"), (vec![31, 1, 2], vec![], Some(31)));
        assert_eq!(effects("ld4 {v31.4s-v2.4s}, [x0]"), (vec![0], vec![63, 32, 33, 34], None));
        assert_eq!(effects("ld1 {v0.d}[1], [x0]"), (vec![0, 32], vec![32], None));
        assert_eq!(effects("st1 {v0.2d, v1.2d}, [x0], x1"), (vec![0, 1, 32, 33], vec![], Some(0)));
    }

    #[test]
    fn vectors() {
        assert_eq!(effects("umlal2 v0.2d, v1.4s, v2.s[3]"), (vec![33, 34, 32], vec![32], None));
        assert_eq!(effects("mov v0.d[1], x1"), (vec![1, 32], vec![32], None));
        assert_eq!(effects("mov v0.16b, v1.16b"), (vec![33], vec![32], None));
        assert_eq!(effects("tbl v0.16b, {v1.16b}, v2.16b"), (vec![33, 34], vec![32], None));
        assert_eq!(effects("fmov x1, d2"), (vec![34], vec![1], None));
    }
}
