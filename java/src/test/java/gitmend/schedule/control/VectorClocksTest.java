package gitmend.schedule.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Tests of operations on vector clocks. */
class VectorClocksTest {
    @Test
    void aMissingThreadHasTimeZero() {
        assertEquals(0, VectorClocks.getTime(null, 3));
        assertEquals(0, VectorClocks.getTime(new int[] {4}, 1));
    }

    @Test
    void aJoinHasTheLaterTimeOfEachThread() {
        assertArrayEquals(new int[] {3, 2, 7}, VectorClocks.join(new int[] {3, 1}, new int[] {1, 2, 7}));
        assertArrayEquals(new int[] {1}, VectorClocks.join(null, new int[] {1}));
    }

    @Test
    void aTimeOfANewThreadExtendsTheClock() {
        assertArrayEquals(new int[] {1, 0, 5}, VectorClocks.setTime(new int[] {1}, 2, 5));
    }
}
