//! A kernel's loops beside its record.

use super::{Told, functions, is_ours};
use crate::constant_time::{objection, strangers};
use crate::listing::{Function, Instruction, Isa, Listing, chain};
use keylane_records::{Codegen, Operation, Record, Secrets};

/// Functions that run a few times in a call, not once for each message: their loops are not hot.
const COLD: [&str; 1] = ["ragged::short::Starts"];

/// Looks over all functions of a kernel.
pub fn check(record: &Record, isa: Isa, listing: &Listing) -> Told {
    let functions = functions(&record.kernel, listing);
    let part = isa.recorded().codegen();
    let mut expected = record.codegen_on(isa.recorded()).cloned().unwrap_or_default();
    let has_none = expected.has.is_empty();
    if has_none {
        expected.has = proposed(&functions);
    }
    let mut found = Found::default();
    let mut faults = Vec::new();
    for function in &functions {
        let mut fault =
            |what: String| faults.push(format!("{}: {what}, in {}", record.kernel, function.name));
        // Valgrind cannot run these kernels, so their instructions are held to a list.
        let is_listed = isa == Isa::X86_64 && record.secrets == Secrets::Steps;
        for instruction in &function.code {
            if is_forbidden(&instruction.mnemonic) {
                fault(format!("{} at {}", instruction.mnemonic, instruction.address()));
            } else if let Some(objection) = objection(instruction).filter(|_| is_listed) {
                fault(format!("{objection}, at {}", instruction.address()));
            }
        }
        if is_listed {
            let strangers = strangers(function, listing, is_ours);
            strangers.into_iter().for_each(|name| fault(format!("a call of {name}")));
        }
        if COLD.iter().any(|name| function.name.contains(name)) {
            continue;
        }
        for body in function.loops() {
            for lost in expected.has.iter().filter(|operation| is_lost(operation, body)) {
                fault(format!("two shifts for a {lost} in the loop at {}", at(body)));
            }
            if expected.has.iter().any(|operation| count(operation, body) > 0) {
                check_loop(&expected, function, body, &mut found, &mut fault);
            }
        }
    }
    faults.extend(found.missing(record, part, &expected, has_none));
    faults.extend(found.wrong(record, part, &expected));
    let is_listed = isa == Isa::X86_64 && record.secrets == Secrets::Steps;
    if faults.is_empty() { Ok(found.report(record, &expected, is_listed)) } else { Err(faults) }
}

/// Looks over a hot loop.
fn check_loop(
    expected: &Codegen,
    function: &Function,
    body: &[Instruction],
    found: &mut Found,
    fault: &mut dyn FnMut(String),
) {
    let at = at(body);
    for operation in expected.has.iter().filter(|operation| count(operation, body) == 0) {
        fault(format!("no {operation} in the loop at {at}"));
    }
    for undone in expected.lacks.iter().filter(|operation| count(operation, body) > 0) {
        fault(format!("{undone} in the loop at {at}"));
    }
    if body.iter().any(Instruction::calls) {
        fault(format!("a call in the loop at {at}"));
    }
    if let (Some(most), Some(round)) = (expected.chain, expected.has.first()) {
        match chain(body) {
            Ok(cycles) => {
                let a_round = cycles / count(round, body) as f64;
                found.chain = found.chain.max(a_round);
                if a_round > f64::from(most) {
                    fault(format!("{a_round} cycles a round, {most} expected, in the loop at {at}"));
                }
            }
            Err(error) => fault(format!("{error}, at {at}")),
        }
    }
    let frame = function.has_frame_pointer();
    let stack = body.iter().filter(|instruction| instruction.touches_stack(frame)).count();
    if stack > found.stack {
        found.stack = stack;
        found.worst = format!("the loop at {at}, in {}", function.name);
    }
    found.loops += 1;
    found.longest = found.longest.max(body.len());
}

/// The hot loops of a kernel.
#[derive(Default)]
struct Found {
    loops: usize,
    /// Instructions of the longest.
    longest: usize,
    /// Instructions that use the stack, in the worst.
    stack: usize,
    /// Where that is.
    worst: String,
    /// Cycles a round, in the worst.
    chain: f64,
}

impl Found {
    /// The keys that the record lacks, with what was measured.
    fn missing(&self, record: &Record, part: &str, expected: &Codegen, has_none: bool) -> Option<String> {
        let mut keys = Vec::new();
        if has_none {
            let has = expected.has.iter().map(|operation| format!("\"{operation}\"")).collect::<Vec<_>>();
            keys.push(format!("has = [{}]", has.join(", ")));
        }
        if expected.loops.is_none() {
            keys.push(format!("loops = {}", self.loops));
        }
        if expected.stack.is_none() {
            keys.push(format!("stack = {}", self.stack));
            if self.stack > 0 && expected.why.is_none() {
                keys.push(format!("why = \"...\"  # why they use the stack, most in {}", self.worst));
            }
        }
        let path = record.path.display();
        (!keys.is_empty())
            .then(|| format!("{path}: write under [{part}], as measured:\n    {}", keys.join("\n    ")))
    }

    /// The keys of the record that do not fit.
    fn wrong(&self, record: &Record, part: &str, expected: &Codegen) -> Vec<String> {
        let mut faults = Vec::new();
        let path = record.path.display();
        if let Some(loops) = expected.loops.filter(|&loops| self.loops < loops) {
            faults.push(format!(
                "{path}: loops = {loops} under [{part}], but there are {} hot loops",
                self.loops
            ));
        }
        if let Some(most) = expected.stack.filter(|&most| self.stack > most) {
            let Found { stack, worst, .. } = self;
            faults.push(format!(
                "{path}: stack = {most} under [{part}], but {stack} instructions use it in {worst}"
            ));
        }
        faults
    }

    fn report(&self, record: &Record, expected: &Codegen, is_listed: bool) -> String {
        let Found { loops, longest, stack, chain, .. } = self;
        let mut line = format!("{}: {loops} hot loops of up to {longest} instructions", record.kernel);
        if is_listed {
            line += ", all instructions of constant time";
        }
        if expected.chain.is_some() {
            line += &format!(", {chain} cycles a round");
        }
        line += &match (stack, &expected.why) {
            (0, _) => ", none uses the stack".to_owned(),
            (stack, why) => format!(", up to {stack} use the stack: {}", why.as_deref().unwrap_or_default()),
        };
        line
    }
}

/// Instructions that no kernel may have. The time of a division or a root depends on the operands, and on some CPUs that
/// of a bit gather. A vector gather or scatter goes where data says.
pub fn is_forbidden(mnemonic: &str) -> bool {
    let begins = [
        "div", "idiv", "sdiv", "udiv", "sqrt", "fdiv", "fidiv", "fsqrt", "pgather", "gather", "pscatter",
        "scatter",
    ];
    let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    begins.iter().any(|begin| name.starts_with(begin)) || ["pdep", "pext"].contains(&mnemonic)
}

fn at(body: &[Instruction]) -> String {
    body.first().map_or(String::new(), Instruction::address)
}

/// How often an operation stands in a loop.
fn count(operation: &Operation, body: &[Instruction]) -> usize {
    let count = body.iter().filter(|instruction| is(operation, instruction)).count();
    if let Operation::AtLeast(times, _) = operation { count / times } else { count }
}

/// Whether a rotation stands in a loop as two shifts.
fn is_lost(operation: &Operation, body: &[Instruction]) -> bool {
    let (Operation::Rotation { width, by } | Operation::Joined { width, by }) = *operation else {
        return false;
    };
    let shifts = |names: [&str; 2], by: u32| {
        body.iter().any(|it| {
            let is_shift = names.contains(&it.mnemonic.as_str()) && it.immediate() == Some(by);
            it.width() == width && (is_shift || it.turned(names[1]) == Some(by))
        })
    };
    shifts(["shl", "lsl"], by) && shifts(["shr", "lsr"], width - by)
}

fn is(operation: &Operation, instruction: &Instruction) -> bool {
    let mnemonic = instruction.mnemonic.as_str();
    match operation {
        Operation::AtLeast(_, names) => names.iter().any(|name| name == mnemonic),
        Operation::With(name, number) => mnemonic == name && instruction.immediate() == Some(*number),
        Operation::Rotation { .. } | Operation::Joined { .. } => {
            rotation(instruction).as_ref() == Some(operation)
        }
    }
}

/// The rotation that an instruction is or has.
fn rotation(instruction: &Instruction) -> Option<Operation> {
    if let Some(by) = instruction.turned("ror").filter(|_| instruction.mnemonic == "eor") {
        let width = instruction.width();
        return Some(Operation::Joined { width, by: width.checked_sub(by)? });
    }
    let (width, is_left) = match instruction.mnemonic.as_str() {
        "rol" => (instruction.width(), true),
        "ror" | "rorx" => (instruction.width(), false),
        "vprolq" => (64, true),
        "vprold" => (32, true),
        "vprorq" => (64, false),
        "vprord" => (32, false),
        _ => return None,
    };
    let by = instruction.immediate()?;
    Some(Operation::Rotation { width, by: if is_left { by } else { width.checked_sub(by)? } })
}

/// A first `has` for a record without one, from the loop with the most of them: the rotations, else the shifts of
/// vectors, else the multiplications.
fn proposed(functions: &[&Function]) -> Vec<Operation> {
    let shift = |it: &Instruction| {
        let is_shift = it.mnemonic.trim_start_matches('v').starts_with("psll")
            || it.mnemonic == "xar"
            || it.mnemonic == "shl" && it.operands.first().is_some_and(|it| it.starts_with('v'));
        it.immediate().filter(|_| is_shift).map(|by| Operation::With(it.mnemonic.clone(), by))
    };
    let distinct = |body: &[Instruction], operation: &dyn Fn(&Instruction) -> Option<Operation>| {
        let mut operations = Vec::new();
        for operation in body.iter().filter_map(operation) {
            if !operations.contains(&operation) {
                operations.push(operation);
            }
        }
        operations
    };
    let product = |body: &[Instruction]| {
        let is_product =
            |it: &&Instruction| ["mul", "mlal", "madd52"].iter().any(|name| it.mnemonic.contains(name));
        let name = body.iter().find(is_product).map(|it| it.mnemonic.clone());
        let count = body.iter().filter(is_product).filter(|it| Some(&it.mnemonic) == name.as_ref()).count();
        name.map(|name| (count, Operation::AtLeast(count, vec![name])))
    };
    let loops: Vec<&[Instruction]> = functions.iter().flat_map(|function| function.loops()).collect();
    let most = |operation: &dyn Fn(&Instruction) -> Option<Operation>| {
        loops.iter().map(|body| distinct(body, operation)).max_by_key(Vec::len).unwrap_or_default()
    };
    let mut proposed = most(&rotation);
    if proposed.is_empty() {
        proposed = most(&shift);
    }
    if proposed.is_empty() {
        let most = loops.iter().filter_map(|body| product(body)).max_by_key(|(count, _)| *count);
        proposed.extend(most.map(|(_, operation)| operation));
    }
    proposed
}
