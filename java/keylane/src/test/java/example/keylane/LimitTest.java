package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import javax.crypto.Mac;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Positions, lengths and scales at the end of an {@code int}. */
class LimitTest {
    private static final SipHash HASH = SipHash.of(1, 3, SipHashKey.of(new Vectors.Random(9).bytes(16)));

    @TempDir
    static Path folder;

    /** The last bytes of the longest buffer there is. The file has a hole and takes no room. */
    private static ByteBuffer end(int length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("long").toFile(), "rw")) {
            file.setLength(Integer.MAX_VALUE);
            file.seek(Integer.MAX_VALUE - length);
            file.write(new Vectors.Random(length).bytes(length));
            return file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, Integer.MAX_VALUE).position(Integer.MAX_VALUE - length);
        }
    }

    @Test
    void longBuffers() throws Exception {
        for (int length = 0; length < 40; length++) {
            ByteBuffer end = end(length);
            byte[] message = new byte[length];
            end.duplicate().get(message);
            assertEquals(HASH.hash(message), HASH.hash(end.duplicate()));
            assertArrayEquals(HASH.hash128(message), HASH.hash128(end.duplicate()));
            for (int before = 0; before < 9; before++) {
                byte[] whole = Arrays.copyOf(new byte[before], before + length);
                System.arraycopy(message, 0, whole, before, length);
                TagStream stream = HASH.stream();
                stream.update(new byte[before]);
                ByteBuffer rest = end.duplicate();
                stream.update(rest);
                assertEquals(0, rest.remaining());
                assertEquals(HASH.hash(whole), stream.getValue());
            }
            Mac mac = Mac.getInstance("Poly1305", new KeylaneProvider());
            byte[] key = new Vectors.Random(7).bytes(32);
            mac.init(new javax.crypto.spec.SecretKeySpec(key, "Poly1305"));
            mac.update(end.duplicate());
            assertArrayEquals(Poly1305.mac(key, message), mac.doFinal());
        }
    }

    /** A text of as many characters as there can be. */
    @Test
    void longText() {
        CharSequence text = new CharSequence() {
            @Override
            public int length() {
                return Integer.MAX_VALUE;
            }

            @Override
            public char charAt(int index) {
                if (index < 0) {
                    throw new IndexOutOfBoundsException(index);
                }
                return 'a';
            }

            @Override
            public CharSequence subSequence(int start, int end) {
                throw new UnsupportedOperationException();
            }
        };
        // The tag of keylane in Rust, whose stream took the same bytes in pieces.
        assertEquals(0x0f4eece160db186cL, SipHash.of(1, 3, SipHashKey.of(new byte[16])).hash(text));
    }

    @Test
    void scales() {
        ColumnHash columns = ColumnHash.of("siphash-1-3-64", SipHashKey.of(new byte[16]));
        for (BigInteger digits : new BigInteger[] {BigInteger.TEN, BigInteger.ONE, BigInteger.TEN.pow(90).negate()}) {
            for (int scale : new int[] {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, Integer.MAX_VALUE, 1 << 20, -1 << 20}) {
                BigDecimal value = new BigDecimal(digits, scale);
                assertThrows(IllegalArgumentException.class, () -> columns.hash(value), value.unscaledValue() + " of scale " + scale);
                assertThrows(IllegalArgumentException.class, () -> columns.rowTag(value));
            }
        }
        for (int scale : new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE}) {
            assertEquals(columns.hash(0L), columns.hash(new BigDecimal(BigInteger.ZERO, scale)));
        }
    }
}
