package org.apache.commons.lang3;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** A missing truth value has no primitive value. */
public class NullElementTest {
    @Test
    public void aNullElementIsRejected() {
        Boolean[] answers = {true, null, false};
        assertThrows(NullPointerException.class, () -> ArrayUtils.toPrimitive(answers));
    }
}
