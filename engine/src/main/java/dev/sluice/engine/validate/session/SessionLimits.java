package dev.sluice.engine.validate.session;

import dev.sluice.config.Durations;
import java.time.Duration;

/**
 * The limits of a session. Immutable.
 *
 * @param life of both snapshots together
 * @param chunkRows rows of a chunk (PartitionSize)
 * @param touchedKeys keys looked up in one session, over all tables
 * @param differences after this many differing rows of one table, no further chunk is checked
 * @param keysLeftOut the maximum number of skipped keys of one table; more void the session for the
 *     table
 * @param checkpointTimeout how long the target may take to reach the source's position
 * @param lanes sessions of each side that read chunks at the same time (ThreadCount)
 */
public record SessionLimits(
    Duration life,
    int chunkRows,
    int touchedKeys,
    int differences,
    int keysLeftOut,
    Duration checkpointTimeout,
    int lanes) {

  private static final Duration LEAST_WAIT = Duration.ofSeconds(1);
  private static final Duration LIFE = Duration.ofSeconds(3);

  public static final SessionLimits DEFAULT =
      new SessionLimits(LIFE, 10_000, 100_000, 1_000, 100_000, checkpointTimeout(LIFE));

  /** One session of each side. */
  public SessionLimits(
      Duration life,
      int chunkRows,
      int touchedKeys,
      int differences,
      int keysLeftOut,
      Duration checkpointTimeout) {
    this(life, chunkRows, touchedKeys, differences, keysLeftOut, checkpointTimeout, 1);
  }

  /** How long a session waits for the target: half of its life, or a second if that is longer. */
  public static Duration checkpointTimeout(Duration life) {
    return Durations.longer(life.dividedBy(2), LEAST_WAIT);
  }

  /** The same with other chunks. */
  public SessionLimits withChunkRows(int rows) {
    return new SessionLimits(
        life, rows, touchedKeys, differences, keysLeftOut, checkpointTimeout, lanes);
  }

  /** The same with other lanes. */
  public SessionLimits withLanes(int number) {
    return new SessionLimits(
        life, chunkRows, touchedKeys, differences, keysLeftOut, checkpointTimeout, number);
  }
}
