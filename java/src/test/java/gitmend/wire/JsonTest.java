package gitmend.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Tests of the JSON writer. */
class JsonTest {
    @Test
    void elementsAreSeparatedByCommas() {
        Json json = new Json().open('{').key("a").value(1).key("b").open('[').value(true).value("x").close(']');
        json.key("c").open('[').open('{').close('}').open('{').close('}').close(']');
        assertEquals("{\"a\":1,\"b\":[true,\"x\"],\"c\":[{},{}]}", json.close('}').toString());
    }

    @Test
    void aMissingTextIsNull() {
        assertEquals("[null]", new Json().open('[').value((String) null).close(']').toString());
    }

    @Test
    void quotesBackslashesAndControlCharactersAreEscaped() {
        assertEquals("\"\\\"\\\\\\u000a\"", new Json().value("\"\\\n").toString());
    }

    @Test
    void aSurrogatePairIsKept() {
        assertEquals("\"𝄞\"", new Json().value("𝄞").toString());
    }

    @Test
    void anUnpairedSurrogateIsReplaced() {
        assertEquals("\"\ufffdx\ufffd\"", new Json().value("\ud834x\udd1e").toString());
    }

    @Test
    void aTextThatEndsWithABracketIsFollowedByAComma() {
        assertEquals("[\"[\",\"{\",1]", new Json().open('[').value("[").value("{").value(1).close(']').toString());
    }

    @Test
    void aDecodedTextIsTheWrittenOne() {
        String text = "\"a\\nb\\u\n\t\u0001é";
        String written = new Json().value(text).toString();
        assertEquals(text, Json.decode(written.substring(1, written.length() - 1)));
        assertEquals("a\n/\u00e9\\", Json.decode("a\\n\\/\\u00e9\\\\"));
        assertEquals("u12", Json.decode("\\u12"));
    }
}
