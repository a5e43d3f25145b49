package gitmend.wire;

/** Writer of JSON. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    public Json raw(String json) {
        text.append(json);
        return this;
    }

    /** The name of what comes next. */
    public Json key(String name) {
        comma();
        quote(name);
        text.append(':');
        return this;
    }

    public Json open(char bracket) {
        comma();
        text.append(bracket);
        return this;
    }

    public Json close(char bracket) {
        text.append(bracket);
        return this;
    }

    public Json value(String value) {
        comma();
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    public Json value(long value) {
        comma();
        text.append(value);
        return this;
    }

    public Json value(boolean value) {
        comma();
        text.append(value);
        return this;
    }

    private void comma() {
        int end = text.length() - 1;
        if (end >= 0 && "[{:,".indexOf(text.charAt(end)) < 0) {
            text.append(',');
        }
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (isLone(value, i)) {
                text.append('\ufffd');
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Returns true for half of a surrogate pair without its other half, which no encoding has. */
    private static boolean isLone(String value, int at) {
        char c = value.charAt(at);
        boolean isFirst = Character.isHighSurrogate(c)
                && at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1));
        boolean isSecond = Character.isLowSurrogate(c) && at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
        return Character.isSurrogate(c) && !isFirst && !isSecond;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
