package dev.sluice.connect.target;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the connector promises with MariaDB and MySQL in particular. */
abstract class MariadbContract extends TargetContract {
  @Test
  void aTableOfAnotherDatabaseIsRefusedAndNotWritten() throws Exception {
    run("CREATE DATABASE other");
    run("CREATE TABLE other.items (id int PRIMARY KEY, name longtext)");
    failWith(
        ordered(),
        "target.url names the database shop",
        "BEGIN|1",
        "c|other.items|1|a|1|1|0",
        "END|1|110|other.items=1");
    assertThat(query("SELECT id FROM other.items")).isEmpty();
    Map<String, String> fixed = ordered();
    fixed.put("target.table", "other.${table}");
    assertThat(problems(fixed)).containsOnlyKeys("target.table");
  }

  @Test
  void aJournalIsRefusedAndTopicsOfDebeziumAreNot() {
    assertThat(problems(properties("journal"))).containsKey("topic.layout");
    assertThat(problems(properties("journal")).get("topic.layout").toString())
        .contains(
            "a target of type "
                + properties("ordered").get("target.type")
                + " has no layout journal");
  }

  @Test
  void aUserWithoutRightsIsRefusedWithTheStatementThatGivesThem() throws Exception {
    run("CREATE USER IF NOT EXISTS poor");
    run("GRANT SELECT ON shop.* TO poor");
    Map<String, String> properties = ordered();
    properties.put("target.url", properties.get("target.url").replace("root@", "poor@"));
    assertThat(problems(properties).get("control.schema").toString()).contains("sluice_control");
    run("CREATE USER IF NOT EXISTS locked IDENTIFIED BY 'secret'");
    properties.put("target.url", properties.get("target.url").replace("poor@", "locked@"));
    assertThat(problems(properties)).containsOnlyKeys("target.password");
    assertThat(problems(properties).toString()).doesNotContain("secret");
  }
}
