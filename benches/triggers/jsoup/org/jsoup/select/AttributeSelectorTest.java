package org.jsoup.select;

import static org.junit.Assert.assertEquals;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.Test;

/** A value in a selector may have one quote. */
public class AttributeSelectorTest {
    @Test
    public void aValueWithOneQuoteIsLookedFor() {
        Document page = Jsoup.parse("<p onclick=\"open('a')\">one</p><p onclick=\"close('a')\">two</p>");
        assertEquals("one", page.select("p[onclick^=open(']").text());
    }
}
