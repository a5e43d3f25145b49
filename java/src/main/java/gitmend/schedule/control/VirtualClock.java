package gitmend.schedule.control;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/** Clock that shows the virtual time of the schedule. */
final class VirtualClock extends Clock {
    private final ZoneId zone;

    VirtualClock(ZoneId zone) {
        this.zone = zone;
    }

    static Clock inDefaultZone() {
        return new VirtualClock(ZoneId.systemDefault());
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new VirtualClock(other);
    }

    @Override
    public long millis() {
        return Hooks.currentTimeMillis();
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }
}
