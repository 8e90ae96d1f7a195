package dev.sluice.bench.validation;

import dev.sluice.bench.server.Database;
import java.sql.SQLException;

/** A table of rows of about 110 bytes. Stateless. */
final class BigTable {
  static final String NAME = "big";

  private BigTable() {}

  static void create(Database database, int rows) throws SQLException {
    database.execute(
        "CREATE TABLE "
            + NAME
            + " (id int PRIMARY KEY, balance numeric(14,2), at timestamptz, note text)",
        "INSERT INTO "
            + NAME
            + " SELECT g, g / 7.0, '2026-01-01 00:00:00+00'::timestamptz + g * interval '1 s',"
            + " md5(g::text) || md5((g + 1)::text) FROM generate_series(1, "
            + rows
            + ") g",
        "VACUUM ANALYZE " + NAME);
  }
}
