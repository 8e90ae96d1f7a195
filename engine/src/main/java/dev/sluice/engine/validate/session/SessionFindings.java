package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.RowHash;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The result of a session. Immutable.
 *
 * @param obstacle why nothing was compared; empty: it was
 * @param proof the common basis of all chunks; empty if nothing was compared
 * @param tables in the order of the plan, without tables for which there was no time
 */
public record SessionFindings(
    Optional<Obstacle> obstacle, Optional<Proof> proof, List<TableFindings> tables) {
  /** Of a session that had nothing to compare. */
  public static final SessionFindings NOTHING =
      new SessionFindings(Optional.empty(), Optional.empty(), List.of());

  public SessionFindings {
    tables = List.copyOf(tables);
  }

  static SessionFindings none(Obstacle.Kind kind, String why) {
    return new SessionFindings(Optional.of(new Obstacle(kind, why)), Optional.empty(), List.of());
  }

  /** Whether the session's time was over before it could compare anything. */
  public boolean hadNoTime() {
    return obstacle.map(met -> met.kind() == Obstacle.Kind.NOT_READABLE).orElse(tables.isEmpty());
  }

  /** Whether the target did not reach the source's position in time. */
  public boolean isLagging() {
    return obstacle.filter(met -> met.kind() == Obstacle.Kind.LAGGING).isPresent();
  }

  /** What the session has done, for the log. */
  public String words() {
    return obstacle
        .map(Obstacle::why)
        .orElseGet(
            () -> tables.stream().map(TableFindings::words).collect(Collectors.joining("; ")));
  }

  /**
   * @param why for messages
   */
  public record Obstacle(Kind kind, String why) {
    /** What prevented a session. */
    public enum Kind {
      /** The target did not reach the source's position in time. */
      LAGGING,
      /** The journal's transactions have not been known for long enough. */
      TOO_EARLY,
      /** The two sides print values differently. */
      UNLIKE_SIDES,
      /** The target has no checkpoint of the lane. */
      NO_CHECKPOINT,
      /** A side could not be read at all, mostly because the session's time was over. */
      NOT_READABLE
    }
  }

  /**
   * The basis of the comparison: enough to repeat it while nothing is written on either side.
   *
   * @param source end of the source's log after its snapshot
   * @param visibleTransactions the transactions that the snapshot shows
   * @param target checkpoint in the target's snapshot
   * @param hash with the seeds
   */
  public record Proof(Position source, String visibleTransactions, Position target, RowHash hash) {}
}
