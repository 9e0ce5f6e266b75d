/** Keyed hashing: SipHash, HalfSipHash, Poly1305, and columns of tables. */
module example.keylane {
    exports example.keylane;

    provides java.security.Provider with
            example.keylane.KeylaneProvider;
}
