//! The instructions that a kernel with AVX-512 may have: those whose time does not depend on their operands.
//!
//! Valgrind has no AVX-512, so no taint run covers these kernels. A list of instructions can show that no instruction
//! takes a time that depends on a value. Divisions, gathers, floating point and stores of compressed vectors are not on
//! the list, because their time depends on values. Branches and addresses are on the list, since lengths may decide
//! them. `cargo xtask steps` shows that no secret decides them.

use crate::listing::{Function, Instruction, Listing};

/// Integer instructions on general registers, as objdump names them without the width of an operand. They include
/// multiplications, whose time is constant on every CPU that has AVX-512.
const GENERAL: &str = "
    adc add and bsf bsr bt bts bzhi cmp dec imul inc lea lzcnt mov movabs movzb movzw mul mulx neg not
    or pop popcnt push rol ror rorx sar sbb shl shr sub test xor";

/// Further instructions on general registers, by their whole names.
const OTHERS: &str = "
    adcx adox andn call cpuid int3 jmp movaps movslq movups nop nopl nopw prefetcht0 ret sarx shld shlx
    shrd shrx ud2 xchg";

/// Conditional moves, jumps and bytes: the beginnings of their names.
const CONDITIONAL: [&str; 3] = ["cmov", "j", "set"];

/// Vector instructions: arithmetic, logic, comparisons to masks, shuffles, loads and stores, with and without masks.
/// Most names begin with a `v` and end with the width of a lane. Both are left out here.
const VECTOR: &str = "
    align broadcasti32x broadcasti32x4 broadcasti64x broadcasti64x4 broadcasts extracti128 extracti32x4
    extracti64x extracti64x4 inserti128 inserti32x4 inserti64x inserti64x4 mov movaps movdqa movdqa32
    movdqa64 movdqu movdqu32 movdqu64 movdqu8 movups packuswb padd palignr pand pandn pblend pblendm
    pbroadcast pcmpeq pcmpgt pcmple pcmpleu pcmplt pcmpltu pcmpneq pcmpnle pcmpnleu pcmpnltu perm
    perm2i128 permi2 permt2 pextr pinsr pmadd52hu pmadd52lu pmaxs pmaxu pmins pminu pmovdb pmovdw pmovqb
    pmovqd pmovsxd pmovzxb pmovzxd pmovzxw pmuld pmulud por prol psadbw pshld pshufb psll psllv psrl
    psrlv psub pternlog ptestm ptestnm pxor shufi64x2";

/// Further vector instructions, by their whole names.
const WHOLE: &str = "
    vbroadcasti128 vbroadcastss vmovd vmovddup vmovq vpcompressb vpexpandq vpshufd vpslldq vpunpckhdq vpunpckhqdq vpunpckldq
    vpunpcklqdq vxorps vzeroupper";

/// Instructions on masks, without the width.
const MASK: &str = "kadd kand kandn kmov knot kor kortest kshiftl kshiftr kxnor kxor";

/// Functions of the C library whose time depends only on a length.
const LIBRARY: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Why a kernel may not have an instruction, or `None` if it may.
pub fn objection(instruction: &Instruction) -> Option<String> {
    let name = instruction.mnemonic.as_str();
    if !is_allowed(name) {
        return Some(format!("{name} is not on the list of instructions of constant time"));
    }
    // With memory as its destination, its time grows with the number of bytes that it keeps.
    if name.starts_with("vpcompress") && instruction.operands.iter().any(|operand| operand.contains('(')) {
        return Some(format!("{name} to memory"));
    }
    None
}

/// The unchecked functions that a kernel's function calls. Functions of keylane are checked themselves. Those of the C
/// library in `LIBRARY` take constant time.
pub fn strangers(function: &Function, listing: &Listing, is_ours: impl Fn(&str) -> bool) -> Vec<String> {
    let calls = function.code.iter().filter(|instruction| instruction.calls());
    calls
        .filter_map(|call| match listing.callee(call) {
            Some(name) if is_ours(name) => None,
            Some(name) => Some(name.to_owned()),
            None => {
                let known = LIBRARY.iter().any(|name| call.note.contains(&format!("<{name}@")));
                (!known).then(|| format!("{} {}", call.operands.join(","), call.note))
            }
        })
        .collect()
}

fn is_allowed(name: &str) -> bool {
    let is_in = |names: &str, name: &str| names.split_whitespace().any(|known| known == name);
    let of = |names: &str, name: &str, widths: &str| {
        is_in(names, name) || name.strip_suffix(|c| widths.contains(c)).is_some_and(|name| is_in(names, name))
    };
    is_in(OTHERS, name)
        || is_in(WHOLE, name)
        || CONDITIONAL.iter().any(|start| name.starts_with(start))
        || of(GENERAL, name, "bwlq")
        || of(MASK, name, "bwdq")
        || name.strip_prefix('v').is_some_and(|name| of(VECTOR, name, "bwdq8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::Isa;

    fn objects(line: &str) -> bool {
        let instruction =
            Instruction::parse(Isa::X86_64, &format!("  1000:\t{line}")).expect("an instruction");
        objection(&instruction).is_some()
    }

    /// Instructions that a kernel may not have, planted one at a time.
    #[test]
    fn instructions_of_variable_time() {
        for line in [
            "div %rcx",
            "idivl 0x8(%rsp)",
            "vdivpd %zmm1,%zmm2,%zmm3",
            "vsqrtsd %xmm1,%xmm2,%xmm3",
            "vaddpd %zmm1,%zmm2,%zmm3",
            "vmulsd %xmm1,%xmm2,%xmm3",
            "vpgatherqq (%rax,%zmm0,1),%zmm1{%k1}",
            "vpscatterqq %zmm1,(%rax,%zmm0,1){%k1}",
            "vpcompressb %zmm1,(%rax){%k1}",
            "vpconflictq %zmm1,%zmm2",
            "pext %rax,%rcx,%rdx",
            "pdep %rax,%rcx,%rdx",
            "rdrand %rax",
            "fld 0x8(%rsp)",
            "rep movsb %ds:(%rsi),%es:(%rdi)",
            "xlat %ds:(%rbx)",
        ] {
            assert!(objects(line), "{line}");
        }
    }

    #[test]
    fn instructions_of_constant_time() {
        for line in [
            "addq $0x1,0x8(%rsp)",
            "mulx %rax,%rcx,%rdx",
            "movzbl (%rdi),%eax",
            "jne 1000 <keylane::entry>",
            "cmovae %rax,%rcx",
            "vpaddq %zmm1,%zmm2,%zmm3",
            "vpermt2q %zmm1,%zmm2,%zmm3",
            "vprolq $0xd,%zmm1,%zmm1",
            "vpmadd52luq %zmm1,%zmm2,%zmm3",
            "vmovdqu8 (%rax),%zmm0{%k1}{z}",
            "vpcompressb %zmm1,%zmm2{%k1}{z}",
            "vpcmpltuq %zmm1,%zmm2,%k1",
            "kmovq %rax,%k1",
        ] {
            assert!(!objects(line), "{line}");
        }
    }

    #[test]
    fn calls_of_strangers() {
        let text = "
0000000000001000 <keylane::entry>:
  1000:\tcall 2000 <keylane::helper>
  1001:\tcall *0x11f3cc(%rip)        # 320100 <memset@GLIBC_2.2.5>
  1002:\tcall *0x11f3cc(%rip)        # 320108 <qsort@GLIBC_2.2.5>
  1003:\tcall 3000 <core::fmt::write>
  1004:\tcall *%rax

0000000000002000 <keylane::helper>:
  2000:\tret

0000000000003000 <core::fmt::write>:
  3000:\tret
";
        let listing = Listing::parse(Isa::X86_64, text, "").expect("functions");
        let functions = listing.reachable(|name| name == "keylane::entry", |_| false);
        let found = strangers(functions[0], &listing, |name| name.contains("keylane::"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("qsort") && found[1] == "core::fmt::write" && found[2].contains("%rax"));
    }
}
