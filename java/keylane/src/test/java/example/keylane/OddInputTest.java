package example.keylane;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every public method, with arguments that make no sense, throws the usual exceptions and no others. */
class OddInputTest {
    private static final byte[] SECRET = new Vectors.Random(6).bytes(32);

    private static final List<Class<? extends Throwable>> USUAL = List.of(
            NullPointerException.class,
            IllegalArgumentException.class,
            IllegalStateException.class,
            IndexOutOfBoundsException.class,
            UnsupportedOperationException.class,
            IOException.class);

    private record Subject(Class<?> type, Supplier<Object> make) {}

    private static SipHashKey key() {
        return SipHashKey.of(Arrays.copyOf(SECRET, 16));
    }

    private static <T extends javax.security.auth.Destroyable> Supplier<Object> destroyed(Supplier<T> make) {
        return () -> {
            T object = make.get();
            try {
                object.destroy();
            } catch (javax.security.auth.DestroyFailedException e) {
                throw new AssertionError(e);
            }
            return object;
        };
    }

    private static List<Subject> subjects() {
        Supplier<HalfSipHashKey> half = () -> HalfSipHashKey.of(Arrays.copyOf(SECRET, 8));
        List<Subject> subjects = new ArrayList<>();
        add(subjects, SipHashKey.class, OddInputTest::key);
        add(subjects, HalfSipHashKey.class, half);
        add(subjects, SipHash.class, () -> SipHash.of(1, 3, key()));
        add(subjects, SipHash.class, () -> SipHash.of(2, 4, key()));
        add(subjects, SipHash.class, () -> SipHash.of(3, 5, key()));
        add(subjects, HalfSipHash.class, () -> HalfSipHash.of(2, 4, half.get()));
        add(subjects, TagStream.class, () -> SipHash.of(2, 4, key()).stream());
        add(subjects, TagStream.class, () -> SipHash.of(2, 4, key()).stream128());
        add(subjects, TagStream.class, () -> HalfSipHash.of(2, 4, half.get()).stream());
        add(subjects, Poly1305.class, () -> Poly1305.of(SECRET));
        add(subjects, ColumnHash.class, () -> ColumnHash.of("siphash-1-3-64", key()));
        add(subjects, ColumnHash.class, () -> ColumnHash.of("siphash-2-4-128", key()));
        subjects.add(new Subject(KeyRef.class, () -> KeyRef.bind("odd", key())));
        subjects.add(new Subject(RowEncoder.class, () -> ColumnHash.of("siphash-1-3-64", key()).row()));
        subjects.add(new Subject(RowEncoder.class, () -> ColumnHash.of("siphash-2-4-128", key()).row().begin(1)));
        return subjects;
    }

    private static <T extends javax.security.auth.Destroyable> void add(List<Subject> list, Class<T> type, Supplier<T> make) {
        list.add(new Subject(type, make::get));
        list.add(new Subject(type, destroyed(make)));
    }

    private static List<Object> odd(Class<?> type) {
        if (type == int.class) {
            return List.of(0, -1, 1, 16, 17, Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
        if (type == long.class) {
            return List.of(0L, -1L, Long.MIN_VALUE);
        }
        if (type == byte.class) {
            return List.of((byte) -1);
        }
        if (type == boolean.class) {
            return List.of(true);
        }
        if (type == double.class) {
            return List.of(Double.NaN, -0.0);
        }
        List<Object> values = new ArrayList<>();
        values.add(null);
        List<Object> all = List.of(
                new byte[0], new byte[16], SECRET.clone(), "", "\ud800", "KCE-x", "x".repeat(300), ByteBuffer.allocate(3),
                ByteBuffer.allocateDirect(9).position(2).asReadOnlyBuffer(), Path.of("none"), new BigDecimal("1e-999"),
                new long[0], new long[5], new int[0], new int[] {5, -1, 3}, key(), destroyed(OddInputTest::key).get(),
                HalfSipHashKey.generate(), List.of(), new Object[0], new Object[] {1L, null, new Object()});
        all.stream().filter(type::isInstance).forEach(values::add);
        return values;
    }

    @TestFactory
    List<DynamicTest> everyMethod() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Subject subject : subjects()) {
            for (Method method : subject.type().getMethods()) {
                if (method.getDeclaringClass() == subject.type()) {
                    String name = subject.type().getSimpleName() + "." + method.getName();
                    tests.add(DynamicTest.dynamicTest(name, () -> tryAll(method, subject.make(), new Object[0])));
                }
            }
        }
        assertTrue(tests.size() > 100);
        return tests;
    }

    private static void tryAll(Method method, Supplier<Object> make, Object[] arguments) throws Exception {
        Class<?>[] types = method.getParameterTypes();
        if (arguments.length < types.length) {
            for (Object value : odd(types[arguments.length])) {
                Object[] more = Arrays.copyOf(arguments, arguments.length + 1);
                more[arguments.length] = value;
                tryAll(method, make, more);
            }
            return;
        }
        Object object = Modifier.isStatic(method.getModifiers()) ? null : make.get();
        try {
            Object result = method.invoke(object, arguments);
            if (result != null) {
                assertFalse(KeyTest.shows(result.toString(), SECRET));
            }
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            String what = describe(method, arguments) + ": " + thrown;
            assertTrue(USUAL.stream().anyMatch(usual -> usual.isInstance(thrown)), what);
            assertFalse(KeyTest.shows(String.valueOf(thrown.getMessage()), SECRET), what);
        }
    }

    private static String describe(Executable method, Object[] arguments) {
        return method + " of " + Arrays.deepToString(arguments);
    }
}
