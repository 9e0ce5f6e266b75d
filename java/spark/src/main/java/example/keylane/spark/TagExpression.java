package example.keylane.spark;

import java.io.Serializable;
import java.time.LocalTime;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The tag of a column, or of the struct of several columns that are a row. Null for null. */
public final class TagExpression extends Expression implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ColumnFunction function;
    private final Expression child;
    private final boolean row;

    TagExpression(ColumnFunction function, Expression child, boolean row) {
        this.function = function;
        this.child = child;
        this.row = row;
    }

    @Override
    public Seq<Expression> children() {
        return seq(List.of(child));
    }

    private static <T> Seq<T> seq(List<T> elements) {
        return CollectionConverters.asScala(elements).toSeq();
    }

    @Override
    public boolean nullable() {
        return child.nullable();
    }

    @Override
    public DataType dataType() {
        return switch (function.form()) {
            case INT64 -> DataTypes.LongType;
            case BINARY -> DataTypes.BinaryType;
            case HEX -> DataTypes.StringType;
        };
    }

    /** A constant is hashed where rows are: by executors, which have the key. */
    @Override
    public boolean foldable() {
        return false;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        String fault = ColumnFunction.fault(child.dataType(), row);
        return fault == null
                ? TypeCheckResult.TypeCheckSuccess$.MODULE$
                : new TypeCheckResult.TypeCheckFailure(prettyName() + " of " + child.sql() + ": " + fault);
    }

    @Override
    public Object eval(InternalRow input) {
        Object value = child.eval(input);
        if (value == null) {
            return null;
        }
        if (row) {
            return function.hashRow((InternalRow) value, (StructType) child.dataType());
        }
        return function.tag(ValueWriter.isTime(child.dataType()) ? LocalTime.ofNanoOfDay((Long) value) : value);
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        ExprCode from = child.genCode(context);
        String call = call(context, String.valueOf(from.value()));
        String type = CodeGenerator.javaType(dataType());
        if (!nullable()) {
            String text = type + " " + code.value() + " = " + call + ";\n";
            return code.copy(from.code().$plus(block(text)), FalseLiteral$.MODULE$, code.value());
        }
        String text = "boolean " + code.isNull() + " = " + from.isNull() + ";\n"
                + type + " " + code.value() + " = " + CodeGenerator.defaultValue(dataType(), false) + ";\n"
                + "if (!" + code.isNull() + ") {\n  " + code.value() + " = " + call + ";\n}\n";
        return code.copy(from.code().$plus(block(text)), code.isNull(), code.value());
    }

    private static CodeBlock block(String text) {
        return new CodeBlock(seq(List.of(text)), seq(List.<JavaCode>of()));
    }

    /** The call that makes a tag of a value that is not null. */
    private String call(CodegenContext context, String value) {
        String object = context.addReferenceObj("keylane", function, ColumnFunction.class.getName());
        if (row) {
            String type = context.addReferenceObj("type", child.dataType(), StructType.class.getName());
            return object + ".hashRow(" + value + ", " + type + ")";
        }
        return switch (function.form()) {
            case INT64 -> object + ".hash(" + argument(value) + ")";
            case BINARY -> "(byte[]) " + object + ".tag(" + boxed(value) + ")";
            case HEX -> "(UTF8String) " + object + ".tag(" + boxed(value) + ")";
        };
    }

    /** An expression of the type that a method of {@link ColumnFunction} takes. */
    private String argument(String value) {
        DataType type = child.dataType();
        if (ValueWriter.isTime(type)) {
            return boxed(value);
        }
        if (type instanceof StringType || type instanceof BinaryType || type instanceof DecimalType || type instanceof BooleanType) {
            return value;
        }
        boolean floating = type == DataTypes.DoubleType || type == DataTypes.FloatType;
        return type instanceof NullType ? "0L" : floating ? "(double) " + value : "(long) " + value;
    }

    private String boxed(String value) {
        DataType type = child.dataType();
        if (type instanceof StringType || type instanceof BinaryType || type instanceof DecimalType) {
            return value;
        } else if (ValueWriter.isTime(type)) {
            return "java.time.LocalTime.ofNanoOfDay(" + value + ")";
        } else if (type instanceof BooleanType) {
            return "Boolean.valueOf(" + value + ")";
        } else if (type == DataTypes.DoubleType || type == DataTypes.FloatType) {
            return "Double.valueOf(" + argument(value) + ")";
        }
        return "Long.valueOf(" + argument(value) + ")";
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return new TagExpression(function, children.apply(0), row);
    }

    @Override
    public String prettyName() {
        return function.name();
    }

    /** The name of the key, and never the key. */
    @Override
    public String toString() {
        return prettyName() + "(" + function + ", " + child + ")";
    }

    /** The call, as Spark names columns and keeps views. */
    @Override
    public String sql() {
        // A row's first context stands behind the name. A value's does only if it has two.
        String name = function.ref().name();
        List<String> contexts = function.ref().contexts();
        if (contexts.size() > (row ? 0 : 1)) {
            name += "/" + contexts.get(0);
            contexts = contexts.subList(1, contexts.size());
        }
        Stream<String> values = row && child instanceof CreateNamedStruct fields
                ? CollectionConverters.asJava(fields.valExprs()).stream().map(Expression::sql)
                : Stream.of(child.sql());
        return Stream.of(Stream.of(quoted(name)), values, contexts.stream().map(TagExpression::quoted))
                .flatMap(part -> part)
                .collect(Collectors.joining(", ", prettyName() + "(", ")"));
    }

    private static String quoted(String text) {
        return new Literal(UTF8String.fromString(text), DataTypes.StringType).sql();
    }

    @Override
    public int productArity() {
        return 3;
    }

    @Override
    public Object productElement(int index) {
        return switch (index) {
            case 0 -> function;
            case 1 -> child;
            case 2 -> row;
            default -> throw new IndexOutOfBoundsException(index);
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof TagExpression;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TagExpression tag
                && function.equals(tag.function)
                && child.equals(tag.child)
                && row == tag.row;
    }

    @Override
    public int hashCode() {
        return 31 * function.hashCode() + child.hashCode();
    }
}
