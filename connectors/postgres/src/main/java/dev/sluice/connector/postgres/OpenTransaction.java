package dev.sluice.connector.postgres;

import java.time.Instant;

/**
 * A transaction of the source that has changed something and has not ended. Immutable.
 *
 * @param name {@code process 4711} or {@code prepared transaction 'abc'}
 * @param since when it began
 * @param user who runs it
 */
public record OpenTransaction(String name, Instant since, String user) {
  @Override
  public String toString() {
    return name + " of " + user + " since " + since;
  }
}
