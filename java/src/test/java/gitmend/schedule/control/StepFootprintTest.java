package gitmend.schedule.control;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Tests of the independence of steps. */
class StepFootprintTest {
    private static StepFootprint of(int key, boolean isChange) {
        StepFootprint footprint = new StepFootprint(10);
        footprint.addEffect(key, isChange);
        return footprint;
    }

    @Test
    void twoReadsAreIndependent() {
        assertFalse(of(1, false).isDependentOn(of(1, false)));
    }

    @Test
    void aReadAndAWriteOfALocationAreDependent() {
        assertTrue(of(1, false).isDependentOn(of(1, true)));
        assertTrue(of(1, true).isDependentOn(of(1, false)));
    }

    @Test
    void writesOfDifferentLocationsAreIndependent() {
        assertFalse(of(1, true).isDependentOn(of(2, true)));
    }

    @Test
    void aStepThatPickedAnAlternativeIsDependentOnAll() {
        StepFootprint open = of(1, false);
        open.markInternalChoice();
        assertTrue(open.isDependentOn(of(2, false)));
    }

    @Test
    void newLocationsOfDifferentSchedulesMayBeTheSame() {
        assertTrue(of(10, true).canDependOn(of(11, true)));
        assertFalse(of(10, true).isDependentOn(of(11, true)));
        assertFalse(of(9, true).canDependOn(of(11, true)));
    }
}
