#![no_main]

use keylane_fuzz::cli::Checklist;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Checklist<'_>| case.run());
