package example.keylane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The corpus that the Rust library and the Go module hash too. */
class CorpusTest {
    private static final int LENGTHS = 600;

    @Test
    void corpus() {
        byte[] random = new Vectors.Random(50).bytes(1024);
        List<String> lines = Vectors.lines("corpus.csv");
        for (String line : lines.subList(1, lines.size())) {
            String name = line.split(",")[0];
            assertEquals(line, name + "," + digest(name.split("-"), random));
        }
    }

    /** The digest of the tags of all messages, each followed by the tag with the case folded. */
    private static String digest(String[] name, byte[] random) {
        int c = Integer.parseInt(name[1]);
        int d = Integer.parseInt(name[2]);
        int length = Integer.parseInt(name[3]) / 8;
        ByteArrayOutputStream tags = new ByteArrayOutputStream();
        for (int i = 0; i < LENGTHS; i++) {
            byte[] message = Arrays.copyOfRange(random, i % 7, i % 7 + i);
            byte[] folded = message.clone();
            for (int at = 0; at < folded.length; at++) {
                folded[at] += folded[at] >= 'A' && folded[at] <= 'Z' ? 32 : 0;
            }
            for (byte[] text : new byte[][] {message, folded}) {
                tags.writeBytes(tag(name[0], c, d, length, random, text));
            }
        }
        SipHash hash = SipHash.of(2, 4, SipHashKey.of(new byte[16]));
        return Vectors.hex(hash.hash128(tags.toByteArray()));
    }

    private static byte[] tag(String family, int c, int d, int length, byte[] key, byte[] message) {
        if (family.equals("halfsiphash")) {
            HalfSipHash hash = HalfSipHash.of(c, d, HalfSipHashKey.of(Arrays.copyOf(key, 8)));
            return length == 4 ? Vectors.bytes(hash.hash(message), 4) : Vectors.bytes(hash.hash64(message), 8);
        }
        SipHash hash = SipHash.of(c, d, SipHashKey.of(Arrays.copyOf(key, 16)));
        return length == 8 ? Vectors.bytes(hash.hash(message), 8) : hash.hash128(message);
    }
}
