package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ToMariadb;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The same onto MySQL; skipped where there is none. */
class MysqlValidationTest extends MariadbValidationTest {

  @Override
  ToMariadb servers() {
    return ToMariadb.mysql();
  }

  /** It prints numbers and spaces in another form than they had, and sorts keys. */
  @Test
  void aColumnOfMysqlsJsonIsNotComparedAndNamed() throws Exception {
    create("json");
    onSource(
        "json",
        "CREATE TABLE shop.doc (id int PRIMARY KEY, doc jsonb)",
        "INSERT INTO shop.doc VALUES (1, '{\"a\": 1.50}')");
    onTarget(
        "CREATE TABLE shop.doc (id int PRIMARY KEY, doc json)",
        "INSERT INTO shop.doc VALUES (1, '{\"a\": 1.50}')");

    assertThat(
            ValidationOnlyTask.of(
                    task("json", "{}, ValidationSettings: {ValidationOnly: true}")
                        .replacing("full-load-and-cdc", "full-load")
                        .config())
                .run()
                .lines())
        .anyMatch(line -> line.contains("target table shop.doc, column doc: is json"))
        .noneMatch(line -> line.contains("1 differ"));
  }

  @Override
  @Test
  @Disabled("a server of MySQL has this setting from its first start on")
  void aDatabaseThatTheServerHasUnderAnotherNameIsNamedBeforeTheComparison() {}
}
