package io.fdt.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The types that docs/library.md promises, and what is public of them: {@code api.txt} has every signature, so that a
 * change of the library shows in the change of a file.
 */
class PublicTypesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "library.md");
    private static final Path SIGNATURES = Path.of("api.txt");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(io\\.fdt\\.core[a-z.]*)` \\| (.+) \\|$");
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+)`");
    private static final Pattern QUALIFIER = Pattern.compile("\\b([a-z]\\w*\\.)+(?=[A-Z])");
    private static final String OURS = "io.fdt.";

    @Test
    void theSignaturesOfPublicTypesAreThoseOnRecord() throws IOException {
        String now =
                promised().values().stream().map(PublicTypesTest::signatures).collect(Collectors.joining("\n"));
        if (Boolean.getBoolean("fdt.write")) {
            Files.writeString(SIGNATURES, now);
        }
        assertThat(Files.readString(SIGNATURES))
                .as("the library has changed; write api.txt anew with -Dfdt.write=true")
                .isEqualTo(now);
    }

    /** Whoever uses the library meets no type that may change without notice. */
    @Test
    void publicTypesNameOnlyPublicTypes() throws IOException {
        SortedMap<String, Class<?>> promised = promised();
        Set<String> passedOn = passedOn();
        Set<String> internal = new TreeSet<>();
        for (Class<?> type : promised.values()) {
            typesNamed(type)
                    .filter(each -> !promised.containsKey(each.getName())
                            && !passedOn.contains(outermost(each).getSimpleName()))
                    .forEach(each -> internal.add(each.getName()));
        }
        assertThat(internal).isEmpty();
    }

    /** The types of the table, with those nested in them. */
    private static SortedMap<String, Class<?>> promised() throws IOException {
        Deque<Class<?>> open = new ArrayDeque<>();
        ROW.matcher(Files.readString(DOCUMENT))
                .results()
                .forEach(row -> names(row.group(2))
                        .map(name -> type(row.group(1) + "." + name))
                        .forEach(open::add));
        SortedMap<String, Class<?>> promised = new TreeMap<>();
        while (!open.isEmpty()) {
            Class<?> type = open.remove();
            assertThat(Modifier.isPublic(type.getModifiers()))
                    .as(type.getName())
                    .isTrue();
            promised.put(type.getName(), type);
            Stream.of(type.getDeclaredClasses())
                    .filter(each -> isVisible(each.getModifiers()))
                    .forEach(open::add);
        }
        assertThat(promised).containsKey("io.fdt.core.Fdt");
        return promised;
    }

    private static Set<String> passedOn() throws IOException {
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf("They name some internal types");
        assertThat(begin).isPositive();
        return names(text.substring(begin, text.indexOf("\n\n", begin))).collect(Collectors.toSet());
    }

    private static Class<?> outermost(Class<?> type) {
        return type.getEnclosingClass() == null ? type : outermost(type.getEnclosingClass());
    }

    private static Stream<String> names(String text) {
        return NAME.matcher(text).results().map((MatchResult found) -> found.group(1));
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name, false, PublicTypesTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError("docs/library.md names " + name + ", which does not exist", e);
        }
    }

    private static String signatures(Class<?> type) {
        String heading = Stream.concat(
                        // Java 17 does not print that a type is sealed.
                        Stream.of(type.toGenericString().replaceFirst("\\b(?:non-)?sealed ", "")),
                        Stream.of(type.getGenericInterfaces())
                                .map(Type::getTypeName)
                                .sorted())
                .collect(Collectors.joining(" : "));
        return QUALIFIER.matcher(heading).replaceAll("") + "\n"
                + members(type)
                        .map(member -> "    " + signature(member) + "\n")
                        .sorted()
                        .collect(Collectors.joining());
    }

    private static String signature(AnnotatedElement member) {
        String text = member instanceof Executable executable
                ? executable.toGenericString()
                : ((Field) member).toGenericString();
        return QUALIFIER.matcher(text).replaceAll("");
    }

    private static Stream<AnnotatedElement> members(Class<?> type) {
        return Stream.<List<? extends AnnotatedElement>>of(
                        List.of(type.getDeclaredConstructors()),
                        List.of(type.getDeclaredMethods()),
                        List.of(type.getDeclaredFields()))
                .<AnnotatedElement>flatMap(List::stream)
                .filter(each -> isVisible(((Member) each).getModifiers()) && !((Member) each).isSynthetic());
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static Stream<Class<?>> typesNamed(Class<?> type) {
        return members(type)
                .flatMap(member -> {
                    if (member instanceof Method method) {
                        return Stream.concat(
                                Stream.of(method.getGenericReturnType()), Stream.of(method.getGenericParameterTypes()));
                    }
                    return member instanceof Constructor<?> constructor
                            ? Stream.of(constructor.getGenericParameterTypes())
                            : Stream.of(((Field) member).getGenericType());
                })
                .flatMap(PublicTypesTest::classesIn)
                .filter(each -> each.getName().startsWith(OURS));
    }

    private static Stream<Class<?>> classesIn(Type type) {
        if (type instanceof Class<?> simple) {
            Class<?> element = simple;
            while (element.isArray()) {
                element = element.getComponentType();
            }
            return Stream.of(element);
        }
        return type instanceof ParameterizedType generic
                ? Stream.concat(
                        classesIn(generic.getRawType()),
                        Arrays.stream(generic.getActualTypeArguments()).flatMap(PublicTypesTest::classesIn))
                : Stream.empty();
    }
}
