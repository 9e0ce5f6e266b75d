#![no_main]

use keylane_fuzz::capi::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Case<'_>| case.run());
