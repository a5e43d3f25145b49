package gitmend.wire;

/** Writer of JSON. It separates elements by commas. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    /** Writes text that is already JSON. */
    public Json raw(String json) {
        text.append(json);
        return this;
    }

    /** Writes the key of the next value. */
    public Json key(String name) {
        appendComma();
        appendQuoted(name);
        text.append(':');
        return this;
    }

    public Json open(char bracket) {
        appendComma();
        text.append(bracket);
        return this;
    }

    public Json close(char bracket) {
        text.append(bracket);
        return this;
    }

    public Json value(String value) {
        appendComma();
        if (value == null) {
            text.append("null");
        } else {
            appendQuoted(value);
        }
        return this;
    }

    public Json value(long value) {
        appendComma();
        text.append(value);
        return this;
    }

    public Json value(boolean value) {
        appendComma();
        text.append(value);
        return this;
    }

    /** Returns the text of a JSON string without its quotes. */
    public static String decode(String quoted) {
        StringBuilder decoded = new StringBuilder();
        for (int i = 0; i < quoted.length(); i++) {
            char c = quoted.charAt(i);
            if (c != '\\' || i + 1 == quoted.length()) {
                decoded.append(c);
                continue;
            }
            char escaped = quoted.charAt(++i);
            if (escaped == 'u' && i + 4 < quoted.length()) {
                decoded.append((char) Integer.parseInt(quoted.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                int control = "btnfr".indexOf(escaped);
                decoded.append(control < 0 ? escaped : "\b\t\n\f\r".charAt(control));
            }
        }
        return decoded.toString();
    }

    private void appendComma() {
        int end = text.length() - 1;
        if (end >= 0 && "[{:,".indexOf(text.charAt(end)) < 0) {
            text.append(',');
        }
    }

    private void appendQuoted(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (isUnpairedSurrogate(value, i)) {
                text.append('\ufffd');
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Returns true for an unpaired surrogate, which UTF-8 cannot encode. */
    private static boolean isUnpairedSurrogate(String value, int index) {
        char c = value.charAt(index);
        boolean isPairedHigh = Character.isHighSurrogate(c)
                && index + 1 < value.length() && Character.isLowSurrogate(value.charAt(index + 1));
        boolean isPairedLow = Character.isLowSurrogate(c) && index > 0
                && Character.isHighSurrogate(value.charAt(index - 1));
        return Character.isSurrogate(c) && !isPairedHigh && !isPairedLow;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
