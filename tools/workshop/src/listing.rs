//! Reads a disassembly of x86-64 or AArch64 code from objdump: functions, loops, chains.

use crate::aarch64::Effects;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The instruction set of a listing.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Isa {
    #[value(name = "x86_64")]
    X86_64,
    Aarch64,
}

impl Isa {
    /// As the records of kernels have it.
    pub fn recorded(self) -> keylane_records::Isa {
        match self {
            Isa::Aarch64 => keylane_records::Isa::Aarch64,
            Isa::X86_64 => keylane_records::Isa::X86_64,
        }
    }
}

/// The functions, by address.
pub struct Listing(BTreeMap<u64, Function>);

pub struct Function {
    pub name: String,
    pub code: Vec<Instruction>,
}

pub struct Instruction {
    isa: Isa,
    address: u64,
    /// Without prefixes.
    pub mnemonic: String,
    /// In the order of the listing: the destination is last on x86-64 and first on AArch64. The names of targets are
    /// left out.
    pub operands: Vec<String>,
    /// Whether the last operand is an address in the program.
    pub points: bool,
    pub transfer: Option<Transfer>,
    /// objdump's note after the instruction.
    pub note: String,
}

/// How an instruction transfers control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Jump,
    Call,
    Return,
}

impl Transfer {
    fn of(isa: Isa, mnemonic: &str) -> Option<Transfer> {
        match (isa, mnemonic) {
            (Isa::X86_64, "call") | (Isa::Aarch64, "bl" | "blr") => Some(Transfer::Call),
            (_, "ret") => Some(Transfer::Return),
            (Isa::X86_64, name) if name.starts_with('j') => Some(Transfer::Jump),
            (Isa::Aarch64, "b" | "br" | "cbz" | "cbnz" | "tbz" | "tbnz") => Some(Transfer::Jump),
            (Isa::Aarch64, name) if name.starts_with("b.") => Some(Transfer::Jump),
            _ => None,
        }
    }
}

/// Prefixes of mnemonics.
const PREFIXES: [&str; 10] =
    ["rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs", "ds", "{evex}"];

impl Listing {
    /// Reads what `objdump --disassemble --demangle --no-show-raw-insn` prints, and what `objdump
    /// --dynamic-reloc` does: a call of another unit of the compiler goes through a table of addresses.
    pub fn parse(isa: Isa, text: &str, relocations: &str) -> Result<Listing> {
        let table: HashMap<u64, u64> = relocations.lines().filter_map(relocation).collect();
        let mut functions = BTreeMap::new();
        let mut current = None;
        for line in text.lines() {
            if let Some((address, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
                let address = u64::from_str_radix(address, 16).with_context(|| line.to_owned())?;
                let function = Function { name: name.to_owned(), code: Vec::new() };
                current = Some(functions.entry(address).or_insert(function));
            } else if let (Some(function), Some(mut instruction)) =
                (&mut current, Instruction::parse(isa, line))
            {
                instruction.resolve(line, &table);
                function.code.push(instruction);
            }
        }
        if functions.is_empty() {
            bail!("no function in the listing");
        }
        Ok(Listing(functions))
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.0.values()
    }

    /// The name of the function that a direct jump or call goes to.
    pub fn callee(&self, call: &Instruction) -> Option<&str> {
        self.0.get(&call.target()?).map(|function| function.name.as_str())
    }

    /// Where a function of that name begins.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(_, function)| function.name == name).map(|(address, _)| *address)
    }

    /// The instruction at an address.
    pub fn at(&self, address: u64) -> Option<&Instruction> {
        let (_, function) = self.0.range(..=address).next_back()?;
        let index = function.code.binary_search_by_key(&address, |instruction| instruction.address).ok()?;
        function.code.get(index)
    }

    /// The functions whose names satisfy `is_root`, and those among `is_ours` that they call or jump to.
    pub fn reachable(
        &self,
        is_root: impl Fn(&str) -> bool,
        is_ours: impl Fn(&str) -> bool,
    ) -> Vec<&Function> {
        let mut found: BTreeSet<u64> = self
            .0
            .iter()
            .filter(|(_, function)| is_root(&function.name))
            .map(|(address, _)| *address)
            .collect();
        let mut open: Vec<u64> = found.iter().copied().collect();
        while let Some(function) = open.pop().and_then(|address| self.0.get(&address)) {
            for target in function.code.iter().filter_map(Instruction::target) {
                let ours = self.0.get(&target).is_some_and(|function| is_ours(&function.name));
                if ours && found.insert(target) {
                    open.push(target);
                }
            }
        }
        found.iter().filter_map(|address| self.0.get(address)).collect()
    }
}

/// A place in the table and the address that stands there.
fn relocation(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let place = u64::from_str_radix(words.next()?, 16).ok()?;
    let address = words.find(|&word| word != "R_X86_64_RELATIVE")?.strip_prefix("*ABS*+0x")?;
    Some((place, u64::from_str_radix(address, 16).ok()?))
}

impl Function {
    /// Its bytes, without what fills the space up to the next one.
    pub fn size(&self) -> u64 {
        let is_filler = |instruction: &&Instruction| {
            ["nop", "nopw", "nopl", "int3", "xchg"].contains(&instruction.mnemonic.as_str())
        };
        let fillers = self.code.iter().rev().take_while(is_filler).count();
        let code = self.code.len() - fillers;
        let end = self.code.get(code).or(self.code.last()).map_or(0, |instruction| instruction.address);
        end - self.code.first().map_or(0, |instruction| instruction.address)
    }

    /// The innermost loops. A loop lies between a jump backward and its target, from which a way leads to the jump.
    /// Jumps to one target are of one loop, whose turn can end in several places.
    pub fn loops(&self) -> Vec<&[Instruction]> {
        let jumps = self.code.iter().enumerate().filter(|(_, instruction)| instruction.jumps());
        let backward = jumps.filter_map(|(last, jump)| Some((self.index(jump.target()?)?, last)));
        let ranges = backward.filter(|&(first, last)| first <= last && self.leads(first, last));
        let mut ranges: Vec<(usize, usize)> = ranges.collect();
        ranges.sort_by_key(|&(first, last)| (first, std::cmp::Reverse(last)));
        ranges.dedup_by_key(|&mut (first, _)| first);
        let innermost = |&(first, last): &(usize, usize)| {
            !ranges.iter().any(|&other| other != (first, last) && first <= other.0 && other.1 <= last)
        };
        let innermost = ranges.iter().copied().filter(innermost);
        innermost.filter_map(|(first, last)| self.code.get(first..=last)).collect()
    }

    /// The index of the instruction at an address.
    fn index(&self, address: u64) -> Option<usize> {
        self.code.binary_search_by_key(&address, |instruction| instruction.address).ok()
    }

    /// Whether control can pass from the first to the last of these instructions without leaving them. A jump with an
    /// unknown target may go anywhere.
    fn leads(&self, first: usize, last: usize) -> bool {
        let (mut seen, mut next) = (HashSet::new(), vec![first]);
        while let Some(i) = next.pop() {
            if i == last {
                return true;
            }
            let Some(instruction) = self.code.get(i).filter(|_| first <= i && i < last && seen.insert(i))
            else {
                continue;
            };
            if instruction.jumps() {
                match instruction.target() {
                    Some(address) => next.extend(self.index(address)),
                    None => return true,
                }
            }
            if !instruction.ends() {
                next.push(i + 1);
            }
        }
        false
    }

    /// Whether rbp or x29 is the frame pointer.
    pub fn has_frame_pointer(&self) -> bool {
        let sets = |it: &Instruction, from: &[&str]| it.operands.iter().take(2).eq(from);
        self.code.iter().any(|it| match (it.isa, it.mnemonic.as_str()) {
            (Isa::X86_64, "mov") => sets(it, &["%rsp", "%rbp"]),
            (Isa::Aarch64, "mov" | "add") => sets(it, &["x29", "sp"]),
            _ => false,
        })
    }
}

impl Instruction {
    pub fn parse(isa: Isa, line: &str) -> Option<Instruction> {
        let (address, text) = line.trim_start().split_once(":\t")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let note = if isa == Isa::X86_64 { "#" } else { "//" };
        let (text, note) = text.split_once(note).unwrap_or((text, ""));
        let note = note.trim().to_owned();
        let (text, points) = text.split_once(" <").map_or((text, false), |(text, _)| (text, true));
        let mut words = text.split_whitespace().skip_while(|word| PREFIXES.contains(word));
        let mnemonic = words.next()?.to_owned();
        let operands = split(&words.collect::<Vec<_>>().join(" "));
        let transfer = Transfer::of(isa, &mnemonic);
        Some(Instruction { isa, address, mnemonic, operands, points, transfer, note })
    }

    /// Where it stands.
    pub fn place(&self) -> u64 {
        self.address
    }

    /// Where it stands, as the listing has it.
    pub fn address(&self) -> String {
        format!("{:x}", self.address)
    }

    fn jumps(&self) -> bool {
        self.transfer == Some(Transfer::Jump)
    }

    /// Whether the next instruction in memory is never the next to run.
    fn ends(&self) -> bool {
        self.transfer == Some(Transfer::Return) || ["jmp", "b", "br"].contains(&self.mnemonic.as_str())
    }

    pub fn calls(&self) -> bool {
        self.transfer == Some(Transfer::Call)
    }

    /// Makes a jump or call through the table a direct one. `objdump` notes the place in the table behind
    /// a hash.
    fn resolve(&mut self, line: &str, table: &HashMap<u64, u64>) {
        let place = line.split_once("# ").and_then(|(_, note)| note.split(' ').next());
        let place = place.and_then(|place| u64::from_str_radix(place, 16).ok());
        if let (true, Some(target)) =
            (self.jumps() || self.calls(), place.and_then(|place| table.get(&place)))
        {
            self.operands = vec![format!("{target:x}")];
            self.points = true;
        }
    }

    /// The target of a direct jump or call.
    fn target(&self) -> Option<u64> {
        let is_transfer = self.jumps() || self.calls();
        let address = self.operands.last().filter(|_| is_transfer)?;
        u64::from_str_radix(address, 16).ok()
    }

    /// Whether an operand lies on the stack.
    pub fn touches_stack(&self, has_frame_pointer: bool) -> bool {
        let [stack, frame] = match self.isa {
            Isa::X86_64 => ["(%rsp", "(%rbp"],
            Isa::Aarch64 => ["[sp", "[x29"],
        };
        let on_stack = |operand: &String| {
            operand.contains(stack)
                || has_frame_pointer && operand.contains(frame) && !operand.starts_with('*')
        };
        self.mnemonic != "lea" && self.operands.iter().any(on_stack)
            || matches!(self.mnemonic.as_str(), "push" | "pop")
    }

    /// The first operand on x86-64 or the last one on AArch64, if it is a number.
    pub fn immediate(&self) -> Option<u32> {
        match self.isa {
            Isa::X86_64 => u32::from_str_radix(self.operands.first()?.strip_prefix("$0x")?, 16).ok(),
            Isa::Aarch64 => self.operands.last()?.strip_prefix('#')?.parse().ok(),
        }
    }

    /// The number by which the last operand is turned or shifted, on AArch64: `turned("ror")` of `eor x1, x2, x3, ror
    /// #51` is 51.
    pub fn turned(&self, how: &str) -> Option<u32> {
        let (name, number) = self.operands.last()?.split_once(" #")?;
        number.parse().ok().filter(|_| self.isa == Isa::Aarch64 && name == how)
    }

    /// The width of the general register that is written, in bits; 64 for other operands.
    pub fn width(&self) -> u32 {
        if self.isa == Isa::Aarch64 {
            return if self.operands.first().is_some_and(|it| it.starts_with('w')) { 32 } else { 64 };
        }
        let destination = self.operands.last().map_or("", |operand| operand.trim_start_matches('%'));
        let numbered = destination.strip_prefix('r').is_some_and(|rest| rest.ends_with('d'));
        if destination.starts_with('e') || numbered { 32 } else { 64 }
    }
}

/// Splits operands at the commas outside of brackets.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let outside = |c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    };
    text.split(outside)
        .map(|operand| operand.trim().to_owned())
        .filter(|operand| !operand.is_empty())
        .collect()
}

/// The longest chain of dependent instructions through a loop, in cycles per iteration. The core has any width. An
/// operation takes a cycle, a move takes none, and a load is never late.
pub fn chain(body: &[Instruction]) -> Result<f64> {
    const TURNS: u32 = 16;
    let mut ready = HashMap::new();
    let mut end_after = |turns: u32| -> Result<u32> {
        for instruction in (0..turns).flat_map(|_| body) {
            step(instruction, &mut ready)?;
        }
        Ok(ready.values().copied().max().unwrap_or(0))
    };
    // The first iterations bring the chain to its length; the others measure its growth.
    let start = end_after(TURNS)?;
    Ok(f64::from(end_after(TURNS)? - start) / f64::from(TURNS))
}

/// Computes when the result of an instruction is ready.
fn step(instruction: &Instruction, ready: &mut HashMap<String, u32>) -> Result<()> {
    let Instruction { mnemonic, operands, .. } = instruction;
    if instruction.isa == Isa::Aarch64 {
        return step_aarch64(instruction, ready);
    }
    let (takes, reads_destination) = match mnemonic.as_str() {
        "mov" | "movabs" | "movzbl" => (0, false),
        "lea" | "rorx" | "andn" | "movq" | "movdqa" => (1, false),
        "paddb" | "pcmpgtb" | "pand" | "pandn" | "por" => (1, true),
        "add" | "sub" | "xor" | "and" | "or" | "rol" | "ror" | "shl" | "shr" | "not" | "inc" | "dec" => {
            (1, true)
        }
        "cmp" | "test" | "nop" | "nopw" | "nopl" => return Ok(()),
        "xchg" if operands.first() == operands.last() => return Ok(()),
        jump if jump.starts_with('j') => return Ok(()),
        other => bail!("{other} stands in a loop whose chain is measured, and is not known here"),
    };
    let Some((destination, sources)) = operands.split_last() else { return Ok(()) };
    let sources = sources.iter().chain(reads_destination.then_some(destination));
    let is_address = mnemonic == "lea";
    let registers = sources.flat_map(|source| registers(source, is_address));
    let start = registers.map(|register| ready.get(&register).copied().unwrap_or(0)).max().unwrap_or(0);
    if let Some(register) = registers_of_value(destination) {
        ready.insert(register, start + takes);
    }
    Ok(())
}

/// The same for AArch64. An operation with a rotated operand takes a cycle as well.
fn step_aarch64(instruction: &Instruction, ready: &mut HashMap<String, u32>) -> Result<()> {
    let takes = match instruction.mnemonic.as_str() {
        "ldr" | "ldp" | "ldur" | "ldrb" | "ldrh" | "ldurb" => None,
        "mov" | "str" | "stp" => Some(0),
        "add" | "sub" | "subs" | "neg" | "eor" | "and" | "ands" | "orr" | "orn" | "bic" | "mvn" | "ror"
        | "lsl" | "lsr" | "ubfiz" | "ubfx" => Some(1),
        "cmp" | "tst" | "nop" | "cbz" | "cbnz" | "tbz" | "tbnz" | "b" => return Ok(()),
        jump if jump.starts_with("b.") => return Ok(()),
        other => bail!("{other} stands in a loop whose chain is measured, and is not known here"),
    };
    let Effects { reads, writes, base } = Effects::of(instruction);
    let at = |register: &u8| ready.get(&register.to_string()).copied().unwrap_or(0);
    let end = takes.map_or(0, |takes| takes + reads.iter().map(at).max().unwrap_or(0));
    let moved = base.map(|base| (base, at(&base) + 1));
    for (register, end) in writes.into_iter().map(|register| (register, end)).chain(moved) {
        ready.insert(register.to_string(), end);
    }
    Ok(())
}

/// The registers that an operand reads. Registers of an address count for `lea` only.
fn registers(operand: &str, is_address: bool) -> Vec<String> {
    if operand.contains('(') {
        let names = operand
            .split(|c: char| !c.is_alphanumeric() && c != '%')
            .filter(|name| is_address && name.starts_with('%'));
        return names.map(whole).collect();
    }
    registers_of_value(operand).into_iter().collect()
}

fn registers_of_value(operand: &str) -> Option<String> {
    operand.starts_with('%').then(|| whole(operand))
}

/// The 64-bit register that a name is a part of.
fn whole(name: &str) -> String {
    let name = name.trim_start_matches('%');
    match name.strip_prefix('e') {
        Some(rest) => format!("r{rest}"),
        None if name.starts_with("r1") || name.starts_with("r8") || name.starts_with("r9") => {
            name.trim_end_matches('d').to_owned()
        }
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two functions as `aarch64-linux-gnu-objdump` prints them.
    const AARCH64: &str = "
workload:     file format elf64-littleaarch64

0000000000001000 <keylane::arch::portable::siphash_x1::LONG::entry>:
    1000:\tldr\tx8, [x0], #8
    1004:\teor\tx1, x1, x8, ror #51
    1008:\tldp\tq0, q1, [x2, #-32]!
    100c:\tadrp\tx3, 5000 <keylane::selftest<u32, u64>::CASES>
    1010:\tb.ne\t1000 <keylane::arch::portable::siphash_x1::LONG::entry>  // b.any
    1014:\ttbz\tw8, #3, 1004 <keylane::arch::portable::siphash_x1::LONG::entry+0x4>
    1018:\tbl\t2000 <keylane::finish>
    101c:\tret

0000000000002000 <keylane::finish>:
    2000:\tbr\tx16
";

    #[test]
    fn aarch64() {
        let listing = Listing::parse(Isa::Aarch64, AARCH64, "").expect("functions");
        let at = |address| listing.at(address).expect("an instruction");
        assert_eq!(at(0x1000).operands, ["x8", "[x0]", "#8"]);
        assert_eq!(at(0x1004).operands, ["x1", "x1", "x8", "ror #51"]);
        assert_eq!(at(0x1008).operands, ["q0", "q1", "[x2, #-32]!"]);
        assert_eq!((at(0x100c).operands[1].as_str(), at(0x100c).points), ("5000", true));
        assert_eq!((at(0x1010).transfer, at(0x1010).target()), (Some(Transfer::Jump), Some(0x1000)));
        assert_eq!(at(0x1014).target(), Some(0x1004));
        assert_eq!((at(0x1018).transfer, at(0x1018).target()), (Some(Transfer::Call), Some(0x2000)));
        assert_eq!(at(0x101c).transfer, Some(Transfer::Return));
        assert_eq!((at(0x2000).transfer, at(0x2000).target()), (Some(Transfer::Jump), None));
        assert!(listing.at(0x1002).is_none() && listing.at(0).is_none());
        let reached = listing.reachable(|name| name.ends_with("::entry"), |name| name.contains("keylane::"));
        assert_eq!(reached.len(), 2);
        let loops: Vec<usize> = reached.iter().flat_map(|it| it.loops()).map(<[Instruction]>::len).collect();
        assert_eq!(loops, [5, 5]);
    }

    #[test]
    fn a_jump_back_to_a_common_end_is_no_loop() {
        let code = "0000000000001000 <f>:\n    1000:\tjae    100c <f+0xc>\n    1004:\tmov    %rax,%rbx\n    1008:\tret\n    \
                    100c:\txor    %eax,%eax\n    1010:\tjmp    1004 <f+0x4>\n";
        let loops = |code: &str| {
            let listing = Listing::parse(Isa::X86_64, code, "").expect("a function");
            listing.functions().map(|function| function.loops().len()).sum::<usize>()
        };
        assert_eq!(loops(code), 0);
        assert_eq!(loops(&code.replace("ret", "nop")), 1);
        assert_eq!(loops(&code.replace("ret", "jmp    *%rax")), 1);
    }
}
