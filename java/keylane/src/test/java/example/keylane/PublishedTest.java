package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Published answers, each through every call that takes such a message. */
class PublishedTest {
    @ParameterizedTest
    @ValueSource(strings = {"siphash.json", "siphash_generated.json", "siphash_long.json"})
    void sipHash(String file) {
        List<JsonObject> tests = Vectors.cases(file, "SipHash");
        assertFalse(tests.isEmpty());
        for (JsonObject test : tests) {
            SipHashKey key = SipHashKey.of(Vectors.bytes(test.get("key").getAsString()));
            SipHash hash = SipHash.of(test.get("c").getAsInt(), test.get("d").getAsInt(), key);
            check(hash, message(test), Vectors.bytes(test.get("tag").getAsString()));
        }
    }

    private static byte[] message(JsonObject test) {
        if (test.has("msg")) {
            return Vectors.bytes(test.get("msg").getAsString());
        }
        JsonObject repeat = test.getAsJsonObject("msg_repeat");
        byte[] message = new byte[repeat.get("count").getAsInt()];
        Arrays.fill(message, Vectors.bytes(repeat.get("byte").getAsString())[0]);
        return message;
    }

    /** Every call of SipHash that takes this message gives this tag. */
    static void check(SipHash hash, byte[] message, byte[] tag) {
        List<byte[]> tags = new ArrayList<>();
        byte[] padded = new byte[message.length + 5];
        System.arraycopy(message, 0, padded, 3, message.length);
        ByteBuffer direct = ByteBuffer.allocateDirect(padded.length).put(padded).position(3).limit(3 + message.length);
        ByteBuffer readOnly = ByteBuffer.wrap(message).asReadOnlyBuffer();
        ByteBuffer heap = ByteBuffer.wrap(padded, 3, message.length).slice();
        if (tag.length == 8) {
            tags.add(Vectors.bytes(hash.hash(message), 8));
            tags.add(Vectors.bytes(hash.hash(padded, 3, message.length), 8));
            tags.add(Vectors.bytes(hash.hash(direct), 8));
            tags.add(Vectors.bytes(hash.hash(readOnly), 8));
            tags.add(Vectors.bytes(hash.hash(heap), 8));
            if (message.length == 8) {
                tags.add(Vectors.bytes(hash.hash(Bytes.getLong(message, 0)), 8));
            }
            if (message.length == 4) {
                tags.add(Vectors.bytes(hash.hash(Bytes.getInt(message, 0)), 8));
            }
        } else {
            tags.add(hash.hash128(message));
            tags.add(hash.hash128(padded, 3, message.length));
            tags.add(hash.hash128(direct));
            tags.add(hash.hash128(readOnly));
            tags.add(hash.hash128(heap));
            if (message.length == 8) {
                tags.add(hash.hash128(Bytes.getLong(message, 0)));
            }
            if (message.length == 4) {
                tags.add(hash.hash128(Bytes.getInt(message, 0)));
            }
        }
        assertEquals(0, direct.remaining() + readOnly.remaining() + heap.remaining());
        for (int step : new int[] {1, 3, 7, 8, 9, 31, Math.max(1, message.length)}) {
            TagStream stream = tag.length == 8 ? hash.stream() : hash.stream128();
            TagStream buffers = tag.length == 8 ? hash.stream() : hash.stream128();
            for (int at = 0; at < message.length; at += step) {
                int length = Math.min(step, message.length - at);
                stream.update(message, at, length);
                direct.limit(3 + at + length).position(3 + at);
                buffers.update(direct);
            }
            tags.add(stream.getTag());
            tags.add(buffers.getTag());
            assertTrue(stream.verify(tag));
            if (message.length > 10_000) {
                break;
            }
        }
        for (byte[] found : tags) {
            assertArrayEquals(tag, found);
        }
        assertTrue(hash.verify(message, tag));
        for (int bit = 0; bit < 8 * tag.length; bit++) {
            byte[] wrong = tag.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            assertFalse(hash.verify(message, wrong));
        }
        assertFalse(hash.verify(message, new byte[0]));
        assertFalse(hash.verify(message, Arrays.copyOf(tag, tag.length - 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"halfsiphash.json", "siphash_generated.json"})
    void halfSipHash(String file) {
        List<JsonObject> tests = Vectors.cases(file, "HalfSipHash");
        assertFalse(tests.isEmpty());
        for (JsonObject test : tests) {
            HalfSipHashKey key = HalfSipHashKey.of(Vectors.bytes(test.get("key").getAsString()));
            HalfSipHash hash = HalfSipHash.of(test.get("c").getAsInt(), test.get("d").getAsInt(), key);
            byte[] message = message(test);
            byte[] tag = Vectors.bytes(test.get("tag").getAsString());
            ByteBuffer direct = ByteBuffer.allocateDirect(message.length).put(message).flip();
            ByteBuffer heap = ByteBuffer.wrap(message);
            List<byte[]> tags = new ArrayList<>();
            if (tag.length == 4) {
                tags.add(Vectors.bytes(hash.hash(message), 4));
                tags.add(Vectors.bytes(hash.hash(direct), 4));
                tags.add(Vectors.bytes(hash.hash(heap), 4));
                if (message.length == 8) {
                    tags.add(Vectors.bytes(hash.hash(Bytes.getLong(message, 0)), 4));
                }
                if (message.length == 4) {
                    tags.add(Vectors.bytes(hash.hash(Bytes.getInt(message, 0)), 4));
                }
            } else {
                tags.add(Vectors.bytes(hash.hash64(message), 8));
                tags.add(Vectors.bytes(hash.hash64(direct), 8));
                tags.add(Vectors.bytes(hash.hash64(heap), 8));
                if (message.length == 8) {
                    tags.add(Vectors.bytes(hash.hash64(Bytes.getLong(message, 0)), 8));
                }
                if (message.length == 4) {
                    tags.add(Vectors.bytes(hash.hash64(Bytes.getInt(message, 0)), 8));
                }
            }
            for (int step : new int[] {1, 3, 8, 9}) {
                TagStream stream = tag.length == 4 ? hash.stream() : hash.stream64();
                for (int at = 0; at < message.length; at += step) {
                    stream.update(message, at, Math.min(step, message.length - at));
                }
                tags.add(stream.getTag());
                tags.add(Vectors.bytes(stream.getValue(), tag.length));
            }
            for (byte[] found : tags) {
                assertArrayEquals(tag, found);
            }
            assertTrue(hash.verify(message, tag));
            tag[tag.length - 1] ^= 1;
            assertFalse(hash.verify(message, tag));
        }
    }

    @Test
    void poly1305() {
        for (JsonObject test : Vectors.cases("poly1305.json", "Poly1305")) {
            byte[] key = Vectors.bytes(test.get("key").getAsString());
            byte[] message = message(test);
            byte[] tag = Vectors.bytes(test.get("tag").getAsString());
            if (test.get("result").getAsString().equals("valid")) {
                checkPoly1305(key, message, tag);
            } else {
                assertFalse(Poly1305.verify(key, message, tag));
            }
        }
    }

    private static void checkPoly1305(byte[] key, byte[] message, byte[] tag) {
        assertArrayEquals(tag, Poly1305.mac(key, message));
        assertTrue(Poly1305.verify(key, message, tag));
        for (int bit = 0; bit < 128; bit++) {
            byte[] wrong = tag.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            assertFalse(Poly1305.verify(key, message, wrong));
        }
        assertFalse(Poly1305.verify(key, message, Arrays.copyOf(tag, 15)));
        for (int step : new int[] {1, 5, 15, 16, 17, 33}) {
            Poly1305 arrays = Poly1305.of(key);
            Poly1305 buffers = Poly1305.of(key);
            Poly1305 single = Poly1305.of(key);
            for (int at = 0; at < message.length; at += step) {
                int length = Math.min(step, message.length - at);
                arrays.update(message, at, length);
                buffers.update(ByteBuffer.wrap(message, at, length).asReadOnlyBuffer());
                single.update(message[at]);
                single.update(ByteBuffer.wrap(message, at, length).position(at + 1));
            }
            assertArrayEquals(tag, arrays.tag());
            assertArrayEquals(tag, buffers.tag());
            assertArrayEquals(tag, single.tag());
        }
    }

    /** Accumulators that no short message reaches. */
    @Test
    void poly1305State() {
        for (JsonObject test : Vectors.cases("poly1305_state.json", "Poly1305")) {
            Poly1305 mac = Poly1305.of(Vectors.bytes(test.get("key").getAsString()));
            mac.preset(Vectors.bytes(test.get("initial_h_le").getAsString()));
            mac.update(message(test));
            assertEquals(test.get("tag").getAsString(), Vectors.hex(mac.tag()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "siphash_1_3_test.json",
                "siphash_2_4_test.json",
                "siphash_4_8_test.json",
                "siphashx_2_4_test.json",
                "siphashx_4_8_test.json"
            })
    void wycheproof(String file) {
        JsonObject json = Vectors.json("wycheproof/" + file);
        String[] name = json.get("algorithm").getAsString().split("-");
        for (JsonElement group : json.getAsJsonArray("testGroups")) {
            for (JsonElement element : group.getAsJsonObject().getAsJsonArray("tests")) {
                JsonObject test = element.getAsJsonObject();
                SipHashKey key = SipHashKey.of(Vectors.bytes(test.get("key").getAsString()));
                SipHash hash = SipHash.of(Integer.parseInt(name[1]), Integer.parseInt(name[2]), key);
                byte[] message = Vectors.bytes(test.get("msg").getAsString());
                byte[] tag = Vectors.bytes(test.get("tag").getAsString());
                assertEquals(test.get("result").getAsString().equals("valid"), hash.verify(message, tag));
                assertEquals(name[0].endsWith("X") ? 16 : 8, tag.length);
            }
        }
    }
}
