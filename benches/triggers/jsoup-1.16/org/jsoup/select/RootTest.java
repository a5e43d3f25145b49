package org.jsoup.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

/** A selector does not name ancestors of the element that is searched. */
public class RootTest {
    @Test
    public void ancestorsAreNotFound() {
        Element box = Jsoup.parse("<section><div><p>one</p></div></section>").selectFirst("div");
        assertEquals(0, box.select("section > div > p").size());
    }
}
