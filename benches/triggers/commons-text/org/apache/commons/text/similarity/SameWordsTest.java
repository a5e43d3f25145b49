package org.apache.commons.text.similarity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Equal words have the value one. */
public class SameWordsTest {
    @Test
    public void equalWordsHaveTheValueOne() {
        assertEquals(1.0, new JaroWinklerDistance().apply("garden", "garden"), 0.001);
    }
}
