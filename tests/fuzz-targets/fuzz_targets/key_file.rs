#![no_main]

use keylane_fuzz::cli::KeyFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: KeyFile<'_>| case.run());
