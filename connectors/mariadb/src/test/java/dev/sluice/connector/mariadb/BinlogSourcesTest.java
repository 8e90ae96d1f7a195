package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.TaskFile;
import dev.sluice.connector.mariadb.capture.search.NamedGtids;
import dev.sluice.connector.mariadb.server.Flavour;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** MariaDB and MySQL as types that task files name. */
class BinlogSourcesTest {
  @Test
  void aPositionIsAFileAndAnOffset() {
    MysqlSources mysql = new MysqlSources();
    assertThat(mysql.problemOf("mysql-bin.000042:4711")).isEmpty();
    assertThat(mysql.problemOf("4AF/B00000D0").orElseThrow().fix())
        .contains("SHOW BINARY LOG STATUS");
    assertThat(new MariadbSources().problemOf("4AF/B00000D0").orElseThrow().fix())
        .contains("SHOW MASTER STATUS");
  }

  @Test
  void aPlaceIsAlsoNamedByGtidsWhichTheLogKnows() {
    String one = "3E11FA47-71CA-11E1-9E33-C80AA9429562";
    MariadbSources mariadb = new MariadbSources();
    MysqlSources mysql = new MysqlSources();
    for (String gtids : List.of("0-1-4711", "0-1-4711,1-2-33", "0-1-4711, 1-2-33")) {
      assertThat(mariadb.problemOf(gtids)).as(gtids).isEmpty();
      assertThat(mariadb.stopPosition(gtids)).as(gtids).isEmpty();
      assertThat(mysql.problemOf(gtids)).as(gtids).isPresent();
    }
    for (String gtids : List.of(":1", ":1-5:7", ":1-5:tag:2-3", ":1,\n" + one + ":tag:9")) {
      assertThat(mysql.problemOf(one + gtids)).as(gtids).isEmpty();
      assertThat(mysql.stopPosition(one + gtids)).as(gtids).isEmpty();
    }
    assertThat(NamedGtids.parse(Flavour.MYSQL, one + ":TAG:9").orElseThrow())
        .as("the server has names of tags in lower case")
        .hasToString(one.toLowerCase(Locale.ROOT) + ":tag:9");
    for (String wrong : List.of("0-1", "0-1-", "0-1-2,", "0-1-2,0-2-3", "0-1-2;1-1-1", "a-1-2")) {
      assertThat(mariadb.problemOf(wrong).orElseThrow().expected())
          .as(wrong)
          .contains("a file of the binary log", "0-1-4711,1-2-33");
    }
    for (String wrong : List.of("", ":", ":0-3", ":5-1", ":1-", ":1,", ":tag")) {
      assertThat(mysql.problemOf(one + wrong)).as(wrong).isPresent();
    }
    assertThat(mysql.problemOf("1-1-1-1-1:1")).isPresent();
  }

  @Test
  void aPasswordOfMysqlWithoutEncryptionIsRefusedWhereTheFileIsRead() {
    for (String option : List.of("", "?sslMode=disable")) {
      assertThat(problems("mysql", "mysql://u@h/shop" + option))
          .contains("no encryption (sslMode)", "sslMode=verify-ca")
          .doesNotContain("hunter2");
    }
    for (String url :
        List.of("mysql://u@h/shop?sslMode=trust", "mysql://u@h/shop?sslMode=verify-full")) {
      assertThat(problems("mysql", url)).doesNotContain("sslMode", "source");
    }
    assertThat(problems("mariadb", "mariadb://u@h/shop")).doesNotContain("sslMode", "source");
    assertThat(problems("mysql", "mariadb://u@h/shop?sslMode=trust"))
        .contains("the url does not start with mysql://");
  }

  @Test
  void theTaskFileSaysWhatBecomesOfValuesThatPostgresDoesNotHave() {
    for (String keys :
        List.of(
            "",
            "zero-dates: refuse",
            "zero-dates: to-null",
            "zero-characters: refuse",
            "zero-dates: to-null\n  zero-characters: remove")) {
      assertThat(problems("mariadb", "mariadb://u@h/shop", keys)).doesNotContain("source");
    }
    assertThat(problems("mariadb", "mariadb://u@h/shop", "zero-dates: zero"))
        .contains("one of: refuse, to-null");
    assertThat(problems("mysql", "mysql://u@h/shop?sslMode=trust", "zero-characters: to-null"))
        .contains("one of: refuse, remove");
  }

  private static String problems(String type, String url) {
    return problems(type, url, "");
  }

  private static String problems(String type, String url, String keys) {
    return TaskFile.problemsOf(
            Path.of("task.yaml"),
            """
            task: shop
            migration-type: full-load-and-cdc
            source:
              type: %s
              url: "%s"
              password: hunter2
              %s
            target: {type: postgresql, url: "postgresql://u@h/shop", password: other}
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: "1"
                  rule-action: include
                  object-locator: { schema-name: shop, table-name: "%%" }
            """
                .formatted(type, url, keys),
            Map.of())
        .toString();
  }
}
