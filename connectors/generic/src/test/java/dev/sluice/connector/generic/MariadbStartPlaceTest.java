package dev.sluice.connector.generic;

import dev.sluice.connector.generic.catalog.JdbcServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** MariaDB's connector begins at a file and an offset. */
class MariadbStartPlaceTest extends StartPlaceContract {
  @Override
  CapturedDatabase database() {
    return new MariadbDatabase();
  }

  @Override
  List<List<String>> writes() {
    List<List<String>> all = new ArrayList<>(WRITES);
    all.add(List.of("TRUNCATE TABLE b", "truncate b"));
    all.add(List.of("INSERT INTO b VALUES (1)", "+1"));
    return all;
  }

  @Override
  List<List<String>> wrongPlaces(CapturedDatabase database, String place) throws SQLException {
    String file = place.substring(0, place.indexOf(':'));
    long offset = Long.parseLong(place.substring(place.indexOf(':') + 1));
    String offsets = "{\"file\": \"%s\", \"pos\": %d, %s}";
    return List.of(
        List.of(file + ":" + (offset + 1), "is inside of an event"),
        List.of(file + ":" + inside(database, file, offset), "is Annotate_rows"),
        List.of("gone-bin.000001:4", "the binary log has no file gone-bin.000001"),
        List.of("4AF/B00000D0", "it is an LSN"),
        List.of(offsets.formatted(file, offset, "\"event\": 2"), "inside of a transaction"),
        List.of(offsets.formatted(file, offset, "\"snapshot\": true"), "inside of a transaction"),
        List.of(offsets.formatted(file, offset, "\"gtids\": \"0-1-1\""), "has the GTIDs 0-1-1"));
  }

  /** The offset of the first event of a transaction behind its GTID. */
  private static long inside(CapturedDatabase database, String file, long offset)
      throws SQLException {
    try (Connection session = database.connect()) {
      List<String[]> events =
          JdbcServer.rows(
              session, "SHOW BINLOG EVENTS IN '%s' FROM %d LIMIT 2".formatted(file, offset));
      return Long.parseLong(events.get(1)[1]);
    }
  }
}
