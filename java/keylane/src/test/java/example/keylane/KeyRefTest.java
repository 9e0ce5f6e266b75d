package example.keylane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names of keys. */
class KeyRefTest {
    private static final byte[] KEY = new Vectors.Random(7).bytes(16);

    @Test
    void names() {
        for (String name : List.of("users-2026", "a", "A.b_c-d", "x".repeat(64), "deadbeef")) {
            assertEquals(name, KeyRef.of(name).name());
        }
        String hex = Vectors.hex(KEY);
        for (String name : List.of("", ".x", "a/b", "..", "x".repeat(65), "\u00e4", "a b", hex, hex.substring(8),
                hex.replaceAll("(..)", "$1-").substring(0, 40), "abcdefghijklmnopqrsT", "a\0")) {
            var e = assertThrows(IllegalArgumentException.class, () -> KeyRef.of(name), name);
            assertFalse(KeyTest.shows(e.getMessage(), KEY));
        }
    }

    /** As split_name of keylane-columns, in the words of SQL. */
    @Test
    void parsed() {
        assertEquals(KeyRef.of("users-2026"), KeyRef.parse("users-2026"));
        for (String context : List.of("users.email", "Users.EmailAddress", "a/b", "\u00e9", "0123456789abcdef", " ")) {
            assertEquals(KeyRef.of("users").derive(context), KeyRef.parse("users/" + context), context);
        }
        String hex = Vectors.hex(KEY);
        String base64 = Base64.getEncoder().encodeToString(KEY);
        for (String text : List.of("users/", "/c", "users/KCE-1 row", "users/" + hex, hex + "/c", hex.substring(0, 20) + "/" + hex.substring(20),
                "users/" + hex.replaceAll("(..)", "$1:"), base64.substring(0, 9) + "/" + base64.substring(10), "users/" + "x".repeat(256))) {
            var e = assertThrows(IllegalArgumentException.class, () -> KeyRef.parse(text), text);
            assertFalse(KeyTest.shows(e.getMessage(), KEY) || e.getMessage().contains(text));
        }
    }

    @Test
    void bound() {
        KeyRef ref = KeyRef.bind("bound", SipHashKey.of(KEY));
        assertEquals(SipHashKey.of(KEY), ref.key());
        assertEquals(ref, KeyRef.bind("bound", SipHashKey.of(KEY)));
        assertThrows(IllegalStateException.class, () -> KeyRef.bind("bound", SipHashKey.generate()));
        assertEquals(SipHashKey.of(KEY).derive("a").derive("b"), ref.derive("a").derive("b").key());
        assertEquals("KeyRef[bound, a]", ref.derive("a").toString());
        assertEquals(List.of("a"), ref.derive("a").contexts());
        assertTrue(assertThrows(IllegalStateException.class, () -> KeyRef.of("unknown").key()).getMessage().contains("unknown"));
    }

    @Test
    void folder() throws Exception {
        Path folder = Path.of(System.getenv("KEYLANE_KEY_DIR"));
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("from-file"), Vectors.hex(KEY));
        assertEquals(SipHashKey.of(KEY), KeyRef.of("from-file").key());
        // Bound from now on.
        Files.writeString(folder.resolve("from-file"), Vectors.hex(new byte[16]));
        assertEquals(SipHashKey.of(KEY), KeyRef.of("from-file").key());
        Files.writeString(folder.resolve("no-key"), Vectors.hex(KEY) + "0");
        var e = assertThrows(IllegalStateException.class, () -> KeyRef.of("no-key").key());
        assertFalse(KeyTest.shows(e.getMessage(), KEY) || e.getMessage().contains(folder.toString()));
        assertTrue(e.getMessage().contains("is no key that can be read"));
        Files.createDirectories(folder.resolve("a-folder"));
        e = assertThrows(IllegalStateException.class, () -> KeyRef.of("a-folder").key());
        assertTrue(e.getMessage().contains("is no key that can be read"));
        e = assertThrows(IllegalStateException.class, () -> KeyRef.of("missing").key());
        assertTrue(e.getMessage().contains("has no key under it"));
    }

    @Test
    void serialized() throws Exception {
        KeyRef ref = KeyRef.bind("serialized", SipHashKey.of(KEY)).derive("a");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(ref);
        String text = bytes.toString(StandardCharsets.ISO_8859_1);
        assertFalse(KeyTest.shows(text, KEY));
        assertEquals(ref, new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject());
        byte[] changed = text.replace("serialized", "serial/zed").getBytes(StandardCharsets.ISO_8859_1);
        assertThrows(InvalidObjectException.class, () -> new ObjectInputStream(new ByteArrayInputStream(changed)).readObject());
    }
}
