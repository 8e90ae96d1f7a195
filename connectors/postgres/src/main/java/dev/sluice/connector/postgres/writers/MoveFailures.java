package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Failures of stopping writers and of moving them, with what to do. Stateless. */
final class MoveFailures {
  /** The server has ended a transaction that was idle, or open, for too long. */
  private static final Set<String> RELEASED = Set.of("25P03", "25P04", MovedSchema.TOO_LATE);

  private static final String NOT_FREE = "55P03";
  private static final String OUT_OF_LOCKS = "53200";
  private static final String DUPLICATE_KEY = "23505";
  private static final String DUPLICATE_OBJECT = "42710";

  private MoveFailures() {}

  /**
   * @param attempted verb and object, for the message
   */
  static SluiceException classify(String attempted, SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (RELEASED.contains(state)) {
      return new SluiceException.Retryable(
          new Problem(
                  attempted,
                  "the time is over in which the writers may be stopped; the server has released"
                      + " them",
                  "that it is done before",
                  "Begin again; nothing was changed")
              .toString(),
          error);
    }
    if (state.equals(OUT_OF_LOCKS)) {
      return new SluiceException.Fatal(
          "%s (%s)"
              .formatted(
                  new Problem(
                      attempted,
                      "the server has no room for so many locks",
                      "room for one lock for each table and partition",
                      "Raise max_locks_per_transaction on the source and restart the server"),
                  error.getMessage()),
          error);
    }
    if (state.equals(MovedSchema.FOREIGN)) {
      return new SluiceException.Fatal(foreignSchema());
    }
    if (state.equals(DUPLICATE_OBJECT)) {
      return new SluiceException.Fatal(
          "%s: %s; expected tables without Sluice's triggers. An earlier cutover has closed them"
              .formatted(attempted, error.getMessage()),
          error);
    }
    if (state.equals(DUPLICATE_KEY)) {
      return new SluiceException.Fatal(
          attempted + ": it was given up before, and can never be decided", error);
    }
    return SourceErrors.classify(attempted, error);
  }

  /** The failure of asking what was decided: nothing is known. */
  static SluiceException undecided(String attempted, Duration timeout, SQLException error) {
    return NOT_FREE.equals(error.getSQLState())
        ? new SluiceException.Retryable(
            new Problem(
                    attempted,
                    "a session that could still decide it has not ended within " + timeout,
                    "that the source has ended it",
                    "Ask again; nothing is known yet")
                .toString(),
            error)
        : classify(attempted, error);
  }

  static Problem foreignSchema() {
    return new Problem(
        "schema sluice_moved on the source",
        "it, or something in it, belongs to another role",
        "a schema that this user owns, or none",
        "Run Sluice as the role that owns it, or give it and all in it to this user. Do not drop"
            + " it: it keeps closed the tables that a cutover has closed");
  }

  /** A cutover that the source remembers. */
  static Problem known(UUID cutover, Decision decision) {
    return new Problem(
        "cutover " + cutover,
        decision == Decision.MOVED
            ? "the source has decided it already"
            : "it was given up, and can never be decided any more",
        "a cutover that the source does not know",
        "Begin another one");
  }

  /** Tables that an earlier cutover has closed. */
  static Problem closed(List<TableId> tables) {
    return new Problem(
        "%d tables on the source, such as %s".formatted(tables.size(), tables.get(0)),
        "a cutover has closed them for writers",
        "tables that applications write to",
        "The applications write to the target of that cutover. To use this database again, end"
            + " that task with sluice stop --drop --reopen-source --yes: the tables then lack all"
            + " that was written to that target since");
  }

  /** A source that does not know of a cutover that it has decided. */
  static Problem forgotten(UUID cutover) {
    return new Problem(
        "source",
        "it has no record of cutover " + cutover + ", so nothing refuses writers of its tables",
        "the decision and the triggers that closed them, which were there",
        "Find out whether schema sluice_moved was dropped, or whether this is another server that"
            + " lacks the last commits, such as a standby that took over. Stop the applications"
            + " that write here, and copy by hand what they wrote");
  }
}
