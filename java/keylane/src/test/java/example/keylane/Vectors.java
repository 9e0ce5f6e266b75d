package example.keylane;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The files of tests/testdata/, and small tools of several tests. */
final class Vectors {
    private static final Path TESTDATA = Path.of(System.getProperty("keylane.repository"), "tests", "testdata");

    private Vectors() {}

    static JsonObject json(String file) {
        try {
            return new Gson().fromJson(Files.readString(TESTDATA.resolve(file)), JsonObject.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The cases of an algorithm. */
    static List<JsonObject> cases(String file, String algorithm) {
        List<JsonObject> cases = new ArrayList<>();
        for (JsonElement element : json(file).getAsJsonArray("cases")) {
            JsonObject test = element.getAsJsonObject();
            if (test.get("algorithm").getAsString().equals(algorithm)) {
                cases.add(test);
            }
        }
        return cases;
    }

    static List<String> lines(String file) {
        try {
            return Files.readAllLines(TESTDATA.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static byte[] bytes(long tag, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (tag >>> 8 * i);
        }
        return bytes;
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The generator of the Rust tests. */
    static final class Random {
        private long state;

        Random(long seed) {
            state = seed;
        }

        long word() {
            state += 0x9e37_79b9_7f4a_7c15L;
            long z = state;
            z = (z ^ z >>> 30) * 0xbf58_476d_1ce4_e5b9L;
            z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
            return z ^ z >>> 31;
        }

        byte[] bytes(int length) {
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = (byte) word();
            }
            return bytes;
        }
    }
}
