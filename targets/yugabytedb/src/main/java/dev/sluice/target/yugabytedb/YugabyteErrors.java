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

  /** A statement or a row above what two servers send each other. */
  private static final String TOO_LARGE = "Sending too long RPC message";

  private final TargetErrors postgres;

  YugabyteErrors(TargetErrors postgres) {
    this.postgres = postgres;
  }

  @Override
  public TargetFault faultOf(SQLException error) {
    String text = error.getMessage() == null ? "" : error.getMessage();
    if (text.contains(TOO_LARGE)) {
      return TargetFault.BAD_ROW;
    }
    return CONFLICTS.stream().anyMatch(text::contains)
        ? TargetFault.TRANSACTION_CONFLICT
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
