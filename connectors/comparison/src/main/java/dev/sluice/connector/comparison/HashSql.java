package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowHash.Function;
import dev.sluice.connector.api.comparison.RowHash.RowForm;

/**
 * The SQL that computes the two hash values of a row. Immutable.
 *
 * @param encoding of the database
 */
record HashSql(RowHash hash, String encoding) {

  /** The number of hexadecimal digits of 64 bits. */
  private static final int DIGITS = 16;

  /**
   * A query with the columns of another one, and the hashes of its rows: {@code h1} and {@code h2}.
   *
   * @param columns of the inner query, with a comma after each
   * @param inner query whose column {@code t} is the row's form, which it computes once
   */
  String over(String columns, String inner) {
    String once = "(" + inner + " OFFSET 0) q";
    if (hash.function() == Function.FAST) {
      return "SELECT %s %s AS h1, %s AS h2 FROM %s"
          .formatted(columns, ofRow(hash.seeds().first()), ofRow(hash.seeds().second()), once);
    }
    String digest =
        "pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat('%d %d ', t), 'UTF8')), 'hex')"
            .formatted(hash.seeds().first(), hash.seeds().second());
    return "SELECT %s %s AS h1, %s AS h2 FROM (SELECT %s %s AS x FROM %s OFFSET 0) p"
        .formatted(columns, number("x", 0), number("x", 1), columns, digest, once);
  }

  /** The hash of a text that does not depend on the session's seeds. */
  String fixed(String text) {
    return hash.function() == Function.FAST
        ? fast(text, 0)
        : number(
            "pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(%s, 'UTF8')), 'hex')"
                .formatted(text),
            0);
  }

  private String ofRow(long seed) {
    return isBinary() ? bytes("t", seed) : fast("t", seed);
  }

  /** Whether {@code t} is the binary form of a row. */
  boolean isBinary() {
    return hash.form() == RowForm.BINARY;
  }

  /**
   * The hash of bytes, as a row with this one column. With several columns the server's hash would
   * be a sum of one number for each column, and rows that exchange values would have the same sums.
   */
  static String bytes(String value, long seed) {
    return "pg_catalog.hash_record_extended(ROW(%s), CAST('%d' AS int8))".formatted(value, seed);
  }

  private String fast(String text, long seed) {
    // Other collations may hash a changed form of the text.
    return "pg_catalog.hashtextextended(%s COLLATE pg_catalog.\"C\", CAST('%d' AS int8))"
        .formatted(utf8(text, hash.form(), encoding), seed);
  }

  /** A text whose bytes are those of UTF-8, in any database. */
  static String utf8(String text, RowForm form, String encoding) {
    if (form == RowForm.UTF8_HEX) {
      return "pg_catalog.encode(pg_catalog.convert_to(%s, 'UTF8'), 'hex')".formatted(text);
    }
    return encoding.equals("UTF8") || encoding.equals("SQL_ASCII")
        ? text
        : "pg_catalog.convert_from(pg_catalog.convert_to(%s, 'UTF8'), 'SQL_ASCII')".formatted(text);
  }

  private static String number(String digits, int which) {
    return "CAST(CAST(pg_catalog.concat('x', pg_catalog.substr(%s, %d, %d)) AS bit(64)) AS int8)"
        .formatted(digits, which * DIGITS + 1, DIGITS);
  }
}
