package io.fdt.core.basic;

/** What a key lets its holder do below the roots that it reaches. The words are those of key files and options. */
public enum Right {
    /** Names, sizes and times. */
    LIST,
    /** The content of files. */
    READ,
    /** New files and directories. What exists stays as it is. */
    APPEND,
    /** What {@link #APPEND} permits, and new content and metadata of existing files and directories. */
    WRITE,
    /** Removing and renaming. */
    DELETE
}
