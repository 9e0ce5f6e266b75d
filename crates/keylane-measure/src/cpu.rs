//! Identifies the microarchitecture.

/// The short name of the CPU's microarchitecture, such as `zen4`, under which records are filed. `None` if it
/// is not in the list below.
pub fn microarchitecture() -> Option<&'static str> {
    of(&std::fs::read_to_string("/proc/cpuinfo").ok()?)
}

/// The microarchitecture in Linux's description of a CPU.
fn of(cpuinfo: &str) -> Option<&'static str> {
    let field = |name: &str| {
        let mut pairs = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
    };
    match (field("vendor_id")?, field("cpu family")?, field("model")?.parse().ok()?) {
        ("GenuineIntel", "6", 0x8f) => Some("sapphire-rapids"),
        ("GenuineIntel", "6", 0xcf) => Some("emerald-rapids"),
        ("AuthenticAMD", "25", 0x00..=0x0f | 0x20..=0x5f) => Some("zen3"),
        ("AuthenticAMD", "25", 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some("zen4"),
        ("AuthenticAMD", "26", _) => Some("zen5"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microarchitectures() {
        let text = |vendor, family: u32, model: u32| {
            format!(
                "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: X\n"
            )
        };
        assert_eq!(of(&text("AuthenticAMD", 25, 17)), Some("zen4"));
        assert_eq!(of(&text("AuthenticAMD", 26, 2)), Some("zen5"));
        assert_eq!(of(&text("AuthenticAMD", 25, 1)), Some("zen3"));
        assert_eq!(of(&text("GenuineIntel", 6, 143)), Some("sapphire-rapids"));
        assert_eq!(of(&text("GenuineIntel", 6, 207)), Some("emerald-rapids"));
        assert_eq!(of(&text("AuthenticAMD", 23, 1)), None);
        assert_eq!(of(&text("GenuineIntel", 26, 17)), None);
        assert_eq!(of(""), None);
    }
}
