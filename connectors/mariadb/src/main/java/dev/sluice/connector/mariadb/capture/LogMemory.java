package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.table.LastTables;

/**
 * What a task remembers when a capture ends, for the next one. Immutable; its parts are threadsafe.
 */
public record LogMemory(
    LogFences fences,
    EmptyPreparations preparations,
    LastTables lastTables,
    CapturedServer server,
    DecidedStart start,
    GtidStop stop) {
  public LogMemory() {
    this(
        new LogFences(),
        new EmptyPreparations(),
        new LastTables(),
        new CapturedServer(),
        new DecidedStart(),
        new GtidStop());
  }
}
