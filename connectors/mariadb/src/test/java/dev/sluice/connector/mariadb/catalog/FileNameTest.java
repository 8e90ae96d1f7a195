package dev.sluice.connector.mariadb.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.comparison.mariadb.FileName;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FileNameTest {

  @Test
  void eachCharacterHasTheNameThatTheServerGivesIt() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    List<String> wrong = new ArrayList<>();
    try (Connection connection = Servers.shared().connect();
        PreparedStatement statement =
            connection.prepareStatement("SELECT CAST(convert(? USING filename) AS BINARY)")) {
      for (char c = 1; c < 0xFFFF; c++) {
        if (!Character.isSurrogate(c)) {
          statement.setString(1, String.valueOf(c));
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            String expected = new String(row.getBytes(1), StandardCharsets.US_ASCII);
            String name = "a" + c + "0b";
            if (!FileName.of(String.valueOf(c)).equals(expected)
                || !FileName.read(FileName.of(name)).equals(name)) {
              wrong.add("%04x".formatted((int) c));
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void aNameThatIsReservedForDevicesIsFoundByTheServersOwn() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase();
        PreparedStatement statement =
            database.connection.prepareStatement(
                "SELECT count(*) FROM information_schema.INNODB_SYS_TABLES WHERE NAME = ?")) {
      for (String name : List.of("aux", "CON", "nul", "prn", "com1", "lpt9", "com0", "auxx")) {
        database.execute("CREATE TABLE `" + name + "` (id int PRIMARY KEY)");
        statement.setString(1, FileName.of(database.table(name)));
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          assertThat(row.getInt(1)).as(name).isEqualTo(1);
        }
        assertThat(FileName.read(FileName.of(name))).isEqualTo(name);
      }
    }
  }
}
