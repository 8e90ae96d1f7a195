package dev.sluice.target.db2.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotedNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "SELECT at, c.task FROM t c; SELECT \"at\", \"c\".\"task\" FROM \"t\" \"c\"",
        "SELECT \"a b\"\"c\" FROM SESSION.stage_1; SELECT \"a b\"\"c\" FROM SESSION.\"stage_1\"",
        "UPDATE t SET a = 'it''s b' WHERE n = 1; UPDATE \"t\" SET \"a\" = 'it''s b' WHERE \"n\" = 1",
        "SELECT coalesce(max(id), 0) FROM t; SELECT coalesce(max(\"id\"), 0) FROM \"t\"",
        "UPDATE t SET done = false WHERE NOT done; UPDATE \"t\" SET \"done\" = false WHERE NOT \"done\"",
        "INSERT INTO t (a) VALUES (?); INSERT INTO \"t\" (\"a\") VALUES (?)"
      })
  void namesInLowerCaseAreQuotedAndNothingElse(String sql, String quoted) {
    assertThat(QuotedNames.in(sql)).isEqualTo(quoted);
  }
}
