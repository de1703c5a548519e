package io.fdt.core.nettest;

/**
 * How far a test is that goes from one size to the next.
 *
 * @param t seconds since the start
 * @param round which one it is at, from 1
 * @param sizeBytes of that
 * @param done messages in it
 * @param of so many; 0 where it ends by time
 */
public record RoundProgress(double t, int round, int rounds, int sizeBytes, long done, long of)
        implements NettestProgress {}
