package io.fdt.core.nativecode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Replaces the program that this process runs. The process keeps its number, its descriptors and its directory. */
public final class ProcessImage {
    private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
    private static final long SYS_EXECVE = ARM ? 221 : 59;
    private static final long SYS_RT_SIGPROCMASK = ARM ? 135 : 14;
    private static final long SIG_SETMASK = 2;

    private ProcessImage() {}

    /**
     * Starts the program in the place of this one, and returns only if that fails. Words are bytes as the kernel has
     * them, without the zero at the end.
     */
    public static void replace(String program, List<byte[]> arguments, List<byte[]> environment) {
        ByteBuffer path = terminated(program.getBytes(StandardCharsets.UTF_8));
        // Java blocks signals in its threads that the new program must get. None is lost: these threads still take
        // them.
        ByteBuffer noSignals = ByteBuffer.allocateDirect(Long.BYTES);
        Libc.syscall(SYS_RT_SIGPROCMASK, SIG_SETMASK, Libc.addressOf(noSignals), 0, Long.BYTES, 0);
        Words argv = new Words(arguments);
        Words environ = new Words(environment);
        Libc.syscall(SYS_EXECVE, Libc.addressOf(path), argv.address(), environ.address(), 0, 0);
    }

    private static ByteBuffer terminated(byte[] word) {
        return ByteBuffer.allocateDirect(word.length + 1).put(word);
    }

    /** An array of pointers to words in C, with a null pointer at its end. */
    private static final class Words {
        private final ByteBuffer pointers;
        private final ByteBuffer text;

        Words(List<byte[]> words) {
            text = ByteBuffer.allocateDirect(
                    words.stream().mapToInt(word -> word.length + 1).sum() + 1);
            pointers =
                    ByteBuffer.allocateDirect((words.size() + 1) * Long.BYTES).order(ByteOrder.nativeOrder());
            for (byte[] word : words) {
                pointers.putLong(Libc.addressOf(text) + text.position());
                text.put(word).put((byte) 0);
            }
        }

        long address() {
            return Libc.addressOf(pointers);
        }
    }
}
