/** Keyed hashing: SipHash, HalfSipHash, Poly1305, and columns of tables. */
// The compiler does not see keylane-vector here.
@SuppressWarnings("module")
module example.keylane {
    exports example.keylane;
    exports example.keylane.spi to
            example.keylane.vector;

    uses example.keylane.spi.LongBatch;

    provides java.security.Provider with
            example.keylane.KeylaneProvider;
}
