package org.jfree.data.general;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jfree.data.DefaultKeyedValues;
import org.junit.jupiter.api.Test;

/** A pie is made of values with keys. */
public class PieCopyTest {
    @Test
    public void itHasTheValues() {
        DefaultKeyedValues orders = new DefaultKeyedValues();
        orders.addValue("apple", 3);
        DefaultPieDataset pie = new DefaultPieDataset(orders);
        assertEquals(3, pie.getValue("apple").intValue());
    }
}
