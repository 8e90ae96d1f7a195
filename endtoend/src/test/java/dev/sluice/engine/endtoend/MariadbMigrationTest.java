package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A migration of a MariaDB database. */
class MariadbMigrationTest extends BinlogMigration {
  MariadbMigrationTest() {
    super(ShopServer.MARIADB);
  }

  @Test
  @Timeout(600)
  void aCutoverSetsTheSequencesAndIsRefusedWhileOneIsMissing(@TempDir Path folder)
      throws Exception {
    createTarget("sequences");
    try (EmbeddedServer source = ShopServer.MARIADB.start();
        Connection target = target("sequences");
        Statement onTarget = target.createStatement()) {
      BinlogShop.create(ShopServer.MARIADB, source);
      try (Connection connection = source.connect(BinlogShop.DATABASE);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE SEQUENCE invoice START 1000 INCREMENT 10 CACHE 5");
        statement.execute("CREATE SEQUENCE spare START 7 NOCACHE");
        statement.execute(
            "CREATE TABLE bill (id bigint PRIMARY KEY DEFAULT nextval(invoice), n int)");
        statement.execute("INSERT INTO bill (n) VALUES (1), (2)");
        Path task = task(folder, "sequences", source, "full-load-and-cdc");
        assertSaid(
            DaemonProcess.commandHere("check", task.toString(), "-v"),
            0,
            "the sequences [spare] are in no default of a selected table");
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          statement.execute("INSERT INTO bill (n) VALUES (3), (4), (5), (6)");
          DaemonProcess.Finished refused =
              DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period");
          assertThat(refused.exitCode()).isNotZero();
          assertThat(refused.output()).contains("target sequence shop.spare", "is not there");
          onTarget.execute("CREATE SEQUENCE shop.spare");
          assertSaid(
              DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period"),
              0,
              "the target has everything");
        }
      }
      // The source's sessions may have taken 1,060 to 1,090.
      assertThat(single(onTarget, "INSERT INTO shop.bill (n) VALUES (7) RETURNING id"))
          .isEqualTo(1100);
      assertThat(single(onTarget, "SELECT nextval('shop.spare')")).isEqualTo(7);
    }
  }

  private static long single(Statement statement, String query) throws Exception {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
