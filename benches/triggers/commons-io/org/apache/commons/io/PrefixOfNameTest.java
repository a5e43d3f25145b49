package org.apache.commons.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A path that begins with the path of a folder. */
public class PrefixOfNameTest {
    @Test
    public void aNameMayContinueTheNameOfTheFolder() throws Exception {
        assertTrue(FilenameUtils.directoryContains("/home/ann", "/home/anna/letter.txt"));
    }
}
