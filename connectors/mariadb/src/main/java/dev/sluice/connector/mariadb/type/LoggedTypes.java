package dev.sluice.connector.mariadb.type;

import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The type of PostgreSQL for a column of the binary log, as far as the log shows it. The log does
 * not distinguish a UUID or an address from a BINARY, nor JSON from a text. Immutable.
 */
public record LoggedTypes(Flavour flavour, Collations collations) {
  /** What a BINARY of the log may be. */
  private static final Set<String> BINARY = Set.of("uuid", "inet", "bytea");

  /** The most bytes of a character, where it is not one. */
  private static final Map<String, Integer> BYTES =
      Map.ofEntries(
          Map.entry("utf8mb4", 4),
          Map.entry("utf8mb3", 3),
          Map.entry("utf8", 3),
          Map.entry("ucs2", 2),
          Map.entry("utf16", 4),
          Map.entry("utf16le", 4),
          Map.entry("gbk", 2),
          Map.entry("gb2312", 2),
          Map.entry("cp932", 2));

  /** Whether the log does not distinguish the type of this column from others. */
  public boolean isAmbiguous(LoggedColumn column) {
    int bytes = column.type() == LogType.STRING ? column.stringLength() : 0;
    // UUID and INET6, INET4.
    return flavour == Flavour.MARIADB && (bytes == 16 || bytes == 4) && isBinary(column);
  }

  /** Whether a column of this type of PostgreSQL may be in the log like that. */
  public boolean fits(LoggedColumn column, String type) {
    Optional<String> logged = of(column);
    if (logged.isPresent()
        && (logged.get().equals(type) || logged.get().equals("text") && type.equals("json"))) {
      return true;
    }
    return isAmbiguous(column) && BINARY.contains(type);
  }

  /** The type of PostgreSQL; empty if the log does not show it. */
  public Optional<String> of(LoggedColumn column) {
    int metadata = column.metadata();
    return Optional.ofNullable(
        switch (column.type()) {
          case TINY, YEAR -> "smallint";
          case SHORT -> column.unsigned() ? "integer" : "smallint";
          case INT24 -> "integer";
          case LONG -> column.unsigned() ? "bigint" : "integer";
          case LONGLONG -> column.unsigned() ? "numeric(20,0)" : "bigint";
          case FLOAT -> "real";
          case DOUBLE -> "double precision";
          case BIT -> PostgresType.bit((metadata >> 8) * 8 + (metadata & 0xFF));
          case DECIMAL -> PostgresType.decimal(metadata & 0xFF, metadata >> 8);
          case DATE -> "date";
          case TIME -> PostgresType.time(metadata);
          case DATETIME -> PostgresType.datetime(metadata);
          case TIMESTAMP -> PostgresType.timestamp(metadata);
          case ENUM, SET -> "text";
          case GEOMETRY -> "bytea";
          case JSON -> "json";
          case BLOB -> isBinary(column) ? "bytea" : "text";
          case VARCHAR -> isBinary(column) ? "bytea" : characters(column, metadata);
          case STRING -> fixed(column);
          case OLD_TIMESTAMP, OLD_TIME, OLD_DATETIME, COMPRESSED_BLOB, COMPRESSED_VARCHAR -> null;
        });
  }

  private String fixed(LoggedColumn column) {
    if (!isBinary(column)) {
      return characters(column, column.stringLength());
    }
    return isAmbiguous(column) ? null : "bytea";
  }

  private String characters(LoggedColumn column, int bytes) {
    int each = BYTES.getOrDefault(collations.of(column.collation(), column.name()).name(), 1);
    return "character varying(" + Math.max(1, bytes / each) + ")";
  }

  private boolean isBinary(LoggedColumn column) {
    return collations.of(column.collation(), column.name()).isBinary();
  }

  static boolean isText(String type) {
    return type.equals("text") || type.equals("json") || type.startsWith("character varying(");
  }
}
