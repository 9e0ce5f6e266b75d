package example.keylane.spark;

import example.keylane.RowEncoder;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** Puts a value of one of Spark's types into the message of a row. */
@FunctionalInterface
interface ValueWriter {
    void write(SpecializedGetters values, int index, RowEncoder row);

    /** The same for a value that may be null. */
    default void put(SpecializedGetters values, int index, RowEncoder row) {
        if (values.isNullAt(index)) {
            row.putNull();
        } else {
            write(values, index, row);
        }
    }

    /** One for each field of a type without faults. */
    static ValueWriter[] of(StructType type) {
        ValueWriter[] fields = new ValueWriter[type.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = of(type.fields()[i].dataType());
        }
        return fields;
    }

    private static ValueWriter of(DataType type) {
        if (type instanceof StringType) {
            return (values, i, row) -> {
                UTF8String text = values.getUTF8String(i);
                if (text.getBaseObject() instanceof byte[] array) {
                    row.putBytes(array, ColumnFunction.offset(text), text.numBytes());
                } else {
                    row.putBytes(text.getBytes(), 0, text.numBytes());
                }
            };
        } else if (type instanceof BinaryType) {
            return (values, i, row) -> {
                byte[] bytes = values.getBinary(i);
                row.putBytes(bytes, 0, bytes.length);
            };
        } else if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType
                || type instanceof DayTimeIntervalType) {
            return (values, i, row) -> row.putLong(values.getLong(i));
        } else if (type instanceof IntegerType || type instanceof DateType) {
            return (values, i, row) -> row.putLong(values.getInt(i));
        } else if (type instanceof ShortType) {
            return (values, i, row) -> row.putLong(values.getShort(i));
        } else if (type instanceof ByteType) {
            return (values, i, row) -> row.putLong(values.getByte(i));
        } else if (type instanceof BooleanType) {
            return (values, i, row) -> row.putLong(values.getBoolean(i) ? 1 : 0);
        } else if (type instanceof DoubleType) {
            return (values, i, row) -> row.putDouble(values.getDouble(i));
        } else if (type instanceof FloatType) {
            return (values, i, row) -> row.putDouble(values.getFloat(i));
        } else if (type instanceof DecimalType decimal) {
            return (values, i, row) ->
                    row.putDecimal(values.getDecimal(i, decimal.precision(), decimal.scale()).toJavaBigDecimal());
        } else if (isTime(type)) {
            return (values, i, row) -> {
                long nanos = values.getLong(i);
                row.putTime(nanos / 1_000_000_000, (int) (nanos % 1_000_000_000));
            };
        } else if (type instanceof ArrayType array) {
            ValueWriter element = of(array.elementType());
            return (values, i, row) -> {
                ArrayData list = values.getArray(i);
                row.beginList(list.numElements());
                for (int at = 0; at < list.numElements(); at++) {
                    element.put(list, at, row);
                }
            };
        } else if (type instanceof StructType struct) {
            ValueWriter[] fields = of(struct);
            return (values, i, row) -> {
                InternalRow inner = values.getStruct(i, fields.length);
                row.beginStruct(fields.length);
                for (int at = 0; at < fields.length; at++) {
                    fields[at].put(inner, at, row);
                }
            };
        }
        return (values, i, row) -> row.putNull();
    }

    /** Whether a type is Spark's time of day, in nanoseconds. Spark 4.0 has none, so the class has a name only. */
    static boolean isTime(DataType type) {
        return type.getClass().getName().equals("org.apache.spark.sql.types.TimeType");
    }

    /** Why a type has no tags, or {@code null} if it has. */
    static String fault(DataType type, boolean row) {
        if (row && type instanceof ArrayType array) {
            return fault(array.elementType(), true);
        }
        if (row && type instanceof StructType struct) {
            for (int i = 0; i < struct.size(); i++) {
                String fault = fault(struct.fields()[i].dataType(), true);
                if (fault != null) {
                    return "field " + struct.fields()[i].name() + ": " + fault;
                }
            }
            return null;
        }
        boolean leaf = type instanceof StringType || type instanceof BinaryType || type instanceof LongType
                || type instanceof IntegerType || type instanceof ShortType || type instanceof ByteType
                || type instanceof BooleanType || type instanceof DoubleType || type instanceof FloatType
                || type instanceof DecimalType || type instanceof DateType || type instanceof TimestampType
                || type instanceof TimestampNTZType || type instanceof DayTimeIntervalType || type instanceof NullType || isTime(type);
        return leaf ? null : "KCE-1 has no tags of " + type.simpleString() + (row ? "" : " in one column");
    }
}
