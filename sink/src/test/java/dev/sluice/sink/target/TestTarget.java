package dev.sluice.sink.target;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.target.kind.TargetServers;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Targets for tests. As an extension of a test class it starts a server for that class. */
public final class TestTarget implements BeforeAllCallback, AfterAllCallback {
  private EmbeddedPostgres postgres;

  /** The server's own database, as its superuser. */
  public static TargetServer of(EmbeddedPostgres postgres) {
    return of(postgres.port(), "postgres", "postgres");
  }

  public static TargetServer of(int port, String database, String user) {
    return TargetServers.postgres(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + database, user, null, "sluice test", 50);
  }

  /** The same on the class's own server. */
  public TargetServer server() {
    return of(postgres);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    postgres = EmbeddedPostgres.start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    postgres.close();
  }
}
