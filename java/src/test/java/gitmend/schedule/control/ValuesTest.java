package gitmend.schedule.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ValuesTest {
    @Test
    void articleFitsTheNoun() {
        assertEquals("a Node", Values.withArticle("Node"));
        assertEquals("an ObjectMapper", Values.withArticle("ObjectMapper"));
        assertEquals("a User", Values.withArticle("User"));
    }
}
