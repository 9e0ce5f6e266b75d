package example.keylane;

/** SipHash-c-d. The rounds of 1-3 and 2-4 have their own code; others are counted. */
final class SipWords extends Words {
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private final int c;
    private final int d;
    private final int mark;

    /** The state for a tag of 8 bytes with the mark 0xff, of 16 bytes with 0xee. */
    SipWords(long v0, long v1, long v2, long v3, int c, int d, int mark) {
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
        v3 ^= word;
        if (c == 1) {
            round();
        } else if (c == 2) {
            round();
            round();
        } else {
            for (int i = 0; i < c; i++) {
                round();
            }
        }
        v0 ^= word;
    }

    @Override
    long finish(long last) {
        word(last);
        v2 ^= mark;
        return output();
    }

    @Override
    long second() {
        v1 ^= 0xdd;
        return output();
    }

    private long output() {
        if (d == 3) {
            round();
            round();
            round();
        } else if (d == 4) {
            round();
            round();
            round();
            round();
        } else {
            for (int i = 0; i < d; i++) {
                round();
            }
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
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
    }

    @Override
    SipWords copy() {
        return new SipWords(v0, v1, v2, v3, c, d, mark);
    }

    @Override
    void wipe() {
        v0 = 0;
        v1 = 0;
        v2 = 0;
        v3 = 0;
    }
}
