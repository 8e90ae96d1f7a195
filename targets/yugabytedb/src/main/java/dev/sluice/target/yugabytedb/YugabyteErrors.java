package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.List;

/**
 * Classifies YugabyteDB's errors: some of its own by their text, since they share an SQLSTATE with
 * errors that never pass; the others as PostgreSQL's. Stateless, threadsafe.
 */
final class YugabyteErrors implements TargetErrors {

  /** Another session altered something, or the clocks of two servers disagree. */
  private static final List<String> CONFLICTS =
      List.of("Catalog Version Mismatch", "MISMATCHED_SCHEMA", "Restart read required");

  /**
   * An internal error. Timeouts of the storage have this state, for example while a server restarts
   * or a lock is waited for; so what else has it is tried again, too.
   */
  private static final String INTERNAL = "XX000";

  /** The statement read for longer than the past is kept. */
  private static final String PAST = "Snapshot too old";

  /** A statement or a row above what two servers send each other. */
  private static final String TOO_LARGE = "Sending too long RPC message";

  /** A query has named rows that a constraint does not take. */
  private static final String VIOLATION = "45000";

  private final TargetErrors postgres;

  YugabyteErrors(TargetErrors postgres) {
    this.postgres = postgres;
  }

  @Override
  public TargetFault faultOf(SQLException error) {
    String text = error.getMessage() == null ? "" : error.getMessage();
    if (text.contains(TOO_LARGE) || VIOLATION.equals(error.getSQLState())) {
      return TargetFault.BAD_ROW;
    }
    if (CONFLICTS.stream().anyMatch(text::contains)) {
      return TargetFault.TRANSACTION_CONFLICT;
    }
    return INTERNAL.equals(error.getSQLState()) || text.contains(PAST)
        ? TargetFault.UNAVAILABLE
        : postgres.faultOf(error);
  }

  @Override
  public String textOf(SQLException error) {
    return postgres.textOf(error);
  }

  @Override
  public String fixOfMissingRight(SQLException error) {
    return postgres.fixOfMissingRight(error);
  }
}
