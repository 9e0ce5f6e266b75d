//! Listings by hand, and what is found in them.

use super::check::{check, is_forbidden};
use super::*;
use keylane_records::{Codegen, Operation, Record};

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

/// What is expected of it.
const RECORD: &str = r#"
secrets = "taint"
[codegen]
has = [
    "rotation of 64 bits by 13",
    "rotation of 64 bits by 16",
    "rotation of 64 bits by 21",
    "rotation of 64 bits by 17",
    "rotation of 64 bits by 32",
]
loops = 1
stack = 0
chain = 4
"#;

/// The record of `siphash_x1_dup` with other keys.
fn record(change: impl FnOnce(&mut Codegen)) -> Record {
    let path = Path::new("crates/keylane/src/arch/x86_64/siphash_x1_dup.toml");
    let mut record = Record::parse(path, RECORD).expect("a record");
    change(record.codegen.as_mut().expect("a part"));
    record
}

/// The record as it stands.
fn kernel() -> Record {
    record(|_| ())
}

/// The record of a kernel whose order of operations does not matter.
fn unchained() -> Record {
    record(|it| it.chain = None)
}

fn operations(texts: &[&str]) -> Vec<Operation> {
    texts.iter().map(|text| text.parse().expect("an operation")).collect()
}

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
fn faults(record: &Record, code: &str) -> Vec<String> {
    check(record, Isa::X86_64, &listing(&[(0x1000, ENTRY, code)])).err().unwrap_or_default()
}

#[track_caller]
fn one_fault(record: &Record, code: &str, says: &str) {
    match faults(record, code).as_slice() {
        [fault] => assert!(fault.contains("siphash_x1_dup") && fault.contains(says), "{fault}"),
        other => panic!("one fault, that it has {says}: {other:#?}"),
    }
}

#[test]
fn a_good_loop() {
    assert_eq!(faults(&kernel(), TURN), [""; 0]);
    let line = check(&kernel(), Isa::X86_64, &listing(&[(0x1000, ENTRY, TURN)])).expect("no fault");
    assert_eq!(
        line,
        "siphash_x1_dup: 1 hot loops of up to 26 instructions, 4 cycles a round, none uses the stack"
    );
    // Other instructions for the same rotations.
    assert_eq!(faults(&kernel(), &TURN.replace("rol $0xd,%rdi", "ror $0x33,%rdi")), [""; 0]);
    assert_eq!(faults(&kernel(), &TURN.replace("rol $0xd,%rdi", "rorx $0x33,%rdi,%rdi")), [""; 0]);
}

#[test]
fn an_undone_injection() {
    one_fault(&kernel(), UNDONE, "5 cycles a round, 4 expected, in the loop at 1000");
    // Where nothing is expected of the chain, that is a good loop too.
    assert_eq!(faults(&unchained(), UNDONE), [""; 0]);
}

#[test]
fn a_chain_that_cannot_be_measured() {
    one_fault(&kernel(), &TURN.replace("mov %r9,%r15", "imul %r9,%r15"), "imul stands in a loop");
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
    one_fault(&unchained(), &call, "a call in the loop at 1000");
    // Outside of the loop it is none of the loop's.
    assert_eq!(faults(&kernel(), &format!("{TURN}\ncall 2000 <memcpy>\nret")), [""; 0]);
}

#[test]
fn a_spill() {
    let spill = TURN.replace("mov %r11,%r8", "mov -0x8(%rsp),%r8");
    one_fault(
        &kernel(),
        &spill,
        "stack = 0 under [codegen], but 1 instructions use it in the loop at 1000, in keylane",
    );
    let allowed = record(|it| (it.stack, it.why) = (Some(1), Some("a reason".into())));
    assert_eq!(faults(&allowed, &spill), [""; 0]);
    let line = check(&allowed, Isa::X86_64, &listing(&[(0x1000, ENTRY, &spill)])).expect("no fault");
    assert!(line.ends_with("4 cycles a round, up to 1 use the stack: a reason"), "{line}");

    // rbp is a register like others, unless it holds the frame.
    let frame = TURN.replace("mov %r11,%r8", "mov -0x8(%rbp),%r8");
    assert_eq!(faults(&kernel(), &frame), [""; 0]);
    one_fault(&kernel(), &format!("{frame}\nmov %rsp,%rbp"), "but 1 instructions use it");
}

#[test]
fn keys_that_the_record_lacks() {
    let path = "crates/keylane/src/arch/x86_64/siphash_x1_dup.toml";
    let spill = TURN.replace("mov %r11,%r8", "mov -0x8(%rsp),%r8");
    let no_stack = record(|it| it.stack = None);
    one_fault(&no_stack, TURN, &format!("{path}: write under [codegen], as measured:\n    stack = 0"));
    one_fault(
        &no_stack,
        &spill,
        "\n    stack = 1\n    why = \"...\"  # why they use the stack, most in the loop at 1000",
    );
    one_fault(&record(|it| it.loops = None), TURN, "as measured:\n    loops = 1");
    let has =
        "[\"rotation of 64 bits by 37\", \"rotation of 64 bits by 21\", \"rotation of 64 bits by 13\", ";
    one_fault(&record(|it| *it = Codegen::default()), TURN, &format!("as measured:\n    has = {has}"));
    let shift = "vpsllq $0xd,%ymm1,%ymm2\njne 1000";
    one_fault(
        &record(|it| *it = Codegen::default()),
        shift,
        "has = [\"vpsllq by 13\"]\n    loops = 1\n    stack = 0",
    );
    let product = "mul %rcx\nmul %rdx\njne 1000";
    one_fault(&record(|it| *it = Codegen::default()), product, "has = [\"2 of mul\"]");
}

#[test]
fn two_shifts_for_a_rotation() {
    let shifts = "mov %rdi,%rax\nshl $0xd,%rdi\nshr $0x33,%rax\nor %rax,%rdi";
    let shifts = TURN.replace("rol $0xd,%rdi", shifts);
    let found = faults(&unchained(), &shifts);
    assert!(found[0].contains("two shifts for a rotation of 64 bits by 13 in the loop at 1000"), "{found:?}");
    assert!(found[1].contains("no rotation of 64 bits by 13 in the loop at 1000"), "{found:?}");
    // A rotation of another width is another rotation.
    let half = TURN.replace("rol $0xd,%rdi", "rol $0xd,%edi");
    one_fault(&unchained(), &half, "no rotation of 64 bits by 13");
}

#[test]
fn too_few_loops() {
    one_fault(
        &kernel(),
        &TURN.replace("jne 1000", "jne 2000"),
        "loops = 1 under [codegen], but there are 0 hot loops",
    );
    one_fault(&record(|it| it.loops = Some(2)), TURN, "loops = 2 under [codegen], but there are 1 hot loops");
}

/// Whatever the entry calls in the library belongs to the kernel.
#[test]
fn functions_that_the_entry_calls() {
    let with = |name: &str, code: &str| {
        let entry = format!("{TURN}\ncall 2000 <{name}>\nret");
        check(&unchained(), Isa::X86_64, &listing(&[(0x1000, ENTRY, &entry), (0x2000, name, code)]))
            .err()
            .unwrap_or_default()
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
    assert!(with(helper, &spill)[0].contains("use it in the loop at 2000"));
}

#[test]
fn an_ablation_that_the_compiler_has_undone() {
    let shifts = ["shl by 13", "shl by 16", "shr by 51", "shr by 48"];
    let ablation = record(|it| {
        it.lacks = std::mem::take(&mut it.has);
        it.has = operations(&shifts);
        it.chain = None;
    });
    let found = |code: &str| faults(&ablation, code);
    let shifts = operations(&shifts).into_iter().map(|shift| match shift {
        Operation::With(name, by) => format!("{name} ${by:#x},%rax\n"),
        _ => unreachable!("a shift"),
    });
    let good = format!("{}jne 1000", shifts.collect::<String>());
    assert_eq!(found(&good), [""; 0]);
    let rotation = good.replace("shl $0xd,%rax", "shl $0xd,%rax\nrol $0xd,%rax");
    assert_eq!(found(&rotation).len(), 1);
    assert!(found(&rotation)[0].contains("rotation of 64 bits by 13 in the loop at 1000"));
    assert!(found(&good.replace("shl $0xd,%rax", "nop"))[0].contains("no shl by 13"));
}

#[test]
fn only_innermost_loops_are_hot() {
    let inner = TURN.replace("jne 1000", "jne 1001");
    let nested =
        format!("xor %eax,%eax\n{inner}\nmov %rax,0x8(%rsp)\ncall 3000 <memcpy>\njne 1000 <{ENTRY}>");
    assert_eq!(faults(&kernel(), &nested), [""; 0]);
}

#[test]
fn a_loop_that_can_end_its_turn_early() {
    let early = TURN.replace("add $0x8,%rbx", "jae 1000\nadd $0x8,%rbx");
    let line = check(&kernel(), Isa::X86_64, &listing(&[(0x1000, ENTRY, &early)])).expect("no fault");
    assert!(line.starts_with("siphash_x1_dup: 1 hot loops of up to 27 instructions"), "{line}");
    let half = TURN.replace("rol $0x11,%rdi", "jae 1000\nrol $0x11,%rdi");
    assert_eq!(faults(&unchained(), &half), [""; 0]);
}

#[test]
fn vector_rotations() {
    let turn = "vprolq $0xd,%zmm1,%zmm1\nvpaddq %zmm1,%zmm2,%zmm2\njne 1000";
    let has = |texts: &[&str]| record(|it| (it.has, it.chain) = (operations(texts), None));
    let one = "rotation of 64 bits by 13";
    assert_eq!(faults(&has(&[one]), turn), [""; 0]);
    one_fault(&has(&[one, "rotation of 64 bits by 16"]), turn, "no rotation of 64 bits by 16");
    one_fault(&has(&[one, "1 of vpshufd"]), turn, "no 1 of vpshufd");
}

#[test]
fn kernels_and_records_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut records = Records::load(&root).expect("the records");
    records.kernels = vec![kernel()];
    let of = |kernels: &[&str]| -> Vec<String> {
        let kernels: Vec<String> = kernels.iter().map(|kernel| kernel.to_string()).collect();
        let told = compare(&records, Isa::X86_64, &kernels, &listing(&[(0x1000, ENTRY, TURN)]));
        told.into_iter().filter_map(Result::err).flatten().collect()
    };
    assert_eq!(of(&["siphash_x1_dup"]), [""; 0]);
    let [fault] = &of(&["siphash_x1_dup", "siphash_x9"])[..] else { panic!("one fault") };
    assert!(
        fault.starts_with("siphash_x9 has no record: write siphash_x9.toml beside siphash_x9.rs"),
        "{fault}"
    );
    let [fault] = &of(&[])[..] else { panic!("one fault") };
    assert!(fault.ends_with("siphash_x1_dup.toml: no row of keylane kernels has this name"), "{fault}");
}

#[test]
fn a_kernel_is_named_once() {
    let json = r#"[{"kernel": "a"}, {"kernel": "b"}, {"kernel": "a"}]"#;
    assert_eq!(kernels(json).expect("rows"), ["a", "b"]);
    assert!(kernels("[{}]").is_err());
}

/// A word of siphash_x1_separate in one turn, on AArch64.
const AARCH64: &str = "
    mov x17, x9
    ror x18, x14, #27
    add x15, x13, x15
    ldr x9, [x12], #8
    ror x13, x13, #51
    add x11, x14, x11
    ror x16, x14, #48
    ror x14, x11, #43
    eor x18, x18, x9
    eor x13, x13, x15
    ror x15, x15, #32
    eor x16, x16, x11
    eor x14, x14, x18
    ror x18, x13, #47
    add x13, x13, x11
    add x16, x16, x15
    ror x11, x13, #32
    subs x10, x10, #0x8
    eor x15, x16, x17
    eor x13, x18, x13
    eor x14, x16, x14
    b.ne 1000 <keylane::arch::aarch64::siphash_x1_separate::LONG::entry>";

/// The record of that kernel.
const SEPARATE: &str = r#"
secrets = "reading"
[codegen-aarch64]
has = [
    "rotation of 64 bits by 13",
    "rotation of 64 bits by 16",
    "rotation of 64 bits by 21",
    "rotation of 64 bits by 17",
    "rotation of 64 bits by 32",
]
lacks = ["xor with a rotation of 64 bits by 13", "xor with a rotation of 64 bits by 17"]
loops = 1
stack = 0
chain = 4
"#;

/// What is found of it.
fn aarch64(record: &str, code: &str) -> Told {
    let record = Record::parse(Path::new("crates/keylane/src/arch/aarch64/siphash_x1_separate.toml"), record)
        .expect("a record");
    let entry = "keylane::arch::aarch64::siphash_x1_separate::LONG::entry";
    let mut text = format!("\n0000000000001000 <{entry}>:\n");
    for (line, address) in code.lines().map(str::trim).filter(|line| !line.is_empty()).zip(0x1000u64..) {
        text += &format!("    {address:x}:\t{}\n", line.replacen(' ', "\t", 1));
    }
    check(&record, Isa::Aarch64, &Listing::parse(Isa::Aarch64, &text, "").expect("functions"))
}

#[track_caller]
fn aarch64_fault(code: &str, says: &str) {
    let faults = aarch64(SEPARATE, code).expect_err("a fault");
    assert!(faults.iter().any(|fault| fault.contains(says)), "{says}: {faults:#?}");
}

#[test]
fn aarch64_keeps_rotations_as_the_record_says() {
    let line = aarch64(SEPARATE, AARCH64).expect("no fault");
    assert_eq!(
        line,
        "siphash_x1_separate: 1 hot loops of up to 22 instructions, 4 cycles a round, none uses the stack"
    );
    // The compiler joins a rotation with its xor.
    let joined =
        AARCH64.replace("ror x13, x13, #51\n", "").replace("eor x13, x13, x15", "eor x13, x15, x13, ror #51");
    aarch64_fault(&joined, "no rotation of 64 bits by 13 in the loop at 1000");
    aarch64_fault(&joined, "xor with a rotation of 64 bits by 13 in the loop at 1000");
    // That is what other records ask for.
    let other = SEPARATE
        .replace("lacks =", "chain = 4\n#")
        .replacen("\"rotation of 64 bits by 13", "\"xor with a rotation of 64 bits by 13", 1)
        .replace("loops = 1\nstack = 0\nchain = 4", "loops = 1\nstack = 0");
    assert!(aarch64(&other, &joined).is_ok(), "{:?}", aarch64(&other, &joined));
    assert!(aarch64(&other, AARCH64).is_err());
}

#[test]
fn aarch64_shifts_for_a_rotation() {
    let shifts = "lsl x13, x13, #13\norr x13, x13, x13, lsr #51";
    aarch64_fault(
        &AARCH64.replace("ror x13, x13, #51", shifts),
        "two shifts for a rotation of 64 bits by 13",
    );
    let shifts = "lsr x18, x13, #51\norr x13, x18, x13, lsl #13";
    aarch64_fault(
        &AARCH64.replace("ror x13, x13, #51", shifts),
        "two shifts for a rotation of 64 bits by 13",
    );
    // A rotation of 32 bits is another one.
    aarch64_fault(&AARCH64.replace("ror x13, x13, #51", "ror w13, w13, #19"), "no rotation of 64 bits by 13");
}

#[test]
fn aarch64_spills_calls_and_divisions() {
    let spill = AARCH64.replace("mov x17, x9", "ldr x17, [sp, #16]");
    aarch64_fault(&spill, "stack = 0 under [codegen-aarch64], but 1 instructions use it in the loop at 1000");
    let frame = AARCH64.replace("mov x17, x9", "ldur x17, [x29, #-16]");
    assert!(aarch64(SEPARATE, &frame).is_ok());
    aarch64_fault(&format!("{frame}\nadd x29, sp, #0x10"), "but 1 instructions use it");
    aarch64_fault(&AARCH64.replace("mov x17, x9", "bl 2000 <memcpy>"), "a call in the loop at 1000");
    aarch64_fault(&AARCH64.replace("mov x17, x9", "udiv x17, x9, x9"), "udiv at 1000");
}

#[test]
fn aarch64_a_longer_chain() {
    // The next word xored behind the round.
    let behind = AARCH64.replace("eor x14, x16, x14", "eor x14, x16, x14\neor x14, x14, x9");
    aarch64_fault(&behind, "5 cycles a round, 4 expected, in the loop at 1000");
    aarch64_fault(&AARCH64.replace("mov x17, x9", "mul x17, x9, x9"), "mul stands in a loop");
}

#[test]
fn aarch64_vectors() {
    let record = "secrets = \"reading\"\n[codegen-aarch64]\n\
                  has = [\"shl by 13\", \"sri by 51\", \"1 of rev64\"]\nloops = 1\nstack = 0\n";
    let turn = "shl v1.2d, v0.2d, #13\nsri v1.2d, v0.2d, #51\nrev64 v2.4s, v2.4s\nb.ne 1000";
    assert!(aarch64(record, turn).is_ok());
    // The compiler adds the lower bits by a shift and an addition.
    let added = turn.replace("sri v1.2d, v0.2d, #51", "usra v1.2d, v0.2d, #51");
    assert!(aarch64(record, &added).expect_err("a fault")[0].contains("no sri by 51"));
    // What a record without keys is told.
    let told = aarch64("secrets = \"reading\"\n[codegen-aarch64]\n", turn).expect_err("keys")[0].clone();
    assert!(
        told.contains("write under [codegen-aarch64], as measured:\n    has = [\"shl by 13\"]"),
        "{told}"
    );
}
