package dev.sluice.connector.mariadb.type;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.util.Objects;

/**
 * Chooses the decoder of a column of the binary log. The log does not distinguish a UUID from a
 * BINARY, so the column's type of PostgreSQL decides. Immutable.
 *
 * @param table for messages
 */
public record ValueDecoders(TableId table, Collations collations, ValuePolicy policy) {

  public ValueDecoders {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(collations, "collations");
    Objects.requireNonNull(policy, "policy");
  }

  /**
   * The decoder of a column.
   *
   * @param expected the column's type of PostgreSQL, by the source's catalog
   * @throws SluiceException.Fatal if the log's values are of another type, or cannot be decoded
   */
  public ValueDecoder of(LoggedColumn column, String expected) {
    String name = "table " + table + ", column " + column.name();
    int metadata = column.metadata();
    return switch (column.type()) {
      case TINY -> number(1, "smallint", "smallint", column, expected);
      case SHORT -> number(2, "smallint", "integer", column, expected);
      case INT24 -> number(3, "integer", "integer", column, expected);
      case LONG -> number(4, "integer", "bigint", column, expected);
      case LONGLONG -> number(8, "bigint", "numeric(20,0)", column, expected);
      case FLOAT -> require(name, "real", expected, Numbers.single());
      case DOUBLE -> require(name, "double precision", expected, Numbers.doublePrecision());
      case YEAR -> require(name, "smallint", expected, Numbers.year());
      case BIT -> {
        int bits = (metadata >> 8) * 8 + (metadata & 0xFF);
        yield require(name, PostgresType.bit(bits), expected, Numbers.bits(bits));
      }
      case DECIMAL -> {
        int precision = metadata & 0xFF;
        int scale = metadata >> 8;
        yield require(
            name,
            PostgresType.decimal(precision, scale),
            expected,
            new DecimalDecoder(precision, scale));
      }
      case DATE -> require(name, "date", expected, Times.date(name, policy));
      case TIME -> require(name, PostgresType.time(metadata), expected, Times.time(metadata));
      case DATETIME ->
          require(
              name,
              PostgresType.datetime(metadata),
              expected,
              Times.datetime(metadata, name, policy));
      case TIMESTAMP ->
          require(
              name,
              PostgresType.timestamp(metadata),
              expected,
              Times.timestamp(metadata, name, policy));
      case ENUM ->
          require(
              name,
              "text",
              expected,
              Texts.enumeration(metadata >> 8, column.labels(), set(column, name), name, policy));
      case SET ->
          require(
              name,
              "text",
              expected,
              Texts.set(metadata >> 8, column.labels(), set(column, name), name, policy));
      case GEOMETRY -> require(name, "bytea", expected, BytesDecoders.bytes(metadata, 0));
      case VARCHAR -> characters(PrefixedSize.lengthBytes(metadata), 0, column, expected);
      case STRING ->
          characters(
              PrefixedSize.lengthBytes(column.stringLength()),
              column.stringLength(),
              column,
              expected);
      case BLOB -> characters(metadata, 0, column, expected);
      case OLD_TIMESTAMP, OLD_TIME, OLD_DATETIME ->
          throw new SluiceException.Fatal(
              new Problem(
                  name,
                  "a time in the form from before MySQL 5.6, whose precision the log does not have",
                  "the present form",
                  "Set mysql56_temporal_format=ON and run ALTER TABLE … FORCE on the source, or"
                      + " exclude the table"));
      case JSON -> require(name, "json", expected, MysqlJson.decoder(metadata));
      case COMPRESSED_BLOB, COMPRESSED_VARCHAR ->
          throw new SluiceException.Fatal(
              new Problem(
                  name,
                  "a column of the log's type " + column.type(),
                  "a type that can be decoded",
                  "Change the column's type on the source, or exclude the table"));
    };
  }

  /**
   * The decoders of a table's columns.
   *
   * @param key whether they belong to its key
   */
  public ValueDecoders ofColumns(boolean key) {
    return new ValueDecoders(table, collations, policy.ofColumn(key));
  }

  /** A decoder of a column that is not replicated, which is only asked to skip values. */
  public ValueDecoder skipping(LoggedColumn column) {
    return switch (column.type()) {
      case TINY, YEAR -> Numbers.integer(1, true);
      case SHORT -> Numbers.integer(2, true);
      case INT24 -> Numbers.integer(3, true);
      case LONG -> Numbers.integer(4, true);
      case LONGLONG -> Numbers.integer(8, true);
      case VARCHAR -> BytesDecoders.bytes(PrefixedSize.lengthBytes(column.metadata()), 0);
      case BLOB -> BytesDecoders.bytes(column.metadata(), 0);
      default ->
          throw new SluiceException.Fatal(
              new Problem(
                  "table " + table + ", column " + column.name(),
                  "a column that the source's catalog does not have",
                  "a column of the catalog",
                  "Exclude the table"));
    };
  }

  private ValueDecoder number(
      int bytes, String signed, String unsigned, LoggedColumn column, String expected) {
    return require(
        "table " + table + ", column " + column.name(),
        column.unsigned() ? unsigned : signed,
        expected,
        Numbers.integer(bytes, column.unsigned()));
  }

  /** The decoder of a text, or of bytes, which have the collation {@code binary}. */
  private ValueDecoder characters(
      int lengthBytes, int fixed, LoggedColumn column, String expected) {
    String name = "table " + table + ", column " + column.name();
    CharacterSet set = set(column, name);
    if (!set.isBinary()) {
      String logged = LoggedTypes.isText(expected) ? expected : "text";
      return require(name, logged, expected, Texts.text(lengthBytes, set, name, policy));
    }
    return switch (expected) {
      case "uuid" -> BytesDecoders.uuid();
      case "inet" -> fixed == 4 ? BytesDecoders.inet4() : BytesDecoders.inet6();
      default -> require(name, "bytea", expected, BytesDecoders.bytes(lengthBytes, fixed));
    };
  }

  private CharacterSet set(LoggedColumn column, String name) {
    return collations.of(column.collation(), name);
  }

  private static ValueDecoder require(
      String name, String logged, String expected, ValueDecoder decoder) {
    if (!logged.equals(expected)) {
      throw new SluiceException.Fatal(
          new Problem(
              name,
              "values of type " + logged + " in the binary log",
              expected + ", as the source's catalog had the column when the capture started",
              "The column was altered. Load the tables again: sluice stop --drop, and then"
                  + " sluice run"));
    }
    return decoder;
  }
}
