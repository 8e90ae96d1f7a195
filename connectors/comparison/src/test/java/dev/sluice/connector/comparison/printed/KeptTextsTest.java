package dev.sluice.connector.comparison.printed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeptTextsTest {
  @Test
  void aWholeNumberKeepsItsTextInANumberThatDoesNotRoundIt() {
    assertThat(KeptTexts.areKept("integer", "bigint")).isTrue();
    assertThat(KeptTexts.areKept("integer", "numeric")).isTrue();
    assertThat(KeptTexts.areKept("integer", "numeric(12,0)")).isTrue();
    assertThat(KeptTexts.areKept("integer", "numeric(8,-2)")).as("1234 is 1200 in it").isFalse();
  }
}
