package org.apache.commons.lang3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RangeThreadsTest {
    @Test
    void hashCodeIsTheSameInTwoThreads() throws Exception {
        Range<Integer> range = Range.of(10, 20);
        int[] hash = new int[1];
        Thread other = new Thread(() -> hash[0] = range.hashCode());
        other.start();
        int own = range.hashCode();
        other.join();
        assertEquals(own, hash[0]);
    }
}
