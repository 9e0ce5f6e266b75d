package example.keylane;

/**
 * A key of 8 bytes for {@link HalfSipHash}. It is not shown, not serialized, and can be destroyed, as a
 * {@link SipHashKey}.
 */
public final class HalfSipHashKey extends SecretWords {
    private static final long serialVersionUID = 1L;

    /** The number of bytes of a key. */
    public static final int LENGTH = 8;

    private HalfSipHashKey(long bits) {
        super(bits, 0);
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
        byte[] bytes = random(LENGTH);
        HalfSipHashKey key = of(bytes);
        Bytes.wipe(bytes);
        return key;
    }

    long bits() {
        return k0();
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
     * Returns whether both are keys with the same bytes. A destroyed key equals itself only.
     *
     * @param other the other object
     * @return whether the keys are equal
     */
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof HalfSipHashKey key && sameWords(key);
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
        return isDestroyed() ? "HalfSipHashKey[destroyed]" : "HalfSipHashKey";
    }
}
