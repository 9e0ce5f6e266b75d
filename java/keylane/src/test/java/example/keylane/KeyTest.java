package example.keylane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys do not leave their objects, and are overwritten. */
class KeyTest {
    private static final byte[] BYTES = new Vectors.Random(5).bytes(32);
    private static final byte[] KEY = java.util.Arrays.copyOf(BYTES, 16);

    /** Whether a text shows a key, in any form. */
    static boolean shows(String text, byte[] key) {
        StringBuilder list = new StringBuilder();
        for (byte b : key) {
            list.append(b).append(", ");
        }
        String small = text.toLowerCase(Locale.ROOT);
        long low = Bytes.getLong(key, 0);
        return small.contains(Vectors.hex(key).substring(0, 16))
                || small.contains(Long.toHexString(low))
                || text.contains(Long.toString(low))
                || text.contains(Base64.getEncoder().encodeToString(key).substring(0, 10))
                || text.contains(list.substring(0, 20))
                || text.contains(new String(key, java.nio.charset.StandardCharsets.ISO_8859_1).substring(0, 8));
    }

    private static List<Object> holders() {
        SipHashKey key = SipHashKey.of(KEY);
        HalfSipHashKey half = HalfSipHashKey.of(java.util.Arrays.copyOf(KEY, 8));
        SipHash hash = SipHash.of(2, 4, key);
        HalfSipHash halfHash = HalfSipHash.of(2, 4, half);
        return List.of(key, half, hash, halfHash, hash.stream(), hash.stream128(), halfHash.stream(), Poly1305.of(BYTES));
    }

    @Test
    void texts() {
        assertTrue(shows(Vectors.hex(KEY).toUpperCase(Locale.ROOT), KEY));
        assertTrue(shows(java.util.Arrays.toString(KEY), KEY));
        for (Object holder : holders()) {
            assertFalse(shows(holder.toString(), KEY), holder.getClass().getName());
        }
        assertEquals("SipHashKey[check=ae4845b5]", SipHashKey.of(new byte[16]).toString());
    }

    @Test
    void serialization() throws IOException {
        for (Object holder : holders()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
                assertThrows(NotSerializableException.class, () -> stream.writeObject(holder));
            }
            assertFalse(shows(bytes.toString(java.nio.charset.StandardCharsets.ISO_8859_1), KEY));
        }
        assertNull(SipHashKey.of(KEY).getEncoded());
        assertNull(HalfSipHashKey.generate().getEncoded());
    }

    /** After destruction no field of an object, nor of an object within it, has a word but those of its shape. */
    @Test
    void destruction() throws Exception {
        for (Object holder : holders()) {
            assertFalse(zero(holder), holder + " has no secret to begin with");
            javax.security.auth.Destroyable destroyable = (javax.security.auth.Destroyable) holder;
            assertFalse(destroyable.isDestroyed());
            destroyable.destroy();
            destroyable.destroy();
            assertTrue(destroyable.isDestroyed());
            assertTrue(zero(holder), holder.getClass() + " keeps a secret");
        }
    }

    private static final List<String> SHAPE = List.of("c", "d", "mark", "code", "tagLength", "length");

    private static boolean zero(Object holder) throws IllegalAccessException {
        boolean zero = true;
        for (Class<?> type = holder.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || SHAPE.contains(field.getName())) {
                    continue;
                }
                field.setAccessible(true);
                Object value = field.get(holder);
                if (value instanceof Number number) {
                    zero &= number.longValue() == 0;
                } else if (value instanceof byte[] array) {
                    for (byte b : array) {
                        zero &= b == 0;
                    }
                } else if (value instanceof Words) {
                    zero &= zero(value);
                }
            }
        }
        return zero;
    }

    @Test
    void equality() {
        SipHashKey key = SipHashKey.of(KEY);
        assertEquals(key, SipHashKey.of(KEY));
        assertEquals(key.hashCode(), SipHashKey.of(KEY).hashCode());
        for (int bit = 0; bit < 128; bit++) {
            byte[] other = KEY.clone();
            other[bit / 8] ^= (byte) (1 << bit % 8);
            assertNotEquals(key, SipHashKey.of(other));
        }
        assertNotEquals(SipHashKey.generate(), SipHashKey.generate());
        assertNotEquals(HalfSipHashKey.generate(), HalfSipHashKey.generate());
        SipHashKey destroyed = SipHashKey.of(KEY);
        destroyed.destroy();
        assertNotEquals(key, destroyed);
        assertNotEquals(destroyed, SipHashKey.of(new byte[16]));
        assertEquals(destroyed, destroyed);
        assertEquals("SipHashKey[destroyed]", destroyed.toString());
    }

    @Test
    void files(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("key");
        String hex = Vectors.hex(KEY);
        for (String text : List.of(hex, hex + "\n", hex + "\r\n", hex.toUpperCase(Locale.ROOT))) {
            Files.writeString(file, text);
            assertEquals(SipHashKey.of(KEY), SipHashKey.read(file));
        }
        Files.write(file, KEY);
        assertEquals(SipHashKey.of(KEY), SipHashKey.read(file));
        for (String text : List.of("", "\n", hex + "\n\n", hex.substring(1), hex + "0", "0123456789abcdef", " " + hex,
                hex + "\r", hex.repeat(100))) {
            Files.writeString(file, text);
            IOException e = assertThrows(IOException.class, () -> SipHashKey.read(file), text);
            assertFalse(shows(e.toString(), KEY) || e.toString().contains(folder.toString()), e.toString());
        }
        assertThrows(IOException.class, () -> SipHashKey.read(folder));
        assertThrows(IOException.class, () -> SipHashKey.read(folder.resolve(hex)));
    }

    @Test
    void sources() {
        byte[] bytes = KEY.clone();
        SipHashKey key = SipHashKey.of(bytes);
        bytes[0] ^= 1;
        assertEquals(SipHashKey.of(KEY), key);
        SipHash hash = SipHash.of(2, 4, key);
        long tag = hash.hash(1);
        key.destroy();
        assertEquals(tag, hash.hash(1));
        assertThrows(IllegalStateException.class, () -> SipHash.of(2, 4, key));
        assertThrows(IllegalStateException.class, () -> key.derive("x"));
        assertThrows(IllegalStateException.class, key::check);
    }
}
