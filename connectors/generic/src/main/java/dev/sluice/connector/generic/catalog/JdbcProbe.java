package dev.sluice.connector.generic.catalog;

import dev.sluice.connector.api.source.SourceProbe;

/** Asks the source whether it answers, each time over a session of its own. Threadsafe. */
public record JdbcProbe(JdbcServer server) implements SourceProbe {
  @Override
  public void requireAnswer() {
    server.requireAnswer();
  }

  @Override
  public void close() {
    // Each question has a session of its own.
  }
}
