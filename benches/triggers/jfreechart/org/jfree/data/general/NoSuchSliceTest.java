package org.jfree.data.general;

import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** A slice that the pie does not have. */
public class NoSuchSliceTest {
    @Test
    public void itHasNoValue() {
        DefaultPieDataset<String> pie = new DefaultPieDataset<>();
        pie.setValue("apple", 3);
        assertNull(pie.getValue(1));
    }
}
