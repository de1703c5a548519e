package io.fdt.core.budget;

/** An amount of each resource. Not thread-safe. */
final class Amounts {
    private final long[] each = new long[Resource.values().length];

    @SuppressWarnings("EnumOrdinal") // nobody else sees the places; several amounts change for each small file
    private static int place(Resource resource) {
        return resource.ordinal();
    }

    long get(Resource resource) {
        return each[place(resource)];
    }

    void add(Resource resource, long more) {
        each[place(resource)] += more;
    }

    void set(Resource resource, long amount) {
        each[place(resource)] = amount;
    }

    boolean areZero() {
        for (long amount : each) {
            if (amount != 0) {
                return false;
            }
        }
        return true;
    }
}
