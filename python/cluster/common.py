"""What the tests of engines share: the reference in plain Python, a key, and a search for it."""

import base64
import hashlib
import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "users-2026"
RAW = hashlib.sha256(b"a key for tests of engines").digest()[:16]


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KCE1 = _load(ROOT / "tests" / "kce1" / "kce1.py")


def write_key(folder, raw=RAW, name=NAME):
    """A folder with one key, in the way of `$KEYLANE_KEY_DIR`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.touch(mode=0o600)
    file.write_text(raw.hex() + "\n")
    return folder


def forms(raw):
    """Bytes in every form in which they could stand in text or in a file."""
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode(), repr(raw).encode()[2:-1])
    yield from (base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="))
    yield base64.b64encode(raw.hex().encode()).rstrip(b"=")
    yield from (separator.join(str(byte) for byte in raw).encode() for separator in (",", ", "))


def secrets(raw=RAW, contexts=("users.email",)):
    """The key, and its subkeys."""
    keys = [raw, KCE1.row_key(raw), *(KCE1.derive(raw, context) for context in contexts)]
    return [form for key in keys for form in forms(key)]


def has_secret(text, found=None):
    """Whether the key stands in bytes."""
    return any(form in text for form in found or secrets())


def folders_with_secrets(folder, but=()):
    """The files below a folder in which the key stands, and how many files there are."""
    found, seen, looked_for = [], 0, secrets()
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file() and not any(path.is_relative_to(one) for one in but):
            seen += 1
            if has_secret(path.read_bytes(), looked_for):
                found.append(path)
    return found, seen
