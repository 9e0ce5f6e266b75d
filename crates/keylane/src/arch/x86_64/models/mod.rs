//! AVX2 and AVX-512 beside the models of the traits.

mod radix44;

use super::ifma::{self, Ifma};
use super::words32::{Ymm, YmmAvx512, Zmm};
use super::{Avx2, Avx512};
use crate::arch::models::{chacha20, lanes, messages26, radix26, with_instructions};

with_instructions! { avx2_lanes64, ["avx2", "bmi2"], { lanes::lanes::<_, u64, 4>(Avx2::here()) } }
with_instructions! { avx2_lanes32, ["avx2", "bmi2"], { lanes::lanes::<_, u32, 8>(Avx2::here()) } }
with_instructions! {
    avx2_vectors32, ["avx2", "bmi2"], {
        chacha20::vectors32::<_, 8>(Ymm::new(Avx2::here()));
        chacha20::rows32::<_, 8>(Ymm::new(Avx2::here()));
    }
}
with_instructions! {
    avx2_vectors26, ["avx2", "bmi2"], {
        radix26::vectors26::<_, 4>(Avx2::here());
        radix26::school(Avx2::here());
        messages26::message_vectors(Avx2::here());
    }
}
with_instructions! {
    avx512_lanes64, ["avx512f", "avx512bw", "avx512vl", "bmi2"], {
        lanes::lanes::<_, u64, 8>(Avx512::here());
    }
}
with_instructions! {
    avx512_lanes32, ["avx512f", "avx512bw", "avx512vl", "bmi2"], {
        lanes::lanes::<_, u32, 16>(Avx512::here());
    }
}
with_instructions! {
    avx512_vectors32, ["avx512f", "avx512bw", "avx512vl", "bmi2"], {
        chacha20::vectors32::<_, 8>(YmmAvx512(Avx512::here()));
        chacha20::rows32::<_, 8>(YmmAvx512(Avx512::here()));
        chacha20::vectors32::<_, 16>(Zmm(Avx512::here()));
        chacha20::rows32::<_, 16>(Zmm(Avx512::here()));
    }
}
with_instructions! {
    avx512_vectors26, ["avx512f", "avx512bw", "avx512vl", "bmi2"], {
        radix26::vectors26::<_, 8>(Avx512::here());
    }
}
with_instructions! {
    ifma_vectors44,
    ["avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "bmi2"], {
        radix44::vectors44(ifma::Zmm(Ifma::here()));
        radix44::vectors44(ifma::Ymm(Ifma::here()));
        radix44::blocks(ifma::Zmm(Ifma::here()));
        radix44::blocks(ifma::Ymm(Ifma::here()));
        radix44::tags44(ifma::Zmm(Ifma::here()));
    }
}
