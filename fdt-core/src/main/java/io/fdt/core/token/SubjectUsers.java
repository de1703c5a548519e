package io.fdt.core.token;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which account of this host reads and writes for which subject of an issuer. Each line of the file is an account and a
 * subject, which may contain blanks; the subject {@code *} stands for all that no other line is for. Immutable.
 */
record SubjectUsers(Map<String, String> bySubject) {
    private static final String OTHERS = "*";

    /** @throws IllegalArgumentException for a line that is not understood, or a subject that comes twice */
    static SubjectUsers parse(String text) {
        Map<String, String> users = new HashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String[] words = line.strip().split("\\s+", 2);
            if (words[0].isEmpty() || words[0].startsWith("#")) {
                continue;
            }
            if (words.length < 2) {
                throw new IllegalArgumentException("line " + number + " is not USER SUBJECT");
            }
            if (users.put(words[1], words[0]) != null) {
                throw new IllegalArgumentException("line " + number + " is about a subject that another line is about");
            }
        }
        return new SubjectUsers(users);
    }

    /** Null if there is none. */
    @Nullable String of(String subject) {
        return bySubject.getOrDefault(subject, bySubject.get(OTHERS));
    }
}
