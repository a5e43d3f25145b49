package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;

/** Locations of one schedule, by identity of their objects: a hash table with open addressing. */
public final class Locations {
    private Location[] slots = new Location[256];
    private int size;

    public int count() {
        return size;
    }

    /** Returns the location of the object itself. */
    Location locate(Object object) {
        return locate(object, -1, -1);
    }

    Location locate(Object object, int subject, int index) {
        int mask = slots.length - 1;
        int slot = hash(object, subject, index) & mask;
        while (slots[slot] != null) {
            Location location = slots[slot];
            if (location.object == object && location.subject == subject && location.index == index) {
                return location;
            }
            slot = slot + 1 & mask;
        }
        boolean isVolatile = subject >= 0 && Sites.isVolatile(subject);
        Location location = new Location(size++, object, subject, index, isVolatile);
        slots[slot] = location;
        if (size * 2 > slots.length) {
            grow();
        }
        return location;
    }

    private void grow() {
        Location[] old = slots;
        slots = new Location[2 * old.length];
        int mask = slots.length - 1;
        for (Location location : old) {
            if (location != null) {
                int slot = hash(location.object, location.subject, location.index) & mask;
                while (slots[slot] != null) {
                    slot = slot + 1 & mask;
                }
                slots[slot] = location;
            }
        }
    }

    private static int hash(Object object, int subject, int index) {
        int mixed = (System.identityHashCode(object) * 31 + subject) * 31 + index;
        return mixed * 0x9E3779B9 >>> 7;
    }
}
