package dev.sluice.bench.load;

import dev.sluice.bench.server.Database;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import org.postgresql.PGConnection;

/** pgjdbc's CopyManager: one COPY of the whole CSV file, in one transaction. */
public record WholeCopy() implements LoadMethod {
  private static final int BUFFER_BYTES = 64 * 1024;

  @Override
  public String name() {
    return "CopyManager, one COPY";
  }

  @Override
  public void write(Database target, CsvRows table, Path csv, int rows) throws Exception {
    try (Connection connection = target.connect();
        InputStream in = Files.newInputStream(csv)) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY public." + table.table() + " FROM STDIN (FORMAT csv)", in, BUFFER_BYTES);
    }
  }
}
