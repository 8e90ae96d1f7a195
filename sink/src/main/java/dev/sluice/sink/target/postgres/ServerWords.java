package dev.sluice.sink.target.postgres;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** What a server says of an error, without the driver's additions. Stateless. */
public final class ServerWords {
  private ServerWords() {}

  /**
   * The server's message alone. The driver adds its detail, its hint and where it was, which may
   * quote a row, and to that of a batch the statement.
   */
  public static String of(SQLException error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof PSQLException server && server.getServerErrorMessage() != null) {
        return String.valueOf(server.getServerErrorMessage().getMessage());
      }
    }
    return String.valueOf(error.getMessage());
  }
}
