package org.apache.commons.math3.complex;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Zero has no reciprocal. */
public class ReciprocalOfZeroTest {
    @Test
    public void itIsNotANumber() {
        assertTrue(Complex.ZERO.reciprocal().isNaN());
    }
}
