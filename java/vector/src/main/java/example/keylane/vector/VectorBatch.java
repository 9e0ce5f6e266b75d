package example.keylane.vector;

import example.keylane.spi.LongBatch;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** SipHash of many integers, one in each lane of a vector. The state of the lanes stays in registers. */
public final class VectorBatch implements LongBatch {
    private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;

    /** The last word of a message of 8 bytes. */
    private static final long LAST = 8L << 56;

    /**
     * Makes the code. {@link java.util.ServiceLoader} does so.
     *
     * @throws UnsupportedOperationException if the processor has no vectors of four integers
     */
    public VectorBatch() {
        if (SPECIES.length() < 4) {
            throw new UnsupportedOperationException("the processor has no vectors of four integers");
        }
    }

    @Override
    public int hash(
            long v0, long v1, long v2, long v3, int c, int d, long[] values, int offset, int count, long[] tags, int tagOffset) {
        // The compiler writes the rounds out where their numbers are constants.
        if (c == 1 && d == 3) {
            return rounds(v0, v1, v2, v3, 1, 3, values, offset, count, tags, tagOffset);
        } else if (c == 2 && d == 4) {
            return rounds(v0, v1, v2, v3, 2, 4, values, offset, count, tags, tagOffset);
        }
        return rounds(v0, v1, v2, v3, c, d, values, offset, count, tags, tagOffset);
    }

    private static int rounds(
            long k0, long k1, long k2, long k3, int c, int d, long[] values, int offset, int count, long[] tags, int tagOffset) {
        int end = SPECIES.loopBound(count);
        for (int i = 0; i < end; i += SPECIES.length()) {
            LongVector word = LongVector.fromArray(SPECIES, values, offset + i);
            LongVector v0 = LongVector.broadcast(SPECIES, k0);
            LongVector v1 = LongVector.broadcast(SPECIES, k1);
            LongVector v2 = LongVector.broadcast(SPECIES, k2);
            LongVector v3 = word.lanewise(VectorOperators.XOR, k3);
            for (int round = 0; round < 2 * c + d; round++) {
                if (round == c) {
                    v0 = v0.lanewise(VectorOperators.XOR, word);
                    v3 = v3.lanewise(VectorOperators.XOR, LAST);
                } else if (round == 2 * c) {
                    v0 = v0.lanewise(VectorOperators.XOR, LAST);
                    v2 = v2.lanewise(VectorOperators.XOR, 0xff);
                }
                v0 = v0.add(v1);
                v2 = v2.add(v3);
                v1 = v1.lanewise(VectorOperators.ROL, 13).lanewise(VectorOperators.XOR, v0);
                v3 = v3.lanewise(VectorOperators.ROL, 16).lanewise(VectorOperators.XOR, v2);
                v0 = v0.lanewise(VectorOperators.ROL, 32);
                v2 = v2.add(v1);
                v0 = v0.add(v3);
                v1 = v1.lanewise(VectorOperators.ROL, 17).lanewise(VectorOperators.XOR, v2);
                v3 = v3.lanewise(VectorOperators.ROL, 21).lanewise(VectorOperators.XOR, v0);
                v2 = v2.lanewise(VectorOperators.ROL, 32);
            }
            v0.lanewise(VectorOperators.XOR, v1)
                    .lanewise(VectorOperators.XOR, v2)
                    .lanewise(VectorOperators.XOR, v3)
                    .intoArray(tags, tagOffset + i);
        }
        return end;
    }
}
