package example.keylane.spi;

/**
 * Code that hashes many integers, from an artefact of its own. {@link java.util.ServiceLoader} finds it. It gets the state
 * of a hash, which is as secret as the key, so the package is exported to keylane's own artefact alone.
 */
public interface LongBatch {
    /**
     * Puts the tags of integers, each a message of 8 bytes, into an array. The caller has checked the ranges. The two
     * ranges may be the same.
     *
     * @param v0 the first word of the state before the first message word
     * @param v1 the second word
     * @param v2 the third word
     * @param v3 the fourth word
     * @param c the rounds for each word
     * @param d the last rounds
     * @param values the integers
     * @param offset where they begin
     * @param count their number
     * @param tags where the tags go
     * @param tagOffset where they begin there
     * @return how many are done, from the first on; the caller does the others
     */
    int hash(long v0, long v1, long v2, long v3, int c, int d, long[] values, int offset, int count, long[] tags, int tagOffset);
}
