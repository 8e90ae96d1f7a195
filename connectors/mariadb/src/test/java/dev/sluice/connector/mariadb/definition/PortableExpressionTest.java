package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PortableExpressionTest {
  @Test
  void comparisonsOfColumnsAndConstantsAreTheSame() {
    assertThat(PortableExpression.of("`qty` > 0 and (`a` is not null or `b` <> 'it''s')"))
        .contains("\"qty\" > 0 and (\"a\" is not null or \"b\" <> 'it''s')");
    assertThat(PortableExpression.of("\"qty\" in (1,2)")).contains("\"qty\" in (1,2)");
  }

  @Test
  void textsKeepTheirCharacters() {
    assertThat(PortableExpression.of("`a` = 'x\\\\y\\n'")).contains("\"a\" = 'x\\y\n'");
  }

  /** MariaDB prints the bytes of such a text, in which a backslash is a character. */
  @Test
  void aTextWithACharacterSetIsTheSameOnlyIfItIsPlain() {
    assertThat(PortableExpression.of("`a` in (_utf8mb4'x',_utf8mb4'50%')"))
        .contains("\"a\" in ('x','50%')");
    assertThat(PortableExpression.of("`a` in (_utf8mb4'50\\%',_utf8mb4'x')")).isEmpty();
    assertThat(PortableExpression.of("`a` <> _utf8mb4'a\\x08'")).isEmpty();
    assertThat(PortableExpression.of("`a` <> _utf8mb4'a''b'")).isEmpty();
    assertThat(PortableExpression.of("`a` <> _latin1'a'")).isEmpty();
  }

  @Test
  void whatMayMeanSomethingElseIsNotTranslated() {
    assertThat(PortableExpression.of("length(`a`) > 3")).isEmpty();
    assertThat(PortableExpression.of("`a` / 2 > 3")).isEmpty();
    assertThat(PortableExpression.of("`a` like 'x%'")).isEmpty();
    assertThat(PortableExpression.of("`a` = '\\0'")).isEmpty();
    assertThat(PortableExpression.of("`a` || `b`")).isEmpty();
  }
}
