package example.keylane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The classes with the rounds of whole messages are what the templates say. Java has no way to give a round a name that
 * costs nothing whatever the compiler does: a method returns one word, and the state has four. So a round is written here,
 * and the classes repeat it.
 *
 * <p>{@code mvn test -pl keylane -Dtest=RoundsSourceTest -Dkeylane.write=true} writes the classes after a change.
 */
class RoundsSourceTest {
    private static final Path MAIN = Path.of(System.getProperty("keylane.repository"), "java", "keylane", "src", "main");

    private static final String ROUND = """
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            """;

    /** The first two rounds of a word stand alone, since most variants have no more. */
    private static final String COUNTED_C_ROUNDS = """
            ROUND
            if (c > 1) {
                ROUND
                for (int round = 2; round < c; round++) {
                    ROUND
                }
            }
            """;

    private static final String COUNTED_D_ROUNDS = """
            for (int round = 0; round < d; round++) {
                ROUND
            }
            """;

    /** The lines that stand for others in a class for one c and d. */
    private static Map<String, String> fixed(int c, int d) {
        return Map.of(
                "ROUND", ROUND,
                "C_ROUNDS", "ROUND\n".repeat(c),
                "OTHER_C_ROUNDS", "ROUND\n".repeat(c - 1),
                "OTHER_D_ROUNDS", "ROUND\n".repeat(d - 1));
    }

    /** A text in which each line that stands for others is replaced by them, as far in as it is. */
    private static String expand(String text, Map<String, String> lines) {
        StringBuilder expanded = new StringBuilder();
        text.lines().forEach(line -> {
            String others = lines.get(line.strip());
            if (others == null) {
                expanded.append(line).append('\n');
            } else {
                String indent = line.substring(0, line.indexOf(line.strip()));
                expand(others, lines).lines().forEach(other -> expanded.append(indent).append(other).append('\n'));
            }
        });
        return expanded.toString();
    }

    @Test
    void classesAreWhatTheTemplatesSay() throws IOException {
        Map<String, String> classes = new TreeMap<>();
        classes.put("Rounds", expand(template("Rounds"), Map.of(
                "ROUND", ROUND, "C_ROUNDS", COUNTED_C_ROUNDS, "D_ROUNDS", COUNTED_D_ROUNDS)));
        for (int c = 1; c <= 2; c++) {
            String text = template("RoundsCD").replace("RoundsCD", "Rounds" + c + (c + 2)).replace("C-D", c + "-" + (c + 2));
            classes.put("Rounds" + c + (c + 2), expand(text, fixed(c, c + 2)));
        }
        for (Map.Entry<String, String> one : classes.entrySet()) {
            Path file = MAIN.resolve("java/example/keylane/" + one.getKey() + ".java");
            if (Boolean.getBoolean("keylane.write")) {
                Files.writeString(file, one.getValue());
            }
            assertEquals(one.getValue(), Files.readString(file), file.toString());
        }
    }

    private static String template(String name) throws IOException {
        return Files.readString(MAIN.resolve("templates/" + name + ".java.template"));
    }
}
