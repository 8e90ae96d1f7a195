package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.SourceType;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What PostgreSQL declares for the task file. */
class PostgresSourcesTest {
  private static final FileLocation PLACE = new FileLocation("task.yaml", 1, 1, "");
  private static final Endpoint ENDPOINT =
      new Endpoint("db1", 5432, "shop", "replicator", Secret.NONE, Map.of());

  private final PostgresSources sources = new PostgresSources();
  private final Problems problems = new Problems();

  @Test
  void itIsFoundByItsDeclaration() {
    assertThat(ServiceLoader.load(SourceType.class)).hasOnlyElementsOfType(PostgresSources.class);
  }

  @Test
  void missingKeysHaveDefaults() {
    assertThat(read())
        .isEqualTo(new PostgresConfig(ENDPOINT, "sluice_x", "sluice_x", false, false));
  }

  @Test
  void itsKeysAreRead() {
    SourceConfig config =
        read(
            entry("slot-name", new Node.Text(PLACE, "my_slot")),
            entry("publication-name", new Node.Text(PLACE, "my_publication")),
            entry("replica-identity-full", new Node.Flag(PLACE, "true", true)),
            entry("take-slot", new Node.Flag(PLACE, "true", true)));

    assertThat(config)
        .isEqualTo(new PostgresConfig(ENDPOINT, "my_slot", "my_publication", true, false, true));
  }

  @Test
  void namesThatAreNoneAreReportedTogether() {
    read(
        entry("slot-name", new Node.Text(PLACE, "My-Slot")),
        entry("publication-name", new Node.Text(PLACE, "1st")));

    SluiceException.Fatal failure =
        Assertions.catchThrowableOfType(SluiceException.Fatal.class, problems::throwIfAny);
    assertThat(failure.problems())
        .hasSize(2)
        .extracting(Problem::expected)
        .allMatch(text -> text.startsWith("1 to 63 lower-case letters"));
  }

  @Test
  void aPositionIsReadInTheFormOfTheServer() {
    assertThat(sources.problemOf("4AF/B00000D0")).isEmpty();
    assertThat(sources.stopPosition("4AF/B00000D0")).contains(new Position(0x4AFB00000D0L));
  }

  @ParameterizedTest
  @ValueSource(strings = {"yesterday", "", "1", "0/123456789", "1/2/3", "0/1 "})
  void anotherTextIsNoPosition(String text) {
    assertThat(sources.problemOf(text).orElseThrow().fix()).contains("pg_current_wal_lsn()");
  }

  private SourceConfig read(Node.Entry... entries) {
    return sources
        .read(new Fields(new Node.Mapping(PLACE, List.of(entries)), problems), "sluice_x")
        .apply(ENDPOINT);
  }

  private static Node.Entry entry(String key, Node value) {
    return new Node.Entry(key, PLACE, value);
  }
}
