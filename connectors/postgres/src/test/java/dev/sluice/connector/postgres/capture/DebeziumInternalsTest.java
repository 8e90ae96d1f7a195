package dev.sluice.connector.postgres.capture;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class DebeziumInternalsTest {

  @Test
  void theDebeziumOfTheBuildHasTheMembersThatSluiceUses() {
    assertThatCode(DebeziumInternals::require).doesNotThrowAnyException();
  }
}
