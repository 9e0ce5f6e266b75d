"""Encryption that is authenticated, with the methods of `cryptography.hazmat.primitives.ciphers.aead`.

    >>> from keylane.aead import ChaCha20Poly1305
    >>> key = ChaCha20Poly1305.generate_key()
    >>> cipher = ChaCha20Poly1305(key)
    >>> sealed = cipher.encrypt(bytes(12), b"payload", b"header")
    >>> cipher.decrypt(bytes(12), sealed, b"header")
    b'payload'

Columns of packets are sealed and opened in one call, without an object for each. A null stays a null, and what is
forged becomes one:

    >>> import pyarrow as pa
    >>> nonces = pa.array([number.to_bytes(12, "big") for number in range(1, 4)])
    >>> sealed = cipher.seal_column(nonces, pa.array([b"one", None, b"three"]), b"header")
    >>> cipher.open_column(nonces, sealed, b"header").to_pylist()
    [b'one', None, b'three']
    >>> cipher.open_column(nonces, sealed, b"another").to_pylist()
    [None, None, None]

Never use a nonce twice under one key.
"""

from keylane._keylane import ChaCha20Poly1305, TagMismatch, XChaCha20Poly1305

__all__ = ["ChaCha20Poly1305", "InvalidTag", "XChaCha20Poly1305"]

InvalidTag = TagMismatch
"""What pyca/cryptography calls `keylane.TagMismatch`."""
