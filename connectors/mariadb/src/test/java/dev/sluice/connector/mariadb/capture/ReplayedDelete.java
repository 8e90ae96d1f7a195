package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import java.io.ByteArrayOutputStream;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;

/** A DELETE as a server of MySQL older than 9.6 would log it, to be applied by a newer one. */
final class ReplayedDelete {
  private static final int HEADER_FLAGS_AT = 17;
  private static final int ROWS_FLAGS_AT = LogEvent.HEADER_BYTES + 6;
  private static final int END_OF_STATEMENT = 1;

  private final byte[] format;
  private final byte[] changes;

  private ReplayedDelete(byte[] format, byte[] changes) {
    this.format = format;
    this.changes = changes;
  }

  /** Executes a DELETE, which must reach no other table, and takes it from the log. */
  static ReplayedDelete of(LogFixture fixture, String delete) throws SQLException {
    fixture.execute("FLUSH BINARY LOGS");
    String file = fixture.end().fileName(LogServer.base(fixture.connection));
    fixture.execute(delete);
    ByteArrayOutputStream format = new ByteArrayOutputStream();
    ByteArrayOutputStream changes = new ByteArrayOutputStream();
    Endpoint endpoint =
        new Endpoint(
            Servers.type(),
            "127.0.0.1",
            LogFixture.server().port(),
            fixture.database,
            "root",
            Secret.NONE,
            Map.of("sslMode", "disable"));
    new LogBeginnings(endpoint)
        .read(
            file,
            event -> {
              if (event.type() == EventType.FORMAT_DESCRIPTION) {
                format.writeBytes(rewritten(event));
              } else if (event.type() == EventType.TABLE_MAP || EventType.isRows(event.type())) {
                changes.writeBytes(rewritten(event));
              }
              return event.type() != EventType.XID;
            });
    return new ReplayedDelete(format.toByteArray(), changes.toByteArray());
  }

  /** Lets the server apply it as a replica would. */
  void apply(LogFixture fixture) {
    fixture.execute(
        binlog(format),
        "SET SESSION gtid_next = '%s:1'".formatted(UUID.randomUUID()),
        "BEGIN",
        binlog(changes),
        "COMMIT",
        "SET SESSION gtid_next = 'AUTOMATIC'");
  }

  private static String binlog(byte[] events) {
    return "BINLOG '" + Base64.getEncoder().encodeToString(events) + "'";
  }

  /** The event without the newer flag, with a checksum. */
  private static byte[] rewritten(LogEvent event) {
    int end = event.body().end();
    byte[] bytes = Arrays.copyOf(event.body().array(), end + 4);
    if (event.type() == EventType.FORMAT_DESCRIPTION) {
      bytes[HEADER_FLAGS_AT] = 0;
    }
    if (EventType.isRows(event.type())) {
      bytes[ROWS_FLAGS_AT] = END_OF_STATEMENT;
    }
    CRC32 sum = new CRC32();
    sum.update(bytes, 0, end);
    for (int i = 0; i < 4; i++) {
      bytes[end + i] = (byte) (sum.getValue() >> 8 * i);
    }
    return bytes;
  }
}
