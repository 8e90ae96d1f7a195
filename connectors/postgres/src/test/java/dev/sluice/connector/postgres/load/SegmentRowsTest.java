package dev.sluice.connector.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.embedded.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows around the size of the pieces in which they are read. */
class SegmentRowsTest {
  private static final TableId TABLE = new TableId("public", "large");
  private static final SegmentRange ALL = new SegmentRange.Whole();

  /** Of the value: the row's own bytes come on top, so that some row ends with each piece. */
  private static final String SIZES =
      "(SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 262144 + n FROM generate_series(-14, 8) n"
          + " UNION ALL SELECT 524288 + n FROM generate_series(-14, 2) n UNION ALL SELECT 1300000)";

  private static EmbeddedPostgres postgres;
  private static SourceServer server;
  private static Connection exporting;
  private static String snapshot;

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    server =
        new SourceServer(
            "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres",
            "postgres",
            null,
            "test");
    exporting = postgres.connect("postgres");
    try (Statement statement = exporting.createStatement()) {
      statement.execute("CREATE TABLE large (v text)");
      statement.execute(
          "INSERT INTO large SELECT left(repeat(md5(size::text), size / 32 + 1), size) FROM "
              + SIZES
              + " AS sizes(size)");
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      try (ResultSet name = statement.executeQuery("SELECT pg_export_snapshot()")) {
        name.next();
        snapshot = name.getString(1);
      }
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    exporting.close();
    postgres.close();
  }

  @ParameterizedTest
  @EnumSource
  void rowsComeWholeWhateverTheirSizeAndTheirEndsAreTold(CopyFormat format) throws SQLException {
    List<String> read = new ArrayList<>();
    try (SnapshotReader reader = SnapshotReader.open(server, snapshot);
        SegmentRows rows = reader.read(segment(ALL), layout(format))) {
      ByteArrayOutputStream row = new ByteArrayOutputStream();
      for (byte[] piece = rows.next(); piece != null; piece = rows.next()) {
        row.writeBytes(piece);
        if (rows.isRowEnd()) {
          read.add(valueOf(row.toByteArray(), format));
          row.reset();
        }
      }
      assertThat(row.size()).isZero();
    }
    assertThat(read).isEqualTo(values());
  }

  private static Segment segment(SegmentRange rows) {
    return new Segment(TABLE, 0, TABLE, rows);
  }

  private static CopyLayout layout(CopyFormat format) {
    return new CopyLayout(List.of("v"), List.of("v"), format, Optional.empty());
  }

  /** The one column of a row as COPY writes it. */
  private static String valueOf(byte[] row, CopyFormat format) {
    if (format == CopyFormat.TEXT) {
      return new String(row, 0, row.length - 1, StandardCharsets.UTF_8);
    }
    ByteBuffer tuple = ByteBuffer.wrap(row);
    assertThat(tuple.getShort()).isEqualTo((short) 1);
    assertThat(tuple.getInt()).isEqualTo(tuple.remaining());
    return StandardCharsets.UTF_8.decode(tuple).toString();
  }

  private static List<String> values() throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = exporting.createStatement();
        ResultSet rows = statement.executeQuery("SELECT v FROM large")) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
