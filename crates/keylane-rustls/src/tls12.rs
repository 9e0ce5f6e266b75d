//! Records of TLS 1.2 (RFC 7905).

use crate::keys::{KEY_BYTES, Keys};
use keylane::aead::TAG_BYTES;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    NONCE_LEN, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};

/// The most bytes of data in one record (RFC 5246, section 6.2.1).
const MOST: usize = 1 << 14;

/// The cipher of the suites of TLS 1.2.
pub struct Algorithm;

impl Tls12AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, iv: &[u8], _explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records(Keys::new(&key, iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Records(Keys::new(&key, iv)))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: KEY_BYTES, fixed_iv_len: NONCE_LEN, explicit_nonce_len: 0 }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        _explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        let iv = <[u8; NONCE_LEN]>::try_from(iv).map_err(|_| UnsupportedOperationError)?;
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv: iv.into() })
    }
}

/// The records of one direction.
struct Records(Keys);

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let OutboundPlainMessage { typ, version, payload: data } = message;
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(data.len()));
        payload.extend_from_chunks(&data);
        let aad = make_tls12_aad(number, typ, version, data.len());
        let tag = self.0.seal(|iv| Nonce::new(iv, number).0, &aad, payload.as_mut())?;
        payload.extend_from_slice(tag.as_ref());
        Ok(OutboundOpaqueMessage::new(typ, version, payload))
    }

    fn encrypted_payload_len(&self, len: usize) -> usize {
        len + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let len = message.payload.len().checked_sub(TAG_BYTES).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(number, message.typ, message.version, len);
        self.0.open(|iv| Nonce::new(iv, number).0, &aad, &mut message.payload)?;
        if len > MOST {
            return Err(Error::PeerSentOversizedRecord);
        }
        message.payload.truncate(len);
        Ok(message.into_plain_message())
    }
}
