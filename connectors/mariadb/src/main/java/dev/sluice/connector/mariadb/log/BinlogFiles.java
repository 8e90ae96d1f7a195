package dev.sluice.connector.mariadb.log;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The files of the binary log that the server still has, oldest first, and its end. Immutable.
 *
 * @param end empty if the server writes no binary log
 */
public record BinlogFiles(List<Part> parts, Optional<BinlogPosition> end) {
  /** A file. */
  public record Part(String name, long bytes) {
    long number() {
      return BinlogPosition.of(name, 0).file();
    }
  }

  public BinlogFiles {
    parts = List.copyOf(parts);
  }

  public static BinlogFiles read(Connection connection) throws SQLException {
    return read(new MariadbQuery(connection));
  }

  static BinlogFiles read(MariadbQuery query) throws SQLException {
    Optional<BinlogPosition> end = LogServer.end(query);
    List<Part> parts = new ArrayList<>();
    if (end.isPresent()) {
      for (String[] row : query.rows("SHOW BINARY LOGS")) {
        parts.add(new Part(row[0], Long.parseLong(row[1])));
      }
    }
    return new BinlogFiles(parts, end);
  }

  /** The names of all files, oldest first. */
  List<String> names() {
    return parts.stream().map(Part::name).toList();
  }

  /** Whether the log can still be read from a position. */
  public boolean has(BinlogPosition position) {
    return parts.stream().anyMatch(part -> part.number() == position.file());
  }

  /** The beginning of the oldest file. */
  public Optional<BinlogPosition> oldest() {
    return parts.stream()
        .findFirst()
        .map(part -> new BinlogPosition(part.number(), BinlogPosition.FIRST_EVENT));
  }

  /** The name of the file after a position's file; empty if that is the last one. */
  Optional<String> behind(BinlogPosition position) {
    return parts.stream()
        .filter(part -> part.number() > position.file())
        .findFirst()
        .map(Part::name);
  }

  /** The bytes of the log after a position. */
  public long bytesAfter(BinlogPosition position) {
    long bytes = 0;
    for (Part part : parts) {
      if (part.number() == position.file()) {
        bytes += Math.max(0, part.bytes() - position.offset());
      } else if (part.number() > position.file()) {
        bytes += part.bytes();
      }
    }
    return bytes;
  }

  /** The bytes of all files. */
  public long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }
}
