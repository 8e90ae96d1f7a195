package dev.sluice.embedded.postgres.strict;

import java.util.Optional;

/** What befalls a statement on its way to the server, or its answer. */
public enum Fault {
  /** Another transaction was faster. */
  CONFLICT(
      new RefusedStatement(
          "40001",
          "could not serialize access due to concurrent update (query layer retries exhausted)")),
  /** Another session altered something. */
  CATALOG_MISMATCH(
      new RefusedStatement(
          "XX000",
          "Catalog Version Mismatch: A DDL occurred while processing this query. Try Again")),
  /** The storage does not answer in time; the connection stays. */
  STORAGE_TIMEOUT(new RefusedStatement("XX000", "Timed out waiting for the storage")),
  /** The connection breaks, and the server does not get the statement. */
  LOST_BEFORE(null),
  /** The connection breaks when the server has committed; the client gets no answer. */
  LOST_AFTER_COMMIT(null),
  /** The server has committed, and the client hears that the storage did not answer in time. */
  TIMEOUT_AFTER_COMMIT(null);

  private final RefusedStatement refusal;

  Fault(RefusedStatement refusal) {
    this.refusal = refusal;
  }

  /** Whether it comes when the server has committed. */
  public boolean isAfterCommit() {
    return this == LOST_AFTER_COMMIT || this == TIMEOUT_AFTER_COMMIT;
  }

  /** The error that the client gets; empty if it gets no answer. */
  Optional<RefusedStatement> refusal() {
    return Optional.ofNullable(refusal);
  }
}
