package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ServiceLoader;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The provider, as programs use it. */
class ProviderTest {
    private static final byte[] KEY = new Vectors.Random(1).bytes(16);
    private static final byte[] MESSAGE = new Vectors.Random(2).bytes(77);

    @BeforeAll
    static void add() {
        Security.addProvider(new KeylaneProvider());
    }

    @AfterAll
    static void remove() {
        Security.removeProvider("Keylane");
    }

    @Test
    void names() throws Exception {
        for (int c : new int[] {1, 2, 3, 4, 255}) {
            for (int d : new int[] {1, 3, 4, 8, 255}) {
                SipHash hash = SipHash.of(c, d, SipHashKey.of(KEY));
                byte[] tag = Vectors.bytes(hash.hash(MESSAGE), 8);
                assertArrayEquals(tag, tag("SipHash-" + c + "-" + d, 16));
                assertArrayEquals(tag, tag("SIPHASH-" + c + "-" + d + "-64", 16));
                assertArrayEquals(hash.hash128(MESSAGE), tag("SipHash-" + c + "-" + d + "-128", 16));
                HalfSipHash half = HalfSipHash.of(c, d, HalfSipHashKey.of(java.util.Arrays.copyOf(KEY, 8)));
                assertArrayEquals(Vectors.bytes(half.hash(MESSAGE), 4), tag("HalfSipHash-" + c + "-" + d, 8));
                assertArrayEquals(Vectors.bytes(half.hash64(MESSAGE), 8), tag("halfsiphash-" + c + "-" + d + "-64", 8));
            }
        }
        for (String name : new String[] {"SipHash", "SipHash-0-4", "SipHash-256-1", "SipHash-2-4-32", "SipHash-2-4-",
                "HalfSipHash-2-4-128", "Poly1305-AES", "", "SipHash--1-3"}) {
            assertThrows(NoSuchAlgorithmException.class, () -> Mac.getInstance(name, "Keylane"), name);
        }
    }

    private static byte[] tag(String name, int keyLength) throws Exception {
        Mac mac = Mac.getInstance(name);
        assertEquals("Keylane", mac.getProvider().getName());
        mac.init(new SecretKeySpec(KEY, 0, keyLength, "any"));
        byte[] tag = mac.doFinal(MESSAGE);
        assertEquals(tag.length, mac.getMacLength());

        // The same in pieces, under the same key.
        mac.update(MESSAGE[0]);
        mac.update(MESSAGE, 1, 20);
        mac.reset();
        mac.update(ByteBuffer.wrap(MESSAGE, 0, 30).asReadOnlyBuffer());
        Mac other = (Mac) mac.clone();
        mac.update(MESSAGE, 30, 47);
        assertArrayEquals(tag, mac.doFinal());
        assertArrayEquals(tag, other.doFinal(java.util.Arrays.copyOfRange(MESSAGE, 30, 77)));
        return tag;
    }

    @Test
    void bouncyCastle() throws Exception {
        Provider peer = new BouncyCastleProvider();
        String[][] names = {{"SipHash-2-4", "SIPHASH-2-4"}, {"SipHash-4-8", "SIPHASH-4-8"},
                {"SipHash-2-4-128", "SIPHASH128-2-4"}, {"SipHash-4-8-128", "SIPHASH128-4-8"}, {"Poly1305", "POLY1305"}};
        for (String[] name : names) {
            byte[] key = new Vectors.Random(3).bytes(name[0].equals("Poly1305") ? 32 : 16);
            if (key.length == 32) {
                // Bouncy Castle wants r clamped.
                for (int i = 3; i < 16; i += 4) {
                    key[i] &= 15;
                    key[(i + 1) % 16] &= (byte) (i == 15 ? 255 : 252);
                }
            }
            Mac own = Mac.getInstance(name[0], "Keylane");
            Mac other = Mac.getInstance(name[1], peer);
            own.init(new SecretKeySpec(key, name[0]));
            other.init(new SecretKeySpec(key, name[1]));
            assertArrayEquals(other.doFinal(MESSAGE), own.doFinal(MESSAGE), name[0]);
        }
    }

    @Test
    void keys() throws Exception {
        Mac mac = Mac.getInstance("SipHash-2-4-128", "Keylane");
        assertThrows(IllegalStateException.class, () -> mac.doFinal(MESSAGE));
        mac.reset();
        assertThrows(InvalidKeyException.class, () -> mac.init(null));
        assertThrows(InvalidKeyException.class, () -> mac.init(new SecretKeySpec(KEY, 0, 15, "x")));
        assertThrows(InvalidKeyException.class, () -> mac.init(HalfSipHashKey.generate()));
        SipHashKey key = SipHashKey.of(KEY);
        assertThrows(InvalidAlgorithmParameterException.class, () -> mac.init(key, new IvParameterSpec(new byte[8])));
        mac.init(key);
        byte[] tag = mac.doFinal(MESSAGE);
        assertArrayEquals(SipHash.of(2, 4, key).hash128(MESSAGE), tag);
        key.destroy();
        assertThrows(InvalidKeyException.class, () -> mac.init(key));
        // The key that was there goes on.
        assertArrayEquals(tag, mac.doFinal(MESSAGE));
    }

    @Test
    void poly1305() throws Exception {
        byte[] key = new Vectors.Random(4).bytes(32);
        Mac mac = Mac.getInstance("Poly1305", "Keylane");
        assertEquals(16, mac.getMacLength());
        mac.init(new SecretKeySpec(key, "Poly1305"));
        mac.update(MESSAGE);
        mac.reset();
        mac.update(MESSAGE, 0, 10);
        mac.update(ByteBuffer.wrap(MESSAGE, 10, 66));
        mac.update(MESSAGE[76]);
        assertArrayEquals(Poly1305.mac(key, MESSAGE), mac.doFinal());

        // A key is for one message.
        assertThrows(IllegalStateException.class, () -> mac.doFinal(MESSAGE));
        mac.reset();
        assertThrows(IllegalStateException.class, () -> mac.update(MESSAGE));
        assertThrows(CloneNotSupportedException.class, mac::clone);
        mac.init(new SecretKeySpec(key, "Poly1305"));
        assertEquals(16, mac.doFinal().length);
        assertThrows(InvalidKeyException.class, () -> mac.init(new SecretKeySpec(KEY, "Poly1305")));
    }

    /** A program that is not changed gets the provider by a file of properties. */
    @Test
    void aProgramThatKnowsNothingOfIt(@TempDir Path folder) throws Exception {
        String hash = Vectors.hex(SipHash.of(2, 4, SipHashKey.of(KEY)).hash128(MESSAGE));
        for (String name : new String[] {"Keylane", KeylaneProvider.class.getName()}) {
            int next = 1;
            while (Security.getProperty("security.provider." + next) != null) {
                next++;
            }
            Path file = Files.writeString(folder.resolve("security"), "security.provider." + next + "=" + name + "\n");
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-Djava.security.properties=" + file, "-cp", System.getProperty("java.class.path"),
                            Unaware.class.getName(), "SipHash-2-4-128", Vectors.hex(KEY), Vectors.hex(MESSAGE))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor());
            assertEquals("Keylane " + hash, printed.strip());
        }
    }

    @Test
    void services() {
        assertTrue(ServiceLoader.load(Provider.class).stream().anyMatch(p -> p.type() == KeylaneProvider.class));
        for (Provider.Service service : new KeylaneProvider().getServices()) {
            assertEquals("Mac", service.getType());
            assertTrue(service.supportsParameter(new SecretKeySpec(KEY, "x")));
            assertFalse(service.supportsParameter("key"));
        }
    }
}
