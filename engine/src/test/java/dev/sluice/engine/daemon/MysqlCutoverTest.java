package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same onto MySQL, where a table stands for a sequence; skipped where there is none. */
class MysqlCutoverTest extends MariadbCutoverTest {

  @Override
  ToMariadb servers() {
    return ToMariadb.mysql();
  }

  @Override
  List<String> ticket() {
    return List.of("CREATE TABLE shop.ticket (n bigint AUTO_INCREMENT PRIMARY KEY)");
  }

  @Override
  List<String> nextTicket() {
    return List.of("INSERT INTO shop.ticket VALUES (NULL)", "SELECT LAST_INSERT_ID()");
  }

  @Override
  String ticketIs90() {
    return "ALTER TABLE shop.ticket AUTO_INCREMENT = 91";
  }

  @Override
  String page() {
    return "mysql-target.md";
  }

  @Override
  String fixOfMissing() {
    return "CREATE TABLE `shop`.`ticket`";
  }

  /** Its counter is set after the decision, by an ALTER TABLE. */
  @Test
  void aTableThatStandsForASequenceAndIsInUseStopsTheCutoverWithTheSourceOpen() throws Exception {
    create("counted");
    onTarget(ticket());
    try (RunningDaemon running = RunningDaemon.replicating(task("counted").config());
        Connection reader = sides.target().connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM shop.ticket").close();

      Outcome refused = running.daemon().cutover(order());

      assertThat(refused.message()).contains("target tables shop.ticket: are in use");
      assertThat(running.phase()).isEqualTo("replicating");
    }
  }
}
