#![no_main]

use keylane_fuzz::siphash_x1_long::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Case<'_>| case.run());
