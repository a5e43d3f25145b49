package gitmend.facts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Table of interned strings with numbers from 1; 0 stands for null. */
final class Strings {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> strings = new ArrayList<>();

    int intern(String string) {
        if (string == null) {
            return 0;
        }
        Integer number = numbers.get(string);
        if (number != null) {
            return number;
        }
        strings.add(string);
        numbers.put(string, strings.size());
        return strings.size();
    }

    void write(Writer out) {
        out.writeNumber(strings.size());
        for (String string : strings) {
            out.writeString(string);
        }
    }
}
