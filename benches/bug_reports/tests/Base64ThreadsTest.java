package org.apache.commons.codec.binary;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class Base64ThreadsTest {
    @Test
    public void sharedEncoderIsRightInTwoThreads() throws Exception {
        final Base64 encoder = new Base64();
        final String[] found = new String[1];
        Thread other = new Thread() {
            public void run() {
                found[0] = encoder.encodeToString(new byte[] {1, 2, 3});
            }
        };
        other.start();
        String own = encoder.encodeToString(new byte[] {4, 5, 6});
        other.join();
        assertEquals("BAUG", own.trim());
        assertEquals("AQID", found[0].trim());
    }
}
