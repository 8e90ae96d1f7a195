package dev.sluice.bench.load;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A table and the rows that are written into it, the same each time. Immutable. */
public interface CsvRows {

  /** Without a schema. */
  String table();

  String createTable();

  /** The values of a row in the order of the columns; none needs a quote in CSV. */
  String[] row(int number);

  /** Writes the first rows as CSV, without a header. */
  default void write(Path file, int rows) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      for (int number = 0; number < rows; number++) {
        out.write(String.join(",", row(number)).getBytes(StandardCharsets.UTF_8));
        out.write('\n');
      }
    }
  }
}
