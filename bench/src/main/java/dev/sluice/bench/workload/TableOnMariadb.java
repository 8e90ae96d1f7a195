package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * A table of the source as MariaDB has it, by its columns and key. Without Sluice's own knowledge
 * of types, since Sluice is judged by it. Immutable.
 */
public record TableOnMariadb(String name, List<Column> columns) {

  /**
   * One column.
   *
   * @param type as PostgreSQL writes it, with its arguments
   * @param key whether it belongs to the primary key
   */
  private record Column(String name, String type, boolean notNull, boolean key) {

    private String definition() {
      String counterpart =
          switch (type) {
            case "text" -> "longtext";
            case "timestamp with time zone", "timestamp without time zone" -> "datetime(6)";
            default -> type.replaceFirst("^character\\(", "char(");
          };
      return name + " " + counterpart + (notNull ? " NOT NULL" : "");
    }

    /** What MariaDB is to read: a time in UTC, without a zone. */
    private String copied() {
      return type.equals("timestamp with time zone") ? name + " AT TIME ZONE 'UTC'" : name;
    }

    private String textOnSource() {
      return type.startsWith("timestamp")
          ? "to_char(" + copied() + ", 'YYYY-MM-DD HH24:MI:SS.US')"
          : name + "::text";
    }
  }

  /** Reads its columns. */
  public static TableOnMariadb of(Connection source, String name) throws SQLException {
    List<Column> columns = new ArrayList<>();
    try (Statement statement = source.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT attname, format_type(atttypid, atttypmod), attnotnull, attnum = ANY (indkey)
                FROM pg_attribute JOIN pg_index ON indrelid = attrelid AND indisprimary
                WHERE attrelid = '%s'::regclass AND attnum > 0 ORDER BY attnum"""
                    .formatted(name))) {
      while (row.next()) {
        columns.add(
            new Column(row.getString(1), row.getString(2), row.getBoolean(3), row.getBoolean(4)));
      }
    }
    if (columns.isEmpty()) {
      throw new IllegalStateException("table " + name + " has no primary key");
    }
    return new TableOnMariadb(name, List.copyOf(columns));
  }

  /** Makes tables of the source in a database of MariaDB, with their keys and nothing else. */
  public static void create(Database source, Database target, List<String> tables)
      throws SQLException {
    try (Connection from = source.connect()) {
      for (String table : tables) {
        target.execute(of(from, table).creation());
      }
    }
  }

  /** The same with their rows. */
  public static void createAndFill(Database source, Database target, List<String> tables)
      throws SQLException, IOException {
    create(source, target, tables);
    try (Connection from = source.connect();
        Connection to = target.connect()) {
      for (String table : tables) {
        of(from, table).copy(from, to, "true");
      }
    }
  }

  private String creation() {
    return "CREATE TABLE %s (%s, PRIMARY KEY (%s))"
        .formatted(
            name,
            columns.stream().map(Column::definition).collect(Collectors.joining(", ")),
            columns.stream()
                .filter(Column::key)
                .map(Column::name)
                .collect(Collectors.joining(", ")));
  }

  /**
   * Copies rows by COPY into LOAD DATA LOCAL, straight into the table.
   *
   * @param condition of the rows
   */
  public void copy(Connection source, Connection target, String condition)
      throws SQLException, IOException {
    CopyOut rows =
        source
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyOut(
                "COPY (SELECT %s FROM %s WHERE %s) TO STDOUT"
                    .formatted(
                        columns.stream().map(Column::copied).collect(Collectors.joining(", ")),
                        name,
                        condition));
    try (Statement statement = target.createStatement();
        InputStream text = new CopiedText(rows)) {
      statement.unwrap(org.mariadb.jdbc.Statement.class).setLocalInfileInputStream(text);
      statement.execute("LOAD DATA LOCAL INFILE 'rows' INTO TABLE " + name);
      SQLWarning warning = statement.getWarnings();
      if (warning != null) {
        throw new SQLException(name + ": " + warning.getMessage());
      }
    }
  }

  /** The number of rows and the sum of their hashes, on the source. */
  String digestOnSource() {
    return "SELECT concat_ws(' ', '%s', count(*), coalesce(sum(('x' || left(md5(concat_ws('|', %s)), 15))::bit(60)::bigint), 0)) FROM %s"
        .formatted(
            name,
            columns.stream()
                .map(column -> "coalesce(" + column.textOnSource() + ", '~')")
                .collect(Collectors.joining(", ")),
            name);
  }

  /** The same on MariaDB. */
  String digestOnTarget() {
    return "SELECT CONCAT_WS(' ', '%s', COUNT(*), COALESCE(SUM(CAST(CONV(LEFT(MD5(CONCAT_WS('|', %s)), 15), 16, 10) AS UNSIGNED)), 0)) FROM %s"
        .formatted(
            name,
            columns.stream()
                .map(column -> "COALESCE(" + column.name() + ", '~')")
                .collect(Collectors.joining(", ")),
            name);
  }

  /** The messages of a COPY as one stream. */
  private static final class CopiedText extends InputStream {
    private final CopyOut rows;
    private byte[] message = new byte[0];
    private int read;

    private CopiedText(CopyOut rows) {
      this.rows = rows;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** As much as there is room for: the driver sends each answer by itself. */
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = 0;
      while (count < length && fill()) {
        int part = Math.min(length - count, message.length - read);
        System.arraycopy(message, read, into, offset + count, part);
        read += part;
        count += part;
      }
      return count == 0 && length > 0 ? -1 : count;
    }

    /** Whether there is more to read. */
    private boolean fill() throws IOException {
      while (message != null && read == message.length) {
        message = next();
        read = 0;
      }
      return message != null;
    }

    private byte[] next() throws IOException {
      try {
        return rows.readFromCopy();
      } catch (SQLException e) {
        throw new IOException(e);
      }
    }
  }
}
