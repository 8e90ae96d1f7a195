package dev.sluice.bench.load;

import dev.sluice.bench.server.Database;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.Collections;
import java.util.Properties;

/**
 * INSERT statements by JDBC: one by one with a commit each, or in batches that each are one
 * transaction.
 *
 * @param batch rows; 1 for one by one
 * @param rewritten whether the driver makes statements of many rows out of a batch
 * @param limit the most rows that are written
 */
public record RowByRow(int batch, boolean rewritten, int limit) implements LoadMethod {

  @Override
  public String name() {
    return batch == 1
        ? "INSERT row by row, a commit each"
        : "JDBC batches of %,d%s".formatted(batch, rewritten ? ", reWriteBatchedInserts" : "");
  }

  @Override
  public int share(int rows) {
    return Math.min(limit, rows);
  }

  @Override
  public void write(Database target, CsvRows table, Path csv, int rows) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", Database.USER);
    // The server finds out the types of the parameters, so that all can be given as text.
    properties.setProperty("stringtype", "unspecified");
    properties.setProperty("reWriteBatchedInserts", Boolean.toString(rewritten));
    int columns = table.row(0).length;
    String sql =
        "INSERT INTO public.%s VALUES (%s)"
            .formatted(table.table(), String.join(", ", Collections.nCopies(columns, "?")));
    try (Connection connection = DriverManager.getConnection(target.jdbcUrl(), properties);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      connection.setAutoCommit(batch == 1);
      for (int number = 0; number < rows; number++) {
        String[] row = table.row(number);
        for (int column = 0; column < columns; column++) {
          statement.setString(column + 1, row[column].isEmpty() ? null : row[column]);
        }
        if (batch == 1) {
          statement.executeUpdate();
        } else {
          statement.addBatch();
          if ((number + 1) % batch == 0) {
            statement.executeBatch();
            connection.commit();
          }
        }
      }
      if (batch > 1) {
        statement.executeBatch();
        connection.commit();
      }
    }
  }
}
