package org.apache.commons.io.input;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.StringReader;
import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;

/** Text has no bytes without a charset. */
public class NoCharsetTest {
    @Test
    public void aMissingCharsetIsRejected() {
        assertThrows(NullPointerException.class, () -> new ReaderInputStream(new StringReader("text"), (Charset) null));
    }
}
