//! Prints the cycles of ChaCha20-Poly1305 and of siphasher's hashers, as lines for `contrib/figures.py`. The argument
//! names the column. `try.sh figures` builds this program with and without the patch.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305_previous::aead::{AeadInPlace, KeyInit as _};
use keylane_measure::sample::{Contest, interleaved};
use std::hash::Hasher;
use std::hint::black_box;

/// Samples of each figure, of some 200,000 cycles each.
const SAMPLES: usize = 41;

/// The work of one figure. The argument is the number of calls.
type Work = Box<dyn FnMut(usize)>;

struct Figures(Vec<(usize, Work)>);

impl Contest for Figures {
    fn contenders(&self) -> usize {
        self.0.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let (calls, work) = &mut self.0[contender];
        Box::new(|| work(*calls))
    }
}

fn main() {
    let column = std::env::args().nth(1).unwrap_or_default();
    let mut names = Vec::new();
    let mut figures = Figures(Vec::new());
    let mut add = |name: String, bytes: usize, work: Work| {
        names.push(name);
        figures.0.push((200_000 / (400 + 2 * bytes), work));
    };
    for bytes in [64, 1420, 16384] {
        let cipher = chacha20poly1305::ChaCha20Poly1305::new(&[7; 32].into());
        let mut buffer = vec![0; bytes];
        let seal = move |calls| {
            for _ in 0..calls {
                let nonce = black_box([1; 12]).into();
                let sealed = cipher.encrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into());
                black_box(sealed.is_ok());
            }
        };
        add(format!("ChaCha20-Poly1305 (0.11), seal {bytes} bytes"), bytes, Box::new(seal));
        let cipher = chacha20poly1305_previous::ChaCha20Poly1305::new(&[7; 32].into());
        let mut buffer = vec![0; bytes];
        let seal = move |calls| {
            for _ in 0..calls {
                let nonce = black_box([1; 12]).into();
                let sealed = cipher.encrypt_in_place_detached(&nonce, b"header", &mut buffer);
                black_box(sealed.is_ok());
            }
        };
        add(format!("ChaCha20-Poly1305 (0.10), seal {bytes} bytes"), bytes, Box::new(seal));
    }
    for bytes in [8, 64, 1420] {
        let message = vec![7; bytes];
        let hasher = siphasher::sip::SipHasher13::new_with_keys(1, 2);
        let hash = move |calls| {
            for _ in 0..calls {
                let mut hasher = black_box(hasher);
                hasher.write(black_box(&message));
                black_box(hasher.finish());
            }
        };
        add(format!("siphasher, SipHash-1-3 of {bytes} bytes"), bytes, Box::new(hash));
    }
    let measured = interleaved(&mut figures, SAMPLES);
    for ((name, samples), (calls, _)) in names.iter().zip(&measured.samples).zip(&figures.0) {
        match samples.cycles() {
            Some(cycles) => println!("call,\"{name}\",{column},{:.1}", cycles.per(*calls as f64).median),
            None => eprintln!("{name}: no sample was steady"),
        }
    }
}
