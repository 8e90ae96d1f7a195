package dev.sluice.connector.generic;

import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.database.DatabaseFacts;

/**
 * Which database a source is: what the database says, and what the task file says if the database
 * says nothing. Immutable, threadsafe.
 */
record GenericIdentity(JdbcServer server) {
  /** A server has no timelines here: a promoted standby is another source. */
  private static final int ONLY_TIMELINE = 1;

  SourceIdentity read() {
    return server
        .ask("read the identity", session -> DatabaseFacts.of(server.config()).identity(session))
        .orElseGet(this::address);
  }

  /**
   * The identity in the form of a recorded one. Earlier versions did not ask the database: they
   * recorded the address.
   */
  SourceIdentity readAs(String recorded) {
    return recorded.equals(address().system()) ? address() : read();
  }

  private SourceIdentity address() {
    GenericConfig config = server.config();
    return new SourceIdentity(
        "%s at %s:%d/%s"
            .formatted(
                config.connector().name(),
                config.endpoint().host(),
                config.endpoint().port(),
                config.endpoint().database()),
        ONLY_TIMELINE);
  }
}
