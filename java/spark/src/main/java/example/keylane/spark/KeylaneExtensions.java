package example.keylane.spark;

import example.keylane.KeyRef;
import example.keylane.spark.ColumnFunction.Form;
import java.util.List;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.CreateStruct$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Adds keylane's functions to Spark SQL, by {@code spark.sql.extensions=example.keylane.spark.KeylaneExtensions}:
 *
 * <ul>
 *   <li>{@code keylane_hash(key_name, value [, context])}: BIGINT, siphash-1-3-64
 *   <li>{@code keylane_hash128(key_name, value [, context])}: BINARY, siphash-2-4-128
 *   <li>{@code keylane_pseudonym(key_name, value [, context])}: STRING of 32 hexadecimal digits, siphash-2-4-128
 *   <li>{@code keylane_hash_rows(key_name, value, ...)}: BIGINT, siphash-1-3-64, one tag for all values
 * </ul>
 *
 * <p>The name of the key and the context are literals. {@code NAME/CONTEXT} in the place of the name is the subkey of a
 * context. Null gives null, but for {@code keylane_hash_rows}. Executors find
 * the key by its name: see {@link KeyRef}.
 */
public final class KeylaneExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    /** Makes the extension. Spark does so. */
    public KeylaneExtensions() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        column(extensions, "keylane_hash", "siphash-1-3-64", Form.INT64);
        column(extensions, "keylane_hash128", "siphash-2-4-128", Form.BINARY);
        column(extensions, "keylane_pseudonym", "siphash-2-4-128", Form.HEX);
        inject(extensions, "keylane_hash_rows", "(key_name, value, ...)", arguments -> {
            if (arguments.size() < 2) {
                throw new IllegalArgumentException("keylane_hash_rows takes the name of a key and at least one value");
            }
            KeyRef ref = KeyRef.parse(literal("the name of the key", arguments.get(0)));
            Seq<Expression> fields = CollectionConverters.asScala(arguments.subList(1, arguments.size())).toSeq();
            ColumnFunction function = new ColumnFunction("keylane_hash_rows", ref, "siphash-1-3-64", Form.INT64);
            return new TagExpression(function, CreateStruct$.MODULE$.apply(fields), true);
        });
        return BoxedUnit.UNIT;
    }

    private static void column(SparkSessionExtensions extensions, String name, String algorithm, Form form) {
        inject(extensions, name, "(key_name, value [, context])", arguments -> {
            if (arguments.size() < 2 || arguments.size() > 3) {
                throw new IllegalArgumentException(name + " takes the name of a key, a value, and perhaps a context");
            }
            KeyRef ref = KeyRef.parse(literal("the name of the key", arguments.get(0)));
            if (arguments.size() == 3) {
                ref = ref.derive(literal("the context", arguments.get(2)));
            }
            return new TagExpression(new ColumnFunction(name, ref, algorithm, form), arguments.get(1), false);
        });
    }

    private static String literal(String what, Expression argument) {
        if (argument instanceof Literal literal && literal.value() instanceof UTF8String text) {
            return text.toString();
        }
        throw new IllegalArgumentException(what + " is a literal string");
    }

    private static void inject(
            SparkSessionExtensions extensions, String name, String usage, java.util.function.Function<List<Expression>, Expression> make) {
        ExpressionInfo info =
                new ExpressionInfo(TagExpression.class.getName(), null, name, name + usage, "", "", "", "", "", "", "");
        Function1<Seq<Expression>, Expression> builder = arguments -> make.apply(CollectionConverters.asJava(arguments));
        extensions.injectFunction(new Tuple3<>(new FunctionIdentifier(name), info, builder));
    }
}
