package example.keylane;

import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import javax.crypto.SecretKey;

/** A key of one or two words: not shown, not encoded, not serialized, and overwritten by {@link #destroy}. */
abstract sealed class SecretWords implements SecretKey permits SipHashKey, HalfSipHashKey {
    private static final long serialVersionUID = 1L;

    private transient long k0;
    private transient long k1;
    private transient boolean destroyed;

    SecretWords(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
        // Other threads see the key, even if they get this object by a race.
        VarHandle.storeStoreFence();
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    final long k0() {
        return intact(k0);
    }

    final long k1() {
        return intact(k1);
    }

    private long intact(long word) {
        if (destroyed) {
            throw new IllegalStateException("the key was destroyed");
        }
        return word;
    }

    /** Whether no key was destroyed and all bits are equal. The time does not depend on where they differ. */
    final boolean sameWords(SecretWords key) {
        return !destroyed && !key.destroyed && ((k0 ^ key.k0) | (k1 ^ key.k1)) == 0;
    }

    /**
     * Returns {@code null}: this key has no encoding.
     *
     * @return {@code null}
     */
    @Override
    public final String getFormat() {
        return null;
    }

    /**
     * Returns {@code null}: this key does not show its bytes.
     *
     * @return {@code null}
     */
    @Override
    public final byte[] getEncoded() {
        return null;
    }

    /** Overwrites this key. Afterwards, calls that need it throw {@link IllegalStateException}. */
    @Override
    public final void destroy() {
        destroyed = true;
        k0 = 0;
        k1 = 0;
    }

    /**
     * Returns whether this key was destroyed.
     *
     * @return whether it was
     */
    @Override
    public final boolean isDestroyed() {
        return destroyed;
    }

    private void writeObject(ObjectOutputStream stream) throws IOException {
        throw new NotSerializableException("a key is not serialized");
    }

    private void readObject(ObjectInputStream stream) throws IOException {
        throw new NotSerializableException("a key is not serialized");
    }
}
