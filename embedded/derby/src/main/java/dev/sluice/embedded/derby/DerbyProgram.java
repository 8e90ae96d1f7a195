package dev.sluice.embedded.derby;

import java.io.IOException;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.apache.derby.drda.NetworkServerControl;

/**
 * The server's process. It says when it answers, and ends when its input ends: only the process
 * that started it holds that pipe, so it never outlives it.
 */
final class DerbyProgram {
  static final String READY = "ready";

  private static final int ATTEMPTS = 3_000;
  private static final int PAUSE_MILLIS = 20;

  private DerbyProgram() {}

  /**
   * @param arguments the port and the name of the database
   */
  public static void main(String[] arguments) throws Exception {
    openDatabase(arguments[1]);
    NetworkServerControl server =
        new NetworkServerControl(
            InetAddress.getByName("127.0.0.1"), Integer.parseInt(arguments[0]));
    server.start(null);
    awaitAnswer(server);
    System.out.println(READY);
    awaitEndOfInput();
    Runtime.getRuntime().halt(0);
  }

  /** Creates the database unless it is there; otherwise it is recovered. */
  private static void openDatabase(String name) throws SQLException {
    try (Connection connection =
        DriverManager.getConnection("jdbc:derby:" + name + ";create=true")) {
      compileMetadata(connection.getMetaData());
    }
  }

  /** Sessions that compile the same query of the metadata at once may lock each other out. */
  private static void compileMetadata(DatabaseMetaData metadata) throws SQLException {
    metadata.getSchemas().close();
    metadata.getTables(null, "SYS", "%", null).close();
    metadata.getColumns(null, "SYS", "%", "%").close();
    metadata.getPrimaryKeys(null, "SYS", "SYSTABLES").close();
    metadata.getImportedKeys(null, "SYS", "SYSTABLES").close();
    metadata.getExportedKeys(null, "SYS", "SYSTABLES").close();
    metadata.getIndexInfo(null, "SYS", "SYSTABLES", false, true).close();
  }

  private static void awaitAnswer(NetworkServerControl server) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        server.ping();
        return;
      } catch (Exception e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private static void awaitEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      // What it reads means nothing.
    }
  }
}
