package dev.sluice.connector.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

class CopyRowsTest {
  private static final TableId TABLE = new TableId("public", "t");
  private static final Segment SEGMENT = new Segment(TABLE, 0, TABLE, new SegmentRange.Whole());

  /** Rows from 30 to 1,030 bytes, and a NULL in some. */
  private static final String ROWS =
      "SELECT i, repeat('x', i * 7919 % 1000), nullif(i % 10, 0) FROM generate_series(1, 500) i";

  private static final int HEADER = 19;
  private static final int TRAILER = 2;

  private static EmbeddedPostgres postgres;
  private static Connection connection;

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    connection = postgres.connect("postgres");
    connection.setAutoCommit(false);
  }

  @AfterAll
  static void stop() throws SQLException {
    connection.close();
    postgres.close();
  }

  @ParameterizedTest
  @CsvSource({"2, 1000", "7, 3", "100, 1000", "1031, 1", "1031, 7", "65536, 100", "65536, 1000"})
  void rowsAreReadUnchangedWithAnyChunkSize(int size, int mostRows) throws SQLException {
    for (CopyFormat format : CopyFormat.values()) {
      Read read = read(ROWS, format, new RowChunk(size), mostRows);

      assertThat(read.bytes).isEqualTo(sent(ROWS, format));
      assertThat(read.rows).isEqualTo(500);
      assertThat(read.mostInChunk).isLessThanOrEqualTo(mostRows);
    }
  }

  @ParameterizedTest
  @EnumSource(CopyFormat.class)
  void aRowThatFitsIsNeverCut(CopyFormat format) throws SQLException {
    try (CopyRows rows = begin(ROWS, format)) {
      RowChunk chunk = new RowChunk(1100);
      while (rows.next(chunk, 1000)) {
        assertThat(chunk.rows()).isPositive();
        if (format == CopyFormat.TEXT) {
          assertThat(chunk.bytes()[chunk.length() - 1]).isEqualTo((byte) '\n');
        }
      }
    }
  }

  @Test
  void theEndOfALargeValueIsNotMistakenForTheEndOfTheRows() throws SQLException {
    // A tuple of one bytea of 20 bytes is 26 bytes: its last piece has the two bytes of a trailer.
    String query = "SELECT decode(repeat('ff', 20), 'hex') FROM generate_series(1, 3)";

    Read read = read(query, CopyFormat.BINARY, new RowChunk(24), 1000);

    assertThat(read.rows).isEqualTo(3);
    assertThat(read.bytes).isEqualTo(sent(query, CopyFormat.BINARY));
  }

  @ParameterizedTest
  @EnumSource(CopyFormat.class)
  void aNoticeOfTheServerIsNoRow(CopyFormat format) throws SQLException {
    execute(
        "CREATE OR REPLACE FUNCTION told(i int) RETURNS text LANGUAGE plpgsql AS"
            + " $$ BEGIN RAISE NOTICE 'at %', i; RETURN repeat('y', i * 100); END $$");
    String query = "SELECT told(i) FROM generate_series(1, 50) i";

    Read read = read(query, format, new RowChunk(1000), 1000);

    assertThat(read.rows).isEqualTo(50);
    assertThat(read.bytes).isEqualTo(sent(query, format));
  }

  @ParameterizedTest
  @EnumSource(CopyFormat.class)
  void aTableWithoutRowsGivesNoChunk(CopyFormat format) throws SQLException {
    try (CopyRows rows = begin("SELECT 1 WHERE false", format)) {
      RowChunk chunk = new RowChunk();
      assertThat(rows.next(chunk, 1000)).isFalse();
      assertThat(rows.next(chunk, 1000)).isFalse();
      assertThat(chunk.isEmpty()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"100, 1", "2500, 1", "2500, 2", "65536, 1"})
  void theConnectionIsUsableAfterClosingBeforeTheEndOrWithinALargeRow(int size, int chunks)
      throws SQLException {
    // More than the server sends ahead, so that it is in the middle of it, too.
    String query = "SELECT repeat('x', 1000) FROM generate_series(1, 20000)";
    for (CopyFormat format : CopyFormat.values()) {
      execute("SAVEPOINT segment");
      try (CopyRows rows = begin(query, format)) {
        RowChunk chunk = new RowChunk(size);
        for (int i = 0; i < chunks; i++) {
          assertThat(rows.next(chunk, 1000)).isTrue();
        }
      }
      execute("ROLLBACK TO SAVEPOINT segment; RELEASE SAVEPOINT segment");

      assertThat(read(ROWS, format, new RowChunk(1100), 1000).bytes).isEqualTo(sent(ROWS, format));
    }
  }

  /** What came, and in which portions. */
  private static final class Read {
    private byte[] bytes;
    private int rows;
    private int mostInChunk;
  }

  private static Read read(String query, CopyFormat format, RowChunk chunk, int mostRows)
      throws SQLException {
    Read read = new Read();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (CopyRows rows = begin(query, format)) {
      while (rows.next(chunk, mostRows)) {
        bytes.write(chunk.bytes(), 0, chunk.length());
        read.rows += chunk.rows();
        read.mostInChunk = Math.max(read.mostInChunk, chunk.rows());
      }
    }
    read.bytes = bytes.toByteArray();
    return read;
  }

  private static CopyRows begin(String query, CopyFormat format) throws SQLException {
    return CopyRows.begin(SEGMENT, format, connection, copy(query, format));
  }

  /** All rows as the driver gives them. */
  private static byte[] sent(String query, CopyFormat format) throws SQLException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      connection.unwrap(PGConnection.class).getCopyAPI().copyOut(copy(query, format), bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    byte[] all = bytes.toByteArray();
    return format == CopyFormat.BINARY
        ? Arrays.copyOfRange(all, HEADER, all.length - TRAILER)
        : all;
  }

  private static String copy(String query, CopyFormat format) {
    return "COPY (" + query + ") TO STDOUT WITH " + format.options();
  }

  private static void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
