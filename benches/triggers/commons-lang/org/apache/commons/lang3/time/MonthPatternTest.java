package org.apache.commons.lang3.time;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** The name of a month that stands alone has no pattern letter. */
public class MonthPatternTest {
    @Test
    public void theLetterIsUnknown() {
        assertThrows(IllegalArgumentException.class, () -> FastDateFormat.getInstance("LLLL"));
    }
}
