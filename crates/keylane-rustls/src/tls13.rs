//! Records of TLS 1.3 (RFC 8446, section 5.2).

use crate::keys::{KEY_BYTES, Keys};
use keylane::aead::TAG_BYTES;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, Nonce,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

/// The cipher of the suite of TLS 1.3.
pub struct Algorithm;

impl Tls13AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records(Keys::new(&key, iv.as_ref())))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records(Keys::new(&key, iv.as_ref())))
    }

    fn key_len(&self) -> usize {
        KEY_BYTES
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv })
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
        let len = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&[message.typ.into()]);
        let tag = self.0.seal(|iv| Nonce::new(iv, number).0, &make_tls13_aad(len), payload.as_mut())?;
        payload.extend_from_slice(tag.as_ref());
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    /// The data, the type of the content, and the tag.
    fn encrypted_payload_len(&self, len: usize) -> usize {
        len + 1 + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(message.payload.len());
        let len = self.0.open(|iv| Nonce::new(iv, number).0, &aad, &mut message.payload)?.len();
        message.payload.truncate(len);
        message.into_tls13_unpadded_message()
    }
}
