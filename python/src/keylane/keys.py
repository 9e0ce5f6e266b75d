"""Names for keys. A plan, a pickle or a closure holds a name; the process holds the key.

    >>> import keylane
    >>> keylane.keys.load("users", key=keylane.Key.generate())
    keylane.KeyRef('users')

A name that is not loaded is looked up as a file of this name in the folder `$KEYLANE_KEY_DIR`. Once bound, a name is
never bound to another key.
"""

from keylane._keylane import KeyRef, load

__all__ = ["KeyRef", "load"]
