package dev.sluice.connector.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LiteralSqlTest {
  @Test
  void aParameterIsWrittenAsALiteralOnOneLine() {
    assertThat(LiteralSql.of("SELECT ? WHERE a = ?", List.of("it's\na \\ ", "b")))
        .contains("SELECT E'it''s\\na \\\\ ' WHERE a = E'b'");
  }

  @Test
  void aListIsWrittenAsAnArray() {
    assertThat(LiteralSql.of("unnest(?)", List.of((Object) new String[] {"a", null, "b'"})))
        .contains("unnest(ARRAY[E'a', NULL, E'b''']::text[])");
  }

  @Test
  void aQuestionMarkInANameOrATextIsNoParameter() {
    assertThat(LiteralSql.of("SELECT \"a?\", '?' || ?\nFROM t", List.of("x")))
        .contains("SELECT \"a?\", '?' || E'x' FROM t");
  }

  @Test
  void aNameWithALineBreakHasNoStatementOnOneLine() {
    assertThat(LiteralSql.of("SELECT \"a\nb\"", List.of())).isEmpty();
  }
}
