package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedTest {
  @Test
  void theNounOfOneIsSingular() {
    assertThat(Counted.of(1, "table")).isEqualTo("1 table");
    assertThat(Counted.of(0, "table")).isEqualTo("0 tables");
    assertThat(Counted.of(41_200, "change")).isEqualTo("41,200 changes");
  }
}
