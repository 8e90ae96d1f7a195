package dev.sluice.engine.binlog;

import static dev.sluice.config.TableId.quote;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rows of tables of MariaDB or MySQL and of their copies on PostgreSQL, by what each server
 * says of its values. None of it is Sluice's own. Owned by one thread.
 */
final class BinlogSides {
  private static final Pattern TIME = Pattern.compile("(-?)(\\d+):(\\d\\d):(\\d\\d)\\.(\\d{6})");

  private final Connection source;
  private final Connection target;
  private final String database;

  /** A column, and how both sides print it. */
  private record Printed(String name, String type, String onSource, String onTarget) {}

  BinlogSides(Connection source, Connection target, String database) {
    this.source = source;
    this.target = target;
    this.database = database;
  }

  /** What differs in a table; empty if it has the same columns and rows. */
  List<String> differences(String table) throws SQLException {
    List<Printed> columns = columns(table);
    List<String> names = columns.stream().map(Printed::name).toList();
    List<String> found = targetColumns(table);
    if (!found.equals(names.stream().sorted().toList())) {
      return List.of("%s: has the columns %s, and not %s".formatted(table, found, names));
    }
    List<String> expected =
        rows(
            source,
            columns,
            columns.stream().map(Printed::onSource).toList(),
            BinlogColumn.quoted(database) + "." + BinlogColumn.quoted(table));
    List<String> actual =
        rows(
            target,
            columns,
            columns.stream().map(Printed::onTarget).toList(),
            quote(database) + "." + quote(table));
    List<String> differences = new ArrayList<>();
    List<String> missing = new ArrayList<>(expected);
    actual.forEach(missing::remove);
    List<String> extra = new ArrayList<>(actual);
    expected.forEach(extra::remove);
    missing.forEach(row -> differences.add(table + " lacks " + names + " " + row));
    extra.forEach(row -> differences.add(table + " has besides " + row));
    return differences;
  }

  private List<String> targetColumns(String table) throws SQLException {
    try (PreparedStatement query =
        target.prepareStatement(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0"
                + " AND NOT attisdropped")) {
      query.setString(1, quote(database) + "." + quote(table));
      List<String> names = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          names.add(row.getString(1));
        }
      }
      return names.stream().sorted().toList();
    }
  }

  private List<Printed> columns(String table) throws SQLException {
    try (PreparedStatement query =
        source.prepareStatement(
            "SELECT column_name, data_type FROM information_schema.columns"
                + " WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position")) {
      query.setString(1, database);
      query.setString(2, table);
      List<Printed> columns = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          columns.add(printed(row.getString(1), row.getString(2).toLowerCase(Locale.ROOT)));
        }
      }
      return columns;
    }
  }

  private static Printed printed(String name, String type) {
    String here = BinlogColumn.quoted(name);
    String there = quote(name);
    return switch (type) {
      case "float", "double" ->
          new Printed(name, type, "CAST(" + here + " AS DOUBLE)", there + "::float8");
      case "bit" ->
          new Printed(
              name,
              "text",
              "trim(LEADING '0' FROM bin(" + here + " + 0))",
              "ltrim(" + there + "::text, '0')");
      case "date", "uuid" ->
          new Printed(name, "text", "CAST(" + here + " AS CHAR)", there + "::text");
      case "datetime", "timestamp" ->
          new Printed(
              name,
              "text",
              "date_format(" + here + ", '%Y-%m-%d %H:%i:%s.%f')",
              "to_char(%s%s, 'YYYY-MM-DD HH24:MI:SS.US')"
                  .formatted(there, type.equals("datetime") ? "" : " AT TIME ZONE 'UTC'"));
      case "time" ->
          new Printed(
              name,
              type,
              "CAST(CAST(" + here + " AS TIME(6)) AS CHAR)",
              "(extract(epoch FROM " + there + ") * 1000000)::bigint::text");
      case "inet4", "inet6" ->
          new Printed(name, "inet", "CAST(" + here + " AS CHAR)", "host(" + there + ")");
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json" ->
          new Printed(name, "text", "CAST(" + here + " AS CHAR)", there + "::text");
      case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year" ->
          new Printed(name, "number", "CAST(" + here + " AS CHAR)", there + "::text");
      default ->
          new Printed(name, "text", "hex(" + here + ")", "upper(encode(" + there + ", 'hex'))");
    };
  }

  /** Rows in no order, each as a text. */
  private static List<String> rows(
      Connection connection, List<Printed> columns, List<String> expressions, String table)
      throws SQLException {
    String select = "SELECT " + String.join(", ", expressions) + " FROM " + table;
    // A question mark in a name is none of a parameter.
    try (ResultSet row = connection.createStatement().executeQuery(select)) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
          values.add(value(row, i, columns.get(i - 1).type()));
        }
        rows.add(values.stream().collect(Collectors.joining(" | ")));
      }
      return rows;
    }
  }

  private static String value(ResultSet row, int column, String type) throws SQLException {
    if (type.equals("float") || type.equals("double")) {
      double value = row.getDouble(column);
      return row.wasNull() ? "NULL" : Double.toString(value);
    }
    String text = row.getString(column);
    if (text == null) {
      return "NULL";
    }
    return switch (type) {
      case "number" -> new BigDecimal(text).toPlainString();
      case "time" -> text.contains(":") ? micros(text) : text;
      case "inet" -> bytes(text);
      default -> "'" + text + "'";
    };
  }

  private static String micros(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new IllegalArgumentException("no time: " + text);
    }
    long seconds =
        Long.parseLong(time.group(2)) * 3600
            + Long.parseLong(time.group(3)) * 60
            + Long.parseLong(time.group(4));
    return time.group(1) + (seconds * 1_000_000 + Long.parseLong(time.group(5)));
  }

  private static String bytes(String address) {
    try {
      return HexFormat.of().formatHex(InetAddress.getByName(address).getAddress());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(address, e);
    }
  }
}
