//! Poly1305 on numbers that carry a value modulo 2^130 - 5 at a random point, a range of integers and a degree.
