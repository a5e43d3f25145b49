package gitmend.wire;

/** Writes JSON. */
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
            } else if (c < ' ' || Character.isSurrogate(c)) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
