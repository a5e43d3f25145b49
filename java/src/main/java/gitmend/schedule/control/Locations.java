package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;

/** All locations of one schedule, by their objects' identity. */
public final class Locations {
    private Location[] slots = new Location[256];
    private int size;

    public int count() {
        return size;
    }

    /** The object itself. */
    Location of(Object object) {
        return of(object, -1, -1);
    }

    Location of(Object object, int subject, int index) {
        int mask = slots.length - 1;
        int at = hash(object, subject, index) & mask;
        while (slots[at] != null) {
            Location one = slots[at];
            if (one.object == object && one.subject == subject && one.index == index) {
                return one;
            }
            at = at + 1 & mask;
        }
        boolean isVolatile = subject >= 0 && Sites.isVolatile(subject);
        Location location = new Location(size++, object, subject, index, isVolatile);
        slots[at] = location;
        if (size * 2 > slots.length) {
            grow();
        }
        return location;
    }

    private void grow() {
        Location[] old = slots;
        slots = new Location[2 * old.length];
        int mask = slots.length - 1;
        for (Location one : old) {
            if (one != null) {
                int at = hash(one.object, one.subject, one.index) & mask;
                while (slots[at] != null) {
                    at = at + 1 & mask;
                }
                slots[at] = one;
            }
        }
    }

    private static int hash(Object object, int subject, int index) {
        int mixed = (System.identityHashCode(object) * 31 + subject) * 31 + index;
        return mixed * 0x9E3779B9 >>> 7;
    }
}
