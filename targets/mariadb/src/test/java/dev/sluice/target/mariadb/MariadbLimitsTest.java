package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.target.TargetLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MariadbLimitsTest {
  @Test
  void thePartsOfTheDialectSayTheSame() {
    MariadbDialect dialect = MariadbDialect.INSTANCE;
    assertThat(dialect.ddl().isTransactional())
        .isNotEqualTo(dialect.limits().contains(TargetLimit.DEFINITIONS));
    assertThat(dialect.emptying().truncatesInTransaction())
        .isNotEqualTo(dialect.limits().contains(TargetLimit.TRUNCATION));
  }

  @Test
  void whatThisTargetCannotDoIsDocumented() throws IOException {
    String page = Files.readString(Path.of("../../docs/internals/sources-and-dialects.md"));
    assertThat(MariadbDialect.INSTANCE.limits()).isNotEmpty();
    for (TargetLimit limit : MariadbDialect.INSTANCE.limits()) {
      assertThat(page).contains("\n- " + limit.text());
    }
  }
}
