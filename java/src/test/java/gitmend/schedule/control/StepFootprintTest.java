package gitmend.schedule.control;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StepFootprintTest {
    private static StepFootprint of(int key, boolean isChange) {
        StepFootprint footprint = new StepFootprint(10);
        footprint.add(key, isChange);
        return footprint;
    }

    @Test
    void twoReadsAreIndependent() {
        assertFalse(of(1, false).meets(of(1, false)));
    }

    @Test
    void aReadAndAWriteOfALocationAreDependent() {
        assertTrue(of(1, false).meets(of(1, true)));
        assertTrue(of(1, true).meets(of(1, false)));
    }

    @Test
    void writesOfDifferentLocationsAreIndependent() {
        assertFalse(of(1, true).meets(of(2, true)));
    }

    @Test
    void aStepThatPickedAnAlternativeIsDependentOnAll() {
        StepFootprint open = of(1, false);
        open.open();
        assertTrue(open.meets(of(2, false)));
    }

    @Test
    void newLocationsOfDifferentSchedulesMayBeTheSame() {
        assertTrue(of(10, true).mayMeet(of(11, true)));
        assertFalse(of(10, true).meets(of(11, true)));
        assertFalse(of(9, true).mayMeet(of(11, true)));
    }
}
