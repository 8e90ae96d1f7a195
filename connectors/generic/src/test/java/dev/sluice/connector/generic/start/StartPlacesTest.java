package dev.sluice.connector.generic.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import org.junit.jupiter.api.Test;

class StartPlacesTest {

  @Test
  void theAdviceOfTheOwnSourceBecomesOneThatAConnectorCanFollow() {
    Problem gone = problem("Remove cdc-start-position: sluice resync before the first start");
    assertThat(StartPlaces.ofConnector(gone).fix())
        .startsWith("Let the task load the tables: migration-type: full-load-and-cdc")
        .doesNotContain("resync");
    Problem other = problem("Grant REPLICATION");
    assertThat(StartPlaces.ofConnector(other)).isEqualTo(other);
  }

  private static Problem problem(String fix) {
    return new Problem("cdc-start-position", "earlier ones may be gone", "a later time", fix);
  }
}
