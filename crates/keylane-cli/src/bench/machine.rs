//! The CPU that the figures are for.

use std::env::consts::ARCH;

/// The CPU.
pub struct Machine {
    /// The name that the CPU or the system gives.
    pub name: String,
    /// Vendor and numbers, which identify the microarchitecture.
    pub model: String,
    /// The architecture this program was compiled for.
    pub arch: &'static str,
}

impl Machine {
    /// This CPU.
    pub fn here() -> Self {
        let known = detect();
        let known = known.or_else(|| from_cpuinfo(&std::fs::read_to_string("/proc/cpuinfo").ok()?));
        let (name, model) = known.unwrap_or_else(|| (format!("unknown {ARCH} CPU"), "unknown".to_owned()));
        Machine { name, model, arch: ARCH }
    }
}

/// Asks `cpuid`.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn detect() -> Option<(String, String)> {
    let cpuid = raw_cpuid::CpuId::new();
    let (vendor, info) = (cpuid.get_vendor_info()?, cpuid.get_feature_info()?);
    let (family, model, stepping) = (info.family_id(), info.model_id(), info.stepping_id());
    let model = format!("{} family {family} model {model} stepping {stepping}", vendor.as_str());
    let brand = cpuid.get_processor_brand_string();
    let name = brand.map(|brand| brand.as_str().trim().to_owned()).filter(|name| !name.is_empty());
    Some((name.unwrap_or_else(|| model.clone()), model))
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn detect() -> Option<(String, String)> {
    None
}

/// Reads Linux's entry for the first CPU. Arm CPUs have numbers there instead of a name.
fn from_cpuinfo(text: &str) -> Option<(String, String)> {
    let field = |name: &str| {
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        };
        text.lines().find_map(of)
    };
    let numbers = ["CPU implementer", "CPU variant", "CPU part", "CPU revision"];
    let numbers: Vec<_> =
        numbers.iter().filter_map(|name| Some(format!("{name} {}", field(name)?))).collect();
    let name = ["model name", "cpu model", "cpu", "uarch"].into_iter().find_map(field);
    let model = if numbers.is_empty() { name.clone()? } else { numbers.join(", ") };
    Some((name.unwrap_or_else(|| model.clone()), model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_with_numbers_for_a_name() {
        let text =
            "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\nprocessor\t: 1\nCPU part\t: 0xd41\n";
        let model = "CPU implementer 0x41, CPU part 0xd40".to_owned();
        assert_eq!(from_cpuinfo(text), Some((model.clone(), model)));
        let named = from_cpuinfo("model name : A  CPU\n").unwrap();
        assert_eq!(named.0, "A  CPU");
        assert_eq!(from_cpuinfo("nothing\n"), None);
        assert!(!Machine::here().name.is_empty());
    }
}
