package dev.sluice.config.internals;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class PgjdbcInternalsTest {

  @Test
  void theDriverOfTheBuildHasTheMembersThatSluiceUses() {
    assertThatCode(PgjdbcInternals::require).doesNotThrowAnyException();
  }
}
