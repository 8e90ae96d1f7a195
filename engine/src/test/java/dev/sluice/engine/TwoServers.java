package dev.sluice.engine;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The source and the target of a test class: two servers, started before it and ended after it. */
public final class TwoServers implements BeforeAllCallback, AfterAllCallback {
  private EmbeddedPostgres source;
  private EmbeddedPostgres target;

  public EmbeddedPostgres source() {
    return source;
  }

  public EmbeddedPostgres target() {
    return target;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    source.close();
    target.close();
  }
}
