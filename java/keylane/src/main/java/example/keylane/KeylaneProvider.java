package example.keylane;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.MacSpi;
import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.Destroyable;

/**
 * A provider of {@link javax.crypto.Mac}: {@code SipHash-C-D-64}, {@code SipHash-C-D-128}, {@code HalfSipHash-C-D-32} and
 * {@code HalfSipHash-C-D-64} for all C and D from 1 to 255, and {@code Poly1305}. Without a number of bits,
 * {@code SipHash-2-4} has 64 and {@code HalfSipHash-2-4} has 32. Bouncy Castle's names are known too:
 * {@code SipHash128-C-D} has 128 bits, and {@code SipHash} and {@code SipHash128} are 2-4.
 *
 * <pre>{@code
 * Security.addProvider(new KeylaneProvider());
 * Mac mac = Mac.getInstance("SipHash-2-4-128");
 * mac.init(SipHashKey.generate());
 * byte[] tag = mac.doFinal(message);
 * }</pre>
 *
 * <p>A key is a {@link SipHashKey}, a {@link HalfSipHashKey}, or any key with 16, 8 or 32 encoded bytes. {@code init}
 * copies the bytes: what happens to the key object afterwards changes no tag. {@code init} refuses a destroyed key, and
 * then the key before it stays.
 *
 * <p>After {@code doFinal}, a {@code Mac} of SipHash is ready for another message under the same key. One of Poly1305 is
 * not: it throws {@link IllegalStateException} until it gets another key, since two messages under one key reveal it.
 */
public final class KeylaneProvider extends Provider {
    private static final long serialVersionUID = 1L;

    private static final Pattern NAME = Pattern.compile("(HALF)?SIPHASH-([0-9]{1,3})-([0-9]{1,3})(?:-([0-9]{2,3}))?");

    /** Bouncy Castle writes the bits before the rounds. */
    private static final Pattern BITS_FIRST = Pattern.compile("SIPHASH128-([0-9]{1,3}-[0-9]{1,3})");

    /** Makes the provider. {@link java.security.Security#addProvider} adds it. */
    public KeylaneProvider() {
        super("Keylane", "0.1", "keylane: SipHash, HalfSipHash and Poly1305");
        for (String rounds : List.of("1-3", "2-4", "4-8")) {
            String name = "SipHash-" + rounds;
            boolean usual = rounds.equals("2-4");
            List<String> names = usual ? List.of(name + "-64", "SipHash") : List.of(name + "-64");
            String wide = "SipHash128-" + rounds;
            putService(new MacService(this, name, names));
            putService(new MacService(this, name + "-128", usual ? List.of(wide, "SipHash128") : List.of(wide)));
        }
        for (String name : List.of("HalfSipHash-1-3", "HalfSipHash-2-4")) {
            putService(new MacService(this, name, List.of(name + "-32")));
            putService(new MacService(this, name + "-64", List.of()));
        }
        putService(new MacService(this, "Poly1305", List.of()));
    }

    /**
     * Returns the service of an algorithm. The list of services has the usual numbers of rounds; this method knows all.
     *
     * @param type the type of service
     * @param algorithm the name of the algorithm, in capital or small letters
     * @return the service, or {@code null} if this provider has no such algorithm
     */
    @Override
    public Service getService(String type, String algorithm) {
        Service listed = super.getService(type, algorithm);
        if (listed != null || !type.equalsIgnoreCase("Mac")) {
            return listed;
        }
        return spi(algorithm) == null ? null : new MacService(this, algorithm, List.of());
    }

    /** A new implementation, or {@code null} if there is none of this name. */
    private static MacSpi spi(String algorithm) {
        String name = algorithm.toUpperCase(Locale.ROOT);
        if (name.equals("POLY1305")) {
            return new PolyMac();
        }
        Matcher matcher = NAME.matcher(BITS_FIRST.matcher(name).replaceFirst("SIPHASH-$1-128"));
        if (!matcher.matches()) {
            return null;
        }
        boolean half = matcher.group(1) != null;
        int c = Integer.parseInt(matcher.group(2));
        int d = Integer.parseInt(matcher.group(3));
        int bits = matcher.group(4) != null ? Integer.parseInt(matcher.group(4)) : half ? 32 : 64;
        boolean rounds = c >= 1 && c <= 255 && d >= 1 && d <= 255;
        boolean width = half ? bits == 32 || bits == 64 : bits == 64 || bits == 128;
        return rounds && width ? new SipMac(half, c, d, bits / 8) : null;
    }

    /** A copy of the encoded bytes of any provider's key. The caller overwrites it. */
    static byte[] encoded(Key key, int length, String function) throws InvalidKeyException {
        byte[] bytes;
        try {
            bytes = key == null ? null : key.getEncoded();
        } catch (RuntimeException e) {
            throw new InvalidKeyException("the key does not give its encoded bytes", e);
        }
        if (bytes == null) {
            throw new InvalidKeyException("expected a key of " + function + " or one that has encoded bytes");
        }
        byte[] copy = bytes.clone();
        // SecretKeySpec gave a copy. The array that another class gave may be the key itself, so it stays as it is.
        if (key.getClass() == SecretKeySpec.class) {
            Bytes.wipe(bytes);
        }
        // Asked after the copy was made: before it, another thread could destroy the key in between.
        boolean destroyed = key instanceof Destroyable given && given.isDestroyed();
        if (destroyed || copy.length != length) {
            Bytes.wipe(copy);
            throw new InvalidKeyException(destroyed
                    ? "the key was destroyed"
                    : "a key of " + function + " has " + length + " bytes, not " + copy.length);
        }
        return copy;
    }

    private static final class MacService extends Service {
        MacService(Provider provider, String algorithm, List<String> aliases) {
            super(provider, "Mac", algorithm, spi(algorithm).getClass().getName(), aliases, null);
        }

        @Override
        public Object newInstance(Object parameter) {
            return spi(getAlgorithm());
        }

        @Override
        public boolean supportsParameter(Object parameter) {
            return parameter instanceof Key key
                    && (key instanceof SipHashKey || key instanceof HalfSipHashKey || "RAW".equals(key.getFormat()));
        }
    }
}
