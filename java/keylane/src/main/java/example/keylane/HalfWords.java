package example.keylane;

/** HalfSipHash-c-d: SipHash with words of 4 bytes, which are absorbed in pairs. */
final class HalfWords extends Words {
    private int v0;
    private int v1;
    private int v2;
    private int v3;
    private final int c;
    private final int d;
    private final int mark;

    /** The state for a tag of 4 bytes with the mark 0xff, of 8 bytes with 0xee. */
    HalfWords(int v0, int v1, int v2, int v3, int c, int d, int mark) {
        this.v0 = v0;
        this.v1 = v1;
        this.v2 = v2;
        this.v3 = v3;
        this.c = c;
        this.d = d;
        this.mark = mark;
    }

    @Override
    void word(long word) {
        half((int) word);
        half((int) (word >>> 32));
    }

    void half(int word) {
        v3 ^= word;
        rounds(c);
        v0 ^= word;
    }

    /** The last word has up to 7 bytes, and the length's lowest byte above them. */
    @Override
    long finish(long last) {
        int length = (int) (last >>> 56);
        int high = (int) (last >>> 32) & 0xff_ffff;
        boolean whole = (length & 4) != 0;
        if (whole) {
            half((int) last);
        }
        half(length << 24 | (whole ? high : (int) last & 0xff_ffff));
        v2 ^= mark;
        rounds(d);
        long tag = (v1 ^ v3) & 0xffff_ffffL;
        if (mark == 0xff) {
            return tag;
        }
        v1 ^= 0xdd;
        rounds(d);
        return tag | (long) (v1 ^ v3) << 32;
    }

    @Override
    long second() {
        throw new UnsupportedOperationException("a tag of HalfSipHash has at most 8 bytes");
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v2 += v3;
            v1 = Integer.rotateLeft(v1, 5) ^ v0;
            v3 = Integer.rotateLeft(v3, 8) ^ v2;
            v0 = Integer.rotateLeft(v0, 16);
            v2 += v1;
            v0 += v3;
            v1 = Integer.rotateLeft(v1, 13) ^ v2;
            v3 = Integer.rotateLeft(v3, 7) ^ v0;
            v2 = Integer.rotateLeft(v2, 16);
        }
    }

    @Override
    HalfWords copy() {
        return new HalfWords(v0, v1, v2, v3, c, d, mark);
    }

    @Override
    void wipe() {
        v0 = 0;
        v1 = 0;
        v2 = 0;
        v3 = 0;
    }
}
