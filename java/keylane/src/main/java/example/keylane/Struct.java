package example.keylane;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A struct within a row: the values of its fields, in the order of its type. Names do not count.
 *
 * @param fields the values, of which some may be {@code null}
 */
public record Struct(List<?> fields) {
    /**
     * Makes a struct.
     *
     * @param fields the values, which are copied
     * @throws NullPointerException if {@code fields} is {@code null}
     */
    public Struct {
        fields = Collections.unmodifiableList(new ArrayList<>(fields));
    }

    /**
     * Returns a struct.
     *
     * @param fields the values
     * @return the struct
     * @throws NullPointerException if {@code fields} is {@code null}
     */
    public static Struct of(Object... fields) {
        return new Struct(Arrays.asList(fields));
    }
}
