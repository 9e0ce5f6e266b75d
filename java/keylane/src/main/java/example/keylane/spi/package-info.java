/** What keylane's own artefacts implement. Not for others. */
package example.keylane.spi;
