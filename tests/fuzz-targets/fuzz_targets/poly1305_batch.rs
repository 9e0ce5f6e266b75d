#![no_main]

use keylane_fuzz::poly1305_batch::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|case: Case<'_>| case.run());
