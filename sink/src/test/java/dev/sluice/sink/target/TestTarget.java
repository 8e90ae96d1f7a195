package dev.sluice.sink.target;

import dev.sluice.embedded.EmbeddedPostgres;

/** Targets of tests. */
public final class TestTarget {
  private TestTarget() {}

  /** The server's own database, as its superuser. */
  public static TargetServer of(EmbeddedPostgres postgres) {
    return of(postgres.port(), "postgres", "postgres");
  }

  public static TargetServer of(int port, String database, String user) {
    return new TargetServer(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + database, user, null, "sluice test", 50);
  }
}
