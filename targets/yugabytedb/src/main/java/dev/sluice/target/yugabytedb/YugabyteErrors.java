package dev.sluice.target.yugabytedb;

import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.postgres.ServerWords;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Classifies YugabyteDB's errors. Errors of its storage are known by their text, since they share
 * an SQLSTATE with permanent errors. All others are classified like PostgreSQL's, since their text
 * may come from a user. Stateless, threadsafe.
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

  /** Errors that occur before anything is written, or after which the write is rolled back. */
  private static final List<String> ALTERED =
      List.of("catalog version mismatch", "mismatched_schema", "schema version mismatch for table");

  /** A conflict, and a deadlock. */
  private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01");

  /** An internal error: a temporary or permanent one of the storage, or one of any other part. */
  private static final String INTERNAL = "XX000";

  /**
   * Texts of temporary internal errors: a server restarts, a leader changes, a tablet moves. From
   * YugabyteDB's sources: the status codes of {@code src/yb/util/status_codes.h} which {@code
   * src/yb/client/tablet_rpc.cc} sends to another server, the timeouts of {@code
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
   * The statement read for longer than old versions of rows are kept ({@code status_codes.h}). A
   * retry may or may not be fast enough. The error has its own SQLSTATE, or is an internal error.
   */
  private static final String PAST = "snapshot too old";

  private static final String PAST_STATE = "72000";

  /** A statement or a row that is larger than a message between two servers. */
  private static final String TOO_LARGE = "sending too long rpc message";

  private static final String RESOURCES = "53";

  /** The SQLSTATE of an error that names rows which violate a constraint. */
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

  /** Whether the error means that the statement's transaction was rolled back completely. */
  static boolean isUndone(SQLException error) {
    return ROLLED_BACK.contains(String.valueOf(error.getSQLState()))
        || INTERNAL.equals(error.getSQLState())
            && contains(ServerWords.of(error).toLowerCase(Locale.ROOT), ALTERED);
  }

  /** True for an error of the storage, since another server than the session's has failed. */
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
