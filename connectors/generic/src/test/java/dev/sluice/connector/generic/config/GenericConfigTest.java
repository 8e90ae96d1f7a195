package dev.sluice.connector.generic.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GenericConfigTest {

  @Test
  void aTaskThatTakesASlotNamesThePlaceAtWhichItStarts() {
    assertThat(config(false).problemWithoutStart()).isEmpty();
    assertThat(config(true).problemWithoutStart())
        .hasValueSatisfying(
            wrong -> {
              assertThat(wrong.expected()).contains("source.debezium.take-slot");
              assertThat(wrong.fix()).contains("Write cdc-start-position");
            });
  }

  private static GenericConfig config(boolean takeSlot) {
    return new GenericConfig(
        new Endpoint(GenericConfig.TYPE, "host", 5432, "shop", "user", Secret.NONE, Map.of()),
        Path.of("connector"),
        KnownConnector.POSTGRESQL,
        Map.of(),
        Optional.empty(),
        takeSlot);
  }
}
