package example.keylane;

import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import javax.crypto.SecretKey;

/**
 * A key of 8 bytes for {@link HalfSipHash}. It is not shown, not serialized, and can be destroyed, as a
 * {@link SipHashKey}.
 */
public final class HalfSipHashKey implements SecretKey {
    private static final long serialVersionUID = 1L;

    /** The number of bytes of a key. */
    public static final int LENGTH = 8;

    private transient long bits;
    private transient boolean destroyed;

    private HalfSipHashKey(long bits) {
        this.bits = bits;
        VarHandle.storeStoreFence();
    }

    /**
     * Returns a key with the given bytes. The array is copied, and may be overwritten afterwards.
     *
     * @param key the 8 bytes
     * @return the key
     * @throws IllegalArgumentException if there are not 8 bytes
     * @throws NullPointerException if {@code key} is {@code null}
     */
    public static HalfSipHashKey of(byte[] key) {
        if (key.length != LENGTH) {
            throw new IllegalArgumentException("a key of HalfSipHash has 8 bytes, not " + key.length);
        }
        return new HalfSipHashKey(Bytes.getLong(key, 0));
    }

    /**
     * Returns a new random key.
     *
     * @return the key
     */
    public static HalfSipHashKey generate() {
        byte[] bytes = new byte[LENGTH];
        new SecureRandom().nextBytes(bytes);
        HalfSipHashKey key = of(bytes);
        Bytes.wipe(bytes);
        return key;
    }

    long bits() {
        if (destroyed) {
            throw new IllegalStateException("the key was destroyed");
        }
        return bits;
    }

    /**
     * Returns {@code "HalfSipHash"}.
     *
     * @return the name of the algorithm
     */
    @Override
    public String getAlgorithm() {
        return "HalfSipHash";
    }

    /**
     * Returns {@code null}: this key has no encoding.
     *
     * @return {@code null}
     */
    @Override
    public String getFormat() {
        return null;
    }

    /**
     * Returns {@code null}: this key does not show its bytes.
     *
     * @return {@code null}
     */
    @Override
    public byte[] getEncoded() {
        return null;
    }

    /** Overwrites this key. Afterwards, calls that need it throw {@link IllegalStateException}. */
    @Override
    public void destroy() {
        destroyed = true;
        bits = 0;
    }

    /**
     * Returns whether this key was destroyed.
     *
     * @return whether it was
     */
    @Override
    public boolean isDestroyed() {
        return destroyed;
    }

    /**
     * Returns whether both are keys with the same bytes. A destroyed key equals itself only.
     *
     * @param other the other object
     * @return whether the keys are equal
     */
    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof HalfSipHashKey key && !destroyed && !key.destroyed && (bits ^ key.bits) == 0;
    }

    /**
     * Returns the same number for every key.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return HalfSipHashKey.class.hashCode();
    }

    /**
     * Returns a text without the key.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return destroyed ? "HalfSipHashKey[destroyed]" : "HalfSipHashKey";
    }

    private void writeObject(ObjectOutputStream stream) throws IOException {
        throw new NotSerializableException("a key is not serialized");
    }

    private void readObject(ObjectInputStream stream) throws IOException {
        throw new NotSerializableException("a key is not serialized");
    }
}
