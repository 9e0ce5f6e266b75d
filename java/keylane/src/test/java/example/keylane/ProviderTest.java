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
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
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
                HalfSipHash half = HalfSipHash.of(c, d, HalfSipHashKey.of(Arrays.copyOf(KEY, 8)));
                assertArrayEquals(Vectors.bytes(half.hash(MESSAGE), 4), tag("HalfSipHash-" + c + "-" + d, 8));
                assertArrayEquals(Vectors.bytes(half.hash64(MESSAGE), 8), tag("halfsiphash-" + c + "-" + d + "-64", 8));
            }
        }
        for (String name : new String[] {"SipHash-2", "SipHash-0-4", "SipHash-256-1", "SipHash-2-4-32", "SipHash-2-4-",
                "SipHash64-2-4", "SipHash128-0-4", "SipHash128-2-4-128", "HalfSipHash128-2-4", "HalfSipHash-2-4-128",
                "Poly1305-AES", "", "SipHash--1-3"}) {
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
        assertArrayEquals(tag, other.doFinal(Arrays.copyOfRange(MESSAGE, 30, 77)));
        return tag;
    }

    /** Each of Bouncy Castle's names of these functions is known, and gives its tag. */
    @Test
    void bouncyCastle() throws Exception {
        Provider peer = new BouncyCastleProvider();
        Pattern property = Pattern.compile("(?:Alg\\.Alias\\.)?Mac\\.(SIPHASH[^ ]*|POLY1305)");
        Set<String> names = new TreeSet<>();
        for (String name : peer.stringPropertyNames()) {
            Matcher matcher = property.matcher(name);
            if (matcher.matches()) {
                names.add(matcher.group(1));
            }
        }
        Set<String> expected = Set.of("SIPHASH", "SIPHASH-2-4", "SIPHASH-4-8", "SIPHASH128", "SIPHASH128-2-4",
                "SIPHASH128-4-8", "POLY1305");
        assertEquals(expected, names);
        for (String name : names) {
            byte[] key = new Vectors.Random(3).bytes(name.equals("POLY1305") ? 32 : 16);
            if (key.length == 32) {
                // Bouncy Castle wants r clamped.
                for (int i = 3; i < 16; i += 4) {
                    key[i] &= 15;
                    key[(i + 1) % 16] &= (byte) (i == 15 ? 255 : 252);
                }
            }
            Mac other = Mac.getInstance(name, peer);
            other.init(new SecretKeySpec(key, name));
            for (String own : new String[] {name, name.toLowerCase(Locale.ROOT), name.replace("SIPHASH", "SipHash")}) {
                Mac mac = Mac.getInstance(own, "Keylane");
                assertEquals(other.getMacLength(), mac.getMacLength(), own);
                mac.init(new SecretKeySpec(key, own));
                for (int length = 0; length < MESSAGE.length; length++) {
                    byte[] message = Arrays.copyOf(MESSAGE, length);
                    assertArrayEquals(other.doFinal(message), mac.doFinal(message), own);
                    if (key.length == 32) {
                        mac.init(new SecretKeySpec(key, own));
                    }
                }
            }
        }
        // Any rounds, in this way of writing too.
        SipHashKey key = SipHashKey.of(KEY);
        assertArrayEquals(SipHash.of(3, 5, key).hash128(MESSAGE), tag("SipHash128-3-5", 16));
        assertTrue(Security.getAlgorithms("Mac").contains("SIPHASH-2-4"));
    }

    /** A key that gives its own array, as some programs write it, or what a test wants. */
    private static final class BareKey implements SecretKey {
        private static final long serialVersionUID = 1L;

        private final transient Supplier<byte[]> encoded;
        private boolean destroyed;

        BareKey(Supplier<byte[]> encoded) {
            this.encoded = encoded;
        }

        BareKey(byte[] bytes) {
            this(() -> bytes);
        }

        @Override
        public String getAlgorithm() {
            return "any";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            return encoded.get();
        }

        @Override
        public void destroy() {
            Arrays.fill(encoded.get(), (byte) 0);
            destroyed = true;
        }

        @Override
        public boolean isDestroyed() {
            return destroyed;
        }
    }

    private static final String[] FUNCTIONS = {"SipHash-2-4", "SipHash-2-4-128", "HalfSipHash-2-4", "Poly1305"};

    private static byte[] key(String function) {
        int length = function.startsWith("Half") ? 8 : function.equals("Poly1305") ? 32 : 16;
        return new Vectors.Random(5).bytes(length);
    }

    /** The tag of MESSAGE under a key that nobody changes. */
    private static byte[] expected(String function) throws Exception {
        Mac mac = Mac.getInstance(function, "Keylane");
        mac.init(new SecretKeySpec(key(function), "any"));
        return mac.doFinal(MESSAGE);
    }

    @Test
    void keysThatGiveTheirOwnArray() throws Exception {
        for (String function : FUNCTIONS) {
            byte[] tag = expected(function);
            Mac mac = Mac.getInstance(function, "Keylane");
            BareKey key = new BareKey(key(function));
            for (int i = 0; i < 2; i++) {
                // Neither init nor doFinal nor a second init changes the key.
                mac.init(key);
                assertArrayEquals(key(function), key.getEncoded(), function);
                assertArrayEquals(tag, mac.doFinal(MESSAGE), function);
                assertArrayEquals(key(function), key.getEncoded(), function);
            }

            // From init on, the key's end changes nothing: not before the message, within it, or after reset.
            mac.init(key);
            mac.update(MESSAGE, 0, 20);
            key.destroy();
            mac.update(MESSAGE, 20, 57);
            mac.reset();
            mac.update(MESSAGE);
            assertArrayEquals(tag, mac.doFinal(), function);

            // A destroyed key is refused. The key before it goes on, and so does its message.
            mac.init(new BareKey(key(function)));
            mac.update(MESSAGE, 0, 20);
            assertThrows(InvalidKeyException.class, () -> mac.init(key), function);
            mac.update(MESSAGE, 20, 57);
            assertArrayEquals(tag, mac.doFinal(), function);
        }
    }

    @Test
    void keysWithoutBytes() throws Exception {
        Key none = new BareKey(() -> null);
        Key gone = new BareKey(() -> {
            throw new IllegalStateException("destroyed");
        });
        Key hardware = new BareKey(() -> {
            throw new UnsupportedOperationException("stays in its module");
        });
        for (String function : FUNCTIONS) {
            byte[] tag = expected(function);
            Mac mac = Mac.getInstance(function, "Keylane");
            mac.init(new SecretKeySpec(key(function), "any"));
            mac.update(MESSAGE, 0, 20);
            for (Key key : new Key[] {null, none, gone, hardware}) {
                assertThrows(InvalidKeyException.class, () -> mac.init(key), function);
            }
            for (int length = 0; length < 100; length++) {
                if (length != key(function).length) {
                    BareKey key = new BareKey(new Vectors.Random(6).bytes(length));
                    byte[] before = key.getEncoded().clone();
                    assertThrows(InvalidKeyException.class, () -> mac.init(key), function);
                    assertArrayEquals(before, key.getEncoded());
                }
            }
            // Other calls that fail leave the message as it is.
            assertThrows(IllegalArgumentException.class, () -> mac.update(MESSAGE, 70, 8));
            assertThrows(ShortBufferException.class, () -> mac.doFinal(new byte[3], 0));
            mac.update(MESSAGE, 20, 57);
            assertArrayEquals(tag, mac.doFinal(), function);
        }
    }

    /** A clone has its own state, whatever happens to the key and to the other Mac. */
    @Test
    void clones() throws Exception {
        for (String function : FUNCTIONS) {
            if (function.equals("Poly1305")) {
                continue;
            }
            byte[] tag = expected(function);
            Mac mac = Mac.getInstance(function, "Keylane");
            Mac empty = (Mac) mac.clone();
            assertThrows(IllegalStateException.class, () -> empty.doFinal(MESSAGE));
            BareKey key = new BareKey(key(function));
            mac.init(key);
            mac.update(MESSAGE, 0, 20);
            Mac clone = (Mac) mac.clone();
            key.destroy();
            mac.init(new SecretKeySpec(new byte[key.getEncoded().length], "any"));
            clone.update(MESSAGE, 20, 57);
            assertArrayEquals(tag, clone.doFinal(), function);
            assertArrayEquals(tag, clone.doFinal(MESSAGE), function);
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
