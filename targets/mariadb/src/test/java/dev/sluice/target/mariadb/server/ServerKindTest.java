package dev.sluice.target.mariadb.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerKindTest {

  @Test
  void releasesOfMysqlBefore84AreRefusedByName() {
    assertThat(ServerKind.MYSQL.problemOf(false, 8, 0, "8.0.46").orElseThrow())
        .contains("version 8.0.46", "expected MySQL 8.4 or newer");
    assertThat(ServerKind.MYSQL.problemOf(false, 5, 7, "5.7.44")).isPresent();
    assertThat(ServerKind.MYSQL.problemOf(false, 8, 4, "8.4.0")).isEmpty();
    assertThat(ServerKind.MYSQL.problemOf(false, 9, 0, "9.0.1")).isEmpty();
  }

  @Test
  void aServerOfTheOtherKindIsRefusedWithTheTypeToWrite() {
    assertThat(ServerKind.MYSQL.problemOf(true, 11, 4, "11.4.5-MariaDB").orElseThrow())
        .contains("the server is MariaDB", "Write target.type: mariadb");
    assertThat(ServerKind.MARIADB.problemOf(false, 9, 7, "9.7.4").orElseThrow())
        .contains("the server is MySQL", "Write target.type: mysql");
    assertThat(ServerKind.MARIADB.problemOf(true, 10, 11, "10.11.2-MariaDB")).isEmpty();
  }
}
