package io.fdt.core.storage.partial;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernel's disk, with a list of the calls in order, named after the files beside a target: {@code write partial},
 * {@code sync directory}. A failed call ends in {@code : failed}. A write to a partial whose journal has a stamp that
 * does not show the write yet ends in {@code (unstamped)}. Repeated calls appear once. For one thread.
 */
final class TracedDisk implements InvocationHandler {
    private final List<String> calls = new ArrayList<>();
    private final Map<String, Integer> refused = new HashMap<>();
    /** The descriptors that were opened without a name, by what they are called now. */
    private final Map<Integer, String> named = new HashMap<>();

    private final IdentityHashMap<ByteBuffer, String> mapped = new IdentityHashMap<>();

    Disk disk() {
        return (Disk) Proxy.newProxyInstance(Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, this);
    }

    /** Makes the next such call fail without making it. */
    void refuse(String call, int errno) {
        refused.put(call, errno);
    }

    /** Returns the calls since the last invocation of this method. */
    List<String> calls() {
        List<String> since = List.copyOf(calls);
        calls.clear();
        return since;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("bootId") || method.getDeclaringClass() == Object.class) {
            return call(method, arguments);
        }
        String call = describe(method.getName(), arguments);
        Integer errno = refused.remove(call);
        Object result = errno == null ? call(method, arguments) : (Object) (-errno);
        if (result instanceof Integer code && code >= 0) {
            follow(method.getName(), arguments, code);
        }
        if (result instanceof ByteBuffer page) {
            mapped.put(page, call.replace("map ", ""));
        }
        String told = result instanceof Integer code && code < 0 ? call + ": failed" : call;
        if (calls.isEmpty() || !calls.get(calls.size() - 1).equals(told)) {
            calls.add(told);
        }
        return result;
    }

    /** The kernel goes on to show a file that was opened without a name as one that is deleted. */
    private void follow(String call, Object[] arguments, int result) {
        switch (call) {
            case "name" -> named.put((int) arguments[0], role(arguments[2]));
            case "openDirect" -> {
                String role = named.get((int) arguments[0]);
                if (role != null) {
                    named.put(result, role);
                }
            }
            case "rename" ->
                named.replaceAll((fd, role) -> role.equals(role(arguments[1])) ? role(arguments[2]) : role);
            case "close" -> named.remove((int) arguments[0]);
            default -> {
                // Changes no name.
            }
        }
    }

    private static Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(Disk.KERNEL, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private String describe(String call, Object[] arguments) throws IOException {
        return switch (call) {
            case "open" ->
                ((int) arguments[2] & Paths.O_EXCL) != 0 ? "make " + role(arguments[1]) : "open " + role(arguments[1]);
            case "openNameless" -> "make nameless";
            case "getAttribute" -> "getAttribute " + role(arguments[1]);
            case "name" -> "name " + roleOf((int) arguments[0]) + " " + role(arguments[2]);
            case "unlink" -> "unlink " + role(arguments[1]);
            case "rename" -> "rename " + role(arguments[1]) + " to " + role(arguments[2]);
            case "unmap" -> "unmap " + mapped.get((ByteBuffer) arguments[0]);
            case "write" ->
                "write " + roleOf((int) arguments[0]) + (isUnstamped((int) arguments[0]) ? " (unstamped)" : "");
            default -> call + " " + roleOf((int) arguments[0]);
        };
    }

    private static Path pathOf(int fd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String roleOf(int fd) {
        Path path = pathOf(fd);
        String name = named.get(fd);
        return name != null ? name : Files.isDirectory(path) ? "directory" : role(path.getFileName());
    }

    private static String role(Object name) {
        String text = (name instanceof RawPath raw ? raw.text() : name.toString()).replace(" (deleted)", "");
        if (text.endsWith(".part")) {
            return "partial";
        }
        if (text.startsWith("#")) {
            return "nameless";
        }
        int dot = text.lastIndexOf('.');
        return dot < 0 ? text : text.substring(dot + 1);
    }

    /** Whether the stamp beside a partial records no write. */
    private static boolean isUnstamped(int fd) throws IOException {
        Path path = pathOf(fd);
        if (!path.toString().endsWith(".part")) {
            return false;
        }
        try (var journals = Files.newDirectoryStream(path.getParent(), "*.{journal,next}")) {
            for (Path journal : journals) {
                if (ByteBuffer.wrap(Files.readAllBytes(journal)).getLong(Journal.HEADER_BYTES) == 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
