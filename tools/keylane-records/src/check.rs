//! What must hold between kernels, records and sources.

use crate::{Defect, FOLDERS, HOW, Isa, Record, Records, SOURCES, TEST_DEFECTS, files};
use anyhow::Result;
use std::fs;
use std::path::Path;

/// The faults of the repository at `root`. Each names the file to write, and what it wants there.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let records = Records::load(root)?;
    let mut faults = Vec::new();
    for folder in FOLDERS {
        for path in files(root, Path::new(folder), "rs")? {
            let record = path.with_extension("toml");
            let has_one = records.kernels.iter().any(|it| it.path == record);
            if !has_one && fs::read_to_string(root.join(&path))?.contains("\nkernel! {") {
                faults.push(format!("{} has no record: write {} ({HOW})", path.display(), record.display()));
            }
        }
    }
    for record in &records.kernels {
        record.check(root, &mut faults);
        for defect in &record.defects {
            defect.check(root, &record.path, &mut faults)?;
        }
    }
    for defect in &records.tests {
        defect.check(root, Path::new(TEST_DEFECTS), &mut faults)?;
    }
    Ok(faults)
}

impl Record {
    fn check(&self, root: &Path, faults: &mut Vec<String>) {
        let path = self.path.display();
        let mut fault = |what: String| faults.push(format!("{path}: {what} ({HOW})"));
        if !root.join(self.path.with_extension("rs")).is_file() {
            fault(format!("there is no {}.rs beside it", self.kernel));
        }
        if !self.is_of_the_lab() {
            let lacks = |isa: &Isa| self.is_for(*isa) && self.codegen_on(*isa).is_none();
            for part in Isa::ALL.into_iter().filter(lacks).map(Isa::codegen) {
                fault(format!("write [{part}]: the operations, the number and the stack of the hot loops"));
            }
            if self.defects.is_empty() {
                fault("write [[defect]]: a change of the source that the suite must find".to_owned());
            }
        }
        for isa in Isa::ALL {
            if let Some(codegen) = self.codegen_on(isa)
                && codegen.stack.is_some_and(|most| most > 0) != codegen.why.is_some()
            {
                let part = isa.codegen();
                fault(format!("write why under [{part}] where stack is more than 0, and only there"));
            }
        }
    }
}

impl Defect {
    fn check(&self, root: &Path, record: &Path, faults: &mut Vec<String>) -> Result<()> {
        let file = Path::new(SOURCES).join(&self.file);
        let mut fault = |what: String| faults.push(format!("{}: {what}", record.display()));
        match fs::read_to_string(root.join(&file)) {
            Err(_) => fault(format!("a defect names {}, which is no file", file.display())),
            Ok(text) => {
                let count = text.matches(&self.from).count();
                if count != 1 {
                    fault(format!("{} has {count} times instead of once: {}", file.display(), self.from));
                }
            }
        }
        if self.from == self.to {
            fault(format!("this defect changes nothing: {}", self.from));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use tempfile::TempDir;

    #[test]
    fn this_repository_has_no_fault() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(faults(&root).expect("the records"), [""; 0]);
    }

    const KERNEL: &str = "//! A kernel.\n\nkernel! {\n    x + 1\n}\n";
    const RECORD: &str = "secrets = \"taint\"\n[codegen]\n[codegen-aarch64]\n[[defect]]\nfile = \"arch/portable/siphash_x3.rs\"\n\
                          from = \"x + 1\"\nto = \"x + 2\"\n";

    /// A repository with one kernel, and its record if there is one.
    fn repository(record: Option<&str>) -> TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: PathBuf, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        FOLDERS.iter().for_each(|folder| write(Path::new(folder).join("mod.rs"), ""));
        let kernel = Path::new(FOLDERS[0]).join("portable/siphash_x3.rs");
        write(kernel.clone(), KERNEL);
        if let Some(record) = record {
            write(kernel.with_extension("toml"), record);
        }
        write(TEST_DEFECTS.into(), "defect = []\n");
        root
    }

    #[track_caller]
    fn one_fault(record: Option<&str>, says: &str) {
        match &faults(repository(record).path()).expect("records")[..] {
            [fault] => assert!(fault.contains(says), "{fault}"),
            other => panic!("one fault, {says}: {other:#?}"),
        }
    }

    #[test]
    fn a_fault_says_which_file_wants_what() {
        assert_eq!(faults(repository(Some(RECORD)).path()).expect("records"), [""; 0]);
        one_fault(
            None,
            "arch/portable/siphash_x3.rs has no record: write crates/keylane/src/arch/portable/siphash_x3.toml",
        );
        one_fault(Some(&RECORD.replace("[codegen]\n", "")), "arch/portable/siphash_x3.toml: write [codegen]");
        one_fault(
            Some(&RECORD.replace("[codegen-aarch64]\n", "")),
            "arch/portable/siphash_x3.toml: write [codegen-aarch64]",
        );
        one_fault(
            Some("secrets = \"taint\"\n[codegen]\n[codegen-aarch64]\n"),
            "arch/portable/siphash_x3.toml: write [[defect]]",
        );
        one_fault(
            Some(&RECORD.replace("x + 1", "x + 3")),
            "siphash_x3.rs has 0 times instead of once: x + 3",
        );
        one_fault(Some(&RECORD.replace("x3.rs", "x4.rs")), "which is no file");
        one_fault(Some(&RECORD.replace("x + 2", "x + 1")), "changes nothing");
        one_fault(
            Some(&RECORD.replace("[codegen]\n", "[codegen]\nstack = 1\n")),
            "write why under [codegen]",
        );
        one_fault(
            Some(&RECORD.replace("[codegen]\n", "[codegen]\nwhy = \"w\"\n")),
            "write why under [codegen]",
        );
        one_fault(
            Some(&RECORD.replace("[codegen-aarch64]\n", "[codegen-aarch64]\nstack = 1\n")),
            "write why under [codegen-aarch64]",
        );
    }

    #[test]
    fn a_record_without_a_kernel() {
        let root = repository(Some(RECORD));
        let folder = root.path().join(FOLDERS[0]).join("portable");
        fs::rename(folder.join("siphash_x3.toml"), folder.join("siphash_x4.toml")).expect("a file");
        let faults = faults(root.path()).expect("records");
        assert_eq!(faults.len(), 2, "{faults:#?}");
        assert!(faults[0].contains("siphash_x3.rs has no record"), "{faults:#?}");
        assert!(faults[1].contains("siphash_x4.toml: there is no siphash_x4.rs beside it"), "{faults:#?}");
    }
}
