"""What an engine's `hash_columns` and `pseudonymize` are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from keylane import KeyRef

Key: TypeAlias = str | KeyRef
Source: TypeAlias = str | Sequence[str]
Wanted: TypeAlias = tuple[Source, Key] | tuple[Source, Key, str]


def hashes(columns: Mapping[str, Wanted], alg: str) -> dict[str, tuple[Source, Key, str]]:
    """For each new column, what it is made of, the key, and the algorithm: its own or `alg`."""
    for name, what in columns.items():
        if not isinstance(what, (tuple, list)) or len(what) not in (2, 3):
            raise TypeError(f"column {name}: (column, key) or (column, key, algorithm) is needed")
    return {name: (what[0], what[1], what[2] if len(what) == 3 else alg) for name, what in columns.items()}


def pseudonyms(columns: Mapping[str, tuple[Source, Key]], alg: str) -> dict[str, tuple[Source, Key, str]]:
    """The same for tags that leave the process, which no column may make weaker."""
    if alg != "siphash-2-4-128":
        raise ValueError("pseudonyms need siphash-2-4-128; hash_columns gives others")
    for name, what in columns.items():
        if len(what) != 2:
            raise TypeError(f"column {name}: (column, key) is needed")
    return {name: (*what, alg) for name, what in columns.items()}
