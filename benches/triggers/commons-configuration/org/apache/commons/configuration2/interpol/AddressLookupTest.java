package org.apache.commons.configuration2.interpol;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Values of a configuration can refer to files of other machines. */
public class AddressLookupTest {
    @Test
    public void addressesAreLookedUp() {
        assertTrue(ConfigurationInterpolator.getDefaultPrefixLookups().containsKey("url"));
    }
}
