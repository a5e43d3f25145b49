package org.apache.commons.math3.util;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Zero has no sign after rounding. */
public class NegativeZeroTest {
    @Test
    public void aSmallNegativeNumberBecomesZero() {
        assertEquals("0.0", Double.toString(Precision.round(-0.2, 0)));
    }
}
