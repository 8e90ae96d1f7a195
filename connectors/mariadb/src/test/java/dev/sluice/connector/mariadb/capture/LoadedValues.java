package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.postgresql.PGConnection;

/** Loads a table as a task does, into a table of PostgreSQL, and reads what that has. */
final class LoadedValues {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final MariadbSource source;
  private final TableId table;
  private final Connection target;

  LoadedValues(String database, String table, Connection target) {
    this(database, table, target, ValuePolicy.REFUSE);
  }

  LoadedValues(String database, String table, Connection target, ValuePolicy values) {
    this.source =
        new MariadbSource(
            database,
            new MariadbConfig(
                new Endpoint(
                    Servers.type(),
                    "127.0.0.1",
                    LogFixture.server().port(),
                    database,
                    "root",
                    Secret.NONE,
                    Map.of()),
                values));
    this.table = new TableId(database, table);
    this.target = target;
  }

  /** The rows by the text of their first column, with the texts that PostgreSQL prints. */
  Map<String, List<String>> rows() throws SQLException, IOException {
    RecordedTable recorded =
        source
            .reader()
            .record(
                List.of(table),
                new SegmentRules(DataSize.ofMebibytes(1024), Map.of(), any -> Optional.empty()))
            .tables()
            .get(0);
    List<TableColumn> columns = recorded.columns();
    try (Statement statement = target.createStatement()) {
      List<String> definitions = new ArrayList<>();
      List<String> printed = new ArrayList<>();
      for (TableColumn column : columns) {
        definitions.add(TableId.quote(column.name()) + " " + column.type());
        printed.add(
            "CASE WHEN %1$s IS NOT NULL THEN format('%%s', %1$s) END"
                .formatted(TableId.quote(column.name())));
      }
      statement.execute("SET TimeZone TO 'UTC'");
      statement.execute("DROP TABLE IF EXISTS loaded");
      statement.execute("CREATE TABLE loaded (" + String.join(", ", definitions) + ")");
      target
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY loaded FROM STDIN", new ByteArrayInputStream(lines(recorded)));
      Map<String, List<String>> rows = new LinkedHashMap<>();
      try (ResultSet row =
          statement.executeQuery("SELECT " + String.join(", ", printed) + " FROM loaded")) {
        while (row.next()) {
          List<String> values = new ArrayList<>();
          for (int i = 1; i <= columns.size(); i++) {
            values.add(row.getString(i));
          }
          rows.put(values.get(0), values);
        }
      }
      return rows;
    }
  }

  private byte[] lines(RecordedTable recorded) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    Segment segment = new Segment(table, 0, table, new SegmentRange.Whole());
    try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
        SnapshotReader reader = source.reader().open(snapshot.name())) {
      reader.hold(recorded, segment);
      try (SegmentRows rows =
          reader.read(
              segment,
              CopyLayout.between(
                      recorded.columns(), recorded.columns(), Optional::of, Optional.empty(), true)
                  .asText())) {
        RowChunk chunk = new RowChunk();
        while (rows.next(chunk, Integer.MAX_VALUE)) {
          lines.write(chunk.bytes(), 0, chunk.length());
        }
      }
      reader.release(segment);
    }
    return lines.toByteArray();
  }
}
