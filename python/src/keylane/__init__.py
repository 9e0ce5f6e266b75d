"""SipHash, Poly1305, ChaCha20-Poly1305, and keyed hashes of columns whose bytes do not change (KCE-1).

    >>> import keylane
    >>> key = keylane.Key(bytes(range(16)))
    >>> hex(keylane.siphash24(key, bytes(range(15))))
    '0xa129ca6149be45e5'
    >>> keylane.pseudonymize(["a@example.com", None], key.derive("users.email"))
    ['...', None]

docs/PYTHON.md leads through everything.
"""

from keylane import aead, keys
from keylane._keylane import (
    Column,
    Hash,
    Key,
    KeyRef,
    Poly1305,
    TagMismatch,
    file_digest,
    hash_column,
    hash_many,
    hash_rows,
    metadata,
    new,
    poly1305,
    pseudonymize,
    sample,
    siphash13,
    siphash24,
    siphashx24,
    verify,
)

__all__ = [
    "Column",
    "Hash",
    "Key",
    "KeyRef",
    "Poly1305",
    "TagMismatch",
    "aead",
    "file_digest",
    "hash_column",
    "hash_many",
    "hash_rows",
    "keys",
    "metadata",
    "new",
    "poly1305",
    "pseudonymize",
    "sample",
    "siphash13",
    "siphash24",
    "siphashx24",
    "verify",
]
