package org.apache.commons.collections4.functors;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.apache.commons.collections4.Predicate;
import org.junit.jupiter.api.Test;

/** A value that equals nothing. */
public class NeverEqualTest {
    static final class Unknown {
        @Override
        public boolean equals(Object other) {
            return false;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    @Test
    public void itDoesNotEqualItself() {
        Unknown price = new Unknown();
        Predicate<Unknown> samePrice = EqualPredicate.equalPredicate(price);
        assertFalse(samePrice.evaluate(price));
    }
}
