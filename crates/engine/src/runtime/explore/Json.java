package gitmend.runtime;

/** Writes JSON. */
final class Json {
    private final StringBuilder text = new StringBuilder();

    Json raw(String json) {
        text.append(json);
        return this;
    }

    /** The name of what comes next. */
    Json key(String name) {
        comma();
        quote(name);
        text.append(':');
        return this;
    }

    Json open(char bracket) {
        comma();
        text.append(bracket);
        return this;
    }

    Json close(char bracket) {
        text.append(bracket);
        return this;
    }

    Json value(String value) {
        comma();
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    Json value(long value) {
        comma();
        text.append(value);
        return this;
    }

    Json value(boolean value) {
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
