package dev.sluice.connector.mariadb;

import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * The servers of the tests that run now: of MariaDB, or of MySQL in a class with {@link OnMysql}.
 * One of each is shared by all tests of the JVM.
 */
public final class Servers {
  private static EmbeddedServer mariadb;
  private static EmbeddedServer mysql;
  private static boolean usesMysql;

  private Servers() {}

  public static void use(boolean ofMysql) {
    usesMysql = ofMysql;
  }

  public static boolean areMysql() {
    return usesMysql;
  }

  /** As task files name the type. */
  public static String type() {
    return usesMysql ? MariadbConfig.MYSQL : MariadbConfig.TYPE;
  }

  public static synchronized EmbeddedServer shared() {
    if (usesMysql) {
      mysql = mysql == null ? closed(start()) : mysql;
      return mysql;
    }
    mariadb = mariadb == null ? closed(start()) : mariadb;
    return mariadb;
  }

  private static EmbeddedServer closed(EmbeddedServer server) {
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    return server;
  }

  public static EmbeddedServer start() {
    return builder().start();
  }

  public static ServerBuilder<? extends EmbeddedServer> builder() {
    return usesMysql ? EmbeddedMysql.builder() : EmbeddedMariadb.builder();
  }

  /** What the present servers understand. */
  public static String sql(String ofMariadb, String ofMysql) {
    return usesMysql ? ofMysql : ofMariadb;
  }

  /** A file stays as long as the server has not noticed that its last reader is gone. */
  public static void purgeTo(EmbeddedServer server, String file) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                statement.execute("PURGE BINARY LOGS TO '" + file + "'");
                try (ResultSet oldest = statement.executeQuery("SHOW BINARY LOGS")) {
                  oldest.next();
                  return oldest.getString(1).equals(file);
                }
              });
    }
  }

  /** A table with the numbers from 1 to a highest one, up to 100,000, in the column {@code seq}. */
  public static String numbers(int highest) {
    String digits =
        IntStream.range(0, 10)
            .mapToObj(digit -> "SELECT " + digit + " AS d")
            .collect(Collectors.joining(" UNION ALL ", "(", ")"));
    return ("(SELECT * FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS seq"
            + " FROM %1$s a, %1$s b, %1$s c, %1$s e, %1$s f) n WHERE seq <= %2$d) numbers")
        .formatted(digits, highest);
  }
}
