package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.sink.target.TargetLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class Db2LimitsTest {
  private static final Set<TargetLimit> LIMITS = Db2Dialect.INSTANCE.limits();

  @Test
  void thePartsOfTheDialectSayTheSame() {
    Db2Dialect dialect = Db2Dialect.INSTANCE;
    assertThat(dialect.ddl().isTransactional())
        .isNotEqualTo(LIMITS.contains(TargetLimit.DEFINITIONS));
    assertThat(dialect.emptying().truncatesInTransaction())
        .isNotEqualTo(LIMITS.contains(TargetLimit.TRUNCATION));
    assertThatThrownBy(dialect::multiset)
        .hasMessageContaining(TargetLimit.TABLES_WITHOUT_KEY.text());
  }

  @Test
  void whatThisTargetCannotDoIsDocumentedAndNothingElse() throws IOException {
    String page = Files.readString(Path.of("../../docs/internals/sources-and-dialects.md"));
    String section = page.substring(page.indexOf("### Db2"), page.indexOf("### Loads"));
    for (TargetLimit limit : TargetLimit.values()) {
      assertThat(section.contains("\n- " + limit.text()))
          .as(limit.text())
          .isEqualTo(LIMITS.contains(limit));
    }
  }
}
