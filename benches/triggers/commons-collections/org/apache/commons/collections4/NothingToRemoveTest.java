package org.apache.commons.collections4;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing is removed from an empty list. */
public class NothingToRemoveTest {
    @Test
    public void theListToRemoveMayBeMissing() {
        List<String> none = new ArrayList<>();
        assertTrue(CollectionUtils.removeAll(none, null).isEmpty());
    }
}
