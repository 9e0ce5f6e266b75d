package example.keylane;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The name of a key, and the contexts of a subkey. It holds no key, so it can be serialized and shown: plans and closures
 * carry names, and processes hold keys.
 *
 * <p>A name means the key that {@link #bind} gave it in this process; else the key in the file of this name in the folder
 * that the environment variable {@code KEYLANE_KEY_DIR} names. A name, once bound, is never bound to another key.
 *
 * <p>A name has 1 to 64 letters and digits of ASCII, {@code .}, {@code _} and {@code -}, and does not begin with
 * {@code .}. Whatever may be a key is refused, and not shown: 24 hexadecimal digits in a row, with or without separators,
 * or capitals in a name of 20 characters or more.
 */
public final class KeyRef implements Serializable {
    private static final long serialVersionUID = 1L;

    /** So many hexadecimal digits after each other may be a key. */
    private static final int MANY_DIGITS = 24;

    /** From this length on, a name with capitals may be a key in base64 or base32. */
    private static final int LONG_NAME = 20;

    private static final ConcurrentHashMap<String, SipHashKey> KEYS = new ConcurrentHashMap<>();

    /** The name. */
    private final String name;

    /** The contexts, in order. */
    private final ArrayList<String> contexts;

    private KeyRef(String name, ArrayList<String> contexts) {
        this.name = name;
        this.contexts = contexts;
    }

    /**
     * Returns a reference to the key of a name.
     *
     * @param name the name
     * @return the reference
     * @throws IllegalArgumentException if this is no name of a key; the message does not repeat it
     * @throws NullPointerException if {@code name} is {@code null}
     */
    public static KeyRef of(String name) {
        checkName(name);
        return new KeyRef(name, new ArrayList<>());
    }

    /**
     * Returns what a text in SQL means: the name of a key, or {@code NAME/CONTEXT} for the subkey of a context. All that
     * stands behind the first {@code /} is one context.
     *
     * @param text the text
     * @return the reference
     * @throws IllegalArgumentException if this is no name of a key, or no context; the message does not repeat it
     * @throws NullPointerException if {@code text} is {@code null}
     */
    public static KeyRef parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return of(text);
        }
        // Base64 has this letter too.
        boolean base64 = text.length() >= LONG_NAME
                && text.chars().allMatch(c -> isDigitOrLetter(c) || c == '+' || c == '/' || c == '=')
                && text.chars().anyMatch(KeyRef::isCapital);
        refuseKey(base64, text, "-._/: ");
        return of(text.substring(0, slash)).derive(text.substring(slash + 1));
    }

    /**
     * Binds a name to a key in this process.
     *
     * @param name the name
     * @param key the key, which must not be destroyed afterwards
     * @return a reference to it
     * @throws IllegalArgumentException if this is no name of a key
     * @throws IllegalStateException if the name is bound to another key, or the key was destroyed
     * @throws NullPointerException if an argument is {@code null}
     */
    public static KeyRef bind(String name, SipHashKey key) {
        checkName(name);
        key.k0();
        SipHashKey bound = KEYS.putIfAbsent(name, key);
        if (bound != null && !bound.equals(key)) {
            throw new IllegalStateException("the name \"" + name + "\" is bound to another key");
        }
        return of(name);
    }

    /**
     * Returns the reference to the subkey for a context.
     *
     * @param context 1 to 255 bytes in UTF-8; contexts that begin with {@code KCE-} are reserved
     * @return the reference
     * @throws IllegalArgumentException if the context has no bytes, more than 255, or is reserved
     * @throws NullPointerException if {@code context} is {@code null}
     */
    public KeyRef derive(String context) {
        SipHashKey.checkContext(context);
        ArrayList<String> more = new ArrayList<>(contexts);
        more.add(context);
        return new KeyRef(name, more);
    }

    /**
     * Returns the name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the contexts, in order.
     *
     * @return an unmodifiable list
     */
    public List<String> contexts() {
        return List.copyOf(contexts);
    }

    /**
     * Returns the key that this means in this process.
     *
     * @return the key
     * @throws IllegalStateException if there is no such key; the message has the name
     */
    public SipHashKey key() {
        SipHashKey key = root();
        for (String context : contexts) {
            key = key.derive(context);
        }
        return key;
    }

    private SipHashKey root() {
        SipHashKey bound = KEYS.get(name);
        if (bound != null) {
            return bound;
        }
        String folder = System.getenv("KEYLANE_KEY_DIR");
        String unknown = "no key is loaded under the name \"" + name + "\"";
        // An empty path would be the folder in which the process happens to run.
        if (folder == null || folder.isEmpty()) {
            throw new IllegalStateException(unknown + ", and KEYLANE_KEY_DIR is not set");
        }
        SipHashKey read;
        try {
            // No name that is allowed leads to another folder.
            read = SipHashKey.read(Path.of(folder).resolve(name));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new IllegalStateException(unknown + ", and $KEYLANE_KEY_DIR has no key under it");
        } catch (IOException e) {
            throw new IllegalStateException(unknown + ", and its file in $KEYLANE_KEY_DIR is no key that can be read");
        }
        // Another thread may have bound the name meanwhile.
        bind(name, read);
        return KEYS.get(name);
    }

    /**
     * Returns the line of metadata of a column of tags, by KCE-1.
     *
     * @param algorithm the algorithm, such as {@code siphash-2-4-128}
     * @param of {@code plain} or {@code row}
     * @return the line
     * @throws IllegalArgumentException if there is no such algorithm, or {@code of} is neither
     * @throws IllegalStateException if there is no such key
     * @throws NullPointerException if an argument is {@code null}
     */
    public String metadata(String algorithm, String of) {
        ColumnHash.rounds(algorithm);
        if (!of.equals("plain") && !of.equals("row")) {
            throw new IllegalArgumentException("a column is plain or row");
        }
        StringBuilder line = new StringBuilder("KCE-1; ").append(algorithm).append("; ").append(of).append("; key=");
        escape(name, line);
        line.append("; check=").append(root().check());
        for (String context : contexts) {
            line.append("; context=");
            escape(context, line);
        }
        return line.toString();
    }

    private static void escape(String text, StringBuilder line) {
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean stays = b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || "-._~".indexOf(b) >= 0;
            if (stays) {
                line.append((char) b);
            } else {
                line.append(String.format("%%%02X", b));
            }
        }
    }

    private static void checkName(String name) {
        boolean allowed = !name.isEmpty() && name.length() <= 64 && name.charAt(0) != '.';
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            allowed &= isDigitOrLetter(c) || c == '-' || c == '.' || c == '_';
        }
        if (!allowed) {
            throw new IllegalArgumentException("the name of a key has 1 to 64 letters and digits of ASCII, \".\", \"_\" and"
                    + " \"-\", and does not begin with \".\"; this one is not shown, since it may be a key");
        }
        refuseKey(name.length() >= LONG_NAME && name.chars().anyMatch(KeyRef::isCapital), name, "-._");
    }

    private static boolean isCapital(int c) {
        return c >= 'A' && c <= 'Z';
    }

    private static boolean isDigitOrLetter(int c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || isCapital(c);
    }

    /** Refuses a text with as many hexadecimal digits in a row as a key may have, with or without separators. */
    private static void refuseKey(boolean known, String text, String separators) {
        int run = 0;
        int longest = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (separators.indexOf(c) < 0) {
                run = c < 128 && Character.digit(c, 16) >= 0 ? run + 1 : 0;
                longest = Math.max(longest, run);
            }
        }
        if (known || longest >= MANY_DIGITS) {
            throw new IllegalArgumentException("this looks like a key, not like the name of one, and is not shown; a name"
                    + " has fewer than 24 hexadecimal digits in a row, and one of 20 characters or more has no capitals");
        }
    }

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        try {
            checkName(name);
            contexts.forEach(SipHashKey::checkContext);
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new InvalidObjectException("this is no reference to a key");
        }
    }

    /**
     * Returns whether both are the same name and contexts.
     *
     * @param other the other object
     * @return whether they are
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof KeyRef ref && name.equals(ref.name) && contexts.equals(ref.contexts);
    }

    /**
     * Returns a hash of the name and the contexts.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return 31 * name.hashCode() + contexts.hashCode();
    }

    /**
     * Returns the name and the contexts.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return contexts.isEmpty() ? "KeyRef[" + name + "]" : "KeyRef[" + name + ", " + String.join(", ", contexts) + "]";
    }
}
