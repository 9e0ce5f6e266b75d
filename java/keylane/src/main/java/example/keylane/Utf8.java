package example.keylane;

/** The bytes of characters. */
final class Utf8 {
    private Utf8() {}

    /** Eight characters of ASCII as a word, or -1 if one is not ASCII. */
    static long ascii(CharSequence text, int at) {
        long low = text.charAt(at)
                | (long) text.charAt(at + 1) << 16
                | (long) text.charAt(at + 2) << 32
                | (long) text.charAt(at + 3) << 48;
        long high = text.charAt(at + 4)
                | (long) text.charAt(at + 5) << 16
                | (long) text.charAt(at + 6) << 32
                | (long) text.charAt(at + 7) << 48;
        return ((low | high) & 0xff80_ff80_ff80_ff80L) == 0 ? packed(low) | packed(high) << 32 : -1;
    }

    /** The lower bytes of four units of 16 bits. */
    private static long packed(long units) {
        long pairs = (units | units >>> 8) & 0x0000_ffff_0000_ffffL;
        return (pairs | pairs >>> 16) & 0xffff_ffffL;
    }

    /** The bytes of the current character, and their number above bit 32. Only four bytes take the next unit as well. */
    static long code(char first, char next) {
        if (first < 0x80) {
            return 1L << 32 | first;
        }
        if (first < 0x800) {
            return 2L << 32 | 0x80c0 | first >> 6 | (first & 0x3f) << 8;
        }
        if (!Character.isSurrogate(first)) {
            return 3L << 32 | 0x8080e0 | first >> 12 | (first >> 6 & 0x3f) << 8 | (first & 0x3f) << 16;
        }
        if (Character.isHighSurrogate(first) && Character.isLowSurrogate(next)) {
            int point = Character.toCodePoint(first, next);
            return 4L << 32 | 0x808080f0L | point >> 18 | (point >> 12 & 0x3f) << 8 | (point >> 6 & 0x3f) << 16
                    | (long) (point & 0x3f) << 24;
        }
        return 1L << 32 | '?';
    }
}
