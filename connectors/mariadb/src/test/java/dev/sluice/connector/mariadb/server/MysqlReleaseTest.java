package dev.sluice.connector.mariadb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servers say of themselves that greet as MySQL. */
class MysqlReleaseTest {

  @ParameterizedTest
  @CsvSource({
    "8.4.0, true",
    "8.4.6-6.1, true",
    "9.7.4-2, true",
    "10.0.1, true",
    "8.3.0, false",
    "8.0.39, false",
    "8.0.mysql_aurora.3.08.0, false",
    "5.7.44-log, false",
    "'', false"
  })
  void releasesFrom84OnAreSupported(String version, boolean supported) {
    assertThat(release(version, "").isSupported()).isEqualTo(supported);
  }

  @ParameterizedTest
  @CsvSource({
    "8.0.11-TiDB-v8.5.0, TiDB Server (Apache License 2.0), true",
    "8.0.30-Vitess, '', true",
    "8.4.2, OceanBase_CE 4.3, true",
    "9.7.4-2, (Debian), false",
    "8.4.0-1, Percona Server (GPL) Release 1, false"
  })
  void otherProductsAreKnownByTheirNames(String version, String comment, boolean other) {
    assertThat(release(version, comment).otherProduct().isPresent()).isEqualTo(other);
  }

  @Test
  void onlyTheReleaseOfTheTestsIsTried() {
    assertThat(release("9.7.4-2", "(Debian)").notTried()).isEmpty();
    assertThat(release("8.4.6", "MySQL Community Server - GPL").notTried()).isPresent();
    assertThat(release("9.7.0-1", "Percona Server (GPL)").notTried().orElseThrow())
        .contains("Percona");
    assertThat(
            MysqlRelease.of(Map.of("version", "9.7.1", "aurora_version", "4.0"))
                .notTried()
                .orElseThrow())
        .contains("Aurora");
  }

  private static MysqlRelease release(String version, String comment) {
    return new MysqlRelease(version, comment, false);
  }
}
