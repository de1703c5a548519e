import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Gives each lambda of fdt's own classes in a jar a class, as javac does for an anonymous class: {@code LambdaClasses
 * JAR}. Java would make that class at the first use, by interpreted code that takes 0.15 ms, also with an archive of
 * classes; a class from the archive takes 0.025 ms. A copy of one byte uses 440 lambdas, a quarter of its processor
 * time.
 *
 * <p>A lambda's class is a nestmate of the class that has the lambda, so that it may call its private methods.
 */
public final class LambdaClasses {
    private static final String OWN = "io/fdt/";
    private static final String METAFACTORY = "java/lang/invoke/LambdaMetafactory";
    private static final String OBJECT = "java/lang/Object";
    /** The lambda itself, if it holds nothing. */
    private static final String ONLY = "ONLY";

    /** In the order of the jar. */
    private final Map<String, byte[]> entries = new LinkedHashMap<>();

    private final Map<String, LocalDateTime> times = new LinkedHashMap<>();
    private final Map<String, List<String>> nests = new LinkedHashMap<>();

    private LambdaClasses() {}

    public static void main(String[] args) throws IOException {
        Path jar = Path.of(args[0]);
        LambdaClasses classes = new LambdaClasses();
        classes.read(jar);
        classes.convert();
        Path made = Files.createTempFile(jar.toAbsolutePath().getParent(), "lambdas", ".jar");
        classes.write(made);
        Files.setPosixFilePermissions(made, Files.getPosixFilePermissions(jar));
        Files.move(made, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private void read(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                entries.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
                times.put(entry.getName(), entry.getTimeLocal());
            }
        }
    }

    private void write(Path jar) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Map.Entry<String, byte[]> each : entries.entrySet()) {
                ZipEntry entry = new ZipEntry(each.getKey());
                entry.setTimeLocal(times.get(each.getKey()));
                zip.putNextEntry(entry);
                zip.write(each.getValue());
                zip.closeEntry();
            }
        }
    }

    private void convert() {
        for (String name : List.copyOf(entries.keySet())) {
            if (name.startsWith(OWN) && name.endsWith(".class")) {
                ClassNode node = node(name);
                if (convert(node, name)) {
                    entries.put(name, bytes(node));
                }
            }
        }
        nests.forEach((host, members) -> {
            ClassNode node = node(host + ".class");
            node.nestMembers = Stream.concat(
                            node.nestMembers == null ? Stream.empty() : node.nestMembers.stream(), members.stream())
                    .toList();
            entries.put(host + ".class", bytes(node));
        });
    }

    private ClassNode node(String name) {
        ClassNode node = new ClassNode();
        new ClassReader(entries.get(name)).accept(node, 0);
        return node;
    }

    private static byte[] bytes(ClassNode node) {
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        return writer.toByteArray();
    }

    /** Returns whether the class had lambdas. Those that can be serialized stay. */
    private boolean convert(ClassNode node, String entry) {
        int count = 0;
        for (MethodNode method : node.methods) {
            for (AbstractInsnNode each : method.instructions.toArray()) {
                if (each instanceof InvokeDynamicInsnNode lambda
                        && lambda.bsm.getOwner().equals(METAFACTORY)
                        && lambda.bsm.getName().equals("metafactory")) {
                    String name = node.name + "$$" + count++;
                    String host = node.nestHostClass == null ? node.name : node.nestHostClass;
                    entries.put(name + ".class", new LambdaClass(name, lambda).bytes(node.version, host));
                    times.put(name + ".class", times.get(entry));
                    nests.computeIfAbsent(host, first -> new ArrayList<>()).add(name);
                    method.instructions.set(lambda, use(name, lambda.desc));
                }
            }
        }
        return count > 0;
    }

    private static AbstractInsnNode use(String name, String factory) {
        return Type.getArgumentTypes(factory).length == 0
                ? new FieldInsnNode(
                        GETSTATIC, name, ONLY, Type.getReturnType(factory).getDescriptor())
                : new MethodInsnNode(INVOKESTATIC, name, "of", factory, false);
    }

    /** The class of one lambda. */
    private static final class LambdaClass {
        private final String name;
        private final InvokeDynamicInsnNode lambda;
        private final Type[] held;
        private final Handle target;
        private final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);

        LambdaClass(String name, InvokeDynamicInsnNode lambda) {
            this.name = name;
            this.lambda = lambda;
            this.held = Type.getArgumentTypes(lambda.desc);
            this.target = (Handle) lambda.bsmArgs[1];
        }

        byte[] bytes(int version, String host) {
            Type type = Type.getReturnType(lambda.desc);
            writer.visit(
                    version,
                    ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC,
                    name,
                    null,
                    OBJECT,
                    new String[] {type.getInternalName()});
            writer.visitNestHost(host);
            for (int i = 0; i < held.length; i++) {
                writer.visitField(ACC_PRIVATE | ACC_FINAL, "held" + i, held[i].getDescriptor(), null, null);
            }
            constructor();
            if (held.length == 0) {
                writer.visitField(ACC_STATIC | ACC_FINAL, ONLY, type.getDescriptor(), null, null);
                MethodVisitor code = writer.visitMethod(ACC_STATIC, "<clinit>", "()V", null, null);
                create(code);
                code.visitFieldInsn(PUTSTATIC, name, ONLY, type.getDescriptor());
                end(code, RETURN);
            } else {
                MethodVisitor code = writer.visitMethod(ACC_STATIC, "of", lambda.desc, null, null);
                create(code);
                end(code, ARETURN);
            }
            body();
            return writer.toByteArray();
        }

        private String constructorType() {
            return Type.getMethodDescriptor(Type.VOID_TYPE, held);
        }

        private void constructor() {
            MethodVisitor code = writer.visitMethod(ACC_PRIVATE, "<init>", constructorType(), null, null);
            code.visitVarInsn(ALOAD, 0);
            code.visitMethodInsn(INVOKESPECIAL, OBJECT, "<init>", "()V", false);
            int slot = 1;
            for (int i = 0; i < held.length; i++) {
                code.visitVarInsn(ALOAD, 0);
                code.visitVarInsn(held[i].getOpcode(ILOAD), slot);
                code.visitFieldInsn(PUTFIELD, name, "held" + i, held[i].getDescriptor());
                slot += held[i].getSize();
            }
            end(code, RETURN);
        }

        private void create(MethodVisitor code) {
            code.visitTypeInsn(NEW, name);
            code.visitInsn(DUP);
            int slot = 0;
            for (Type each : held) {
                code.visitVarInsn(each.getOpcode(ILOAD), slot);
                slot += each.getSize();
            }
            code.visitMethodInsn(INVOKESPECIAL, name, "<init>", constructorType(), false);
        }

        private static void end(MethodVisitor code, int opcode) {
            code.visitInsn(opcode);
            code.visitMaxs(0, 0);
            code.visitEnd();
        }

        /** Calls the target with what the lambda holds and then what it is given. */
        private void body() {
            Type erased = (Type) lambda.bsmArgs[0];
            Type actual = (Type) lambda.bsmArgs[2];
            MethodVisitor code = writer.visitMethod(ACC_PUBLIC, lambda.name, erased.getDescriptor(), null, null);
            if (target.getTag() == H_NEWINVOKESPECIAL) {
                code.visitTypeInsn(NEW, target.getOwner());
                code.visitInsn(DUP);
            }
            List<Type> wanted = new ArrayList<>(List.of(Type.getArgumentTypes(target.getDesc())));
            if (target.getTag() != H_NEWINVOKESPECIAL && target.getTag() != H_INVOKESTATIC) {
                wanted.add(0, Type.getObjectType(target.getOwner()));
            }
            for (int i = 0; i < held.length; i++) {
                code.visitVarInsn(ALOAD, 0);
                code.visitFieldInsn(GETFIELD, name, "held" + i, held[i].getDescriptor());
                adapt(code, held[i], held[i], wanted.get(i));
            }
            int slot = 1;
            for (int i = 0; i < erased.getArgumentTypes().length; i++) {
                Type given = erased.getArgumentTypes()[i];
                code.visitVarInsn(given.getOpcode(ILOAD), slot);
                adapt(code, given, actual.getArgumentTypes()[i], wanted.get(held.length + i));
                slot += given.getSize();
            }
            Type result = call(code);
            if (erased.getReturnType() == Type.VOID_TYPE) {
                if (result != Type.VOID_TYPE) {
                    code.visitInsn(result.getSize() == 1 ? POP : POP2);
                }
            } else {
                adapt(code, result, result, actual.getReturnType());
                adapt(code, actual.getReturnType(), actual.getReturnType(), erased.getReturnType());
            }
            end(code, erased.getReturnType().getOpcode(IRETURN));
        }

        /** Returns the type of what is then on the stack. */
        private Type call(MethodVisitor code) {
            String owner = target.getOwner();
            if (target.getTag() == H_NEWINVOKESPECIAL) {
                code.visitMethodInsn(INVOKESPECIAL, owner, "<init>", target.getDesc(), false);
                return Type.getObjectType(owner);
            }
            int ofInstances = target.isInterface() ? INVOKEINTERFACE : INVOKEVIRTUAL;
            int opcode = target.getTag() == H_INVOKESTATIC ? INVOKESTATIC : ofInstances;
            code.visitMethodInsn(opcode, owner, target.getName(), target.getDesc(), target.isInterface());
            return Type.getReturnType(target.getDesc());
        }

        /** @param known what a value of the erased type really is */
        private static void adapt(MethodVisitor code, Type from, Type known, Type to) {
            if (isPrimitive(from) && isPrimitive(to)) {
                widen(code, from, to);
            } else if (isPrimitive(from)) {
                String box = box(from);
                code.visitMethodInsn(
                        INVOKESTATIC, box, "valueOf", "(" + from.getDescriptor() + ")L" + box + ";", false);
            } else if (isPrimitive(to)) {
                Type unboxed = Stream.of(
                                Type.BOOLEAN_TYPE,
                                Type.CHAR_TYPE,
                                Type.BYTE_TYPE,
                                Type.SHORT_TYPE,
                                Type.INT_TYPE,
                                Type.FLOAT_TYPE,
                                Type.LONG_TYPE,
                                Type.DOUBLE_TYPE)
                        .filter(each -> box(each).equals(known.getInternalName()))
                        .findFirst()
                        .orElse(to);
                String box = box(unboxed);
                code.visitTypeInsn(CHECKCAST, box);
                String method = unboxed.getClassName() + "Value";
                code.visitMethodInsn(INVOKEVIRTUAL, box, method, "()" + unboxed.getDescriptor(), false);
                widen(code, unboxed, to);
            } else if (!from.equals(to) && !to.getInternalName().equals(OBJECT)) {
                code.visitTypeInsn(CHECKCAST, to.getInternalName());
            }
        }

        private static boolean isPrimitive(Type type) {
            return type.getSort() < Type.ARRAY;
        }

        private static String box(Type primitive) {
            String name = primitive.getClassName();
            return "java/lang/"
                    + switch (name) {
                        case "int" -> "Integer";
                        case "char" -> "Character";
                        default -> Character.toUpperCase(name.charAt(0)) + name.substring(1);
                    };
        }

        private static void widen(MethodVisitor code, Type from, Type to) {
            boolean ofInt = from.getSort() <= Type.INT;
            if (from.equals(to) || (ofInt && to.getSort() <= Type.INT)) {
                return;
            }
            boolean ofLong = from.getSort() == Type.LONG;
            switch (to.getSort()) {
                case Type.LONG -> code.visitInsn(I2L);
                case Type.FLOAT -> code.visitInsn(ofLong ? L2F : I2F);
                case Type.DOUBLE -> code.visitInsn(ofLong ? L2D : ofInt ? I2D : F2D);
                default -> throw new IllegalArgumentException(from + " does not widen to " + to);
            }
        }
    }
}
