/** Code for many integers with the vectors of {@code jdk.incubator.vector}. */
module example.keylane.vector {
    requires example.keylane;
    requires jdk.incubator.vector;

    provides example.keylane.spi.LongBatch with
            example.keylane.vector.VectorBatch;
}
