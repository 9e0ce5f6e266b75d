package example.keylane;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.MacSpi;

/** Poly1305 as a {@link javax.crypto.Mac}: one message for each key. */
final class PolyMac extends MacSpi {
    /** The key until its tag is given, for a reset. */
    private byte[] key;

    private Poly1305 mac;

    @Override
    protected int engineGetMacLength() {
        return Poly1305.TAG_LENGTH;
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (parameters != null) {
            throw new InvalidAlgorithmParameterException("Poly1305 has no parameters");
        }
        byte[] bytes = KeylaneProvider.encoded(key, Poly1305.KEY_LENGTH, "Poly1305");
        forget();
        this.key = bytes;
        mac = Poly1305.of(bytes);
    }

    @Override
    protected void engineUpdate(byte input) {
        mac.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        mac.update(input, offset, length);
    }

    @Override
    protected void engineUpdate(ByteBuffer input) {
        mac.update(input);
    }

    @Override
    protected byte[] engineDoFinal() {
        byte[] tag = mac.tag();
        forget();
        return tag;
    }

    /** Begins the message anew, if no tag was given under the key. */
    @Override
    protected void engineReset() {
        if (key != null) {
            mac.destroy();
            mac = Poly1305.of(key);
        }
    }

    private void forget() {
        if (key != null) {
            Bytes.wipe(key);
            key = null;
            mac.destroy();
        }
    }

    @Override
    public Object clone() throws CloneNotSupportedException {
        throw new CloneNotSupportedException("a key of Poly1305 is for one message");
    }
}
