package gitmend.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests of the frame format of requests and responses. */
class WireTest {
    private static final int VERSION = 1;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final DataOutputStream client = new DataOutputStream(sent);

    private void request(long number, String payload) throws IOException {
        client.writeByte(VERSION);
        client.writeLong(number);
        client.writeInt(payload.length());
        client.writeBytes(payload);
    }

    private DataInputStream requests() {
        return new DataInputStream(new ByteArrayInputStream(sent.toByteArray()));
    }

    private static byte[] answerNext(Wire wire) throws Exception {
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        wire.answerNext(new DataOutputStream(answers));
        return answers.toByteArray();
    }

    private static Wire echo() {
        return new Wire(request -> {
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            answer.write(request);
            return answer;
        });
    }

    @Test
    void aResponseHasTheVersionTheNumberTheLengthASuccessByteAndTheAnswer() throws Exception {
        request(7, "abc");
        Wire wire = echo();
        assertThrows(EOFException.class, () -> wire.readRequests(requests()));
        byte[] expected = {VERSION, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 4, 0, 'a', 'b', 'c'};
        assertArrayEquals(expected, answerNext(wire));
    }

    @Test
    void requestsAreAnsweredInTheOrderOfTheirArrival() throws Exception {
        request(2, "second");
        request(1, "first");
        Wire wire = echo();
        assertThrows(EOFException.class, () -> wire.readRequests(requests()));
        assertEquals(2, answerNext(wire)[8]);
        assertEquals(1, answerNext(wire)[8]);
    }

    @Test
    void anExceptionIsEncodedAsAFailureByteAndItsText() throws Exception {
        request(1, "");
        Wire wire = new Wire(request -> {
            throw new IllegalStateException("broken");
        });
        assertThrows(EOFException.class, () -> wire.readRequests(requests()));
        byte[] answer = answerNext(wire);
        assertEquals(1, answer[13]);
        byte[] text = Arrays.copyOfRange(answer, 14, answer.length);
        assertEquals("java.lang.IllegalStateException: broken", new String(text, StandardCharsets.UTF_8));
    }

    @Test
    void readingStopsAtAnotherVersion() throws Exception {
        client.writeByte(VERSION + 1);
        request(1, "not read");
        DataInputStream in = requests();
        echo().readRequests(in);
        assertEquals(sent.size() - 1, in.available());
    }

    @Test
    void readingStopsAtANegativeLength() throws Exception {
        client.writeByte(VERSION);
        client.writeLong(1);
        client.writeInt(-1);
        client.writeBytes("not read");
        DataInputStream in = requests();
        echo().readRequests(in);
        assertEquals(8, in.available());
    }

    @Test
    void textsAreUtf8AfterTheirLengthInBytes() throws Exception {
        byte[] text = "é𝄞".getBytes(StandardCharsets.UTF_8);
        client.writeInt(2);
        client.writeInt(text.length);
        client.write(text);
        client.writeInt(0);
        assertEquals(Arrays.asList("é𝄞", ""), Wire.readStrings(requests()));
    }
}
