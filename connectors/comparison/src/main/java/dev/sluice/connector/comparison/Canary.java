package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.SideForm;
import java.sql.SQLException;
import java.util.List;

/** Samples that show whether two servers print and hash in the same way. */
final class Canary {
  /** Values whose text depends on settings or versions. */
  private static final String PRINTED =
      """
      SELECT CAST(ROW(CAST('0.1' AS float4), CAST('0.1' AS float8), CAST('-0' AS float8),
        CAST('NaN' AS float8), CAST('Infinity' AS float4), CAST('1e100' AS float8),
        CAST('NaN' AS numeric), CAST('1.500' AS numeric), CAST('-infinity' AS timestamptz),
        CAST('2000-01-31 12:34:56.789+03' AS timestamptz), CAST('2000-01-31' AS date),
        CAST('10:00:00.5+02' AS timetz), CAST('1 mon -2 days 03:00:00.5' AS interval),
        CAST('\\x00ff' AS bytea), CAST('12.5' AS money), CAST('a' AS char(3)),
        CAST('{"a": 1.0, "b": [null]}' AS jsonb), CAST('{1,NULL,"NULL"}' AS text[]),
        CAST('[1,2)' AS int4range), CAST('10.0.0.1' AS inet), NULL, '', true) AS text)
      """;

  /** Two values of each exact type, and NULL. */
  private static final String EXACT =
      """
      ROW(true, false, CAST(1 AS int2), CAST(-1 AS int2), 1, -1, CAST(1 AS int8),
        CAST(-9223372036854775807 AS int8), CAST(1 AS oid), CAST('1.50' AS numeric),
        CAST('NaN' AS numeric), CAST('-1e-20' AS numeric), CAST('aé' AS text), CAST('' AS text),
        CAST('a' AS varchar), CAST('a' AS char(3)), CAST('\\x00ff' AS bytea),
        CAST('00000000-0000-0000-0000-0000000000ff' AS uuid), CAST('2000-01-31' AS date),
        CAST('-infinity' AS date), CAST('10:00:00.5' AS time),
        CAST('2000-01-31 12:34:56.789' AS timestamp), CAST('infinity' AS timestamp),
        CAST('2000-01-31 12:34:56.789+03' AS timestamptz), CAST('-infinity' AS timestamptz),
        CAST('{"a" : 1.0}' AS json), CAST('{"a": 1.0, "b": [null]}' AS jsonb), CAST(NULL AS text))
      """;

  private Canary() {}

  /** How a server prints and hashes. */
  static SideForm form(SideSession session, CatalogReading.Database database, HashSeeds seeds)
      throws SQLException {
    String encoding = database.encoding();
    boolean keeps =
        database.singleByte() || encoding.equals("UTF8") || encoding.equals("SQL_ASCII");
    return new SideForm(
        encoding,
        keeps,
        answer(session, PRINTED),
        answer(session, hashed(seeds)),
        encoding.equals("UTF8") ? answer(session, sent(seeds)) : "");
  }

  private static String answer(SideSession session, String query) throws SQLException {
    return session.query(query, List.of(), CatalogReading::text).orElse("");
  }

  /** Hashes of the binary form of samples. */
  private static String sent(HashSeeds seeds) {
    return "SELECT pg_catalog.concat(%s, '/', %s) FROM (SELECT pg_catalog.record_send(%s) AS t) s"
        .formatted(
            HashSql.bytes("t", seeds.first()), HashSql.bytes("t", seeds.second()), EXACT.strip());
  }

  /** Hashes of texts of several lengths, by the server's own function. */
  private static String hashed(HashSeeds seeds) {
    String hash =
        "pg_catalog.hashtextextended(pg_catalog.repeat('Sluice ', n) COLLATE pg_catalog.\"C\", CAST('%d' AS int8))";
    return "SELECT pg_catalog.string_agg(pg_catalog.concat(%s, '/', %s), ' ' ORDER BY n) FROM pg_catalog.generate_series(0, 12) n"
        .formatted(hash.formatted(seeds.first()), hash.formatted(seeds.second()));
  }
}
