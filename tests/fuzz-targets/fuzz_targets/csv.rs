#![no_main]

use keylane_fuzz::column::Csv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Csv<'_>| case.run());
