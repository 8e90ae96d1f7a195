package dev.sluice.connector.postgres.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The event triggers' table {@code sluice_ddl.report} in the shape in which the log tells of it,
 * and the reader of its rows. That a row is of this table proves who wrote it. Owned by the thread
 * that decodes the log.
 */
final class LoggedReport {
  static final String SCHEMA = "sluice_ddl";
  static final String TABLE = "report";

  private static final String CONTENT = "content";

  private final int relation;
  private final List<String> columns;

  private LoggedReport(int relation, List<String> columns) {
    this.relation = relation;
    this.columns = columns;
  }

  /** Reads the rest of the relation's description, from behind its name. */
  static LoggedReport read(int relation, ByteBuffer message) {
    message.get();
    int count = message.getShort();
    List<String> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      message.get();
      columns.add(LogDecoder.string(message));
      message.getInt();
      message.getInt();
    }
    return new LoggedReport(relation, columns);
  }

  /** The table's number in the source's catalog. */
  int relation() {
    return relation;
  }

  /**
   * What an inserted row says; empty where it is no row of a report.
   *
   * @param message from behind its relation
   */
  Optional<String> content(ByteBuffer message) {
    if (message.get() != 'N' || message.getShort() != columns.size()) {
      return Optional.empty();
    }
    Optional<String> content = Optional.empty();
    for (String column : columns) {
      if (message.get() != 't') {
        continue;
      }
      byte[] text = new byte[message.getInt()];
      message.get(text);
      if (column.equals(CONTENT)) {
        content = Optional.of(new String(text, StandardCharsets.UTF_8));
      }
    }
    return content;
  }
}
