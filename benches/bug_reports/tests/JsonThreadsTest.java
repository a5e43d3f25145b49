package io.swagger.v3.core.util;

import static org.testng.Assert.assertSame;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.testng.annotations.Test;

public class JsonThreadsTest {
    @Test
    public void mapperIsShared() throws Exception {
        final ObjectMapper[] found = new ObjectMapper[1];
        final Thread other = new Thread(() -> found[0] = Json.mapper());
        other.start();
        final ObjectMapper own = Json.mapper();
        other.join();
        assertSame(own, found[0]);
    }
}
