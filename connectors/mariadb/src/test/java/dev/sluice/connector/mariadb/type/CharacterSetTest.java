package dev.sluice.connector.mariadb.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.charset.CharacterCodingException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CharacterSetTest {
  /** Each character that a character set has, as its bytes and as the server converts it. */
  private static final String CHARACTERS =
      """
      SELECT CAST(c AS BINARY), HEX(CONVERT(c USING utf16)) FROM (
        SELECT seq, CONVERT(CONVERT(UNHEX(LPAD(HEX(seq), 8, '0')) USING utf32) USING %1$s) AS c
        FROM seq_1_to_65535 WHERE seq NOT BETWEEN 55296 AND 57343) characters
      WHERE HEX(CONVERT(c USING utf32)) = LPAD(HEX(seq), 8, '0')
      """;

  @Test
  void eachCharacterIsDecodedAsTheServerConvertsIt() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    List<String> wrong = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    try (EmbeddedMariadb server = EmbeddedMariadb.start();
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      List<String> names = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT character_set_name FROM information_schema.character_sets")) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
      for (String name : names) {
        CharacterSet set = CharacterSet.named(name).orElse(null);
        if (set == null) {
          refused.add(name);
        } else if (!set.isBinary()) {
          compare(statement, set, wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(refused)
        .containsExactlyInAnyOrder(
            "armscii8",
            "big5",
            "dec8",
            "euckr",
            "geostd8",
            "hp8",
            "keybcs2",
            "macce",
            "macroman",
            "sjis",
            "swe7",
            "tis620",
            "ujis",
            "utf32",
            "eucjpms");
  }

  private static void compare(Statement statement, CharacterSet set, List<String> wrong)
      throws SQLException {
    int count = 0;
    List<String> differing = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(CHARACTERS.formatted(set.name()))) {
      while (rows.next()) {
        count++;
        byte[] bytes = rows.getBytes(1);
        String expected = rows.getString(2);
        String decoded = "";
        try {
          for (char c : set.decode(bytes, 0, bytes.length).toCharArray()) {
            decoded += "%04X".formatted((int) c);
          }
        } catch (CharacterCodingException e) {
          decoded = "nothing";
        }
        if (!decoded.equals(expected)) {
          differing.add(expected + " as " + decoded);
        }
      }
    }
    if (count < 127 || !differing.isEmpty()) {
      wrong.add(
          "%s: %d of %d characters, such as %s"
              .formatted(
                  set.name(),
                  differing.size(),
                  count,
                  differing.subList(0, Math.min(12, differing.size()))));
    }
  }
}
