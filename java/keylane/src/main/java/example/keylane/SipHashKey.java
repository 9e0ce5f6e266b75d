package example.keylane;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A key of 16 bytes for {@link SipHash} and for columns of tables.
 *
 * <p>A key shows its check value only. It is not serialized, and {@link #getEncoded} returns {@code null}, so no code
 * that it is passed to can write it. {@link #destroy} overwrites it. The Java virtual machine may have copied the key
 * before, when it moved the object; such copies cannot be reached.
 *
 * <p>Keys may be used by many threads. A key must not be destroyed while another thread uses it.
 */
public final class SipHashKey extends SecretWords {
    private static final long serialVersionUID = 1L;

    /** The number of bytes of a key. */
    public static final int LENGTH = 16;

    /** More bytes than a file with a key has in any format. Reading stops there. */
    private static final int LIMIT = 64;

    private SipHashKey(long k0, long k1) {
        super(k0, k1);
    }

    /**
     * Returns a key with the given bytes. The array is copied, and may be overwritten afterwards.
     *
     * @param key the 16 bytes
     * @return the key
     * @throws IllegalArgumentException if there are not 16 bytes
     * @throws NullPointerException if {@code key} is {@code null}
     */
    public static SipHashKey of(byte[] key) {
        if (key.length != LENGTH) {
            throw new IllegalArgumentException("a key of SipHash has 16 bytes, not " + key.length);
        }
        return new SipHashKey(Bytes.getLong(key, 0), Bytes.getLong(key, 8));
    }

    /**
     * Returns a new random key.
     *
     * @return the key
     */
    public static SipHashKey generate() {
        byte[] bytes = random(LENGTH);
        SipHashKey key = of(bytes);
        Bytes.wipe(bytes);
        return key;
    }

    /**
     * Reads a key from a regular file: 32 hexadecimal digits, with or without an end of line, or 16 bytes.
     *
     * @param file the file
     * @return the key
     * @throws IOException if the file cannot be read, or holds no key; the message shows neither content nor path
     * @throws NullPointerException if {@code file} is {@code null}
     */
    public static SipHashKey read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw Files.exists(file)
                    ? new IOException("the file of a key is a regular file")
                    : new NoSuchFileException("the file of a key");
        }
        byte[] bytes = new byte[LIMIT];
        try {
            int length;
            try (InputStream stream = Files.newInputStream(file)) {
                length = stream.readNBytes(bytes, 0, LIMIT);
            } catch (IOException e) {
                throw new IOException("the file of a key cannot be read");
            }
            return decode(bytes, length);
        } finally {
            Bytes.wipe(bytes);
        }
    }

    private static SipHashKey decode(byte[] file, int length) throws IOException {
        int line = length > 0 && file[length - 1] == '\n' ? length - 1 : length;
        line = line > 0 && line < length && file[line - 1] == '\r' ? line - 1 : line;
        boolean hex = line > 0;
        for (int i = 0; i < line; i++) {
            hex &= Character.digit(file[i], 16) >= 0;
        }
        byte[] key = new byte[LENGTH];
        try {
            if (hex && line == 2 * LENGTH) {
                for (int i = 0; i < LENGTH; i++) {
                    key[i] = (byte) (digit(file[2 * i]) << 4 | digit(file[2 * i + 1]));
                }
            } else if (!hex && length == LENGTH) {
                System.arraycopy(file, 0, key, 0, LENGTH);
            } else {
                String found = length < LIMIT ? length + " bytes" : "more";
                throw new IOException("the file is no key: expected 32 hexadecimal digits or 16 other bytes, found " + found);
            }
            return of(key);
        } finally {
            Bytes.wipe(key);
        }
    }

    /** The value of a hexadecimal digit. No table is read, and nothing branches on it. */
    private static int digit(byte digit) {
        return (digit & 15) + 9 * (digit >> 6);
    }

    /**
     * Returns the subkey for a context, by KCE-1. Columns under different contexts cannot be linked without the key.
     *
     * <p>A key from which you derive should hash nothing else. Never hash messages that others choose by SipHash-4-8-128
     * under it: the tag of {@code "keylane subkey 1\0"} and the context is the subkey. {@link ColumnHash} has no 4-8.
     *
     * @param context 1 to 255 bytes in UTF-8; contexts that begin with {@code KCE-} are reserved
     * @return the subkey
     * @throws IllegalArgumentException if the context has no bytes, more than 255, or is reserved
     * @throws IllegalStateException if this key was destroyed
     * @throws NullPointerException if {@code context} is {@code null}
     */
    public SipHashKey derive(String context) {
        checkContext(context);
        return subkey(context);
    }

    static void checkContext(String context) {
        if (context.startsWith("KCE-")) {
            throw new IllegalArgumentException("contexts that begin with KCE- are reserved");
        }
        int length = context.getBytes(StandardCharsets.UTF_8).length;
        if (length < 1 || length > 255) {
            throw new IllegalArgumentException("a context has 1 to 255 bytes, not " + length);
        }
    }

    /** The key that hashes rows by KCE-1. Its context is refused to callers. */
    SipHashKey rowKey() {
        return subkey("KCE-1 row");
    }

    private SipHashKey subkey(String context) {
        byte[] tag = labelled("keylane subkey 1\0", context.getBytes(StandardCharsets.UTF_8));
        SipHashKey subkey = of(tag);
        Bytes.wipe(tag);
        return subkey;
    }

    /**
     * Returns the check value by KCE-1: 8 hexadecimal digits, which are public. Two people who see the same value hold
     * the same key, except for one pair of keys in 2<sup>32</sup>. Keys must be random.
     *
     * @return the check value
     * @throws IllegalStateException if this key was destroyed
     */
    public String check() {
        byte[] tag = labelled("keylane check 1\0", new byte[0]);
        int check = Integer.reverseBytes(Bytes.getInt(tag, 0));
        Bytes.wipe(tag);
        return String.format("%08x", check);
    }

    private byte[] labelled(String label, byte[] rest) {
        byte[] first = label.getBytes(StandardCharsets.US_ASCII);
        byte[] message = new byte[first.length + rest.length];
        System.arraycopy(first, 0, message, 0, first.length);
        System.arraycopy(rest, 0, message, first.length, rest.length);
        // Columns are hashed by 1-3 and 2-4 only, so no tag of theirs is a subkey.
        SipHash hash = SipHash.of(4, 8, this);
        byte[] tag = hash.hash128(message);
        hash.destroy();
        return tag;
    }

    /**
     * Returns {@code "SipHash"}.
     *
     * @return the name of the algorithm
     */
    @Override
    public String getAlgorithm() {
        return "SipHash";
    }

    /**
     * Returns whether both are keys with the same bytes. The time does not depend on where they differ. A destroyed key
     * equals itself only.
     *
     * @param other the other object
     * @return whether the keys are equal
     */
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof SipHashKey key && sameWords(key);
    }

    /**
     * Returns a hash of the check value, which is public; 0 if this key was destroyed.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return isDestroyed() ? 0 : check().hashCode();
    }

    /**
     * Returns the check value, and not the key.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return isDestroyed() ? "SipHashKey[destroyed]" : "SipHashKey[check=" + check() + "]";
    }
}
