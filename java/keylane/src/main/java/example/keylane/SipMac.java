package example.keylane;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.MacSpi;

/** SipHash and HalfSipHash as a {@link javax.crypto.Mac}. */
final class SipMac extends MacSpi implements Cloneable {
    private final boolean half;
    private final int c;
    private final int d;
    private final int tagLength;
    private TagStream stream;

    SipMac(boolean half, int c, int d, int tagLength) {
        this.half = half;
        this.c = c;
        this.d = d;
        this.tagLength = tagLength;
    }

    @Override
    protected int engineGetMacLength() {
        return tagLength;
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (parameters != null) {
            throw new InvalidAlgorithmParameterException("this function has no parameters");
        }
        TagStream next;
        try {
            next = half ? half(key) : whole(key);
        } catch (IllegalStateException e) {
            throw new InvalidKeyException(e.getMessage());
        }
        if (stream != null) {
            stream.destroy();
        }
        stream = next;
    }

    private TagStream whole(Key key) throws InvalidKeyException {
        SipHashKey own;
        if (key instanceof SipHashKey given) {
            own = given;
        } else {
            byte[] bytes = KeylaneProvider.encoded(key, SipHashKey.LENGTH, "SipHash");
            own = SipHashKey.of(bytes);
            Bytes.wipe(bytes);
        }
        SipHash hash = SipHash.of(c, d, own);
        TagStream stream = tagLength == 16 ? hash.stream128() : hash.stream();
        hash.destroy();
        if (own != key) {
            own.destroy();
        }
        return stream;
    }

    private TagStream half(Key key) throws InvalidKeyException {
        HalfSipHashKey own;
        if (key instanceof HalfSipHashKey given) {
            own = given;
        } else {
            byte[] bytes = KeylaneProvider.encoded(key, HalfSipHashKey.LENGTH, "HalfSipHash");
            own = HalfSipHashKey.of(bytes);
            Bytes.wipe(bytes);
        }
        HalfSipHash hash = HalfSipHash.of(c, d, own);
        TagStream stream = tagLength == 8 ? hash.stream64() : hash.stream();
        hash.destroy();
        if (own != key) {
            own.destroy();
        }
        return stream;
    }

    @Override
    protected void engineUpdate(byte input) {
        stream.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        stream.update(input, offset, length);
    }

    @Override
    protected void engineUpdate(ByteBuffer input) {
        stream.update(input);
    }

    @Override
    protected byte[] engineDoFinal() {
        byte[] tag = stream.getTag();
        stream.reset();
        return tag;
    }

    @Override
    protected void engineReset() {
        if (stream != null) {
            stream.reset();
        }
    }

    @Override
    public SipMac clone() throws CloneNotSupportedException {
        SipMac clone = (SipMac) super.clone();
        clone.stream = stream == null ? null : stream.copy();
        return clone;
    }
}
