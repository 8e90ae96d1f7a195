package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.postgres.ServerWords;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Classifies YugabyteDB's errors: those of its storage by their text, since they share an SQLSTATE
 * with errors that never pass; the others as PostgreSQL's, since their text may be one that a user
 * wrote. Stateless, threadsafe.
 */
final class YugabyteErrors implements TargetErrors {

  /**
   * Another session altered something, or the clocks of two servers disagree. YugabyteDB's own
   * tests repeat these: {@code IsRetryable} in {@code src/yb/yql/pgwrapper/pg_test_utils.cc}.
   */
  private static final List<String> CONFLICTS =
      List.of(
          "catalog version mismatch",
          "mismatched_schema",
          "restart read required",
          "schema version mismatch for table",
          "try again");

  /** Those that are found before anything is written, or that undo what was. */
  private static final List<String> ALTERED =
      List.of("catalog version mismatch", "mismatched_schema", "schema version mismatch for table");

  /** A conflict, and a deadlock. */
  private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01");

  /** An internal error: of the storage, which passes or not, and of anything else. */
  private static final String INTERNAL = "XX000";

  /**
   * What an internal error says that passes: a server restarts, a leader changes, a tablet moves.
   * As YugabyteDB's sources word it: the status codes of {@code src/yb/util/status_codes.h} which
   * {@code src/yb/client/tablet_rpc.cc} sends to another server, the timeouts of {@code
   * rpc/outbound_call.cc} and {@code tserver/tserver_shared_mem.cc}, the leaders of {@code
   * master/catalog_manager.cc}, and the sockets of {@code util/net/socket.cc}.
   */
  private static final List<String> PASSING =
      List.of(
          "timed out",
          "passed its deadline",
          "not the leader",
          "leader not ready to serve requests",
          "leader not yet ready to serve requests",
          "leader does not have a valid lease",
          "service unavailable",
          "network error",
          "got eof from remote",
          "connection reset by peer",
          "connection refused",
          "shutdown in progress",
          "shutting down",
          "tablet split has occurred",
          "resource busy");

  /**
   * The statement read for longer than the past is kept: {@code status_codes.h}. It may be faster
   * the next time, or never. It has an SQLSTATE of its own, or is an internal error.
   */
  private static final String PAST = "snapshot too old";

  private static final String PAST_STATE = "72000";

  /** A statement or a row above what two servers send each other; it takes resources, too. */
  private static final String TOO_LARGE = "sending too long rpc message";

  private static final String RESOURCES = "53";

  /** A query has named rows that a constraint does not take. */
  private static final String VIOLATION = "45000";

  private final TargetErrors postgres;

  YugabyteErrors(TargetErrors postgres) {
    this.postgres = postgres;
  }

  @Override
  public TargetFault faultOf(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    String text = ServerWords.of(error).toLowerCase(Locale.ROOT);
    boolean internal = state.equals(INTERNAL);
    if (state.equals(VIOLATION)
        || ((internal || state.startsWith(RESOURCES)) && text.contains(TOO_LARGE))) {
      return TargetFault.BAD_ROW;
    }
    if (state.equals(PAST_STATE)) {
      return TargetFault.INTERNAL;
    }
    return internal ? ofInternal(text) : postgres.faultOf(error);
  }

  /** Whether the error says that nothing of the statement's transaction is there. */
  static boolean isUndone(SQLException error) {
    return ROLLED_BACK.contains(String.valueOf(error.getSQLState()))
        || INTERNAL.equals(error.getSQLState())
            && contains(ServerWords.of(error).toLowerCase(Locale.ROOT), ALTERED);
  }

  /** An error of the storage, which is behind the server of the session. */
  @Override
  public boolean leavesSession(SQLException error) {
    return INTERNAL.equals(error.getSQLState()) && faultOf(error) == TargetFault.UNAVAILABLE;
  }

  private static TargetFault ofInternal(String text) {
    if (contains(text, CONFLICTS)) {
      return TargetFault.TRANSACTION_CONFLICT;
    }
    return contains(text, PASSING) && !text.contains(PAST)
        ? TargetFault.UNAVAILABLE
        : TargetFault.INTERNAL;
  }

  private static boolean contains(String text, List<String> words) {
    return words.stream().anyMatch(text::contains);
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
