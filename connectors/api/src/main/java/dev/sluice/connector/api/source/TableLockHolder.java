package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A transaction of the source that holds a lock on a table. Immutable. What this role may not see
 * is empty.
 *
 * @param name {@code process 4711} or {@code prepared transaction 'abc'}
 * @param id distinguishes it from later transactions of the same session
 * @param prepared whether it is a prepared transaction, which belongs to no session
 * @param since its start
 * @param application its session's application name
 * @param modes the locks, in the database's words
 */
public record TableLockHolder(
    String name,
    String id,
    boolean prepared,
    Optional<Instant> since,
    Optional<String> user,
    Optional<String> application,
    TableId table,
    List<String> modes) {
  public TableLockHolder {
    modes = List.copyOf(modes);
  }

  @Override
  public String toString() {
    return "%s of %s%s%s: %s on %s"
        .formatted(
            name,
            user.orElse("an unknown user"),
            application.map(own -> " (" + own + ")").orElse(""),
            since.map(begun -> " since " + begun).orElse(" since an unknown time"),
            String.join(", ", modes),
            table);
  }
}
