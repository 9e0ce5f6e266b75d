/**
 * Keyed hashing: SipHash, HalfSipHash and Poly1305, and the encoding KCE-1 of columns and rows of tables.
 */
package example.keylane;
