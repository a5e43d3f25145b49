package gitmend.wire;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Server side of the protocol. It receives requests and sends responses until the client closes the connection. A
 * frame is a version, a number that the response repeats, the length of the payload, and the payload. Frames use
 * their own pipes, so that printed output does not disturb them.
 */
public final class Wire {
    private static final int VERSION = 1;
    private static final int MAX_PAYLOAD = 1 << 30;
    private static final int OK = 0;
    private static final int FAILURE = 1;

    /** Handler of requests. */
    public interface Handler {
        ByteArrayOutputStream answer(byte[] request) throws Throwable;
    }

    private static final class Frame {
        final long number;
        final byte[] payload;

        Frame(long number, byte[] payload) {
            this.number = number;
            this.payload = payload;
        }
    }

    private final Handler handler;
    private final BlockingQueue<Frame> requests = new LinkedBlockingQueue<>();

    Wire(Handler handler) {
        this.handler = handler;
    }

    /** Serves requests in a thread with a stack of `stackSize` bytes (0: the default). Never returns. */
    public static void serve(Handler handler, long stackSize) throws IOException {
        Wire wire = new Wire(handler);
        DataOutputStream out = new DataOutputStream(
                new BufferedOutputStream(new FileOutputStream("/dev/fd/4"), 1 << 16));
        Thread thread = new Thread(null, () -> wire.answerAll(out), "git-mend", stackSize);
        thread.setDaemon(true);
        thread.start();
        try (FileInputStream in = new FileInputStream("/dev/fd/3")) {
            wire.readRequests(new DataInputStream(new BufferedInputStream(in, 1 << 16)));
        } catch (IOException e) {
            // A client that closes its end of the pipe ends the server.
        }
        // A request may still be running; nothing reads its response.
        Runtime.getRuntime().halt(0);
    }

    /** Reads a text: its length in bytes, and its UTF-8 bytes. */
    public static String readString(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Reads a list of texts: its size, and its elements. */
    public static List<String> readStrings(DataInputStream in) throws IOException {
        List<String> strings = new ArrayList<>();
        for (int remaining = in.readInt(); remaining > 0; remaining--) {
            strings.add(readString(in));
        }
        return strings;
    }

    /** Reads requests until a frame is invalid. Throws an exception at the end of the input. */
    void readRequests(DataInputStream in) throws IOException {
        while (in.readByte() == VERSION) {
            long number = in.readLong();
            int length = in.readInt();
            if (length < 0 || length > MAX_PAYLOAD) {
                return;
            }
            byte[] payload = new byte[length];
            in.readFully(payload);
            requests.add(new Frame(number, payload));
        }
    }

    private void answerAll(DataOutputStream out) {
        try {
            while (true) {
                answerNext(out);
            }
        } catch (IOException | InterruptedException e) {
            Runtime.getRuntime().halt(1);
        }
    }

    /** Answers the oldest request. */
    void answerNext(DataOutputStream out) throws IOException, InterruptedException {
        Frame request = requests.take();
        byte[] answer = answer(request.payload);
        out.writeByte(VERSION);
        out.writeLong(request.number);
        out.writeInt(answer.length);
        out.write(answer);
        out.flush();
    }

    private byte[] answer(byte[] request) throws IOException {
        ByteArrayOutputStream response = new ByteArrayOutputStream();
        try {
            ByteArrayOutputStream answer = handler.answer(request);
            response.write(OK);
            answer.writeTo(response);
        } catch (Throwable e) {
            response.write(FAILURE);
            response.write(e.toString().getBytes(StandardCharsets.UTF_8));
        }
        return response.toByteArray();
    }
}
