//! A key and a message in one call, with the rounds in the name.

use crate::hashes::Tag;
use crate::memory::{In, Out, export, no_fault};
use crate::status::Status;
use core::net::IpAddr;
use keylane::halfsiphash::{self, HalfSipHash13, HalfSipHash24, HalfSipHashX13, HalfSipHashX24};
use keylane::siphash::{
    Key, SipHash11, SipHash12, SipHash13, SipHash24, SipHash48, SipHashX13, SipHashX24, SipHashX48,
    dns_cookie, hsiphash32, hsiphash64, verify_dns_cookie,
};

macro_rules! one_shot {
    ($($name:ident: $hash:ident, $method:ident, $key:ty, $tag:ty;)*) => {
        export! {
            $(fn $name(
                key: In<[u8; size_of::<$key>()]>,
                message: In<u8>,
                length: usize,
                tag: Out<<$tag as Tag>::Single>,
            ) {
                no_fault!(key.fault(), message.fault_of_bytes(length), tag.fault())?;
                let key = <$key>::from_bytes(*key.get()?);
                tag.put($hash::new(&key).$method(message.slice(length)?).single())
            })*
        }
    };
}

one_shot! {
    keylane_siphash11: SipHash11, hash, Key, u64;
    keylane_siphash12: SipHash12, hash, Key, u64;
    keylane_siphash13: SipHash13, hash, Key, u64;
    keylane_siphash24: SipHash24, hash, Key, u64;
    keylane_siphash48: SipHash48, hash, Key, u64;
    keylane_siphash12_nocase: SipHash12, hash_nocase, Key, u64;
    keylane_siphash13_nocase: SipHash13, hash_nocase, Key, u64;
    keylane_siphash24_nocase: SipHash24, hash_nocase, Key, u64;
    keylane_siphashx13: SipHashX13, hash, Key, u128;
    keylane_siphashx24: SipHashX24, hash, Key, u128;
    keylane_siphashx48: SipHashX48, hash, Key, u128;
    keylane_halfsiphash13: HalfSipHash13, hash, halfsiphash::Key, u32;
    keylane_halfsiphash24: HalfSipHash24, hash, halfsiphash::Key, u32;
    keylane_halfsiphashx13: HalfSipHashX13, hash, halfsiphash::Key, u64;
    keylane_halfsiphashx24: HalfSipHashX24, hash, halfsiphash::Key, u64;
}

/// An address of 4 or 16 bytes.
fn address(bytes: &[u8]) -> Result<IpAddr, Status> {
    let v4 = || <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4().or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).map_err(|_| Status::Length)
}

export! {
    fn keylane_hsiphash64(key: In<[u8; 16]>, message: In<u8>, length: usize, tag: Out<u32>) {
        no_fault!(key.fault(), message.fault_of_bytes(length), tag.fault())?;
        tag.put(hsiphash64(&Key::from_bytes(*key.get()?), message.slice(length)?))
    }

    fn keylane_hsiphash32(key: In<[u8; 8]>, message: In<u8>, length: usize, tag: Out<u32>) {
        no_fault!(key.fault(), message.fault_of_bytes(length), tag.fault())?;
        tag.put(hsiphash32(&halfsiphash::Key::from_bytes(*key.get()?), message.slice(length)?))
    }

    fn keylane_dns_cookie(
        secret: In<[u8; 16]>,
        client_cookie: In<[u8; 8]>,
        timestamp: u32,
        client: In<u8>,
        client_length: usize,
        server_cookie: Out<[u8; 16]>,
    ) {
        no_fault!(
            secret.fault(),
            client_cookie.fault(),
            client.fault_of_bytes(client_length),
            server_cookie.fault(),
        )?;
        let secret = Key::from_bytes(*secret.get()?);
        let client = address(client.slice(client_length)?)?;
        server_cookie.put(dns_cookie(&secret, client_cookie.get()?, timestamp, client))
    }

    fn keylane_dns_cookie_verify(
        secret: In<[u8; 16]>,
        client_cookie: In<[u8; 8]>,
        server_cookie: In<[u8; 16]>,
        client: In<u8>,
        client_length: usize,
    ) {
        no_fault!(
            secret.fault(),
            client_cookie.fault(),
            server_cookie.fault(),
            client.fault_of_bytes(client_length),
        )?;
        let secret = Key::from_bytes(*secret.get()?);
        let client = address(client.slice(client_length)?)?;
        Ok(verify_dns_cookie(&secret, client_cookie.get()?, server_cookie.get()?, client)?)
    }

    fn keylane_random(bytes: Out<u8>, length: usize) {
        no_fault!(bytes.fault_of_bytes(length))?;
        let mut bytes = bytes;
        getrandom::fill(bytes.slice(length, &[])?).map_err(|_| Status::Random)
    }
}
