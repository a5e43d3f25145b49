package org.apache.commons.net;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import org.junit.Test;

/** The listeners of a connection can be stored. */
public class StoredSupportTest {
    @Test
    public void itIsWritten() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        new ObjectOutputStream(file).writeObject(new ProtocolCommandSupport("connection"));
        assertTrue(file.size() > 0);
    }
}
