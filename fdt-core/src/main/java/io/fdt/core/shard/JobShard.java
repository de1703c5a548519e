package io.fdt.core.shard;

/**
 * A shard as the job knows it.
 *
 * @param entries that its file lists, with the directories that it only needs
 * @param bytes that it moves
 * @param cost what it weighs in the balance
 * @param sha256 of its file, in hexadecimal digits
 */
public record JobShard(int number, long entries, long files, long bytes, long cost, String sha256) {
    public String fileName() {
        return JobFiles.shard(number);
    }
}
