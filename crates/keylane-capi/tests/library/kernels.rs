//! The list of kernels as C gets it.

use keylane::kernels;
use keylane_capi::Kernel;

/// Every kernel's texts fit without being cut.
#[test]
fn texts_have_room() {
    for kernel in kernels::list() {
        let features = kernel.requires().collect::<Vec<_>>().join(" ");
        let (slot, id) = (kernel.slot(), kernel.id());
        let mut shown =
            Kernel { slot: [1; 24], id: [1; 48], features: [1; 96], missing: [1; 96], lanes: 0, state: 9 };
        shown.describe(&kernel);
        for (place, text) in [(&shown.slot[..], slot), (&shown.id[..], id), (&shown.features[..], &features)]
        {
            let end = place.iter().position(|&byte| byte == 0).expect("a byte 0 at the end");
            assert_eq!(&place[..end], text.as_bytes());
        }
    }
}
