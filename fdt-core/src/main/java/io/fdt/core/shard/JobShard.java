package io.fdt.core.shard;

/**
 * A shard in the job file.
 *
 * @param entries in its file, including directories that it only needs
 * @param sha256 of its file, in hexadecimal digits
 */
public record JobShard(int number, long entries, long files, long bytes, long cost, String sha256) {
    public String fileName() {
        return JobFiles.shard(number);
    }
}
