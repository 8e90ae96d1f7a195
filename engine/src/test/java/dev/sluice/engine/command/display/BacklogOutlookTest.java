package dev.sluice.engine.command.display;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BacklogOutlookTest {
  @ParameterizedTest
  @CsvSource({
    "0, 100, 100, nothing waits",
    "150, 100, 100, 1.5 s of work",
    "201, 100, 100, neither grows nor shrinks at present",
    "5000, 100, 150, 1:40 left at the present rate",
    "5001, 100, 150, 1:41 left at the present rate",
    "900000, 0, 100, 2:30:00 left at the present rate",
    "900, 1600, 100, 'grows by 1,500 rows/s: no end at the present rate'",
    "900, 0, 0, neither grows nor shrinks at present"
  })
  void itSaysWhenTheWaitingChangesAreGone(
      long changes, double sourceRate, double applyRate, String words) {
    assertThat(BacklogOutlook.of(changes, sourceRate, applyRate)).isEqualTo(words);
  }
}
