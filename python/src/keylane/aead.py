"""Encryption that is authenticated, with the methods of `cryptography.hazmat.primitives.ciphers.aead`.

    >>> from keylane.aead import ChaCha20Poly1305
    >>> key = ChaCha20Poly1305.generate_key()
    >>> cipher = ChaCha20Poly1305(key)
    >>> sealed = cipher.encrypt(bytes(12), b"payload", b"header")
    >>> cipher.decrypt(bytes(12), sealed, b"header")
    b'payload'

Never use a nonce twice under one key.
"""

from keylane._keylane import ChaCha20Poly1305, TagMismatch, XChaCha20Poly1305

__all__ = ["ChaCha20Poly1305", "InvalidTag", "XChaCha20Poly1305"]

InvalidTag = TagMismatch
"""What pyca/cryptography calls `keylane.TagMismatch`."""
