//! What the compiler has made of the kernels, in the default release build.
//!
//! A kernel is right whatever the compiler does, but not fast: a rotation may come out as two shifts, a
//! state may go through memory, an order of operations that was chosen may be undone. So the loops of each
//! kernel are found in the disassembly of the command `keylane`, which has all of them in it, and looked
//! over; and likewise those ablations of the lab of which the compiler could make what they are compared with. The functions of a kernel are its row's entry and what that calls; a loop is what lies between a
//! jump backward and its target.

use crate::constant_time::{objection, strangers};
use crate::listing::{Function, Instruction, Isa, Listing, chain};
use crate::{output, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// What is expected of a kernel.
struct Expected {
    kernel: &'static str,
    /// An innermost loop with any of these is a hot loop, and must have all of them.
    has: &'static [Operation],
    /// How many hot loops there are at least: a kernel whose loops are not found has not been looked over.
    loops: usize,
    /// How many instructions of a hot loop may use the stack, and why any must.
    stack: Option<(usize, &'static str)>,
    /// How many cycles the chain of a round has, for kernels whose order of operations the compiler is
    /// kept from changing. The first operation of `has` counts the rounds.
    chain: Option<u32>,
}

/// An operation of the algorithm.
#[derive(Clone, Copy)]
enum Operation {
    /// A rotation to the left, by an instruction for rotations.
    Rotate { width: u32, by: u32 },
    /// So many of any of these instructions.
    AtLeast(usize, &'static [&'static str]),
    /// This instruction with this number.
    With(&'static str, u32),
}

const SIPHASH: [Operation; 5] = rotations(64, [13, 16, 21, 17, 32]);
const HALFSIPHASH: [Operation; 5] = rotations(32, [5, 8, 7, 13, 16]);
/// The half turns are shuffles, which other loops have too.
const SIPHASH_AVX512: [Operation; 4] = [rotate(64, 13), rotate(64, 16), rotate(64, 21), rotate(64, 17)];
/// The half turn is left out: it is its own inverse, and a round is taken back in other loops.
const HALFSIPHASH_AVX512: [Operation; 4] = [rotate(32, 5), rotate(32, 8), rotate(32, 7), rotate(32, 13)];
/// AVX2 has no rotation: two shifts, and shuffles for turns by whole bytes, which other loops have too.
const SIPHASH_AVX2: [Operation; 3] =
    [Operation::With("vpsllq", 13), Operation::With("vpsllq", 17), Operation::With("vpsllq", 21)];
const HALFSIPHASH_AVX2: [Operation; 3] =
    [Operation::With("vpslld", 5), Operation::With("vpslld", 7), Operation::With("vpslld", 13)];
/// SSE2 likewise.
const SIPHASH_SSE2: [Operation; 3] =
    [Operation::With("psllq", 13), Operation::With("psllq", 17), Operation::With("psllq", 21)];
const HALFSIPHASH_SSE2: [Operation; 3] =
    [Operation::With("pslld", 5), Operation::With("pslld", 7), Operation::With("pslld", 13)];
const POLY1305: [Operation; 1] = [Operation::AtLeast(4, &["mul", "mulx"])];
const POLY1305_IFMA: [Operation; 2] =
    [Operation::AtLeast(6, &["vpmadd52luq"]), Operation::AtLeast(6, &["vpmadd52huq"])];
/// A step of Karatsuba's method.
const POLY1305_BASE26: [Operation; 1] = [Operation::AtLeast(15, &["pmuludq", "vpmuludq"])];
/// A turn of four blocks with all products.
const POLY1305_BASE26_MANY: [Operation; 1] = [Operation::AtLeast(100, &["vpmuludq"])];
const POLY1305_U32: [Operation; 1] = [Operation::AtLeast(4, &["imul"])];

/// The table: an entry for each kernel.
const EXPECTED: [Expected; 21] = [
    Expected { kernel: "siphash_x1_dup", has: &SIPHASH, loops: 12, stack: None, chain: Some(4) },
    Expected {
        kernel: "siphash_x1",
        has: &SIPHASH,
        loops: 80,
        stack: Some((2, "what a batch of integers computes once from the initial state, and its counters")),
        chain: None,
    },
    Expected {
        kernel: "siphash_x2",
        has: &SIPHASH,
        loops: 200,
        stack: Some((8, "two states, two words and two pointers leave no register of 16 for the rest")),
        chain: None,
    },
    Expected {
        kernel: "halfsiphash_x1",
        has: &HALFSIPHASH,
        loops: 80,
        stack: Some((1, "what a batch of integers computes once from the initial state, and its counters")),
        chain: None,
    },
    Expected {
        kernel: "halfsiphash_x2",
        has: &HALFSIPHASH,
        loops: 200,
        stack: Some((16, "two states, two words and two pointers leave no register of 16 for the rest")),
        chain: None,
    },
    Expected { kernel: "siphash_x8_avx512", has: &SIPHASH_AVX512, loops: 20, stack: None, chain: None },
    Expected { kernel: "siphash_x4_avx2", has: &SIPHASH_AVX2, loops: 20, stack: None, chain: None },
    Expected {
        kernel: "halfsiphash_x16_avx512",
        has: &HALFSIPHASH_AVX512,
        loops: 20,
        stack: None,
        chain: None,
    },
    Expected { kernel: "halfsiphash_x8_avx2", has: &HALFSIPHASH_AVX2, loops: 20, stack: None, chain: None },
    Expected { kernel: "siphash_x4_sse2", has: &SIPHASH_SSE2, loops: 20, stack: None, chain: None },
    Expected { kernel: "halfsiphash_x4_sse2", has: &HALFSIPHASH_SSE2, loops: 20, stack: None, chain: None },
    Expected {
        kernel: "poly1305_p8_avx512ifma",
        has: &POLY1305_IFMA,
        loops: 2,
        stack: Some((
            1,
            "the powers for the end, which a piece has from before, are live beside those of a turn",
        )),
        chain: None,
    },
    Expected {
        kernel: "poly1305_x8_avx512ifma",
        has: &POLY1305_IFMA,
        loops: 4,
        stack: Some((9, "the addresses of eight lanes that end one after the other")),
        chain: None,
    },
    Expected {
        kernel: "poly1305_p4_avx512ifma",
        has: &POLY1305_IFMA,
        loops: 2,
        stack: Some((
            1,
            "the powers for the end, which a piece has from before, are live beside those of a turn",
        )),
        chain: None,
    },
    Expected { kernel: "poly1305_p8_avx512f", has: &POLY1305_BASE26, loops: 4, stack: None, chain: None },
    Expected {
        kernel: "poly1305_p4_avx2",
        has: &POLY1305_BASE26,
        loops: 4,
        stack: Some((18, "ten accumulators, five limbs and a product leave no register of 16 for masks")),
        chain: None,
    },
    Expected {
        kernel: "poly1305_p2_sse2",
        has: &POLY1305_BASE26,
        loops: 4,
        stack: Some((12, "ten accumulators, five limbs and a product leave no register of 16 for masks")),
        chain: None,
    },
    Expected {
        kernel: "poly1305_x4_avx2",
        has: &POLY1305_BASE26_MANY,
        loops: 4,
        stack: Some((
            120,
            "two factors of nine vectors, or the columns of four products, do not fit into 16 registers",
        )),
        chain: None,
    },
    Expected { kernel: "poly1305_x1_u64", has: &POLY1305, loops: 1, stack: None, chain: None },
    Expected {
        kernel: "poly1305_x1_u32",
        has: &POLY1305_U32,
        loops: 1,
        stack: Some((11, "five limbs, seven multipliers and five sums do not fit into 16 registers")),
        chain: None,
    },
    Expected {
        kernel: "poly1305_x2_u64",
        has: &POLY1305,
        loops: 1,
        stack: Some((16, "two accumulators of three limbs and two keys do not fit into 16 registers")),
        chain: None,
    },
];

/// What is expected of an ablation of the lab: that the compiler has left in what was put in.
struct Ablation {
    expected: Expected,
    /// What no hot loop may have.
    lacks: &'static [Operation],
}

/// As many as a word has: one is in the tails of short messages anyway.
const BYTE_LOADS: [Operation; 1] = [Operation::AtLeast(8, &["movzbl"])];
const SHIFTS: [Operation; 10] = [
    Operation::With("shl", 13),
    Operation::With("shl", 16),
    Operation::With("shl", 21),
    Operation::With("shl", 17),
    Operation::With("shl", 32),
    Operation::With("shr", 51),
    Operation::With("shr", 48),
    Operation::With("shr", 43),
    Operation::With("shr", 47),
    Operation::With("shr", 32),
];

/// The ablations whose one difference a compiler could undo, or that it should undo.
const ABLATIONS: [Ablation; 4] = [
    Ablation { expected: ablation("siphash_x1_bytes", &SIPHASH), lacks: &BYTE_LOADS },
    Ablation { expected: ablation("siphash_x1_bytes_hidden", &BYTE_LOADS), lacks: &[] },
    Ablation { expected: ablation("siphash_x1_shifts", &SHIFTS), lacks: &SIPHASH },
    Ablation { expected: Expected { chain: Some(4), ..ablation("siphash_x1_beside", &SIPHASH) }, lacks: &[] },
];

/// A loop over the words of a message for each of 1-2, 1-3 and 2-4.
const fn ablation(kernel: &'static str, has: &'static [Operation]) -> Expected {
    let stack = Some((6, "the loop over messages keeps its pointers there"));
    Expected { kernel, has, loops: 3, stack, chain: None }
}

impl Ablation {
    /// Looks over all functions of the kernel: what it found, in one line, and the faults.
    fn check(&self, listing: &Listing, faults: &mut Vec<String>) -> String {
        let Expected { kernel, has, .. } = self.expected;
        for function in functions(self.expected.kernel, listing) {
            let loops = function.loops();
            for body in loops.iter().filter(|body| has.iter().any(|operation| operation.count(body) > 0)) {
                let at = body.first().map_or(String::new(), Instruction::address);
                for undone in self.lacks.iter().filter(|operation| operation.count(body) > 0) {
                    faults.push(format!("{kernel}: {undone} in the loop at {at}, in {}", function.name));
                }
            }
        }
        self.expected.check(listing, faults)
    }
}

const fn rotations(width: u32, by: [u32; 5]) -> [Operation; 5] {
    let [a, b, c, d, e] = by;
    [rotate(width, a), rotate(width, b), rotate(width, c), rotate(width, d), rotate(width, e)]
}

const fn rotate(width: u32, by: u32) -> Operation {
    Operation::Rotate { width, by }
}

/// Instructions that no kernel may have: the time of a division or a root, of integers or in floating point, and on
/// some CPUs that of a bit gather, depends on the operands, and a gather or scatter goes where data says.
fn is_forbidden(mnemonic: &str) -> bool {
    let begins =
        ["div", "idiv", "sqrt", "fdiv", "fidiv", "fsqrt", "pgather", "gather", "pscatter", "scatter"];
    let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    begins.iter().any(|begin| name.starts_with(begin)) || ["pdep", "pext"].contains(&mnemonic)
}

/// The programs that have the kernels in them, taken apart.
struct Programs {
    /// The command's.
    product: Listing,
    /// The lab's.
    lab: Listing,
    /// The kernels of the product's table.
    kernels: Vec<String>,
}

impl Programs {
    fn build(root: &Path) -> Result<Programs> {
        let build = ["build", "--release"];
        run(root, Command::new("cargo").args(build).args(["--package", "keylane-cli"]))?;
        let workload = ["--package", "keylane-lab", "--example", "workload"];
        run(root, Command::new("cargo").args(build).args(workload))?;
        // Cargo puts all programs into one folder.
        let program = std::env::current_exe()?.with_file_name("keylane");
        let workload = program.with_file_name("examples").join("workload");
        let kernels = kernels(&output(Command::new(&program).args(["kernels", "--json"]))?)?;
        Ok(Programs { product: listing(&program)?, lab: listing(&workload)?, kernels })
    }
}

/// The kernels of the product and of the lab's Poly1305, and the bytes of code of each: its row's entry and all of
/// keylane that this calls, but what a vector kernel leaves to a portable one.
pub fn sizes(root: &Path) -> Result<Vec<(String, u64)>> {
    let programs = Programs::build(root)?;
    let mut lab = Vec::new();
    for file in std::fs::read_dir(root.join("crates/keylane-lab/src/arch/poly1305"))? {
        lab.extend(file?.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    lab.sort();
    let size = |listing: &Listing, kernel: &str| -> u64 {
        functions(kernel, listing).into_iter().map(Function::size).sum()
    };
    let product = programs.kernels.iter().map(|kernel| (kernel.clone(), size(&programs.product, kernel)));
    let lab = lab.into_iter().map(|kernel| (kernel.clone(), size(&programs.lab, &kernel)));
    // What is no kernel, or is another CPU's, has no code here.
    Ok(product.chain(lab).filter(|&(_, size)| size > 0).collect())
}

/// Builds the command, takes it apart, and names every fault.
pub fn codegen(root: &Path) -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        println!("codegen: not run: it reads x86-64 listings");
        return Ok(());
    }
    let Programs { product: listing, lab, kernels } = Programs::build(root)?;
    let mut faults = Vec::new();
    for line in check(&EXPECTED, &kernels, &listing, &mut faults) {
        println!("{line}");
    }
    for ablation in &ABLATIONS {
        println!("{}", ablation.check(&lab, &mut faults));
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of code generation", faults.len());
    }
    println!("codegen: {} kernels, {} ablations, no fault", kernels.len(), ABLATIONS.len());
    Ok(())
}

/// A program's disassembly.
pub fn listing(program: &Path) -> Result<Listing> {
    let text = output(
        Command::new("objdump")
            .args(["--disassemble", "--demangle", "--no-show-raw-insn", "--wide"])
            .arg(program),
    )?;
    let relocations = output(Command::new("objdump").arg("--dynamic-reloc").arg(program))?;
    Listing::parse(Isa::X86_64, &text, &relocations)
}

/// Checks every kernel: what is to be said of each, and the faults. A kernel without an entry is one.
fn check(
    entries: &[Expected],
    kernels: &[String],
    listing: &Listing,
    faults: &mut Vec<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    for kernel in kernels {
        match entries.iter().find(|expected| expected.kernel == kernel) {
            Some(expected) => lines.push(expected.check(listing, faults)),
            None => {
                faults.push(format!("{kernel}: xtask/src/codegen.rs does not say what is expected of it"))
            }
        }
    }
    for expected in entries.iter().filter(|expected| !kernels.iter().any(|kernel| kernel == expected.kernel))
    {
        faults.push(format!("{}: there is no such kernel", expected.kernel));
    }
    lines
}

/// The kernels of `keylane kernels --json`, each once.
fn kernels(json: &str) -> Result<Vec<String>> {
    let rows: Vec<Value> = serde_json::from_str(json)?;
    let mut kernels = Vec::new();
    for row in rows {
        let kernel = row.get("kernel").and_then(Value::as_str).context("a row without a kernel")?.to_owned();
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    Ok(kernels)
}

/// A row's entry and what it calls.
pub fn functions<'a>(kernel: &str, listing: &'a Listing) -> Vec<&'a Function> {
    let file = format!("::{}::", kernel);
    let is_root = |name: &str| name.contains(&file) && name.ends_with("::entry");
    // What a vector kernel leaves to a portable one is looked over there.
    let portable = "::arch::portable::";
    let is_portable = listing.reachable(is_root, |_| false).iter().any(|root| root.name.contains(portable));
    listing.reachable(is_root, |name| is_ours(name) && (is_portable || !name.contains(portable)))
}

/// Whether a function is keylane's, or made of one of its closures.
fn is_ours(name: &str) -> bool {
    ["keylane::", "keylane_lab::", "core::ops::function::"].iter().any(|ours| name.contains(ours))
}

impl Expected {
    /// Whether valgrind cannot run it, so that its instructions are held to a list.
    fn has_avx512(&self) -> bool {
        self.kernel.contains("avx512")
    }

    /// Looks over all functions of the kernel: what it found, in one line, and the faults.
    fn check(&self, listing: &Listing, faults: &mut Vec<String>) -> String {
        let functions = functions(self.kernel, listing);
        let mut found = Found::default();
        for function in &functions {
            let mut fault =
                |what: String| faults.push(format!("{}: {what}, in {}", self.kernel, function.name));
            for instruction in &function.code {
                if is_forbidden(&instruction.mnemonic) {
                    fault(format!("{} at {}", instruction.mnemonic, instruction.address()));
                } else if let Some(objection) = objection(instruction).filter(|_| self.has_avx512()) {
                    fault(format!("{objection}, at {}", instruction.address()));
                }
            }
            if self.has_avx512() {
                let strangers = strangers(function, listing, is_ours);
                strangers.into_iter().for_each(|name| fault(format!("a call of {name}")));
            }
            for body in function.loops() {
                for lost in self.has.iter().filter(|operation| operation.is_lost(body)) {
                    let at = body.first().map_or(String::new(), Instruction::address);
                    fault(format!("two shifts for a {lost} in the loop at {at}"));
                }
                if self.has.iter().any(|operation| operation.count(body) > 0) {
                    self.check_loop(function, body, &mut found, &mut fault);
                }
            }
        }
        if found.loops < self.loops {
            faults.push(format!("{}: {} hot loops, {} expected", self.kernel, found.loops, self.loops));
        }
        self.report(&found)
    }

    /// Looks over a hot loop.
    fn check_loop(
        &self,
        function: &Function,
        body: &[Instruction],
        found: &mut Found,
        fault: &mut dyn FnMut(String),
    ) {
        let at = body.first().map_or(String::new(), Instruction::address);
        for operation in self.has.iter().filter(|operation| operation.count(body) == 0) {
            fault(format!("no {operation} in the loop at {at}"));
        }
        if body.iter().any(Instruction::calls) {
            fault(format!("a call in the loop at {at}"));
        }
        let frame = function.has_frame_pointer();
        let stack = body.iter().filter(|instruction| instruction.touches_stack(frame)).count();
        if stack > self.stack.map_or(0, |(most, _)| most) {
            fault(format!("{stack} instructions use the stack in the loop at {at}"));
        }
        if let (Some(expected), Some(round)) = (self.chain, self.has.first()) {
            match chain(body) {
                Ok(cycles) => {
                    let a_round = cycles / round.count(body) as f64;
                    found.chain = found.chain.max(a_round);
                    if a_round > f64::from(expected) {
                        fault(format!("{a_round} cycles a round, {expected} expected, in the loop at {at}"));
                    }
                }
                Err(error) => fault(format!("{error}, at {at}")),
            }
        }
        found.loops += 1;
        found.longest = found.longest.max(body.len());
        found.stack = found.stack.max(stack);
    }

    fn report(&self, found: &Found) -> String {
        let Found { loops, longest, stack, chain } = found;
        let mut line = format!("{}: {loops} hot loops of up to {longest} instructions", self.kernel);
        if self.has_avx512() {
            line += ", all instructions of constant time";
        }
        if self.chain.is_some() {
            line += &format!(", {chain} cycles a round");
        }
        match self.stack {
            Some((_, why)) => line += &format!(", of which up to {stack} use the stack: {why}"),
            None => line += ", none of which uses the stack",
        }
        line
    }
}

/// The hot loops of a kernel.
#[derive(Default)]
struct Found {
    loops: usize,
    /// Instructions of the longest.
    longest: usize,
    /// Instructions that use the stack, in the worst.
    stack: usize,
    /// Cycles a round, in the worst.
    chain: f64,
}

impl Operation {
    /// How often it stands in a loop.
    fn count(self, body: &[Instruction]) -> usize {
        let count = body.iter().filter(|instruction| self.is(instruction)).count();
        if let Operation::AtLeast(times, _) = self { count / times } else { count }
    }

    /// Whether it is a rotation that stands in a loop as two shifts.
    fn is_lost(self, body: &[Instruction]) -> bool {
        let Operation::Rotate { width, by } = self else { return false };
        let shifts = |mnemonic: &str, by: u32| {
            body.iter().any(|it| it.mnemonic == mnemonic && it.width() == width && it.immediate() == Some(by))
        };
        shifts("shl", by) && shifts("shr", width - by)
    }

    fn is(self, instruction: &Instruction) -> bool {
        let mnemonic = instruction.mnemonic.as_str();
        match self {
            Operation::AtLeast(_, names) => names.contains(&mnemonic),
            Operation::With(name, number) => mnemonic == name && instruction.immediate() == Some(number),
            Operation::Rotate { width, by } => {
                let by = match (mnemonic, width) {
                    ("rol", _) | ("vprolq", 64) | ("vprold", 32) => by,
                    ("ror" | "rorx", _) | ("vprorq", 64) | ("vprord", 32) => width - by,
                    _ => return false,
                };
                let vector = mnemonic.starts_with('v');
                (vector || instruction.width() == width) && instruction.immediate() == Some(by)
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Rotate { width, by } => write!(f, "rotation of {width} bits by {by}"),
            Operation::AtLeast(times, names) => write!(f, "{times} of {}", names.join(" or ")),
            Operation::With(name, number) => write!(f, "{name} by {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word of siphash_x1_dup in one turn.
    const TURN: &str = "
        mov (%rdx,%rbx,1),%rcx
        add %rdi,%r8
        add %r9,%rsi
        mov %r9,%r15
        rol $0x25,%r15
        xor %rcx,%r15
        mov %rsi,%r14
        rol $0x15,%r14
        xor %r15,%r14
        rol $0xd,%rdi
        xor %r8,%rdi
        rol $0x10,%r9
        xor %rsi,%r9
        rol $0x20,%r8
        add %r8,%r9
        add %rdi,%rsi
        rol $0x11,%rdi
        xor %rsi,%rdi
        rol $0x20,%rsi
        mov %r11,%r8
        xor %r9,%r8
        xor %r14,%r9
        add $0x8,%rbx
        mov %rcx,%r11
        cmp %rbx,%r10
        jne 1000 <keylane::arch::x86_64::siphash_x1_dup::LONG::entry>";

    /// The same word with the injection on the chain.
    const UNDONE: &str = "
        mov (%rdx,%rbx,1),%rcx
        xor %rcx,%r9
        add %rdi,%r8
        add %r9,%rsi
        rol $0xd,%rdi
        xor %r8,%rdi
        rol $0x10,%r9
        xor %rsi,%r9
        rol $0x20,%r8
        add %r9,%r8
        rol $0x15,%r9
        xor %r8,%r9
        add %rdi,%rsi
        rol $0x11,%rdi
        xor %rsi,%rdi
        rol $0x20,%rsi
        xor %rcx,%r8
        add $0x8,%rbx
        cmp %rbx,%r10
        jne 1000 <keylane::arch::x86_64::siphash_x1_dup::LONG::entry>";

    const KERNEL: Expected =
        Expected { kernel: "siphash_x1_dup", has: &SIPHASH, loops: 1, stack: None, chain: Some(4) };

    /// A listing of functions with these addresses, names and instructions.
    fn listing(functions: &[(u64, &str, &str)]) -> Listing {
        let mut text = "\nkeylane:     file format elf64-x86-64\n".to_owned();
        for (start, name, code) in functions {
            text += &format!("\n{start:016x} <{name}>:\n");
            for (line, address) in code.lines().map(str::trim).filter(|line| !line.is_empty()).zip(*start..) {
                text += &format!("  {address:x}:\t{line}\n");
            }
        }
        Listing::parse(Isa::X86_64, &text, "").expect("functions")
    }

    const ENTRY: &str = "keylane::arch::x86_64::siphash_x1_dup::LONG::entry";

    /// The faults of one kernel whose entry has this code.
    fn faults(kernel: &Expected, code: &str) -> Vec<String> {
        let mut faults = Vec::new();
        kernel.check(&listing(&[(0x1000, ENTRY, code)]), &mut faults);
        faults
    }

    #[track_caller]
    fn one_fault(kernel: &Expected, code: &str, says: &str) {
        match faults(kernel, code).as_slice() {
            [fault] => assert!(fault.starts_with(&format!("siphash_x1_dup: {says}")), "{fault}"),
            other => panic!("one fault, that it has {says}: {other:#?}"),
        }
    }

    #[test]
    fn a_good_loop() {
        assert_eq!(faults(&KERNEL, TURN), [""; 0]);
        let line = KERNEL.check(&listing(&[(0x1000, ENTRY, TURN)]), &mut Vec::new());
        assert_eq!(
            line,
            "siphash_x1_dup: 1 hot loops of up to 26 instructions, 4 cycles a round, none of which uses the stack"
        );
        // Other instructions for the same rotations.
        assert_eq!(faults(&KERNEL, &TURN.replace("rol $0xd,%rdi", "ror $0x33,%rdi")), [""; 0]);
        assert_eq!(faults(&KERNEL, &TURN.replace("rol $0xd,%rdi", "rorx $0x33,%rdi,%rdi")), [""; 0]);
    }

    #[test]
    fn an_undone_injection() {
        one_fault(&KERNEL, UNDONE, "5 cycles a round, 4 expected, in the loop at 1000");
        // Where nothing is expected of the chain, that is a good loop too.
        assert_eq!(faults(&Expected { chain: None, ..KERNEL }, UNDONE), [""; 0]);
    }

    #[test]
    fn a_chain_that_cannot_be_measured() {
        one_fault(&KERNEL, &TURN.replace("mov %r9,%r15", "imul %r9,%r15"), "imul stands in a loop");
    }

    #[test]
    fn forbidden_instructions() {
        let any_time =
            "divq idivl div vdivpd divsd vsqrtss fdivrp fsqrt vpgatherdq vgatherqps vpscatterqd pdep pext";
        for name in any_time.split(' ') {
            assert!(is_forbidden(name), "{name}");
        }
        for name in ["mulq", "vpaddq", "pextrq", "vpextrd", "vmovq", "imul"] {
            assert!(!is_forbidden(name), "{name}");
        }
    }

    #[test]
    fn a_call_in_the_loop() {
        let call = TURN.replace("mov %r9,%r15", "mov %r9,%r15\ncall 2000 <memcpy>");
        one_fault(&Expected { chain: None, ..KERNEL }, &call, "a call in the loop at 1000");
        // Outside of the loop it is none of the loop's.
        assert_eq!(faults(&KERNEL, &format!("{TURN}\ncall 2000 <memcpy>\nret")), [""; 0]);
    }

    #[test]
    fn a_spill() {
        let spill = TURN.replace("mov %r11,%r8", "mov -0x8(%rsp),%r8");
        one_fault(&KERNEL, &spill, "1 instructions use the stack in the loop at 1000");
        assert_eq!(faults(&Expected { stack: Some((1, "a reason")), ..KERNEL }, &spill), [""; 0]);

        // rbp is a register like others, unless it holds the frame.
        let frame = TURN.replace("mov %r11,%r8", "mov -0x8(%rbp),%r8");
        assert_eq!(faults(&KERNEL, &frame), [""; 0]);
        one_fault(&KERNEL, &format!("{frame}\nmov %rsp,%rbp"), "1 instructions use the stack");
    }

    #[test]
    fn two_shifts_for_a_rotation() {
        let shifts = "mov %rdi,%rax\nshl $0xd,%rdi\nshr $0x33,%rax\nor %rax,%rdi";
        let shifts = TURN.replace("rol $0xd,%rdi", shifts);
        let found = faults(&Expected { chain: None, ..KERNEL }, &shifts);
        assert!(
            found[0].contains("two shifts for a rotation of 64 bits by 13 in the loop at 1000"),
            "{found:?}"
        );
        assert!(found[1].contains("no rotation of 64 bits by 13 in the loop at 1000"), "{found:?}");
        // A rotation of another width is another rotation.
        let half = TURN.replace("rol $0xd,%rdi", "rol $0xd,%edi");
        one_fault(&Expected { chain: None, ..KERNEL }, &half, "no rotation of 64 bits by 13");
    }

    #[test]
    fn too_few_loops() {
        one_fault(&KERNEL, &TURN.replace("jne 1000", "jne 2000"), "0 hot loops, 1 expected");
        one_fault(&Expected { loops: 2, ..KERNEL }, TURN, "1 hot loops, 2 expected");
    }

    /// Whatever the entry calls in the library belongs to the kernel.
    #[test]
    fn functions_that_the_entry_calls() {
        let kernel = Expected { chain: None, ..KERNEL };
        let with = |name: &str, code: &str| {
            let mut faults = Vec::new();
            let entry = format!("{TURN}\ncall 2000 <{name}>\nret");
            kernel.check(&listing(&[(0x1000, ENTRY, &entry), (0x2000, name, code)]), &mut faults);
            faults
        };
        let helper = "<u64 as keylane::job::siphash::word::Word>::fold";
        assert_eq!(with(helper, "ret"), [""; 0]);
        for instruction in ["div %rcx", "divq (%rcx)", "idivl 0x8(%rcx)", "pext %rax,%rcx,%rdx"] {
            assert_eq!(with(helper, instruction).len(), 1, "{instruction}");
            assert_eq!(with("core::fmt::write", instruction), [""; 0], "{instruction}");
        }
        let gather = "vpgatherqq (%rax,%zmm0,1),%zmm1{%k1}";
        assert_eq!(with(helper, gather).len(), 1);
        assert_eq!(with(helper, "pextrq $0x1,%xmm0,%rax"), [""; 0]);
        // Its loops are the kernel's as well.
        let spill = TURN.replace("1000", "2000").replace("%r15", "0x8(%rsp)");
        assert!(with(helper, &spill)[0].contains("use the stack in the loop at 2000"));
    }

    #[test]
    fn an_ablation_that_the_compiler_has_undone() {
        let ablation = Ablation {
            expected: Expected { loops: 1, ..ablation("siphash_x1_dup", &SHIFTS) },
            lacks: &SIPHASH,
        };
        let found = |code: &str| {
            let mut faults = Vec::new();
            ablation.check(&listing(&[(0x1000, ENTRY, code)]), &mut faults);
            faults
        };
        let shifts = SHIFTS.map(|shift| match shift {
            Operation::With(name, by) => format!("{name} ${by:#x},%rax\n"),
            _ => unreachable!("a shift"),
        });
        let good = format!("{}jne 1000", shifts.concat());
        assert_eq!(found(&good), [""; 0]);
        let rotation = good.replace("shl $0xd,%rax", "shl $0xd,%rax\nrol $0xd,%rax");
        assert_eq!(found(&rotation).len(), 1);
        assert!(found(&rotation)[0].contains("rotation of 64 bits by 13 in the loop at 1000"));
        assert!(found(&good.replace("shl $0xd,%rax", "nop"))[0].contains("no shl by 13"));
    }

    #[test]
    fn only_innermost_loops_are_hot() {
        let nested = format!("{TURN}\nmov %rax,0x8(%rsp)\ncall 3000 <memcpy>\njne 1000 <{ENTRY}>");
        assert_eq!(faults(&KERNEL, &nested), [""; 0]);
    }

    #[test]
    fn vector_rotations() {
        let turn = "vprolq $0xd,%zmm1,%zmm1\nvpaddq %zmm1,%zmm2,%zmm2\njne 1000";
        const ONE: [Operation; 1] = [rotate(64, 13)];
        const TWO: [Operation; 2] = [rotate(64, 13), rotate(64, 16)];
        const SHUFFLE: [Operation; 2] = [rotate(64, 13), Operation::AtLeast(1, &["vpshufd"])];
        let kernel = Expected { has: &ONE, chain: None, ..KERNEL };
        assert_eq!(faults(&kernel, turn), [""; 0]);
        one_fault(&Expected { has: &TWO, ..kernel }, turn, "no rotation of 64 bits by 16");
        one_fault(&Expected { has: &SHUFFLE, ..kernel }, turn, "no 1 of vpshufd");
    }

    #[test]
    fn kernels_and_entries_agree() {
        let of = |kernels: &[&str]| {
            let mut faults = Vec::new();
            let kernels: Vec<String> = kernels.iter().map(|kernel| kernel.to_string()).collect();
            check(&[KERNEL], &kernels, &listing(&[(0x1000, ENTRY, TURN)]), &mut faults);
            faults
        };
        assert_eq!(of(&["siphash_x1_dup"]), [""; 0]);
        assert_eq!(
            of(&["siphash_x1_dup", "siphash_x9"]),
            ["siphash_x9: xtask/src/codegen.rs does not say what is expected of it"]
        );
        assert_eq!(of(&[]), ["siphash_x1_dup: there is no such kernel"]);
    }

    #[test]
    fn a_kernel_is_named_once() {
        let json = r#"[{"kernel": "a"}, {"kernel": "b"}, {"kernel": "a"}]"#;
        assert_eq!(kernels(json).expect("rows"), ["a", "b"]);
        assert!(kernels("[{}]").is_err());
    }
}
