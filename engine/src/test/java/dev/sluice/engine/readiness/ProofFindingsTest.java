package dev.sluice.engine.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.status.CutoverReport.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProofFindingsTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(300);

  @Test
  void aLagAboveTheLimitOfTheValidationIsAChoiceAndAboveTheTimeoutABlocker() {
    assertThat(lag(LIMIT)).isEmpty();
    assertThat(lag(Duration.ofMillis(10_500)))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo("lag");
              assertThat(finding.weight()).isEqualTo("choice");
              assertThat(finding.found()).startsWith("is 10.5 s behind the source");
            });
    assertThat(lag(TIMEOUT)).extracting(Finding::weight).containsExactly("choice");
    assertThat(lag(TIMEOUT.plusSeconds(1))).extracting(Finding::weight).containsExactly("blocker");
  }

  private static List<Finding> lag(Duration lag) {
    FindingList found = new FindingList(Set.of());
    ProofFindings.ofLag(lag, LIMIT, TIMEOUT, found);
    return found.sorted();
  }
}
