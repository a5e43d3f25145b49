package org.apache.commons.math4.analysis.polynomials;

import org.junit.Assert;
import org.junit.Test;

public class PolynomialsThreadsTest {
    @Test
    public void polynomialsOfTwoThreadsAreRight() throws Exception {
        final PolynomialFunction[] made = new PolynomialFunction[2];
        Thread other = new Thread(new Runnable() {
            public void run() {
                made[0] = PolynomialsUtils.createHermitePolynomial(4);
            }
        });
        other.start();
        made[1] = PolynomialsUtils.createHermitePolynomial(5);
        other.join();
        Assert.assertEquals(new PolynomialFunction(new double[] {12, 0, -48, 0, 16}), made[0]);
        Assert.assertEquals(new PolynomialFunction(new double[] {0, 120, 0, -160, 0, 32}), made[1]);
    }
}
