package dev.sluice.engine.daemon;

import dev.sluice.engine.ToMariadb;
import java.util.List;

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
}
