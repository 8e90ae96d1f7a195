package dev.sluice.connector.postgres.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decodes rows of the event triggers' table {@code sluice_ddl.report}. Only the event triggers may
 * write to this table, so its rows are trusted. Owned by the thread that decodes the log.
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

  /** Reads the relation's description from after its name. */
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

  /** The table's oid on the source. */
  int relation() {
    return relation;
  }

  /**
   * The report in an inserted row; empty if the row has none.
   *
   * @param message positioned after the relation's oid
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
